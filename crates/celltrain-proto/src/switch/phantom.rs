//! Phantom: an imaginary VC takes the residual rate, and each real VC may have a multiple of it.
//!
//! ```text
//! at the end of an interval:  Δ = max(0, U·(line rate) - (input rate))
//!                             dev = (1-h)·dev + h·|Δ - MACR|
//!                             α = α_inc if Δ > MACR, else α_dec;  half of that if |Δ - MACR| < dev
//!                             MACR = (1-α)·MACR + α·Δ
//! when marking:               ER = min(ER, u·MACR)
//! ```
//!
//! n greedy VCs settle at MACR = U·C / (1 + n·u). It measures arrivals of all kinds in the last complete interval,
//! including dropped ones, and the line rate at its end; it keeps no per-VC state. Source: Phantom, SIGCOMM 1996. Where
//! it is silent: MACR starts where one greedy VC settles, dev starts at zero, and MACR never falls below a millionth of
//! the line rate.

use super::algorithm::{LEAST_SHARE, PortState, SwitchAlgorithm};
use super::interval::{Intervals, Measured};
use crate::cell::RmCell;
use crate::parameters::Bounds;
use crate::units::{Cells, Rate, Span, Time};

parameters! {
    /// The parameters of [`Phantom`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PhantomParameters {
        /// Measurement interval of the input rate.
        pub interval: Span, in Bounds::INTERVAL;
        /// The fraction of the line that is shared with the imaginary VC.
        pub target_utilization: f64 = 0.95, in Bounds::PART;
        /// The multiple of the imaginary VC's rate that each VC may have.
        pub utilization_factor: f64 = 5.0, in Bounds::above(0.0);
        /// Weight of a residual rate above the mean.
        pub alpha_inc: f64 = 1.0 / 16.0, in Bounds::PART;
        /// Weight of a residual rate below the mean.
        pub alpha_dec: f64 = 0.25, in Bounds::PART;
        /// Weight of the newest deviation in the mean deviation.
        pub h: f64 = 1.0 / 8.0, in Bounds::PART;
    }
}

/// Phantom.
#[derive(Clone, Debug)]
pub struct Phantom {
    parameters: PhantomParameters,
    intervals: Intervals,
    /// The current rate of the line; `None` until the first is known.
    rate: Option<Rate>,
    macr: Rate,
    /// Mean deviation of the residual rate from MACR, in bit/s.
    deviation: f64,
}

impl Phantom {
    /// Creates an algorithm without history; its intervals start at multiples of their length.
    pub fn new(parameters: PhantomParameters) -> Self {
        Self {
            intervals: Intervals::new(parameters.interval, Cells(u64::MAX)),
            parameters,
            rate: None,
            macr: Rate::ZERO,
            deviation: 0.0,
        }
    }

    fn catch_up(&mut self, now: Time) {
        while let Some(measured) = self.intervals.end_due(now) {
            let before = (self.macr, self.deviation);
            self.end(measured);
            if measured.is_empty() && before == (self.macr, self.deviation) {
                self.intervals.skip_due(now);
            }
        }
    }

    fn end(&mut self, measured: Measured) {
        let PhantomParameters {
            target_utilization,
            alpha_inc,
            alpha_dec,
            h,
            ..
        } = self.parameters;
        let rate = self.rate.unwrap_or_default();
        let input = measured.rate_of(measured.cells + measured.priority);
        let residual = rate.scaled(target_utilization) - input;
        let (residual, macr) = (residual.as_bps(), self.macr.as_bps());
        let error = (residual - macr).abs();
        self.deviation = (1.0 - h) * self.deviation + h * error;
        let mut alpha = if residual > macr {
            alpha_inc
        } else {
            alpha_dec
        };
        if error < self.deviation {
            alpha *= 0.5;
        }
        let macr = Rate::bps((1.0 - alpha) * macr + alpha * residual);
        self.macr = macr.max(rate.scaled(LEAST_SHARE));
    }
}

impl SwitchAlgorithm for Phantom {
    #[inline]
    fn on_cells(&mut self, now: Time, _: u32, n: u64) {
        self.catch_up(now);
        // Cells do not end an interval here.
        self.intervals.on_cells(now, n);
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.catch_up(now);
        self.intervals.on_priority_cells(n);
    }

    fn on_rate_change(&mut self, now: Time, rate: Rate) {
        self.catch_up(now);
        if self.rate.replace(rate).is_none() {
            let PhantomParameters {
                target_utilization,
                utilization_factor,
                ..
            } = self.parameters;
            self.macr = rate.scaled(target_utilization / (1.0 + utilization_factor));
        }
    }

    fn on_backward_rm(&mut self, now: Time, _: u32, rm: &mut RmCell, _: &PortState) {
        self.catch_up(now);
        rm.er = rm
            .er
            .min(self.macr.scaled(self.parameters.utilization_factor));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{ms, port, rm};
    use super::*;

    pub(in super::super) const PARAMETERS: PhantomParameters = PhantomParameters {
        interval: Span::from_ms(10),
        target_utilization: 1.0,
        utilization_factor: 5.0,
        alpha_inc: 1.0 / 16.0,
        alpha_dec: 0.25,
        h: 0.125,
    };

    /// 600 cells in 10 ms; MACR starts at 10,000 cells/s.
    const LINE: Rate = Rate::cells_per_s(60_000.0);

    fn phantom() -> Phantom {
        let mut switch = Phantom::new(PARAMETERS);
        switch.on_rate_change(Time::ZERO, LINE);
        switch
    }

    /// MACR in cells/s at `now`.
    fn macr(switch: &mut Phantom, now: Time) -> f64 {
        let mut cell = RmCell {
            er: Rate::bps(1e15),
            ..rm()
        };
        switch.on_backward_rm(now, 0, &mut cell, &port(0, LINE));
        cell.er.as_cells_per_s() / 5.0
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() <= 1e-6 * expected,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn greedy_vcs_at_rest_share_all_but_the_part_of_the_imaginary_one() {
        // A line of 10^9 cells/s, so that rounding to whole cells does not matter; from 1 s on all is settled.
        for (n, total) in [
            (1, 0.833_333),
            (2, 0.909_091),
            (5, 0.961_538),
            (10, 0.980_392),
        ] {
            let mut switch = Phantom::new(PARAMETERS);
            switch.on_rate_change(Time::ZERO, Rate::cells_per_s(1e9));
            for interval in 0..300 {
                switch.on_cells(ms(10 * interval), 0, (total * 1e7) as u64);
            }
            let given = 5.0 * macr(&mut switch, ms(3_000));
            assert!(
                (f64::from(n) * given / 1e9 - total).abs() < 1e-4,
                "{n}: {given}"
            );
        }
    }

    #[test]
    fn a_larger_residual_raises_macr_by_alpha_inc_and_a_smaller_one_lowers_it_by_alpha_dec() {
        for (cells, expected) in [
            // Residual 26,000: 10,000 + 16,000/16. The first error is above its own mean: not filtered.
            (340, 11_000.0),
            (500, 10_000.0),
            // Residual 2000: 10,000 - 8000/4.
            (580, 8_000.0),
            // Negative counts as zero: 10,000 - 10,000/4.
            (900, 7_500.0),
        ] {
            let mut switch = phantom();
            switch.on_cells(ms(1), 0, cells);
            assert_near(macr(&mut switch, ms(9)), 10_000.0);
            assert_near(macr(&mut switch, ms(10)), expected);
        }
    }

    #[test]
    fn a_deviation_below_the_mean_one_counts_half() {
        let mut switch = phantom();
        // Residual 26,000: dev is 2000 and MACR 11,000. Then 11,800: the error of 800 is below the mean of 7/8 · 2000 +
        // 1/8 · 800, so MACR rises by 800/32.
        switch.on_cells(ms(1), 0, 340);
        switch.on_cells(ms(11), 0, 482);
        assert_near(macr(&mut switch, ms(20)), 11_025.0);
    }

    #[test]
    fn a_long_overload_leaves_a_millionth_of_the_line() {
        let mut switch = phantom();
        for interval in 0..100 {
            switch.on_cells(ms(10 * interval), 0, 10_000);
        }
        assert_near(macr(&mut switch, ms(1_000)), 0.06);
    }

    #[test]
    fn an_idle_line_belongs_to_the_imaginary_vc() {
        assert_near(macr(&mut phantom(), Time::from_ps(u64::MAX / 2)), 60_000.0);
    }

    #[test]
    fn a_line_at_a_standstill_gives_rate_zero() {
        let mut switch = Phantom::new(PARAMETERS);
        switch.on_rate_change(Time::ZERO, Rate::ZERO);
        assert_eq!(macr(&mut switch, ms(15)), 0.0);
    }
}
