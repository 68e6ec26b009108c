//! Counters of a sender.

use crate::units::Span;

/// Exact round-trip times: from the first transmission of a segment to the acknowledgment that covers it, whether or
/// not it was retransmitted. The sender itself only knows ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RttSamples {
    /// Segments acknowledged.
    pub count: u64,
    /// Sum of their round-trip times in picoseconds; a `u64` would overflow on long runs.
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

    /// The mean, rounded down to a picosecond; `None` without a sample.
    pub fn mean(&self) -> Option<Span> {
        let mean = self.sum_ps.checked_div(self.count.into())?;
        Some(Span::from_ps(mean as u64))
    }
}

/// Counters of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SenderStats {
    /// Segments with data or a FIN sent, including retransmissions, excluding probes.
    pub segments_sent: u64,
    /// Octets of data in them.
    pub bytes_sent: u64,
    /// Retransmitted segments: those that begin with data sent before.
    pub segments_retransmitted: u64,
    /// Segments with data sent, including retransmissions and probes, excluding a FIN without data.
    pub data_segments_sent: u64,
    /// Those of them that begin with data sent before.
    pub data_segments_resent: u64,
    /// Retransmission time-outs, excluding the one that drops the connection.
    pub timeouts: u64,
    /// Segments retransmitted because of duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Acknowledgments of data never sent, which are ignored.
    pub acks_of_unsent_data: u64,
    /// SYNs sent.
    pub syns_sent: u64,
    /// Acknowledgments sent without data: of the peer's SYN and FIN.
    pub acks_sent: u64,
    /// Single octets sent beyond a zero window.
    pub window_probes: u64,
    /// Reductions of the window because of marked data.
    pub ecn_reductions: u64,
    /// Probes for a loss at the end of a flight (TLP).
    pub tail_probes: u64,
    /// Reductions of the window that were undone as spurious.
    pub reductions_undone: u64,
    /// Exact round-trip times.
    pub rtt: RttSamples,
    /// Exact round-trip times of segments that were sent only once.
    pub rtt_once: RttSamples,
    /// Exact round-trip times of segments that the retransmission timer has measured.
    pub rtt_timed: RttSamples,
}

/// An event of the retransmission timer: a measured round trip, or a time-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerEvent {
    /// The exact round-trip time; `None` at a time-out.
    pub rtt: Option<Span>,
    /// The smoothed round-trip time after it; `None` without an estimate.
    pub srtt: Option<Span>,
    /// The current time-out after it, including back-off.
    pub rto: Span,
}
