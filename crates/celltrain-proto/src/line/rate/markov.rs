//! A line that alternates between a good and a bad rate: a two-state Markov chain in continuous time.

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::parameters::{Bounds, at_least};
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

parameters! {
    /// The parameters of two alternating rates.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct MarkovParameters {
        /// The rate in the good state.
        pub good: Rate, in Bounds::above(Rate::ZERO);
        /// The rate in the bad state, at most `good`; "0 bit/s" is an outage.
        pub bad: Rate;
        /// Mean time in the good state, exponential.
        pub mean_good: Span, in Bounds::INTERVAL;
        /// Mean time in the bad state, exponential.
        pub mean_bad: Span, in Bounds::INTERVAL;
    }
    |it| at_least("good", it.good, "bad", it.bad)
}

/// Two alternating rates, each held for an exponential time with its own mean.
///
/// The initial state is drawn from the stationary distribution, good with probability `mean_good / (mean_good +
/// mean_bad)`, so that a run needs no warm-up for its line.
#[derive(Clone, Debug)]
pub struct Markov {
    parameters: MarkovParameters,
    stream: Stream,
    is_good: bool,
    /// When the current state ends.
    until: Time,
}

impl VaryingRate for MarkovParameters {
    type Process = Markov;

    fn start(&self, mut stream: Stream) -> Markov {
        let (good, bad) = (self.mean_good.as_secs(), self.mean_bad.as_secs());
        let is_good = stream.uniform() < good / (good + bad);
        let mut markov = Markov {
            parameters: *self,
            stream,
            is_good,
            until: Time::ZERO,
        };
        // The exponential distribution is memoryless: the time remaining at the start has the same distribution as a
        // full one.
        markov.hold();
        markov
    }

    fn range(&self) -> RateRange {
        RateRange {
            low: self.good.min(self.bad),
            high: self.good.max(self.bad),
            changes_per_s: 2.0 / (self.mean_good.as_secs() + self.mean_bad.as_secs()),
        }
    }

    fn is_random(&self) -> bool {
        true
    }
}

impl Markov {
    fn rate(&self) -> Rate {
        if self.is_good {
            self.parameters.good
        } else {
            self.parameters.bad
        }
    }

    fn hold(&mut self) {
        let mean = if self.is_good {
            self.parameters.mean_good
        } else {
            self.parameters.mean_bad
        };
        let span = Span::from_secs_f64(self.stream.exponential(mean.as_secs()));
        // A draw that rounds to zero would put two changes at the same instant.
        self.until = self.until.saturating_add(span.max(Span::from_ps(1)));
    }
}

impl RateChanges for Markov {
    fn first(&mut self) -> Rate {
        self.rate()
    }

    fn next_change(&self, _: Time) -> Time {
        self.until
    }

    fn change(&mut self) -> Rate {
        self.is_good = !self.is_good;
        self.hold();
        self.rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Rate = Rate::kbps(2_048);
    const BAD: Rate = Rate::kbps(256);

    /// On average good for 30 ms and bad for 10 ms.
    fn markov(seed: u64) -> Markov {
        with_means([30, 10].map(Span::from_ms), seed)
    }

    fn with_means([mean_good, mean_bad]: [Span; 2], seed: u64) -> Markov {
        let parameters = MarkovParameters {
            good: GOOD,
            bad: BAD,
            mean_good,
            mean_bad,
        };
        parameters.start(Stream::named(seed, "links.up.rate"))
    }

    #[test]
    fn next_change_is_fixed_until_the_change() {
        let mut process = markov(1);
        process.first();
        let first = process.next_change(Time::ZERO);
        assert!(first > Time::ZERO);
        assert_eq!(process.next_change(Time::from_ps(first.as_ps() / 2)), first);
        process.change();
        assert!(process.next_change(first) > first);
    }

    #[test]
    fn the_states_alternate() {
        let mut process = markov(1);
        let mut rate = process.first();
        for _ in 0..100 {
            let other = if rate == GOOD { BAD } else { GOOD };
            rate = process.change();
            assert_eq!(rate, other);
        }
    }

    #[test]
    fn states_are_held_for_their_means() {
        let mut process = markov(2);
        let (mut now, mut rate) = (Time::ZERO, process.first());
        let (mut good, mut bad) = (Span::ZERO, Span::ZERO);
        let stays = 10_000;
        for _ in 0..2 * stays {
            let next = process.next_change(now);
            *(if rate == GOOD { &mut good } else { &mut bad }) += next - now;
            (now, rate) = (next, process.change());
        }
        let mean = |total: Span| total.as_secs() / f64::from(stays);
        // The standard error of the mean of 10 000 exponential times is 1 % of it.
        assert!((mean(good) - 0.030).abs() < 0.001_2, "{}", mean(good));
        assert!((mean(bad) - 0.010).abs() < 0.000_4, "{}", mean(bad));
    }

    #[test]
    fn the_initial_state_has_the_stationary_law() {
        let runs = 4_000;
        let good = (0..runs)
            .filter(|&seed| markov(seed).first() == GOOD)
            .count();
        let share = good as f64 / runs as f64;
        // The standard error is sqrt(0.75 * 0.25 / 4000) = 0.0068.
        assert!((share - 0.75).abs() < 0.027, "{share}");
    }

    #[test]
    fn two_changes_never_coincide() {
        let tiny = Span::from_ps(1);
        let mut process = with_means([tiny; 2], 1);
        for _ in 0..1_000 {
            let before = process.next_change(Time::ZERO);
            process.change();
            assert!(process.next_change(before) > before);
        }
    }
}
