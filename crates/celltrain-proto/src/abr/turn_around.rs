//! What happens to backward RM cells of the other loop between turnaround and transmission.

use crate::cell::RmCell;

/// How the backward RM cells of the other loop are sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BackwardRm {
    /// In-rate, one per forward RM cell while data wait (source rule 3).
    #[default]
    InRate,
    /// In-rate, all of them before data; a due forward RM cell still goes first. Not standard.
    Priority,
    /// At once with CLP = 1, outside ACR. The standard allows this only for older cells (destination rule 3) and for
    /// answers to CLP = 1 (rule 6).
    OutOfRate,
    /// At once and without using capacity, not even on the line: to check a loop without their load.
    Ideal,
}

/// What happens to a waiting backward RM cell when a newer one arrives (destination rule 3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OlderBackwardRm {
    /// It is discarded, together with the EFCI that it carried as CI.
    #[default]
    Overwrite,
    /// It is discarded, but the newer one takes over its CI.
    OverwriteKeepCi,
    /// It is sent at once with CLP = 1, before the newer one.
    OutOfRate,
}

/// What happened to a turned-around RM cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[must_use]
pub enum TurnAround {
    /// It waits for its turn in-rate.
    Waits,
    /// It replaces an older waiting one, which is discarded.
    Overwrites,
    /// This cell is to be sent at once with CLP = 1: the new one, or the older one before it.
    OutOfRate {
        /// The cell to send.
        rm: RmCell,
        /// Whether an older waiting one is discarded.
        overwrites: bool,
    },
    /// It is to reach the source without using any capacity ([`BackwardRm::Ideal`]).
    Ideal(RmCell),
}

impl TurnAround {
    /// Whether an older backward RM cell was discarded.
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

/// The slot for one waiting backward RM cell.
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

    /// A newer cell takes the slot (destination rules 3 and 4).
    pub(super) fn put(&mut self, rm: RmCell, older: OlderBackwardRm) -> TurnAround {
        let Some(old) = self.0.replace(rm) else {
            return TurnAround::Waits;
        };
        match older {
            OlderBackwardRm::Overwrite => TurnAround::Overwrites,
            OlderBackwardRm::OverwriteKeepCi => {
                let ci = rm.ci | old.ci;
                self.0 = Some(RmCell { ci, ..rm });
                TurnAround::Overwrites
            }
            OlderBackwardRm::OutOfRate => TurnAround::OutOfRate {
                rm: old,
                overwrites: false,
            },
        }
    }

    /// A newer cell is sent at once. A waiting one must not follow it (destination rule 4), so it is discarded.
    pub(super) fn pass(&mut self, rm: RmCell, older: OlderBackwardRm) -> TurnAround {
        let old = self.0.take();
        let keep_ci = older == OlderBackwardRm::OverwriteKeepCi;
        let ci = rm.ci | (keep_ci && old.is_some_and(|old| old.ci));
        TurnAround::OutOfRate {
            rm: RmCell { ci, ..rm },
            overwrites: old.is_some(),
        }
    }
}
