//! Binary marking: one threshold on the queue (TM 4.0 §5.10.6, relative-rate and EFCI marking).
//!
//! What it measures: the queue at the moment of marking, nothing over time. Parameters: the threshold in
//! cells, and where the mark goes. The single threshold is both limits of the standard's hysteresis.

use super::{PortState, SwitchAlgorithm};
use crate::cell::RmCell;
use crate::units::{Cells, Time};

/// Which bit a congested port sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryMarking {
    /// CI of backward RM cells, as they pass the port against the data.
    BackwardRm,
    /// CI of forward RM cells, as they arrive at the queue.
    ForwardRm,
    /// EFCI of data cells, as they leave the queue.
    Efci,
}

/// Marks while the queue holds strictly more than a threshold; at or below it a mark made elsewhere
/// stays as it is.
#[derive(Clone, Debug)]
pub struct Binary {
    threshold: Cells,
    marking: BinaryMarking,
}

impl Binary {
    /// Marks by `marking` above `threshold` cells.
    pub fn new(threshold: Cells, marking: BinaryMarking) -> Self {
        Self { threshold, marking }
    }

    fn mark(&self, rm: &mut RmCell, port: &PortState) {
        rm.ci |= port.queue > self.threshold;
    }
}

impl SwitchAlgorithm for Binary {
    fn on_forward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        if self.marking == BinaryMarking::ForwardRm {
            self.mark(rm, port);
        }
    }

    fn on_backward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        if self.marking == BinaryMarking::BackwardRm {
            self.mark(rm, port);
        }
    }

    #[inline]
    fn marks_efci(&self, queue: Cells) -> bool {
        self.marking == BinaryMarking::Efci && queue > self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{port, rm};
    use super::*;
    use crate::units::Rate;

    const THRESHOLD: Cells = Cells(256);

    /// CI of a forward cell, CI of a backward cell, and EFCI, at a queue of `queue` cells.
    fn marks(marking: BinaryMarking, queue: u64) -> (bool, bool, bool) {
        let mut binary = Binary::new(THRESHOLD, marking);
        let state = port(queue, Rate::kbps(1_024));
        let (mut forward, mut backward) = (rm(), rm());
        binary.on_forward_rm(Time::ZERO, 0, &mut forward, &state);
        binary.on_backward_rm(Time::ZERO, 0, &mut backward, &state);
        (forward.ci, backward.ci, binary.marks_efci(Cells(queue)))
    }

    #[test]
    fn the_mark_goes_where_it_is_told_to_and_nowhere_else() {
        assert_eq!(marks(BinaryMarking::ForwardRm, 257), (true, false, false));
        assert_eq!(marks(BinaryMarking::BackwardRm, 257), (false, true, false));
        assert_eq!(marks(BinaryMarking::Efci, 257), (false, false, true));
    }

    #[test]
    fn a_queue_at_the_threshold_is_not_congested() {
        for marking in [
            BinaryMarking::ForwardRm,
            BinaryMarking::BackwardRm,
            BinaryMarking::Efci,
        ] {
            assert_eq!(marks(marking, 256), (false, false, false));
        }
    }

    #[test]
    fn a_mark_made_elsewhere_stays_and_the_rates_are_left_alone() {
        let mut binary = Binary::new(THRESHOLD, BinaryMarking::BackwardRm);
        let marked = RmCell { ci: true, ..rm() };
        let mut cell = marked;
        binary.on_backward_rm(Time::ZERO, 0, &mut cell, &port(0, Rate::ZERO));
        assert_eq!(cell, marked);
    }

    #[test]
    fn it_counts_no_vcs() {
        let mut binary = Binary::new(THRESHOLD, BinaryMarking::BackwardRm);
        binary.on_cells(Time::ZERO, 0, 1);
        assert_eq!(binary.mean_active_vcs(Time::from_ps(u64::MAX / 2)), None);
    }
}
