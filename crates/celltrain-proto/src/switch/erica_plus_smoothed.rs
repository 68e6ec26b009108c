//! ERICA+ with a fixed queueing-delay target and an exponentially smoothed line rate.
//!
//! ```text
//! every T_sm:    cap = (1 - x)·cap + x·(line rate left)         at the start the first line rate
//! every T_meas:  rate = arrivals · 424 / T_meas,  m = max(1, active VCs)
//! when marking:  Q0 = cap·T0 / 424 cells
//!                G = b·Q0 / ((b-1)·Q + Q0) up to Q0, max(QDLF, a·Q0 / ((a-1)·Q + Q0)) above
//!                R0 = G·cap,  ER = min(ER, max(R0/m, R0/rate · CCR)),  or min(ER, R0) if rate = 0
//! ```
//!
//! It measures arrivals and active VCs in the last complete window; cap and the queue at the moment of marking; CCR
//! from the latest forward RM cell of the VC, which is newer than the one in the returning cell. Arrivals that the
//! queue drops also count. Source: ATM Forum 96-1172 section 6 (the queue control of ERICA+), with exponential
//! smoothing of the capacity. Differences from ERICA: no memory of past rates, no first step to the fair share, no
//! limit on ER except the source's PCR.

use alloc::vec::Vec;

use super::algorithm::{Marking, PortState, SwitchAlgorithm};
use super::queue_function::{QueueFunction, Shape};
use super::smoothed_rate::SmoothedRate;
use super::window::Windows;
use crate::cell::RmCell;
use crate::parameters::Bounds;
use crate::units::{Rate, Span, Time};

parameters! {
    /// The parameters of [`EricaPlusSmoothed`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EricaPlusSmoothedParameters {
        /// Target queueing delay at the smoothed capacity.
        pub t0: Span, in Bounds::INTERVAL;
        /// Steepness of the queue control above the target queue.
        pub a: f64, in Bounds::above(1.0);
        /// Gain at an empty queue.
        pub b: f64, in Bounds::at_least(1.0);
        /// Queue drain limit factor: the queue control never falls below it.
        pub qdlf: f64, in Bounds::at_most(1.0);
        /// Weight of a new capacity sample; 1 switches smoothing off.
        pub x: f64, in Bounds::PART;
        /// Time between two capacity samples.
        pub smoothing_interval: Span, in Bounds::INTERVAL;
        /// Interval over which input rate and active VCs are measured.
        pub averaging_interval: Span, in Bounds::INTERVAL;
        /// Which RM cells carry the feedback.
        pub marking: Marking = Marking::default();
    }
}

impl EricaPlusSmoothedParameters {
    fn queue_function(&self) -> QueueFunction {
        QueueFunction {
            t0: self.t0,
            a: self.a,
            b: self.b,
            qdlf: self.qdlf,
            shape: Shape::Hyperbolic,
        }
    }
}

/// ERICA+ with smoothed capacity.
#[derive(Clone, Debug)]
pub struct EricaPlusSmoothed {
    parameters: EricaPlusSmoothedParameters,
    windows: Windows,
    /// `None` until the initial rate is known.
    capacity: Option<SmoothedRate>,
    /// CCR of the latest forward RM cell of each VC; zero before the first.
    ccr: Vec<Rate>,
}

impl EricaPlusSmoothed {
    /// Creates an algorithm without history; its windows and steps start at multiples of their intervals.
    pub fn new(parameters: EricaPlusSmoothedParameters) -> Self {
        Self {
            windows: Windows::new(parameters.averaging_interval),
            parameters,
            capacity: None,
            ccr: Vec::new(),
        }
    }

    fn mark(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
        let capacity = self.capacity.as_mut();
        let capacity = capacity.map_or(port.rate, |capacity| capacity.at(now));
        let queue_function = self.parameters.queue_function();
        let target = queue_function.target(capacity);
        let r0 = capacity.scaled(queue_function.gain(port.queue, target));
        let counts = self.windows.last(now);
        let er = if counts.cells == 0 {
            r0
        } else {
            let rate = Rate::cells_per_s(counts.cells as f64 / self.windows.length().as_secs());
            let ccr = self.ccr.get(vc as usize).copied().unwrap_or_default();
            let fair_share = Rate::bps(r0.as_bps() / counts.active_vcs as f64);
            fair_share.max(ccr.scaled(r0.ratio(rate)))
        };
        rm.er = rm.er.min(er);
    }
}

impl SwitchAlgorithm for EricaPlusSmoothed {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.windows.on_cells(now, vc, n);
    }

    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {
        self.windows.on_activity(now, vc);
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        if let Some(capacity) = &mut self.capacity {
            capacity.on_priority_cells(now, n);
        }
    }

    fn on_rate_change(&mut self, now: Time, rate: Rate) {
        let EricaPlusSmoothedParameters {
            x,
            smoothing_interval,
            ..
        } = self.parameters;
        match &mut self.capacity {
            Some(capacity) => capacity.on_rate_change(now, rate),
            None => self.capacity = Some(SmoothedRate::new(now, rate, x, smoothing_interval)),
        }
    }

    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
        let index = vc as usize;
        if index >= self.ccr.len() {
            self.ccr.resize(index + 1, Rate::ZERO);
        }
        self.ccr[index] = rm.ccr;
        if self.parameters.marking == Marking::ForwardRm {
            self.mark(now, vc, rm, port);
        }
    }

    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
        if self.parameters.marking == Marking::BackwardRm {
            self.mark(now, vc, rm, port);
        }
    }

    /// The mean of m; an idle window counts as one.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        let ended = self.windows.ended(now);
        ended.mean(ended.active_vcs + ended.idle)
    }

    fn reset_statistics(&mut self, now: Time) {
        self.windows.reset(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DOWNSTREAM, UPSTREAM, ms, port, rm};
    use super::*;
    use crate::units::Cells;

    const LINE: Rate = Rate::kbps(1_024);

    /// Upstream parameters; the line has run at 1.024 Mbit/s from the start, so Q0 is 200 cells.
    fn upstream() -> EricaPlusSmoothed {
        let mut switch = EricaPlusSmoothed::new(UPSTREAM);
        switch.on_rate_change(Time::ZERO, LINE);
        switch
    }

    fn forward(switch: &mut EricaPlusSmoothed, now: Time, vc: u32, ccr: Rate) {
        let mut cell = RmCell { ccr, ..rm() };
        switch.on_forward_rm(now, vc, &mut cell, &port(200, LINE));
        assert_eq!(cell, RmCell { ccr, ..rm() });
    }

    /// ER in bit/s of a backward RM cell at a queue of `queue` cells.
    fn er(switch: &mut EricaPlusSmoothed, now: Time, vc: u32, queue: u64) -> f64 {
        let mut cell = rm();
        switch.on_backward_rm(now, vc, &mut cell, &port(queue, LINE));
        cell.er.as_bps()
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() <= 1e-12 * expected.abs(),
            "{found} is not {expected}"
        );
    }

    #[test]
    fn the_target_is_the_queue_that_drains_in_t0() {
        for (parameters, capacity, cells) in [
            (&UPSTREAM, Rate::kbps(128), 25.0),
            (&UPSTREAM, Rate::kbps(576), 112.5),
            (&UPSTREAM, Rate::kbps(1_024), 200.0),
            (&DOWNSTREAM, Rate::kbps(1_500), 37.5),
            (&DOWNSTREAM, Rate::kbps(4_750), 118.75),
            (&DOWNSTREAM, Rate::kbps(8_000), 200.0),
        ] {
            assert_near(parameters.queue_function().target(capacity), cells);
        }
    }

    #[test]
    fn the_gain_falls_from_b_over_one_towards_the_drain_limit() {
        for (parameters, queue, gain) in [
            (&UPSTREAM, 0, 1.5),
            (&UPSTREAM, 100, 1.2), // 300 / (50 + 200)
            (&UPSTREAM, 200, 1.0),
            (&UPSTREAM, 400, 0.75),  // 300 / (200 + 200)
            (&UPSTREAM, 5_600, 0.1), // 300 / (2800 + 200): no limit
            (&DOWNSTREAM, 0, 1.05),
            (&DOWNSTREAM, 200, 1.0),
            (&DOWNSTREAM, 400, 230.0 / 260.0),
            (&DOWNSTREAM, 1_000, 230.0 / 350.0),
            (&DOWNSTREAM, 1_734, 0.5), // beyond 8.667 targets
            (&DOWNSTREAM, 100_000, 0.5),
        ] {
            assert_near(parameters.queue_function().gain(Cells(queue), 200.0), gain);
        }
    }

    #[test]
    fn the_gain_has_no_jump_at_the_target() {
        for parameters in [UPSTREAM, DOWNSTREAM] {
            for beside in [200.0 - 1e-9, 200.0, 200.0 + 1e-9] {
                let gain = parameters.queue_function().gain(Cells(200), beside);
                assert!((gain - 1.0).abs() < 1e-10, "{gain}");
            }
        }
    }

    #[test]
    fn without_arrivals_er_is_the_capacity_times_the_gain() {
        let mut switch = upstream();
        switch.on_activity(ms(1), 0);
        switch.on_activity(ms(1), 1);
        forward(&mut switch, ms(1), 0, LINE);
        assert_near(er(&mut switch, ms(31), 0, 400), 768_000.0);
        assert_near(er(&mut switch, ms(61), 0, 0), 1_536_000.0);
    }

    #[test]
    fn er_is_the_larger_of_fair_share_and_scaled_ccr() {
        let mut switch = upstream();
        switch.on_cells(ms(1), 0, 30);
        switch.on_cells(ms(2), 1, 15);
        forward(&mut switch, ms(3), 0, Rate::kbps(477));
        forward(&mut switch, ms(3), 1, Rate::kbps(159));
        // rate = 45 · 424 bit / 30 ms = 636 kbit/s, m = 2, R0 = 1.024 Mbit/s at Q = Q0
        assert_near(er(&mut switch, ms(30), 0, 200), 768_000.0);
        assert_near(er(&mut switch, ms(30), 1, 200), 512_000.0);
        // R0 = 0.75 · 1.024 Mbit/s at Q = 2·Q0
        assert_near(er(&mut switch, ms(59), 0, 400), 576_000.0);
        assert_near(er(&mut switch, ms(59), 1, 400), 384_000.0);
    }

    #[test]
    fn ccr_is_that_of_the_latest_forward_cell_not_of_the_backward_one() {
        let mut switch = upstream();
        switch.on_cells(ms(1), 0, 45);
        switch.on_cells(ms(1), 1, 45);
        forward(&mut switch, ms(2), 0, Rate::kbps(159));
        forward(&mut switch, ms(3), 0, Rate::kbps(954));
        let mut cell = RmCell {
            ccr: Rate::kbps(2_000),
            ..rm()
        };
        switch.on_backward_rm(ms(31), 0, &mut cell, &port(200, LINE));
        // rate = 90 · 424 bit / 30 ms = 1.272 Mbit/s, so 1024/1272 · 954 kbit/s
        assert_near(cell.er.as_bps(), 768_000.0);
        // VC 1 has sent no forward RM cell: CCR is zero and the fair share applies.
        assert_near(er(&mut switch, ms(31), 1, 200), 512_000.0);
    }

    #[test]
    fn signs_of_life_raise_m_but_not_the_rate() {
        let mut switch = upstream();
        switch.on_cells(ms(1), 0, 45);
        for vc in 1..4 {
            switch.on_activity(ms(1), vc);
        }
        forward(&mut switch, ms(2), 0, Rate::kbps(318));
        assert_near(er(&mut switch, ms(31), 0, 200), 512_000.0);
        assert_near(er(&mut switch, ms(31), 1, 200), 256_000.0);
    }

    #[test]
    fn counts_are_those_of_the_last_complete_window() {
        let mut switch = upstream();
        for vc in 0..4 {
            switch.on_cells(ms(29), vc, 1);
        }
        assert_near(er(&mut switch, ms(29), 0, 200), 1_024_000.0);
        assert_near(er(&mut switch, ms(30), 0, 200), 256_000.0);
        assert_near(er(&mut switch, ms(59), 0, 200), 256_000.0);
        assert_near(er(&mut switch, ms(60), 0, 200), 1_024_000.0);
    }

    #[test]
    fn target_and_er_follow_the_smoothed_rate_not_the_present_one() {
        let mut switch = upstream();
        switch.on_rate_change(ms(5), Rate::kbps(128));
        // 912 and 814 kbit/s after one and two steps; b = 1.5 at an empty queue.
        assert_near(er(&mut switch, ms(10), 0, 0), 1.5 * 912_000.0);
        assert_near(er(&mut switch, ms(20), 0, 0), 1.5 * 814_000.0);
        // 728.25 kbit/s after three: Q0 = 728,250 · 0.0828125 / 424 cells, about half of the queue.
        let (q0, queue) = (142.236_328_125, 284.0);
        let gain = 1.5 * q0 / (0.5 * queue + q0);
        assert_near(er(&mut switch, ms(30), 0, 284), gain * 728_250.0);
    }

    #[test]
    fn a_line_at_a_standstill_gives_rate_zero() {
        let mut switch = EricaPlusSmoothed::new(UPSTREAM);
        switch.on_rate_change(Time::ZERO, Rate::ZERO);
        assert_eq!(er(&mut switch, ms(1), 0, 0), 0.0);
        assert_eq!(er(&mut switch, ms(1), 0, 500), 0.0);
    }

    #[test]
    fn forward_marking_uses_the_ccr_of_the_cell_it_marks() {
        let mut switch = EricaPlusSmoothed::new(EricaPlusSmoothedParameters {
            marking: Marking::ForwardRm,
            ..UPSTREAM
        });
        switch.on_rate_change(Time::ZERO, LINE);
        switch.on_cells(ms(1), 0, 45);
        switch.on_cells(ms(1), 1, 45);
        let mut cell = RmCell {
            ccr: Rate::kbps(954),
            ..rm()
        };
        switch.on_forward_rm(ms(31), 0, &mut cell, &port(200, LINE));
        assert_near(cell.er.as_bps(), 768_000.0);
        assert_eq!(er(&mut switch, ms(31), 0, 200), rm().er.as_bps());
    }

    #[test]
    fn the_mean_of_m_counts_idle_windows_as_one() {
        let mut switch = upstream();
        for vc in 0..5 {
            switch.on_cells(ms(1), vc, 1);
        }
        // Windows 0, 1 and 2 have m = 5, 1 and 1; window 3 is open.
        assert_eq!(switch.mean_active_vcs(ms(119)), Some(7.0 / 3.0));
        switch.reset_statistics(ms(119));
        assert_eq!(switch.mean_active_vcs(ms(119)), None);
        assert_eq!(switch.mean_active_vcs(ms(120)), Some(1.0));
    }
}
