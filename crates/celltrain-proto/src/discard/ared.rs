//! Adaptive RED: RED whose maximum probability is adapted to keep the mean queue half-way between its thresholds, and
//! whose other parameters follow from the line and a target delay.
//!
//! ```text
//! each interval:  avg above the target band and max_p <= 0.5:   max_p += min(increment, max_p/4)
//!                 avg below it and max_p >= 0.01:               max_p = max_p·decrease
//! target band:    min + 0.4·(max - min) to min + 0.6·(max - min)
//! C:              frames that the line can send in a second
//! without them:   min = the larger of 5 frames and delay·C/2,  max = 3·min,  w = 1 - exp(-1/C)
//! all else:       RED, gentle
//! ```
//!
//! Source: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active
//! Queue Management", August 2001: the algorithm (figure 1) and the automatic thresholds and weight. It measures the
//! mean queue, which changes only when frames arrive. Intervals that have passed are therefore processed at the next
//! arrival, with the mean as it stood. Where the paper is silent: a frame is 1500 octets of IP, and the first interval
//! begins at the start of the run.

use super::policy::{DiscardPolicy, Kind, Port};
use super::red::{RedOptions, State};
use super::view::QueueView;
use crate::parameters::{Bounds, more_than};
use crate::random::Stream;
use crate::units::{Cells, Span, Time};

/// `max_p` stops rising above this.
const HIGHEST: f64 = 0.5;
/// `max_p` stops falling below this.
const LOWEST: f64 = 0.01;

parameters! {
    /// The parameters of [`Ared`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct AredParameters {
        /// Target queueing delay, from which `min` follows if not given.
        pub target: Span = Span::from_ms(5), in Bounds::POSITIVE;
        /// Mean queue below which nothing is dropped; if absent, the larger of 5 packets and half of what leaves in
        /// `target`.
        pub min: Option<Cells>, in Bounds::at_least(Cells(1));
        /// Mean queue at which the adapted probability is reached; if absent, 3 times `min`.
        pub max: Option<Cells>;
        /// Weight of a new sample in the mean queue; if absent, that of a time constant of a second.
        pub weight: Option<f64>, in Bounds::PART;
        /// Time between two changes of the probability.
        pub interval: Span = Span::from_ms(500), in Bounds::INTERVAL;
        /// Maximum increment of the probability, which is also limited to a quarter of the current value.
        pub increment: f64 = 0.01, in Bounds::PART;
        /// Factor by which the probability falls.
        pub decrease: f64 = 0.9, in Bounds::below(1.0);
        /// Initial probability at the upper threshold.
        pub max_probability: f64 = 0.1, in Bounds::PART;
    }
    |it| match (it.min, it.max) {
        (Some(min), Some(max)) => more_than("max", max, "min", min),
        _ => Ok(()),
    }
}

/// ARED.
#[derive(Clone, Debug)]
pub struct Ared {
    red: RedOptions,
    state: State,
    stream: Stream,
    interval: Span,
    increment: f64,
    decrease: f64,
    next_change: Time,
}

impl Kind for Ared {
    type Parameters = AredParameters;
    const IS_RANDOM: bool = true;

    fn build(parameters: &AredParameters, port: &Port<'_>) -> Self {
        let frame_time = port.frame_time.as_secs();
        let frames = (0.5 * parameters.target.as_secs() / frame_time).max(5.0);
        let cells = |cells: Cells| cells.0 as f64;
        let min = parameters.min.map_or(frames * cells(port.frame), cells);
        let max = parameters.max.map_or(3.0 * min, cells);
        Self {
            red: RedOptions {
                min,
                // With only `max` given, it may lie below the derived lower threshold.
                max: max.max(min + 1.0),
                p_max: parameters.max_probability,
                weight: parameters
                    .weight
                    .unwrap_or_else(|| 1.0 - libm::exp(-frame_time)),
                gentle: true,
                frame_time: port.frame_time,
            },
            state: State::default(),
            stream: port.stream.clone(),
            interval: parameters.interval,
            increment: parameters.increment,
            decrease: parameters.decrease,
            next_change: Time::ZERO.saturating_add(parameters.interval),
        }
    }
}

impl Ared {
    /// Adapts the probability at the end of an interval.
    fn adapt(&mut self) {
        let RedOptions {
            min, max, p_max, ..
        } = self.red;
        let at = |part: f64| min + part * (max - min);
        let average = self.state.average;
        if average > at(0.6) && p_max <= HIGHEST {
            self.red.p_max += self.increment.min(p_max / 4.0);
        } else if average < at(0.4) && p_max >= LOWEST {
            self.red.p_max *= self.decrease;
        }
    }
}

impl DiscardPolicy for Ared {
    fn rejects(&mut self, _: u32, _: bool, view: &QueueView) -> bool {
        let queued = view.queued.into();
        self.state.rejects(&self.red, queued, &mut self.stream)
    }

    #[inline]
    fn on_arrival(&mut self, now: Time) {
        while self.next_change <= now {
            let before = self.red.p_max;
            self.adapt();
            self.next_change = self.next_change.saturating_add(self.interval);
            if self.red.p_max == before && self.next_change <= now {
                // Steady state: further intervals up to now change nothing.
                let skipped = (now - self.next_change).div_floor(self.interval);
                self.next_change = self.next_change.saturating_add(self.interval * skipped);
            }
        }
        self.state.on_arrival(now, &self.red);
    }

    #[inline]
    fn on_admission(&mut self) {
        self.state.on_admission();
    }

    fn on_empty(&mut self, now: Time) {
        self.state.on_empty(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: AredParameters = AredParameters {
        target: Span::from_ms(5),
        min: Some(Cells(100)),
        max: Some(Cells(300)),
        weight: None,
        interval: Span::from_ms(500),
        increment: 0.01,
        decrease: 0.9,
        max_probability: 0.1,
    };

    fn ared(parameters: &AredParameters, frame_time: Span) -> Ared {
        let port = Port {
            frame: Cells(32),
            frame_time,
            weights: &[],
            stream: Stream::named(1, "ared"),
        };
        Ared::build(parameters, &port)
    }

    /// An instance with this mean queue and this probability.
    fn at_rest(average: f64, p_max: f64) -> Ared {
        let mut ared = ared(&PARAMETERS, Span::from_ms(1));
        (ared.state.average, ared.red.p_max) = (average, p_max);
        ared
    }

    /// The probability after `intervals` of half a second, with a cell arriving at the end of each.
    fn after(ared: &mut Ared, intervals: u64) -> f64 {
        for _ in 0..intervals {
            ared.on_arrival(ared.next_change);
        }
        ared.red.p_max
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn thresholds_and_weight_follow_from_the_line_and_the_target_delay() {
        let automatic = AredParameters {
            min: None,
            max: None,
            ..PARAMETERS
        };
        // 10,000 frames a second: half of 5 ms are 25 frames of 32 cells, and w = 1 - exp(-1/10,000).
        let fast = ared(&automatic, Span::from_us(100)).red;
        assert_near(fast.min, 800.0);
        assert_near(fast.max, 2_400.0);
        assert!((fast.weight / 1e-4 - 1.0).abs() < 1e-4, "{}", fast.weight);
        // 1000 frames a second: 2.5 frames would be too few.
        let slow = ared(&automatic, Span::from_ms(1)).red;
        assert_near(slow.min, 160.0);
        assert_near(slow.max, 480.0);
    }

    #[test]
    fn within_the_band_nothing_changes() {
        // 180 to 220 cells.
        for average in [180.0, 200.0, 220.0] {
            assert_near(after(&mut at_rest(average, 0.1), 100), 0.1);
        }
        assert_near(after(&mut at_rest(220.1, 0.1), 1), 0.11);
        assert_near(after(&mut at_rest(179.9, 0.1), 1), 0.09);
    }

    #[test]
    fn the_probability_rises_by_a_quarter_and_then_by_a_hundredth_and_stops_above_a_half() {
        let mut ared = at_rest(290.0, 0.01);
        assert_near(after(&mut ared, 1), 0.012_5);
        assert_near(after(&mut ared, 1), 0.015_625);
        // At least 49 intervals, according to the paper: 0.49 / 0.01.
        let mut intervals = 2;
        while after(&mut ared, 1) <= 0.5 {
            intervals += 1;
        }
        assert!((49..60).contains(&intervals), "{intervals}");
        let highest = ared.red.p_max;
        assert_near(after(&mut ared, 100), highest);
    }

    #[test]
    fn the_probability_falls_from_a_half_to_a_hundredth_in_38_intervals() {
        // log 0.02 / log 0.9 = 37.1.
        let mut ared = at_rest(110.0, 0.5);
        assert!(after(&mut ared, 37) >= 0.01);
        let lowest = after(&mut ared, 1);
        assert!(lowest < 0.01);
        assert_near(after(&mut ared, 100), lowest);
    }

    #[test]
    fn intervals_without_an_arrival_are_caught_up_with() {
        let mut ared = at_rest(110.0, 0.1);
        ared.on_arrival(Time::ZERO + Span::from_ms(1_600));
        assert_near(ared.red.p_max, 0.1 * 0.9 * 0.9 * 0.9);
        assert_eq!(ared.next_change, Time::ZERO + Span::from_secs(2));
        let mut ared = at_rest(200.0, 0.1);
        ared.on_arrival(Time::ZERO + Span::from_ms(3_600_100));
        assert_eq!(ared.next_change, Time::ZERO + Span::from_ms(3_600_500));
    }
}
