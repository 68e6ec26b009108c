//! The state of congestion control: a system of the 1990s, or a law and its method of loss repair.

use super::congestion_control::{AckReaction, CongestionControl, Delivery, Event, Reaction};
use super::facts::{ControlOptions, Repair};
use super::law::WindowLaw;
use super::linux::Linux1999;
use super::newreno::NewReno;
use super::reno::Reno;
use super::sack::Sack;
use super::tahoe::Tahoe;
use super::window::Window;
use crate::units::{Rate, Span, Time};

/// The state of a variant.
#[enum_dispatch::enum_dispatch(CongestionControl)]
#[derive(Clone, Debug)]
pub(in crate::tcp) enum Control<L: WindowLaw> {
    Reno(Reno),
    Tahoe(Tahoe),
    Linux1999(Linux1999),
    NewReno(NewReno<L>),
    Sack(Sack<L>),
}

impl<L: WindowLaw> Control<L> {
    /// `law` with its method of loss repair.
    pub(super) fn of_law(law: L, repair: Repair, options: &ControlOptions, window: Window) -> Self {
        if repair.is_selective(options) {
            Sack::new(law, window).into()
        } else {
            NewReno::new(law, window).into()
        }
    }

    /// Undoes a spurious reduction: restores the state `before` it, but never a smaller window than now (RFC 4015 3.2).
    pub(in crate::tcp) fn undo(&mut self, before: Self) {
        match (self, before) {
            (Self::Sack(sack), Self::Sack(before)) => sack.undo(before),
            (Self::NewReno(newreno), Self::NewReno(before)) => newreno.undo(before),
            _ => {}
        }
    }
}

impl Repair {
    /// Whether losses are repaired by selective acknowledgments.
    pub(super) fn is_selective(self, options: &ControlOptions) -> bool {
        match self {
            Self::Selective => true,
            Self::Either => options.sack,
            Self::Own | Self::Partial => false,
        }
    }
}
