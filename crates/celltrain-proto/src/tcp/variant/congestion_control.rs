//! What a sender tells its congestion control, and what that answers.

use super::window::Window;
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Span, Time};

/// Duplicate acknowledgments that mean a loss (`tcprexmtthresh`).
pub(in crate::tcp) const DUPLICATES: u32 = 3;

/// What the sender does about a duplicate acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum Reaction {
    /// Nothing out of the ordinary.
    None,
    /// It sends the segment at `snd_una` again, that one only.
    FastRetransmit,
    /// It sends everything from `snd_una` on again.
    GoBack,
    /// It sends what the window, now larger, allows.
    Output,
}

/// What the sender does about an acknowledgment of new data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum AckReaction {
    /// Nothing out of the ordinary.
    Advance,
    /// It sends the segment at `snd_una` again; the timer starts anew at the `first` of a recovery.
    Partial { first: bool },
}

/// Where the sender stands when something happens, in sequence numbers and octets.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Event {
    /// When it happens.
    pub(in crate::tcp) now: Time,
    /// The smoothed round-trip time; zero without an estimate.
    pub(in crate::tcp) srtt: Span,
    /// The round trip of the newest segment that the acknowledgment at hand covers; none if that was sent again, or was known
    /// to have arrived before, or if there is no such acknowledgment.
    pub(in crate::tcp) rtt: Option<Span>,
    /// Octets that are known to have arrived, those beyond holes too.
    pub(in crate::tcp) arrived: u64,
    /// The oldest octet that is not acknowledged.
    pub(in crate::tcp) snd_una: u64,
    /// The octet behind the highest ever sent.
    pub(in crate::tcp) snd_max: u64,
    /// Octets that the peer offers.
    pub(in crate::tcp) snd_wnd: u64,
    /// Segments sent and not acknowledged, as they were cut.
    pub(in crate::tcp) segments: u64,
    /// Whether the congestion window, and not the application or the peer, has limited what is outstanding.
    pub(in crate::tcp) is_cwnd_limited: bool,
}

impl Event {
    /// Octets sent and not acknowledged (`FlightSize`, RFC 5681).
    pub(super) fn flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// The same without a round trip where that `is_void`.
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
    /// `cwnd` and `ssthresh` as they are.
    fn window(&self) -> &Window;
    /// Duplicate acknowledgment number `count` in a row.
    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction;
    /// An acknowledgment ends a row of `count` duplicates, possibly none.
    fn on_duplicates_end(&mut self, _count: u32) {}
    /// `acked` octets of new data are acknowledged; `snd_una` is behind them.
    fn on_ack(&mut self, acked: u64, event: &Event) -> AckReaction;
    /// The retransmission timer has expired.
    fn on_timeout(&mut self, event: &Event);
    /// A queue has marked data, for the first time in a window: the reduction of a loss, of which nothing
    /// is lost. `snd_una` is still before what the acknowledgment acknowledges. A variant without a law
    /// for marks ignores them.
    fn on_ecn(&mut self, _event: &Event) {}
    /// Output begins after nothing was outstanding or heard for a retransmission time-out.
    fn on_idle(&mut self) {}
    /// An acknowledgment shows how fast the network delivers, and that `lost` octets are lost;
    /// `inflight` octets are on their way after it.
    fn on_delivery(&mut self, _now: Time, _sample: &RateSample, _lost: u64, _inflight: u64) {}
    /// The rate at which segments leave; none if they are not spaced.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
    /// Whether the control keeps the network from filling on purpose, for a measurement.
    fn limits_inflight(&self) -> bool {
        false
    }
    /// Whether losses are being repaired without the timer.
    fn is_recovering(&self) -> bool {
        false
    }
    /// Whether data that were outstanding at the last loss or time-out are still not acknowledged.
    fn is_repairing(&self, _snd_una: u64) -> bool {
        self.is_recovering()
    }
    /// Slow start ends without a loss (RFC 9406 4.2).
    fn end_slow_start(&mut self) {}
    /// Whether a fast retransmit starts the retransmission timer anew.
    fn restarts_timer_at_fast_retransmit(&self) -> bool {
        true
    }
    /// Whether duplicates before a time-out count with those after it.
    fn keeps_duplicates_at_timeout(&self) -> bool {
        false
    }
}
