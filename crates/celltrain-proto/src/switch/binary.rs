//! Binary marking: thresholds on the queue (TM 4.0 §5.10.6, relative-rate and EFCI marking).
//!
//! It looks at the queue as cells leave, and when RM cells are marked; it measures nothing over time. Congestion begins
//! above one threshold and ends at or below another; if both are equal there is no hysteresis. Relative rate: CI, and
//! NI above a separate threshold, in RM cells.

use super::algorithm::{PortState, SwitchAlgorithm};
use crate::cell::RmCell;
use crate::parameters::at_least;
use crate::units::{Cells, Time};

choice! {
    /// Which cells carry the congestion indication.
    pub enum BinaryMarking {
        /// CI in backward RM cells, as they pass the switch against the data.
        #[default]
        BackwardRm,
        /// CI in forward RM cells, as they arrive at the queue.
        ForwardRm,
        /// EFCI in data cells, as they leave the queue.
        Efci,
    }
}

parameters! {
    /// The parameters of [`Binary`].
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct BinaryParameters {
        /// Congestion begins when the queue holds more cells than this.
        pub threshold: Cells;
        /// Congestion ends when it holds no more than this; if absent, `threshold`.
        pub low: Option<Cells>;
        /// RM cells get NI while the queue holds more cells than this (relative rate).
        pub ni_threshold: Option<Cells>;
        /// Which cells carry the indication.
        pub marking: BinaryMarking = BinaryMarking::default();
    }
    |it| at_least("threshold", it.threshold, "low", it.low())
}

impl BinaryParameters {
    fn low(&self) -> Cells {
        self.low.unwrap_or(self.threshold)
    }
}

/// Marks while the port is congested; otherwise existing marks are kept.
#[derive(Clone, Debug)]
pub struct Binary {
    parameters: BinaryParameters,
    congested: bool,
}

impl Binary {
    /// Creates the algorithm of an uncongested port.
    pub fn new(parameters: BinaryParameters) -> Self {
        Self {
            parameters,
            congested: false,
        }
    }

    fn on_queue(&mut self, queue: Cells) -> bool {
        if queue > self.parameters.threshold {
            self.congested = true;
        } else if queue <= self.parameters.low() {
            self.congested = false;
        }
        self.congested
    }

    fn mark(&mut self, rm: &mut RmCell, port: &PortState) {
        rm.ci |= self.on_queue(port.queue);
        rm.ni |= self
            .parameters
            .ni_threshold
            .is_some_and(|threshold| port.queue > threshold);
    }
}

impl SwitchAlgorithm for Binary {
    #[inline]
    fn counts_cells(&self) -> bool {
        false
    }

    fn on_forward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        if self.parameters.marking == BinaryMarking::ForwardRm {
            self.mark(rm, port);
        }
    }

    fn on_backward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        if self.parameters.marking == BinaryMarking::BackwardRm {
            self.mark(rm, port);
        }
    }

    fn follows_departures(&self) -> bool {
        // Without hysteresis, only the queue at the moment of marking matters.
        let parameters = &self.parameters;
        parameters.marking == BinaryMarking::Efci || parameters.low() < parameters.threshold
    }

    // The queue is longest just before a departure and shortest just after it, so no crossing is missed.
    #[inline]
    fn marks_efci(&mut self, queue: Cells) -> bool {
        let congested = self.on_queue(queue);
        self.on_queue(Cells(queue.0.saturating_sub(1)));
        congested && self.parameters.marking == BinaryMarking::Efci
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{port, rm};
    use super::*;
    use crate::units::Rate;

    const THRESHOLD: Cells = Cells(256);

    fn binary(marking: BinaryMarking) -> Binary {
        Binary::new(BinaryParameters {
            threshold: THRESHOLD,
            low: None,
            ni_threshold: None,
            marking,
        })
    }

    /// CI of a forward cell, CI of a backward cell, and EFCI, at a queue of `queue` cells.
    fn marks(marking: BinaryMarking, queue: u64) -> (bool, bool, bool) {
        let mut binary = binary(marking);
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
    fn departures_matter_for_efci_and_hysteresis_alone() {
        let mut with_low = binary(BinaryMarking::BackwardRm);
        assert!(!with_low.follows_departures());
        with_low.parameters.low = Some(Cells(100));
        assert!(with_low.follows_departures());
        assert!(binary(BinaryMarking::Efci).follows_departures());
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
    fn with_hysteresis_congestion_lasts_until_the_queue_is_at_the_lower_threshold() {
        let mut binary = Binary::new(BinaryParameters {
            threshold: Cells(100),
            low: Some(Cells(50)),
            ni_threshold: None,
            marking: BinaryMarking::Efci,
        });
        let marked =
            [99, 100, 101, 100, 60, 51, 51, 50, 90, 100, 101].map(|q| binary.marks_efci(Cells(q)));
        // The departure at 51 leaves 50.
        let expected = [
            false, false, true, true, true, true, false, false, false, false, true,
        ];
        assert_eq!(marked, expected);
    }

    #[test]
    fn ni_has_a_threshold_of_its_own() {
        let mut binary = Binary::new(BinaryParameters {
            threshold: Cells(100),
            low: Some(Cells(100)),
            ni_threshold: Some(Cells(40)),
            marking: BinaryMarking::BackwardRm,
        });
        for (queue, ci, ni) in [(40, false, false), (41, false, true), (101, true, true)] {
            let mut cell = rm();
            binary.on_backward_rm(Time::ZERO, 0, &mut cell, &port(queue, Rate::kbps(1_024)));
            assert_eq!((cell.ci, cell.ni), (ci, ni), "at {queue} cells");
        }
    }

    #[test]
    fn a_mark_made_elsewhere_stays_and_the_rates_are_left_alone() {
        let mut binary = binary(BinaryMarking::BackwardRm);
        let marked = RmCell { ci: true, ..rm() };
        let mut cell = marked;
        binary.on_backward_rm(Time::ZERO, 0, &mut cell, &port(0, Rate::ZERO));
        assert_eq!(cell, marked);
    }

    #[test]
    fn it_counts_no_vcs() {
        let mut binary = binary(BinaryMarking::BackwardRm);
        binary.on_cells(Time::ZERO, 0, 1);
        assert_eq!(binary.mean_active_vcs(Time::from_ps(u64::MAX / 2)), None);
    }
}
