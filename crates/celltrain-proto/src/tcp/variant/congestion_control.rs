//! The interface between a sender and its congestion control.

use super::window::Window;
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Span, Time};

/// Number of duplicate acknowledgments that indicates a loss (`tcprexmtthresh`).
pub(in crate::tcp) const DUPLICATES: u32 = 3;

/// The sender's reaction to a duplicate acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum Reaction {
    /// No special action.
    None,
    /// It retransmits the segment at `snd_una`, and only that one.
    FastRetransmit,
    /// It retransmits everything from `snd_una` on.
    GoBack,
    /// It sends what the window, now larger, allows.
    Output,
}

/// The sender's reaction to an acknowledgment of new data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum AckReaction {
    /// No special action.
    Advance,
    /// It retransmits the segment at `snd_una`; the `first` one of a recovery restarts the timer.
    Partial { first: bool },
}

/// The sender's state at an event, in sequence numbers and octets.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Event {
    /// Time of the event.
    pub(in crate::tcp) now: Time,
    /// The smoothed round-trip time; zero without an estimate.
    pub(in crate::tcp) srtt: Span,
    /// The round-trip time of the newest segment that the current acknowledgment covers; none if that segment was
    /// retransmitted or already known to have arrived, or without an acknowledgment.
    pub(in crate::tcp) rtt: Option<Span>,
    /// Octets known to have arrived, including those beyond holes.
    pub(in crate::tcp) arrived: u64,
    /// The oldest unacknowledged octet.
    pub(in crate::tcp) snd_una: u64,
    /// The octet behind the highest ever sent.
    pub(in crate::tcp) snd_max: u64,
    /// The window that the peer offers.
    pub(in crate::tcp) snd_wnd: u64,
    /// Segments sent and not acknowledged, of any length.
    pub(in crate::tcp) segments: u64,
    /// Whether the congestion window, not the application or the peer, limited the outstanding data.
    pub(in crate::tcp) is_cwnd_limited: bool,
}

/// What an acknowledgment reveals about the network.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Delivery {
    pub(in crate::tcp) now: Time,
    pub(in crate::tcp) sample: RateSample,
    /// Octets found lost.
    pub(in crate::tcp) lost: u64,
    /// Octets that remain in flight.
    pub(in crate::tcp) inflight: u64,
    /// When pacing allows the next segment; in the past if it holds back none.
    pub(in crate::tcp) next_send: Time,
}

impl Event {
    /// Octets sent and not acknowledged (`FlightSize`, RFC 5681).
    pub(super) fn flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// The event without its round-trip time if that `is_void`.
    pub(super) fn without_rtt_if(&self, is_void: bool) -> Self {
        Self {
            rtt: self.rtt.filter(|_| !is_void),
            ..*self
        }
    }
}

/// A congestion-control variant.
#[enum_dispatch::enum_dispatch]
pub(in crate::tcp) trait CongestionControl {
    /// The current `cwnd` and `ssthresh`.
    fn window(&self) -> &Window;
    /// The duplicate acknowledgment number `count` in a row has arrived.
    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction;
    /// An acknowledgment ends a row of `count` duplicates, possibly none.
    fn on_duplicates_end(&mut self, _count: u32) {}
    /// `acked` octets of new data are acknowledged; `snd_una` is behind them.
    fn on_ack(&mut self, acked: u64, event: &Event) -> AckReaction;
    /// The retransmission timer has expired.
    fn on_timeout(&mut self, event: &Event);
    /// A queue has marked data, for the first time in a window: the window is reduced as for a loss, but nothing is
    /// lost. `snd_una` does not yet include what the acknowledgment covers. A variant without a rule for marks ignores
    /// them.
    fn on_ecn(&mut self, _event: &Event) {}
    /// `acked` octets of new data are acknowledged on a connection with ECN, with or without the echo of a mark; `snd_una`
    /// does not yet include them. Called before [`CongestionControl::on_ecn`].
    fn on_echo(&mut self, _acked: u64, _is_marked: bool, _event: &Event) {}
    /// Output resumes after a retransmission time-out's length with nothing outstanding or received.
    fn on_idle(&mut self) {}
    /// An acknowledgment gives a sample of the delivery rate.
    fn on_delivery(&mut self, _delivery: &Delivery) {}
    /// The pacing rate; none if segments are not paced.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
    /// Octets that leave back to back when pacing allows the first of them; zero for one segment.
    fn pacing_quantum(&self) -> u64 {
        0
    }
    /// Whether the control currently limits the data in flight for a measurement.
    fn limits_inflight(&self) -> bool {
        false
    }
    /// The connection is open; its first segment took `rtt` for a round trip.
    fn on_handshake(&mut self, _now: Time, _rtt: Span) {}
    /// Whether losses are being repaired without a time-out.
    fn is_recovering(&self) -> bool {
        false
    }
    /// Whether data outstanding at the last loss or time-out are still unacknowledged.
    fn is_repairing(&self, _snd_una: u64) -> bool {
        self.is_recovering()
    }
    /// Slow start ends without a loss (RFC 9406 4.2).
    fn end_slow_start(&mut self) {}
    /// Whether a fast retransmit restarts the retransmission timer.
    fn restarts_timer_at_fast_retransmit(&self) -> bool {
        true
    }
    /// Whether a time-out leaves the count of duplicates unchanged.
    fn keeps_duplicates_at_timeout(&self) -> bool {
        false
    }
}
