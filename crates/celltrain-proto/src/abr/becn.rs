//! Backward RM cells that a switch or a destination makes on its own (BN = 1), at most ten a second for
//! each VC (TM 4.0 §5.10.6 switch rule 2, §5.10.5 destination rule 5).

use crate::cell::{Direction, RmCell};
use crate::units::{Rate, Span, Time};

/// What a backward RM cell with BN = 1 tells the source; one of the two it must.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BecnMark {
    /// CI = 1: lower the rate.
    Decrease,
    /// NI = 1: do not raise it.
    NoIncrease,
}

/// Makes the BN = 1 cells of one VC, in-rate and out-of-rate together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Becn {
    last: Option<Time>,
}

impl Becn {
    /// The shortest time between two cells.
    pub const INTERVAL: Span = Span::from_ms(100);

    /// One that has made no cell yet.
    pub const fn new() -> Self {
        Self { last: None }
    }

    /// From when on the next cell may be made.
    pub fn earliest(&self) -> Time {
        self.last
            .map_or(Time::ZERO, |last| last.saturating_add(Self::INTERVAL))
    }

    /// The cell that goes back to the source `now`; `None` before [`Becn::earliest`]. Without a rate of
    /// its own the maker gives the largest one as `er`.
    pub fn make(&mut self, now: Time, mark: BecnMark, er: Rate) -> Option<RmCell> {
        if now < self.earliest() {
            return None;
        }
        self.last = Some(now);
        Some(RmCell {
            direction: Direction::Backward,
            bn: true,
            ci: mark == BecnMark::Decrease,
            ni: mark == BecnMark::NoIncrease,
            er,
            ccr: Rate::ZERO,
            mcr: Rate::ZERO,
        })
    }
}
