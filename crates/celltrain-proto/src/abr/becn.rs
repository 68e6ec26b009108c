//! Backward RM cells that a switch or a destination generates itself (BN = 1), at most ten per second and VC (TM 4.0
//! §5.10.6 switch rule 2, §5.10.5 destination rule 5).

use alloc::vec;
use alloc::vec::Vec;

use crate::cell::{Direction, RmCell};
use crate::units::{Cells, Rate, Span, Time};

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

/// Generates the BN = 1 cells of a switch for the VCs whose cells meet a congested queue (switch rule 2). They tell a
/// source of the congestion without the delay of the path downstream of the switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BecnPort {
    above: Cells,
    mark: BecnMark,
    /// By VC.
    vcs: Vec<Becn>,
}

impl BecnPort {
    /// Creates the port of a queue that is congested while it holds more than `above` cells, for VCs with numbers below
    /// `vcs`.
    pub fn new(above: Cells, mark: BecnMark, vcs: usize) -> Self {
        Self {
            above,
            mark,
            vcs: vec![Becn::new(); vcs],
        }
    }

    /// A cell of VC number `vc` arrives at the queue, which holds `queue` cells before it. Returns the cell that goes back
    /// to the source, if one is due.
    pub fn on_cell(&mut self, now: Time, vc: u32, queue: Cells) -> Option<RmCell> {
        if queue <= self.above {
            return None;
        }
        let becn = self.vcs.get_mut(vc as usize)?;
        // A switch that only marks leaves the rate to the source.
        becn.make(now, self.mark, Rate::bps(f64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_rule_2_a_queue_is_congested_above_its_threshold() {
        let mut port = BecnPort::new(Cells(100), BecnMark::Decrease, 1);
        assert_eq!(port.on_cell(Time::ZERO, 0, Cells(100)), None);
        let rm = port.on_cell(Time::ZERO, 0, Cells(101)).unwrap();
        assert!(rm.bn && rm.ci && !rm.ni);
    }

    #[test]
    fn switch_rule_2_each_vc_gets_a_cell_of_its_own_every_100_ms() {
        let mut port = BecnPort::new(Cells(0), BecnMark::NoIncrease, 2);
        let at_ms = |ms| Time::ZERO + Span::from_ms(ms);
        let made = [
            (0, 0),
            (0, 0),
            (50, 1),
            (99, 0),
            (100, 0),
            (149, 1),
            (150, 1),
        ]
        .map(|(ms, vc)| port.on_cell(at_ms(ms), vc, Cells(1)).is_some());
        assert_eq!(made, [true, false, true, false, true, false, true]);
    }

    #[test]
    fn a_vc_without_a_number_gets_none() {
        let mut port = BecnPort::new(Cells(0), BecnMark::Decrease, 1);
        assert_eq!(port.on_cell(Time::ZERO, 1, Cells(9)), None);
    }
}
