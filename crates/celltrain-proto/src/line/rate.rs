//! Processes that change the rate of a line.

use alloc::boxed::Box;

use super::dmt::DmtLine;
use super::markov::MarkovRate;
use super::rate_list::RateList;
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

/// The rate of a line over time: piecewise constant.
///
/// Call [`RateProcess::first`] once, then [`RateProcess::change`] once, in order, at each instant returned by
/// [`RateProcess::next_change`].
#[derive(Clone, Debug)]
pub enum RateProcess {
    /// One constant rate.
    Constant(Rate),
    /// A new rate, uniform on [low, high) and independent of the past, at every multiple of `every`.
    Uniform {
        /// Lowest rate.
        low: Rate,
        /// Upper bound of the rate.
        high: Rate,
        /// Time between two changes; not zero.
        every: Span,
        /// The process's own random numbers.
        stream: Stream,
    },
    /// Given rates at given instants, once or repeated.
    List(RateList),
    /// Two alternating rates, held for exponential times.
    Markov(MarkovRate),
    /// An ADSL line with changing noise.
    Dmt(Box<DmtLine>),
}

impl RateProcess {
    /// The initial rate. Call once, before [`RateProcess::change`].
    pub fn first(&mut self) -> Rate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Uniform { .. } => self.change(),
            Self::List(list) => list.first(),
            Self::Markov(markov) => markov.rate(),
            Self::Dmt(line) => line.first(),
        }
    }

    /// The first change after `now`, [`Time::NEVER`] if there is none.
    ///
    /// All changes up to `now` must have been made. Between two changes the result stays the same.
    pub fn next_change(&self, now: Time) -> Time {
        match self {
            Self::Constant(_) => Time::NEVER,
            Self::Uniform { every, .. } => {
                let elapsed = now.saturating_since(Time::ZERO);
                now.saturating_add(*every - elapsed % *every)
            }
            Self::List(list) => list.next_change(),
            Self::Markov(markov) => markov.next_change(),
            Self::Dmt(line) => line.next_change(),
        }
    }

    /// Applies a change and returns the new rate.
    pub fn change(&mut self) -> Rate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Uniform {
                low, high, stream, ..
            } => Rate::bps(stream.uniform_in(low.as_bps(), high.as_bps())),
            Self::List(list) => list.change(),
            Self::Markov(markov) => markov.change(),
            Self::Dmt(line) => line.change(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(seed: u64) -> RateProcess {
        RateProcess::Uniform {
            low: Rate::kbps(128),
            high: Rate::kbps(1_024),
            every: Span::from_ms(10),
            stream: Stream::named(seed, "links.up.rate"),
        }
    }

    #[test]
    fn a_constant_rate_never_changes() {
        let mut process = RateProcess::Constant(Rate::kbps(8_000));
        assert_eq!(process.first(), Rate::kbps(8_000));
        assert_eq!(process.next_change(Time::ZERO), Time::NEVER);
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
