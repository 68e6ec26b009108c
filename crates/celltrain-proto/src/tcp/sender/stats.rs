//! What a sender counts.

use crate::units::Span;

/// Exact round-trip times: from the first transmission of a segment to the acknowledgment that covers
/// it, whether it was sent again or not. What the sender itself knows are ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RttSamples {
    /// Segments acknowledged.
    pub count: u64,
    /// Sum of their times in picoseconds; a `u64` would overflow on long runs.
    pub sum_ps: u128,
    /// Sum of their squares in square picoseconds.
    pub sum_sq_ps2: u128,
    /// The longest.
    pub max: Span,
    /// The last.
    pub latest: Span,
}

impl RttSamples {
    pub(super) fn add(&mut self, rtt: Span) {
        self.count += 1;
        let ps = u128::from(rtt.as_ps());
        self.sum_ps += ps;
        self.sum_sq_ps2 += ps * ps;
        self.max = self.max.max(rtt);
        self.latest = rtt;
    }

    /// The mean, to a picosecond below; none without a sample.
    pub fn mean(&self) -> Option<Span> {
        let mean = self.sum_ps.checked_div(self.count.into())?;
        Some(Span::from_ps(mean as u64))
    }
}

/// What a sender has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SenderStats {
    /// Segments with data or a FIN sent, again or for the first time, without probes.
    pub segments_sent: u64,
    /// Octets of data in them.
    pub bytes_sent: u64,
    /// Segments sent that begin with data sent before.
    pub segments_retransmitted: u64,
    /// Segments with data sent, again or for the first time: probes, but no FIN without data.
    pub data_segments_sent: u64,
    /// Those of them that begin with data sent before.
    pub data_segments_resent: u64,
    /// Retransmission time-outs, without the one that drops the connection.
    pub timeouts: u64,
    /// Segments sent again because of duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Acknowledgments of data that were never sent, ignored.
    pub acks_of_unsent_data: u64,
    /// SYNs sent.
    pub syns_sent: u64,
    /// Acknowledgments sent without data: of the SYN and the FIN of the peer.
    pub acks_sent: u64,
    /// Single octets sent beyond a closed window.
    pub window_probes: u64,
    /// Reductions of the window because a queue has marked data.
    pub ecn_reductions: u64,
    /// Segments sent to find a loss at the end of a flight (TLP).
    pub tail_probes: u64,
    /// Reductions of the window that were undone because nothing was lost.
    pub reductions_undone: u64,
    /// Exact round-trip times.
    pub rtt: RttSamples,
    /// Those of segments that were sent only once.
    pub rtt_once: RttSamples,
    /// Those of segments whose round trips the retransmission timer has learned.
    pub rtt_timed: RttSamples,
}

/// What the retransmission timer learned: a round trip that was measured, or a time-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerEvent {
    /// The round trip, exactly; none at a time-out.
    pub rtt: Option<Span>,
    /// The smoothed round-trip time after it; none without an estimate.
    pub srtt: Option<Span>,
    /// The time-out in force after it, back-off included.
    pub rto: Span,
}
