//! Congestion control: one file for each variant, behind one trait, dispatched by an enum.
//!
//! A variant moves `cwnd` and `ssthresh` and says what a duplicate acknowledgment calls for. Timers,
//! sequence numbers and the segments themselves are the sender's.

pub mod bbr;
mod congestion_control;
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
pub use law::BbrOptions;
pub use reno::{AvoidanceIncrement, Deflation, RenoOptions};
pub use tahoe::TahoeOptions;

use super::RtoGain;
use alloc::boxed::Box;
pub(super) use congestion_control::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction};
use cubic::Cubic;
use law::{Law, Modelled};
use linux::Linux1999;
use newreno::NewReno;
use reno::Reno;
use sack::Sack;
use tahoe::Tahoe;
pub(super) use window::Window;

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
