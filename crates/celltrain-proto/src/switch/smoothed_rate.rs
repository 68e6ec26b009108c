//! An exponentially smoothed line rate, sampled periodically and brought up to date at each call.

use crate::units::{Rate, Span, Time};

/// `value = (1 - x)·value + x·left` at every multiple of an interval.
///
/// `left` is the rate minus that of the cells of higher priority since the last step. A step at t uses the rate from t
/// on: a change at t comes before the step. The steps are executed one by one, as by a timer, so that the bits of the
/// value do not depend on when it is read.
#[derive(Clone, Debug)]
pub(super) struct SmoothedRate {
    x: f64,
    interval: Span,
    rate: Rate,
    /// Cells of higher priority since the last step.
    priority: u64,
    /// The value before the step at `next`.
    value: Rate,
    /// The next step to execute.
    next: Time,
}

impl SmoothedRate {
    /// Starts at `now` with the value `rate`. `x` is in (0, 1], 1 for no smoothing; `interval` must not be zero.
    pub(super) fn new(now: Time, rate: Rate, x: f64, interval: Span) -> Self {
        let past = (now - Time::ZERO).div_floor(interval);
        Self {
            x,
            interval,
            rate,
            priority: 0,
            value: rate,
            next: Time::ZERO + interval * (past + 1),
        }
    }

    /// The line has rate `rate` from `now` on.
    pub(super) fn on_rate_change(&mut self, now: Time, rate: Rate) {
        self.make_steps_before(now);
        self.rate = rate;
    }

    /// `n` cells of higher priority use part of the line.
    pub(super) fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.make_steps_before(now);
        self.priority += n;
    }

    /// The smoothed rate at `now`, including the step at `now`.
    pub(super) fn at(&mut self, now: Time) -> Rate {
        self.make_steps_before(now);
        // The step at `now` itself stays open: the rate may still change at this instant.
        if self.next == now {
            self.stepped()
        } else {
            self.value
        }
    }

    fn stepped(&self) -> Rate {
        let taken = Rate::cells_per_s(self.priority as f64 / self.interval.as_secs());
        let left = (self.rate - taken).as_bps().max(0.0);
        Rate::bps((1.0 - self.x) * self.value.as_bps() + self.x * left)
    }

    fn make_steps_before(&mut self, now: Time) {
        while self.next < now {
            let stepped = self.stepped();
            if stepped == self.value && self.priority == 0 {
                // A rounded step is monotonic in the value, so the value eventually settles until the rate changes: the
                // rest of a long wait can be skipped.
                let past = (now - self.next - Span::from_ps(1)).div_floor(self.interval);
                self.next = self.next.saturating_add(self.interval * (past + 1));
                return;
            }
            self.value = stepped;
            self.priority = 0;
            self.next = self.next.saturating_add(self.interval);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INTERVAL: Span = Span::from_ms(10);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn at_start(rate: Rate) -> SmoothedRate {
        SmoothedRate::new(Time::ZERO, rate, 0.125, INTERVAL)
    }

    #[test]
    fn it_starts_at_the_first_rate() {
        assert_eq!(at_start(Rate::kbps(576)).at(ms(0)), Rate::kbps(576));
        assert_eq!(at_start(Rate::kbps(576)).at(ms(500)), Rate::kbps(576));
    }

    #[test]
    fn each_step_goes_an_eighth_of_the_way() {
        let mut smoothed = at_start(Rate::kbps(1_024));
        smoothed.on_rate_change(ms(5), Rate::kbps(128));
        // 7/8 · 1024 + 16 = 912, 7/8 · 912 + 16 = 814, 7/8 · 814 + 16 = 728.25 kbit/s
        assert_eq!(smoothed.at(ms(9)), Rate::kbps(1_024));
        assert_eq!(smoothed.at(ms(10)), Rate::kbps(912));
        assert_eq!(smoothed.at(ms(19)), Rate::kbps(912));
        assert_eq!(smoothed.at(ms(20)), Rate::kbps(814));
        assert_eq!(smoothed.at(ms(30)), Rate::bps(728_250.0));
    }

    #[test]
    fn a_rate_that_comes_and_goes_between_two_steps_leaves_no_trace() {
        let mut smoothed = at_start(Rate::kbps(1_024));
        smoothed.on_rate_change(ms(11), Rate::kbps(128));
        smoothed.on_rate_change(ms(19), Rate::kbps(1_024));
        assert_eq!(smoothed.at(ms(100)), Rate::kbps(1_024));
    }

    #[test]
    fn a_change_at_the_instant_of_a_step_comes_before_it() {
        let mut smoothed = at_start(Rate::kbps(1_024));
        assert_eq!(smoothed.at(ms(10)), Rate::kbps(1_024));
        smoothed.on_rate_change(ms(10), Rate::kbps(128));
        assert_eq!(smoothed.at(ms(10)), Rate::kbps(912));
    }

    #[test]
    fn x_of_one_samples_the_rate() {
        let mut sampled = SmoothedRate::new(Time::ZERO, Rate::bps(0.1), 1.0, INTERVAL);
        sampled.on_rate_change(ms(5), Rate::bps(1e9 / 3.0));
        assert_eq!(sampled.at(ms(9)), Rate::bps(0.1));
        assert_eq!(sampled.at(ms(10)), Rate::bps(1e9 / 3.0));
    }

    #[test]
    fn the_longest_wait_is_caught_up_with_at_once() {
        let mut smoothed = SmoothedRate::new(Time::ZERO, Rate::kbps(1), 0.125, Span::from_us(1));
        smoothed.on_rate_change(ms(1), Rate::kbps(1_000));
        let settled = smoothed.at(Time::NEVER).as_bps();
        assert!((settled - 1e6).abs() < 1e-6, "{settled}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn it_agrees_with_a_timer_that_steps_once_an_interval(
            first in 1e5..1e7_f64,
            changes in prop::collection::vec((0_u64..40, 1e5..1e7_f64), 1..20),
            x in 0.01..=1.0_f64,
        ) {
            let mut smoothed = SmoothedRate::new(Time::ZERO, Rate::bps(first), x, INTERVAL);
            let mut rates = std::vec![(Time::ZERO, first)];
            let mut now = Time::ZERO;
            for (step, rate) in changes {
                now += Span::from_us(2_500) * step;
                smoothed.on_rate_change(now, Rate::bps(rate));
                rates.push((now, rate));
            }
            let mut expected = first;
            for k in 1..=(now - Time::ZERO).div_floor(INTERVAL) {
                let step = Time::ZERO + INTERVAL * k;
                let held = rates.iter().rev().find(|(since, _)| *since <= step);
                let rate = held.map_or(first, |&(_, rate)| rate);
                expected = (1.0 - x) * expected + x * rate;
            }
            prop_assert_eq!(smoothed.at(now).as_bps().to_bits(), expected.to_bits());
        }
    }
}
