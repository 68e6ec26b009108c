//! A line that alternates between a good and a bad rate: a two-state Markov chain in continuous time.

use crate::random::Stream;
use crate::units::{Rate, Span, Time};

/// Two alternating rates, each held for an exponential time with its own mean.
#[derive(Clone, Debug)]
pub struct MarkovRate {
    good: Rate,
    bad: Rate,
    mean_good: Span,
    mean_bad: Span,
    stream: Stream,
    is_good: bool,
    /// When the current state ends.
    until: Time,
}

impl MarkovRate {
    /// The rates `good` and `bad`, held for exponential times with means `mean_good` and `mean_bad`, neither zero.
    ///
    /// The initial state is drawn from the stationary distribution, good with probability `mean_good / (mean_good +
    /// mean_bad)`, so that a run needs no warm-up for its line.
    pub fn new(good: Rate, bad: Rate, mean_good: Span, mean_bad: Span, mut stream: Stream) -> Self {
        let share_good = mean_good.as_secs() / (mean_good.as_secs() + mean_bad.as_secs());
        let is_good = stream.uniform() < share_good;
        let mut markov = Self {
            good,
            bad,
            mean_good,
            mean_bad,
            stream,
            is_good,
            until: Time::ZERO,
        };
        // The exponential distribution is memoryless: the time remaining at the start has the same distribution as a
        // full one.
        markov.hold();
        markov
    }

    pub(super) fn rate(&self) -> Rate {
        if self.is_good { self.good } else { self.bad }
    }

    pub(super) fn next_change(&self) -> Time {
        self.until
    }

    pub(super) fn change(&mut self) -> Rate {
        self.is_good = !self.is_good;
        self.hold();
        self.rate()
    }

    fn hold(&mut self) {
        let mean = if self.is_good {
            self.mean_good
        } else {
            self.mean_bad
        };
        let span = Span::from_secs_f64(self.stream.exponential(mean.as_secs()));
        // A draw that rounds to zero would put two changes at the same instant.
        self.until = self.until.saturating_add(span.max(Span::from_ps(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateProcess;
    use super::*;

    const GOOD: Rate = Rate::kbps(2_048);
    const BAD: Rate = Rate::kbps(256);

    /// On average good for 30 ms and bad for 10 ms.
    fn markov(seed: u64) -> RateProcess {
        RateProcess::Markov(MarkovRate::new(
            GOOD,
            BAD,
            Span::from_ms(30),
            Span::from_ms(10),
            Stream::named(seed, "links.up.rate"),
        ))
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
        let mut process = MarkovRate::new(GOOD, BAD, tiny, tiny, Stream::named(1, "tiny"));
        for _ in 0..1_000 {
            let before = process.next_change();
            process.change();
            assert!(process.next_change() > before);
        }
    }
}
