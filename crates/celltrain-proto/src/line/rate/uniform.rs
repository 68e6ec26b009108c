//! A rate redrawn at fixed intervals.

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::parameters::{Bounds, at_least};
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

parameters! {
    /// The parameters of a rate that is redrawn at fixed intervals.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct UniformParameters {
        /// Lowest rate.
        pub low: Rate, in Bounds::above(Rate::ZERO);
        /// Highest rate.
        pub high: Rate;
        /// Time between two draws.
        pub every: Span, in Bounds::INTERVAL;
    }
    |it| at_least("high", it.high, "low", it.low)
}

/// A new rate, uniform on [low, high) and independent of the past, at every multiple of `every`.
#[derive(Clone, Debug)]
pub struct Uniform {
    parameters: UniformParameters,
    stream: Stream,
}

impl VaryingRate for UniformParameters {
    type Process = Uniform;

    fn start(&self, stream: Stream) -> Uniform {
        Uniform {
            parameters: *self,
            stream,
        }
    }

    fn range(&self) -> RateRange {
        RateRange {
            low: self.low,
            high: self.high,
            changes_per_s: 1.0 / self.every.as_secs(),
        }
    }

    fn is_random(&self) -> bool {
        true
    }
}

impl RateChanges for Uniform {
    fn first(&mut self) -> Rate {
        self.change()
    }

    fn next_change(&self, now: Time) -> Time {
        let every = self.parameters.every;
        let elapsed = now.saturating_since(Time::ZERO);
        now.saturating_add(every - elapsed % every)
    }

    fn change(&mut self) -> Rate {
        let UniformParameters { low, high, .. } = self.parameters;
        Rate::bps(self.stream.uniform_in(low.as_bps(), high.as_bps()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(seed: u64) -> Uniform {
        let parameters = UniformParameters {
            low: Rate::kbps(128),
            high: Rate::kbps(1_024),
            every: Span::from_ms(10),
        };
        parameters.start(Stream::named(seed, "links.up.rate"))
    }

    #[test]
    fn changes_come_at_multiples_of_the_period() {
        let process = uniform(1);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(process.next_change(Time::ZERO), at(10));
        assert_eq!(process.next_change(at(10)), at(20));
        assert_eq!(process.next_change(at(13)), at(20));
    }

    #[test]
    fn uniform_rates_average_the_middle_of_their_range() {
        let mut process = uniform(3);
        let n = 20_000;
        let rates: alloc::vec::Vec<f64> = (0..n).map(|_| process.change().as_bps()).collect();
        assert!(rates.iter().all(|rate| (128e3..1024e3).contains(rate)));
        let mean = rates.iter().sum::<f64>() / f64::from(n);
        // The standard error of the mean is 1.8 kbit/s.
        assert!((mean - 576e3).abs() < 8e3, "{mean}");
    }
}
