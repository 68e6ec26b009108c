//! Random early detection: decides at the first cells of frames, and counts in cells.
//!
//! ```text
//! at a first cell:   avg = (1-w)·avg + w·q,  or (1-w)^m·avg if the queue is empty, m = idle time / frame time
//! avg < min:         accept, count = -1
//! min <= avg < max:  count += 1,  pb = pmax·(avg-min)/(max-min),  pa = pb/(1 - count·pb);
//!                    reject with probability pa, and then count = 0
//! avg >= max:        reject, count = 0.   gentle: as above up to 2·max, with pb = pmax + (1-pmax)·(avg-max)/max
//! ```
//!
//! Source: IEEE/ACM Transactions on Networking 1(4), 1993; gentle: S. Floyd's recommendation of 2000. Where they are
//! silent: a queue that empties between two first cells counts as idle for as long as it was empty, whichever cell ends
//! the idle time. It measures the whole queue, all VCs together.

use super::policy::{DiscardPolicy, Kind, Port};
use super::view::QueueView;
use crate::parameters::{Bounds, more_than};
use crate::random::Stream;
use crate::units::{Cells, Span, Time};

parameters! {
    /// The parameters of [`Red`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct RedParameters {
        /// Mean queue below which nothing is dropped.
        pub min: Cells;
        /// Mean queue at which `max_probability` is reached.
        pub max: Cells;
        /// Probability at `max`.
        pub max_probability: f64 = 0.1, in Bounds::at_most(1.0);
        /// Weight of a new sample in the mean queue.
        pub weight: f64 = 0.002, in Bounds::PART;
        /// Whether the probability continues to rise to 1 at twice `max`, instead of jumping there at `max`.
        pub gentle: bool = false;
    }
    |it| more_than("max", it.max, "min", it.min)
}

/// RED.
#[derive(Clone, Debug)]
pub struct Red {
    options: RedOptions,
    state: State,
    stream: Stream,
}

impl Kind for Red {
    type Parameters = RedParameters;
    const IS_RANDOM: bool = true;

    fn build(parameters: &RedParameters, port: &Port<'_>) -> Self {
        Self {
            options: RedOptions {
                min: parameters.min.0 as f64,
                max: parameters.max.0 as f64,
                p_max: parameters.max_probability,
                weight: parameters.weight,
                gentle: parameters.gentle,
                frame_time: port.frame_time,
            },
            state: State::default(),
            stream: port.stream.clone(),
        }
    }
}

impl DiscardPolicy for Red {
    fn rejects(&mut self, _: u32, _: bool, view: &QueueView) -> bool {
        let queued = view.queued.into();
        self.state.rejects(&self.options, queued, &mut self.stream)
    }

    #[inline]
    fn on_arrival(&mut self, now: Time) {
        self.state.on_arrival(now, &self.options);
    }

    #[inline]
    fn on_admission(&mut self) {
        self.state.on_admission();
    }

    fn on_empty(&mut self, now: Time) {
        self.state.on_empty(now);
    }
}

/// The parameters of the probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RedOptions {
    /// The mean queue, in cells or octets, from which frames may be rejected.
    pub(crate) min: f64,
    /// The mean queue, in the same unit, above `min`, from which all frames are rejected, unless `gentle`.
    pub(crate) max: f64,
    /// pmax, in (0, 1]: the probability to which `pb` rises at `max`.
    pub(crate) p_max: f64,
    /// w, in (0, 1]: the weight of the newest sample in the mean queue.
    pub(crate) weight: f64,
    /// Between `max` and twice `max` the probability rises to one, instead of in one step.
    pub(crate) gentle: bool,
    /// Transmission time of a typical frame, not zero: the unit of idle time.
    pub(crate) frame_time: Span,
}

/// The mean queue and the state derived from it.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// avg, in that unit.
    pub(crate) average: f64,
    /// Frames since the last rejected one; -1 below `min`.
    count: f64,
    /// The start of the idle time not yet included in the mean, if the queue is empty.
    idle_since: Option<Time>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            average: 0.0,
            count: -1.0,
            idle_since: None,
        }
    }
}

impl State {
    pub(crate) fn on_empty(&mut self, now: Time) {
        self.idle_since = Some(now);
    }

    /// A cell arrives: the idle time until now is included in the mean.
    #[inline]
    pub(crate) fn on_arrival(&mut self, now: Time, options: &RedOptions) {
        if let Some(since) = self.idle_since {
            let frames = now.saturating_since(since).as_secs() / options.frame_time.as_secs();
            self.average *= libm::pow(1.0 - options.weight, frames);
            self.idle_since = Some(now);
        }
    }

    /// The cell was admitted, so the queue is no longer empty.
    #[inline]
    pub(crate) fn on_admission(&mut self) {
        self.idle_since = None;
    }

    /// Whether a frame that starts now is rejected; `queued`: the queue, in the unit of the options.
    pub(crate) fn rejects(
        &mut self,
        options: &RedOptions,
        queued: f64,
        stream: &mut Stream,
    ) -> bool {
        if self.idle_since.is_none() {
            self.average += options.weight * (queued - self.average);
        }
        if self.average < options.min {
            self.count = -1.0;
            return false;
        }
        let rejected = options.base_probability(self.average).is_none_or(|base| {
            self.count += 1.0;
            stream.uniform() < spread(base, self.count)
        });
        if rejected {
            self.count = 0.0;
        }
        rejected
    }
}

impl RedOptions {
    /// pb at this mean, which is at least `min`; `None` if every frame is rejected.
    fn base_probability(&self, average: f64) -> Option<f64> {
        if average < self.max {
            Some(self.p_max * (average - self.min) / (self.max - self.min))
        } else if self.gentle && average < 2.0 * self.max {
            Some(self.p_max + (1.0 - self.p_max) * (average - self.max) / self.max)
        } else {
            None
        }
    }
}

/// pa: makes the gap between rejected frames uniform on 1 to 1/pb.
fn spread(base: f64, count: f64) -> f64 {
    let left = 1.0 - count * base;
    if left > base { base / left } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: RedOptions = RedOptions {
        min: 5.0,
        max: 15.0,
        p_max: 0.02,
        weight: 0.25,
        gentle: false,
        frame_time: Span::from_ms(1),
    };

    #[test]
    fn red_probability_grows_with_the_frames_since_the_last_rejected() {
        let base = OPTIONS.base_probability(10.0).unwrap();
        assert!((base - 0.01).abs() < 1e-15, "{base}");
        let published = [
            (0.0, 0.01),
            (10.0, 0.0111),
            (25.0, 0.0133),
            (50.0, 0.02),
            (99.0, 1.0),
        ];
        for (count, expected) in published {
            let found = spread(base, count);
            assert!((found - expected).abs() < 5e-5, "count {count}: {found}");
        }
        assert_eq!(spread(base, 150.0), 1.0, "never negative");
    }

    #[test]
    fn red_gentle_probability_rises_to_one_at_twice_max() {
        let gentle = RedOptions {
            gentle: true,
            ..OPTIONS
        };
        // 0.02 + 0.98·(18 - 15)/15 = 0.216.
        for (average, expected) in [(15.0, Some(0.02)), (18.0, Some(0.216)), (30.0, None)] {
            let found = gentle.base_probability(average);
            assert_eq!(found.is_some(), expected.is_some());
            let error = found.unwrap_or_default() - expected.unwrap_or_default();
            assert!(error.abs() < 1e-12, "{average}: {found:?}");
        }
        assert_eq!(OPTIONS.base_probability(15.0), None);
    }

    #[test]
    fn red_averages_once_for_each_first_cell_of_a_busy_queue() {
        let (mut state, mut stream) = (State::default(), Stream::named(1, "red"));
        // w = 1/4: 0 -> 2 -> 3.5 -> 4.625, all below min = 5.
        for expected in [2.0, 3.5, 4.625] {
            assert!(!state.rejects(&OPTIONS, 8.0, &mut stream));
            assert_eq!((state.average, state.count), (expected, -1.0));
        }
    }

    #[test]
    fn red_rejects_every_frame_from_max_on() {
        let (mut state, mut stream) = (State::default(), Stream::named(1, "red"));
        state.average = 16.0;
        for _ in 0..5 {
            assert!(state.rejects(&OPTIONS, 16.0, &mut stream));
            assert_eq!(state.count, 0.0);
        }
    }

    #[test]
    fn red_rejects_at_the_latest_one_over_pb_frames_after_the_last() {
        // avg stays at 10: pb = 0.01, so that the 99th frame after a rejected one has pa = 1.
        let (mut state, mut stream) = (State::default(), Stream::named(1, "red"));
        state.average = 10.0;
        let (mut gap, mut longest, mut rejected) = (0, 0, 0);
        for _ in 0..20_000 {
            gap += 1;
            if state.rejects(&OPTIONS, 10.0, &mut stream) {
                (longest, gap, rejected) = (longest.max(gap), 0, rejected + 1);
            }
        }
        assert!(longest <= 100, "{longest}");
        // Gaps are uniform on 1..=99, with mean 50 and standard deviation 28.6: 400 of them in 20 000 frames, within
        // 4·11.4.
        assert!((354..=446).contains(&rejected), "{rejected}");
    }

    #[test]
    fn red_mean_falls_by_a_power_of_the_idle_time() {
        let options = &OPTIONS;
        let (mut state, mut stream) = (State::default(), Stream::named(1, "red"));
        state.average = 4.0;
        state.on_empty(Time::ZERO);
        // A refused cell does not end the idle time: both 2 ms and then 1 ms reduce the mean, to (3/4)^3 in all.
        state.on_arrival(Time::ZERO + Span::from_ms(2), options);
        assert!((state.average - 2.25).abs() < 1e-12);
        state.on_arrival(Time::ZERO + Span::from_ms(3), options);
        assert!((state.average - 1.6875).abs() < 1e-12);
        // The first cell that ends it does not average an empty queue again.
        assert!(!state.rejects(&OPTIONS, 0.0, &mut stream));
        assert!((state.average - 1.6875).abs() < 1e-12);
        state.on_admission();
        state.on_arrival(Time::ZERO + Span::from_ms(9), options);
        assert!((state.average - 1.6875).abs() < 1e-12, "busy, not idle");
    }
}
