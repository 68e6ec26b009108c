//! Backward RM cells that a switch or a destination generates itself (BN = 1), at most ten per second and VC (TM 4.0
//! §5.10.6 switch rule 2, §5.10.5 destination rule 5).

use crate::cell::{Direction, RmCell};
use crate::units::{Rate, Span, Time};

/// What a backward RM cell with BN = 1 tells the source; it must set one of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BecnMark {
    /// CI = 1: lower the rate.
    Decrease,
    /// NI = 1: do not raise it.
    NoIncrease,
}

/// Generates the BN = 1 cells of one VC, in-rate and out-of-rate together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Becn {
    last: Option<Time>,
}

impl Becn {
    /// The minimum time between two cells.
    pub const INTERVAL: Span = Span::from_ms(100);

    /// Creates a generator that has sent no cell yet.
    pub const fn new() -> Self {
        Self { last: None }
    }

    /// The earliest time at which the next cell may be generated.
    pub fn earliest(&self) -> Time {
        self.last
            .map_or(Time::ZERO, |last| last.saturating_add(Self::INTERVAL))
    }

    /// Generates the cell that goes back to the source at `now`, or returns `None` before [`Becn::earliest`]. A node
    /// without a rate of its own passes the largest rate as `er`.
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
