//! Congestion control: one file for each variant, behind one trait, dispatched by an enum.
//!
//! A variant moves `cwnd` and `ssthresh` and says what a duplicate acknowledgment calls for. Timers,
//! sequence numbers and the segments themselves are the sender's.

pub mod bbr;
mod cubic;
mod episode;
mod law;
mod linux;
mod newreno;
mod reno;
mod sack;
mod tahoe;
mod window;

pub use cubic::CubicOptions;
pub use reno::{AvoidanceIncrement, Deflation, RenoOptions};
pub use tahoe::TahoeOptions;

use super::RtoGain;
use super::delivery::RateSample;
use crate::units::{Rate, Span, Time};
use alloc::boxed::Box;
use cubic::Cubic;
use law::{Law, Modelled};
use linux::Linux1999;
use newreno::NewReno;
use reno::Reno;
use sack::Sack;
use tahoe::Tahoe;
pub(super) use window::Window;

/// Duplicate acknowledgments that mean a loss (`tcprexmtthresh`).
pub(super) const DUPLICATES: u32 = 3;

/// The congestion control of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Slow start, congestion avoidance, fast retransmit and fast recovery (4.3BSD-Reno, 1990).
    Reno(RenoOptions),
    /// Slow start, congestion avoidance and fast retransmit (4.3BSD-Tahoe, 1988).
    Tahoe(TahoeOptions),
    /// Reno as in Linux 2.0, whose windows count segments of any length; see
    /// [`OutputRule::CountedSegments`](super::OutputRule::CountedSegments).
    Linux1999,
    /// Fast recovery that survives partial acknowledgments (RFC 6582).
    NewReno,
    /// Recovery by selective acknowledgments (RFC 6675); the receiver must send them.
    Sack,
    /// A window that is a cubic function of time (RFC 9438), losses repaired as by `Sack`, or without selective
    /// acknowledgments as by `NewReno`.
    Cubic(CubicOptions),
    /// Rate and window by a model of the network (BBR version 1), losses repaired as by `Sack`.
    Bbr(BbrOptions),
}

/// Options of [`Variant::Bbr`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BbrOptions {
    /// Chooses the phase at which the cycle of pacing gains begins, which is random.
    pub seed: u64,
}

impl Variant {
    /// 4.3BSD-Reno (1990) and Net/2.
    pub fn bsd43_reno() -> Self {
        Self::default()
    }

    /// 4.4BSD and 4.4BSD-Lite (1993): in its congestion control 4.3BSD-Reno. What it adds are options of
    /// the connection: larger windows, scaling and timestamps (RFC 1323).
    pub fn bsd44() -> Self {
        Self::bsd43_reno()
    }

    /// 4.4BSD-Lite2 (1995): Reno whose congestion avoidance no longer adds an eighth of a segment.
    pub fn bsd44_lite2() -> Self {
        Self::Reno(RenoOptions {
            increment: AvoidanceIncrement::Plain,
            ..RenoOptions::default()
        })
    }

    /// Whether the sender uses selective acknowledgments.
    pub fn uses_sack(self) -> bool {
        match self {
            Self::Sack | Self::Bbr(_) => true,
            Self::Cubic(options) => options.sack,
            Self::Reno(_) | Self::Tahoe(_) | Self::Linux1999 | Self::NewReno => false,
        }
    }

    /// Whether it follows the RFCs of today, and not a system of the 1990s.
    pub fn is_modern(self) -> bool {
        matches!(
            self,
            Self::NewReno | Self::Sack | Self::Cubic(_) | Self::Bbr(_)
        )
    }

    /// Whether the sender spaces its segments.
    pub fn is_paced(self) -> bool {
        matches!(self, Self::Bbr(_))
    }

    /// The weight of the mean deviation in the time-out, where the slow timer counts it.
    pub fn rto_gain(self) -> RtoGain {
        match self {
            Self::Tahoe(_) => RtoGain::Two,
            Self::Reno(_)
            | Self::Linux1999
            | Self::NewReno
            | Self::Sack
            | Self::Cubic(_)
            | Self::Bbr(_) => RtoGain::Four,
        }
    }
}

impl Default for Variant {
    fn default() -> Self {
        Self::Reno(RenoOptions::default())
    }
}

/// What the sender does about a duplicate acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reaction {
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
pub(super) enum AckReaction {
    /// Nothing out of the ordinary.
    Advance,
    /// It sends the segment at `snd_una` again; the timer starts anew at the `first` of a recovery.
    Partial { first: bool },
}

/// Where the sender stands when something happens, in sequence numbers and octets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event {
    /// When it happens.
    pub(super) now: Time,
    /// The smoothed round-trip time; zero without an estimate.
    pub(super) srtt: Span,
    /// The oldest octet that is not acknowledged.
    pub(super) snd_una: u64,
    /// The octet behind the highest ever sent.
    pub(super) snd_max: u64,
    /// Octets that the peer offers.
    pub(super) snd_wnd: u64,
    /// Segments sent and not acknowledged, as they were cut.
    pub(super) segments: u64,
    /// Whether the congestion window, and not the application or the peer, has limited what is outstanding.
    pub(super) is_cwnd_limited: bool,
}

impl Event {
    /// Octets sent and not acknowledged (`FlightSize`, RFC 5681).
    fn flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }
}

/// A congestion-control variant.
pub(super) trait CongestionControl {
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

/// The state of a variant.
#[derive(Clone, Debug)]
pub(super) enum Control {
    Reno(Reno),
    Tahoe(Tahoe),
    Linux1999(Linux1999),
    NewReno(NewReno),
    Sack(Sack),
}

impl Control {
    pub(super) fn new(variant: Variant, window: Window) -> Self {
        match variant {
            Variant::Reno(options) => Self::Reno(Reno::new(options, window)),
            Variant::Tahoe(options) => Self::Tahoe(Tahoe::new(options, window)),
            Variant::Linux1999 => Self::Linux1999(Linux1999::new(window)),
            Variant::NewReno => Self::NewReno(NewReno::new(Law::Standard(window))),
            Variant::Sack => Self::Sack(Sack::new(Law::Standard(window))),
            Variant::Cubic(options) => {
                let law = Law::Cubic(Cubic::new(options, window));
                if options.sack {
                    Self::Sack(Sack::new(law))
                } else {
                    Self::NewReno(NewReno::new(law))
                }
            }
            Variant::Bbr(options) => Self::Sack(Sack::new(Law::Bbr(Box::new(Modelled::new(
                options, window,
            ))))),
        }
    }

    /// The last reduction had no cause: all is as it was `before`, the window no smaller than it has become (RFC 4015 3.2).
    pub(super) fn undo(&mut self, before: Self) {
        match (self, before) {
            (Self::Sack(sack), Self::Sack(before)) => sack.undo(before),
            (Self::NewReno(newreno), Self::NewReno(before)) => newreno.undo(before),
            _ => {}
        }
    }

    pub(super) fn get(&self) -> &dyn CongestionControl {
        match self {
            Self::Reno(reno) => reno,
            Self::Tahoe(tahoe) => tahoe,
            Self::Linux1999(linux) => linux,
            Self::NewReno(newreno) => newreno,
            Self::Sack(sack) => sack,
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut dyn CongestionControl {
        match self {
            Self::Reno(reno) => reno,
            Self::Tahoe(tahoe) => tahoe,
            Self::Linux1999(linux) => linux,
            Self::NewReno(newreno) => newreno,
            Self::Sack(sack) => sack,
        }
    }
}
