//! ERICA+: ERICA with a target queueing delay, for full use of the line.
//!
//! ```text
//! at the end of an interval:  Q0 = left·T0 / 424 cells
//!                             f = b·Q0 / ((b-1)·q + Q0) up to Q0, max(QDLF, a·Q0 / ((a-1)·q + Q0)) above
//!                             cap = f·left;  all else as in ERICA
//! ```
//!
//! In addition to what ERICA measures, it uses the queue q, including the cell in transmission: the queue at the port
//! when the latest RM cell of either direction passed before the end of an interval or, with
//! [`QueueSampling::IntervalEnd`], the queue at that instant. Source: ATM Forum 96-1172 section 6, and the queue
//! control functions of December 1997. A port with rate zero has capacity zero.

use alloc::boxed::Box;

use super::algorithm::{PortState, SwitchAlgorithm};
use super::erica::EricaRules;
use super::erica::core::{Core, Goal};
use super::queue_function::{QueueFunction, Shape};
use crate::cell::RmCell;
use crate::parameters::Bounds;
use crate::units::{Cells, Rate, Span, Time};

choice! {
    /// Which queue is used at the end of an interval.
    pub enum QueueSampling {
        /// The queue at the latest RM cell.
        #[default]
        RmCells,
        /// The queue at that instant; the port must report each change.
        IntervalEnd,
    }
}

choice! {
    /// The shape of the queue control of ERICA+.
    pub enum QueueControl {
        /// Two hyperbolas.
        #[default]
        Hyperbolic,
        /// Two straight-line segments.
        Linear,
        /// `b` below the target, `qdlf` above.
        Step,
    }
}

parameters! {
    /// The parameters of [`EricaPlus`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EricaPlusParameters {
        /// Target queueing delay.
        pub t0: Span = Span::from_us(1_500), in Bounds::INTERVAL;
        /// Steepness of the queue control above the target queue.
        pub a: f64 = 1.15, in Bounds::above(1.0);
        /// Gain at an empty queue.
        pub b: f64 = 1.05, in Bounds::at_least(1.0);
        /// Queue drain limit factor: the queue control never falls below it.
        pub qdlf: f64 = 0.5, in Bounds::PART;
        /// The shape of the queue control between these values.
        pub queue_control: QueueControl = QueueControl::default();
        /// With a linear shape, the multiple of the target queue at which the control reaches its minimum.
        pub k: f64 = 26.0 / 3.0, in Bounds::above(1.0);
        /// Which queue is used at the end of an interval.
        pub queue_sampling: QueueSampling = QueueSampling::default();
        ..pub rules: EricaRules;
    }
}

impl EricaPlusParameters {
    fn queue_function(&self) -> QueueFunction {
        QueueFunction {
            t0: self.t0,
            a: self.a,
            b: self.b,
            qdlf: self.qdlf,
            shape: match self.queue_control {
                QueueControl::Hyperbolic => Shape::Hyperbolic,
                QueueControl::Linear => Shape::Linear { k: self.k },
                QueueControl::Step => Shape::Step,
            },
        }
    }
}

/// ERICA+.
#[derive(Clone, Debug)]
pub struct EricaPlus {
    /// Boxed, because every port reserves space for the largest algorithm.
    core: Box<Core>,
    sampling: QueueSampling,
}

impl EricaPlus {
    /// Creates an algorithm without history, with an empty queue.
    pub fn new(parameters: EricaPlusParameters) -> Self {
        let goal = Goal::Queue {
            function: parameters.queue_function(),
            queue: Cells(0),
        };
        Self {
            core: Box::new(Core::new(goal, parameters.rules)),
            sampling: parameters.queue_sampling,
        }
    }
}

impl SwitchAlgorithm for EricaPlus {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.core.on_cells(now, vc, n);
    }

    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {
        self.core.on_activity(now, vc);
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.core.on_priority_cells(now, n);
    }

    fn follows_queue(&self) -> bool {
        self.sampling == QueueSampling::IntervalEnd
    }

    #[inline]
    fn on_queue(&mut self, now: Time, queue: Cells) {
        if self.sampling == QueueSampling::IntervalEnd {
            self.core.set_queue(now, queue);
        }
    }

    fn on_rate_change(&mut self, now: Time, rate: Rate) {
        self.core.set_line(now, rate);
    }

    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
        self.core.set_queue(now, port.queue);
        self.core.on_forward_rm(now, vc, rm);
    }

    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
        self.core.set_queue(now, port.queue);
        self.core.on_backward_rm(now, vc, rm);
    }

    fn target_rate(&mut self, now: Time) -> Option<Rate> {
        Some(self.core.target(now))
    }

    /// The mean of N over the intervals; N itself may be averaged.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        self.core.mean_active_vcs(now)
    }

    fn weight_of_vc(&self) -> f64 {
        self.core.activity_weight()
    }

    fn load_factor(&mut self, now: Time) -> Option<f64> {
        self.core.load_factor(now)
    }

    fn reset_statistics(&mut self, now: Time) {
        self.core.reset_statistics(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::erica::tests::RULES;
    use super::super::tests::{ms, port, rm};
    use super::*;

    /// 100 cells take 1 ms.
    const LINE: Rate = Rate::cells_per_s(100_000.0);

    const PARAMETERS: EricaPlusParameters = EricaPlusParameters {
        t0: Span::from_us(1_500),
        a: 1.15,
        b: 1.05,
        qdlf: 0.5,
        queue_control: QueueControl::Hyperbolic,
        k: 26.0 / 3.0,
        queue_sampling: QueueSampling::RmCells,
        rules: RULES,
    };

    fn erica_plus(rate: Rate) -> EricaPlus {
        let mut switch = EricaPlus::new(PARAMETERS);
        switch.on_rate_change(Time::ZERO, rate);
        switch
    }

    /// The ER in cells/s given to VC 0 when its backward RM cell passes at a queue of `queue` cells.
    fn er(switch: &mut EricaPlus, now: Time, queue: u64) -> f64 {
        let mut cell = RmCell {
            er: Rate::kbps(1_000_000),
            ..rm()
        };
        switch.on_backward_rm(now, 0, &mut cell, &port(queue, LINE));
        cell.er.as_cells_per_s()
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn f_falls_from_b_over_one_at_t0_to_the_drain_limit() {
        for (queue, f) in [
            (0, 1.05),
            (50, 1.0328),
            (100, 1.0161),
            (150, 1.0),
            (200, 0.9583),
            (300, 0.8846),
            (500, 0.7667),
            (750, 0.6571),
            (1_000, 0.575),
            (1_300, 0.5),
            (1_000_000, 0.5),
        ] {
            let mut switch = erica_plus(LINE);
            // Idle except for this RM cell: the whole capacity is the fair share of one VC. The first interval gave all
            // that f allows at an empty queue, and max_prev would pass that on.
            er(&mut switch, ms(1), queue);
            er(&mut switch, ms(1_001), queue);
            er(&mut switch, ms(2_001), queue);
            assert_near(er(&mut switch, ms(3_001), queue), f * 100_000.0, 5.0);
        }
    }

    #[test]
    fn the_drain_limit_is_reached_at_8_667_targets_whatever_the_target() {
        for t0 in [Span::from_us(100), Span::from_ms(600)] {
            let function = QueueFunction {
                t0,
                a: 1.15,
                b: 1.05,
                qdlf: 0.5,
                shape: Shape::Hyperbolic,
            };
            let gain_at = |targets: f64| function.gain(Cells(1_000_000), 1_000_000.0 / targets);
            assert!(gain_at(8.66) > 0.5);
            assert_near(gain_at(8.667), 0.5, 0.0);
        }
    }

    #[test]
    fn the_queue_of_an_interval_is_the_one_the_last_rm_cell_in_it_met() {
        let mut switch = erica_plus(LINE);
        switch.on_forward_rm(ms(1), 0, &mut rm(), &port(0, LINE));
        switch.on_forward_rm(ms(999), 0, &mut rm(), &port(200, LINE));
        switch.on_cells(ms(1_000), 0, 1);
        // f(2 ms); the queue of 1300 cells at this RM cell counts for the open interval.
        assert_near(er(&mut switch, ms(1_000), 1_300), 0.9583 * 100_000.0, 5.0);
    }

    #[test]
    fn the_queue_of_an_interval_can_be_the_one_at_its_end() {
        let mut switch = EricaPlus::new(EricaPlusParameters {
            queue_sampling: QueueSampling::IntervalEnd,
            ..PARAMETERS
        });
        switch.on_rate_change(Time::ZERO, LINE);
        assert!(switch.follows_queue());
        switch.on_forward_rm(ms(1), 0, &mut rm(), &port(0, LINE));
        switch.on_queue(ms(990), Cells(200));
        // f(2 ms); this change comes after the interval has ended.
        switch.on_queue(ms(1_001), Cells(1_300));
        assert_near(er(&mut switch, ms(1_001), 1_300), 0.9583 * 100_000.0, 5.0);
    }

    #[test]
    fn the_overload_factor_is_that_of_the_capacity_handed_out() {
        let mut switch = erica_plus(LINE);
        for (vc, ccr) in [(0, 80_000), (1, 70_000)] {
            switch.on_cells(ms(500), vc, ccr);
            let ccr = Rate::cells_per_s(ccr as f64);
            let mut cell = RmCell { ccr, ..rm() };
            switch.on_forward_rm(ms(500), vc, &mut cell, &port(2_000, LINE));
        }
        // cap is half of the line and z is 3; 80,000 / 3 is more than half of 50,000.
        assert_near(er(&mut switch, ms(1_000), 2_000), 80_000.0 / 3.0, 1e-6);
    }

    #[test]
    fn a_line_at_a_standstill_gives_rate_zero_and_recovers() {
        let mut switch = erica_plus(Rate::ZERO);
        assert_near(er(&mut switch, ms(1), 0), 0.0, 0.0);
        assert_near(er(&mut switch, ms(1_001), 500), 0.0, 0.0);
        switch.on_rate_change(ms(1_500), LINE);
        // f(5 ms), from the last known queue.
        assert_near(er(&mut switch, ms(2_001), 0), 0.7667 * 100_000.0, 5.0);
    }
}
