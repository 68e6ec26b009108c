//! What happens to backward RM cells of the other loop between their turning round and their leaving.

use crate::cell::RmCell;

/// How the backward RM cells of the other loop leave.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BackwardRm {
    /// In-rate, one for each forward RM cell while data wait (source rule 3).
    #[default]
    InRate,
    /// In-rate, all of them before data; a forward RM cell that is due still goes first. Not standard.
    Priority,
    /// At once with CLP = 1, outside of ACR. The standard allows it for older cells (destination rule 3) and
    /// for answers to CLP = 1 (rule 6) alone.
    OutOfRate,
    /// At once and at no cost of capacity, on the line either: to check a loop without their load.
    Ideal,
}

/// What becomes of a backward RM cell that still waits for its turn when a newer one comes (destination
/// rule 3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OlderBackwardRm {
    /// It is lost, with the EFCI that it carried as CI.
    #[default]
    Overwrite,
    /// It is lost, but the newer one takes over its CI.
    OverwriteKeepCi,
    /// It leaves at once with CLP = 1, before the newer one.
    OutOfRate,
}

/// What became of a turned-round RM cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[must_use]
pub enum TurnRound {
    /// It waits for its turn in-rate.
    Waits,
    /// It waits in the place of an older one, which is lost.
    Overwrites,
    /// This cell is to leave at once with CLP = 1: the new one, or the older one before it.
    OutOfRate {
        /// The cell that leaves.
        rm: RmCell,
        /// Whether an older one that waited is lost.
        overwrites: bool,
    },
    /// It is to reach the source without the use of any capacity ([`BackwardRm::Ideal`]).
    Ideal(RmCell),
}

impl TurnRound {
    /// Whether an older backward RM cell was lost.
    pub const fn overwrites(&self) -> bool {
        matches!(
            self,
            Self::Overwrites
                | Self::OutOfRate {
                    overwrites: true,
                    ..
                }
        )
    }
}

/// The place for one backward RM cell that waits.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Slot(Option<RmCell>);

impl Slot {
    #[inline]
    pub(super) const fn is_taken(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub(super) fn take(&mut self) -> Option<RmCell> {
        self.0.take()
    }

    /// A newer cell takes the place (destination rules 3 and 4).
    pub(super) fn put(&mut self, rm: RmCell, older: OlderBackwardRm) -> TurnRound {
        let Some(old) = self.0.replace(rm) else {
            return TurnRound::Waits;
        };
        match older {
            OlderBackwardRm::Overwrite => TurnRound::Overwrites,
            OlderBackwardRm::OverwriteKeepCi => {
                let ci = rm.ci | old.ci;
                self.0 = Some(RmCell { ci, ..rm });
                TurnRound::Overwrites
            }
            OlderBackwardRm::OutOfRate => TurnRound::OutOfRate {
                rm: old,
                overwrites: false,
            },
        }
    }

    /// A newer cell leaves at once. One that waits must not follow it (destination rule 4), so it is lost.
    pub(super) fn pass(&mut self, rm: RmCell, older: OlderBackwardRm) -> TurnRound {
        let old = self.0.take();
        let keep_ci = older == OlderBackwardRm::OverwriteKeepCi;
        let ci = rm.ci | (keep_ci && old.is_some_and(|old| old.ci));
        TurnRound::OutOfRate {
            rm: RmCell { ci, ..rm },
            overwrites: old.is_some(),
        }
    }
}
