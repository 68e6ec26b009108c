//! Arrivals whose rate follows a chain of states.
//!
//! The process accumulates the integral of its rate over time. With even spacing, an arrival occurs whenever another
//! whole arrival has accumulated, so that the long-run rate is exact and the remainder of a burst counts in the next; a
//! Poisson process requires exponential amounts.

use alloc::vec::Vec;

use super::arrivals::{Arrivals, Run};
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Rate, Span};

parameters! {
    /// A state: a rate, and its mean duration.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct State {
        /// Rate in the state.
        pub rate: Rate;
        /// Mean time in the state, exponential.
        pub mean: Span, in Bounds::INTERVAL;
    }
}

choice! {
    /// The distribution of time intervals around their mean.
    pub enum Lengths {
        /// Exponential; the initial state is drawn from the stationary distribution.
        #[default]
        Exponential,
        /// All equal; a burst comes first.
        Fixed,
    }
}

/// How arrivals are spaced within a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spacing {
    /// Evenly.
    Even,
    /// As a Poisson process.
    Poisson,
}

/// A chain of states. Each of the others is equally likely to follow: two states alternate.
#[derive(Clone, Debug)]
pub struct Modulated {
    states: Vec<State>,
    lengths: Lengths,
    spacing: Spacing,
    /// Size of an arrival in bits.
    bits: f64,
    stream: Stream,
    state: usize,
    /// What remains of the state after its evenly spaced arrivals, in seconds.
    remains: f64,
    /// Bits still to accumulate for the arrival after those.
    owed: f64,
    /// Evenly spaced arrivals still to come in the state, and their gap.
    even: u32,
    gap: Span,
    /// The longest time over which states are traversed without an arrival.
    horizon: Span,
}

impl Modulated {
    /// Arrivals in a run. At least one of `states` must have a rate above zero.
    ///
    /// An arrival more than `run.horizon` after the previous one is never seen, and is placed a picosecond beyond it.
    /// Otherwise short states with a low rate would be traversed in great numbers.
    ///
    /// # Panics
    ///
    /// If `states` is empty.
    pub(super) fn new(states: Vec<State>, lengths: Lengths, spacing: Spacing, run: Run) -> Self {
        assert!(!states.is_empty(), "a chain has at least one state");
        let Run {
            bits,
            mut stream,
            horizon,
        } = run;
        let bits = bits as f64;
        let state = match lengths {
            Lengths::Fixed => 0,
            Lengths::Exponential => stationary(&states, &mut stream),
        };
        // Sources of one kind would be synchronised if all needed a whole arrival at the start.
        let owed = match lengths {
            Lengths::Fixed => 0.0,
            Lengths::Exponential => bits * stream.uniform(),
        };
        let mut chain = Self {
            states,
            lengths,
            spacing,
            bits,
            stream,
            state,
            remains: 0.0,
            owed,
            even: 0,
            gap: Span::ZERO,
            horizon,
        };
        chain.remains = chain.length();
        chain
    }

    fn length(&mut self) -> f64 {
        let mean = self.states[self.state].mean.as_secs();
        match self.lengths {
            Lengths::Fixed => mean,
            Lengths::Exponential => self.stream.exponential(mean),
        }
    }

    /// Leaves the state for the next one.
    fn step(&mut self) {
        let others = self.states.len() - 1;
        let ahead = match self.lengths {
            Lengths::Exponential if others > 1 => {
                1 + (self.stream.uniform() * others as f64) as usize
            }
            _ => 1,
        };
        self.state = (self.state + ahead) % self.states.len();
        self.remains = self.length();
    }

    /// The span to the next arrival, which may be in another state; the arrivals of that state after it are counted at
    /// once.
    fn cross(&mut self) -> Span {
        let span = self.earn();
        let rate = self.states[self.state].rate.as_bps();
        let even = rate * self.remains * TOLERANCE / self.bits;
        self.even = even as u32;
        if self.even > 0 {
            let gap = self.bits / rate;
            self.remains = (self.remains - gap * f64::from(self.even)).max(0.0);
            self.gap = Span::from_secs_f64(gap);
        }
        span
    }

    /// The time in which the owed bits accumulate.
    fn earn(&mut self) -> Span {
        let mut seconds = 0.0;
        loop {
            let rate = self.states[self.state].rate.as_bps();
            let earned = rate * self.remains;
            if earned * TOLERANCE >= self.owed && rate > 0.0 {
                let needed = (self.owed / rate).min(self.remains);
                self.remains -= needed;
                self.owed = 0.0;
                return Span::from_secs_f64(seconds + needed);
            }
            self.owed -= earned;
            seconds += self.remains;
            if seconds > self.horizon.as_secs() {
                return Span::from_ps(self.horizon.as_ps().saturating_add(1));
            }
            self.step();
        }
    }
}

impl Arrivals for Modulated {
    fn first(&mut self) -> Span {
        if self.spacing == Spacing::Poisson {
            return self.gap();
        }
        self.cross()
    }

    fn gap(&mut self) -> Span {
        if self.even > 0 {
            self.even -= 1;
            return self.gap;
        }
        match self.spacing {
            Spacing::Even => {
                self.owed += self.bits;
                self.cross()
            }
            Spacing::Poisson => {
                self.owed += self.stream.exponential(self.bits);
                self.earn()
            }
        }
    }

    fn run(&mut self) -> (Span, u32) {
        if self.even > 0 {
            return (self.gap, core::mem::take(&mut self.even));
        }
        (self.gap(), 1)
    }
}

/// Rounding in the last bit of a double must not move an arrival from one state to the next.
const TOLERANCE: f64 = 1.0 + 1e-12;

/// Draws a state according to the time spent in each: all are entered equally often.
fn stationary(states: &[State], stream: &mut Stream) -> usize {
    let total: f64 = states.iter().map(|state| state.mean.as_secs()).sum();
    let mut left = stream.uniform() * total;
    let at = states.iter().position(|state| {
        left -= state.mean.as_secs();
        left < 0.0
    });
    at.unwrap_or(states.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(bps: f64, ms: u64) -> State {
        State {
            rate: Rate::bps(bps),
            mean: Span::from_ms(ms),
        }
    }

    /// A run with its random numbers.
    fn run(bits: u64, stream: Stream) -> Run {
        Run {
            bits,
            stream,
            horizon: Span::MAX,
        }
    }

    fn fixed(states: Vec<State>) -> Modulated {
        fixed_within(states, Span::MAX)
    }

    fn fixed_within(states: Vec<State>, horizon: Span) -> Modulated {
        let run = Run {
            horizon,
            ..run(1_000, Stream::named(1, "chain"))
        };
        Modulated::new(states, Lengths::Fixed, Spacing::Even, run)
    }

    /// The instants of the first `n` arrivals in ms.
    fn arrivals(chain: &mut Modulated, n: usize) -> Vec<f64> {
        let mut at = chain.first().as_secs() * 1e3;
        let mut instants = Vec::new();
        for _ in 0..n {
            instants.push(at);
            at += chain.gap().as_secs() * 1e3;
        }
        instants
    }

    #[test]
    fn a_burst_is_evenly_spaced_and_what_is_left_of_it_counts_in_the_next() {
        // One arrival per ms; bursts of 2.5 ms, silences of 10 ms: half of the third accumulates in the first burst.
        let mut chain = fixed(alloc::vec![
            State {
                rate: Rate::bps(1e6),
                mean: Span::from_us(2_500)
            },
            state(0.0, 10)
        ]);
        let expected = [0.0, 1.0, 2.0, 13.0, 14.0, 15.0, 26.0];
        for (at, expected) in arrivals(&mut chain, 7).iter().zip(expected) {
            assert!((at - expected).abs() < 1e-6, "{at} is not {expected}");
        }
    }

    #[test]
    fn each_state_has_its_rate() {
        let mut chain = fixed(alloc::vec![state(1e6, 2), state(4e6, 1)]);
        let expected = [0.0, 1.0, 2.0, 2.25, 2.5, 2.75, 3.0, 4.0, 5.0];
        for (at, expected) in arrivals(&mut chain, 9).iter().zip(expected) {
            assert!((at - expected).abs() < 1e-6, "{at} is not {expected}");
        }
    }

    #[test]
    fn runs_are_the_gaps_taken_together() {
        for lengths in [Lengths::Fixed, Lengths::Exponential] {
            let states = alloc::vec![state(18e6, 5), state(0.0, 20), state(3e6, 5)];
            let stream = Stream::named(4, "runs");
            let mut one = Modulated::new(states, lengths, Spacing::Even, run(424, stream));
            let mut other = one.clone();
            assert_eq!(one.first(), other.first());
            for _ in 0..300 {
                let (gap, count) = one.run();
                assert!((0..count).all(|_| other.gap() == gap), "{lengths:?}");
            }
        }
    }

    #[test]
    fn a_burst_is_one_run() {
        // 5 ms at one arrival per ms after the one at its start, then 10 ms of silence.
        let mut chain = fixed(alloc::vec![state(1e6, 5), state(0.0, 10)]);
        let _ = chain.first();
        assert_eq!(chain.run(), (Span::from_ms(1), 5));
        assert_eq!(chain.run(), (Span::from_ms(11), 1));
        assert_eq!(chain.run(), (Span::from_ms(1), 4));
    }

    #[test]
    fn states_are_left_no_later_than_the_end_of_the_run() {
        // One arrival per 1,000 s, with 2.5 million state changes per second.
        let short = State {
            rate: Rate::bps(1.0),
            mean: Span::from_ps(400_000),
        };
        let mut chain = fixed_within(alloc::vec![short, short], Span::from_ms(1));
        let _ = chain.first();
        assert!(chain.gap() > Span::from_ms(1));
    }

    #[test]
    fn a_silence_of_years_ends_behind_the_run() {
        let states = alloc::vec![state(1.0, 1), state(0.0, 10_000_000_000)];
        let mut chain = fixed_within(states, Span::from_ms(1));
        let _ = chain.first();
        assert_eq!(chain.gap(), Span::from_ps(1_000_000_001));
    }

    #[test]
    fn an_end_changes_no_arrival_before_it() {
        for lengths in [Lengths::Fixed, Lengths::Exponential] {
            let states = alloc::vec![state(18e6, 5), state(0.0, 20), state(3e4, 5)];
            let stream = Stream::named(4, "end");
            let [mut whole, mut ended] = [Span::MAX, Span::from_ms(700)].map(|horizon| {
                let run = Run {
                    horizon,
                    ..run(424, stream.clone())
                };
                Modulated::new(states.clone(), lengths, Spacing::Poisson, run)
            });
            let mut at = whole.first();
            let mut same = ended.first();
            while at < Span::from_ms(700) {
                assert_eq!(at, same, "{lengths:?}");
                (at, same) = (at + whole.gap(), same + ended.gap());
            }
            assert!(same >= Span::from_ms(700));
        }
    }

    #[test]
    fn random_chains_reach_their_mean_rate() {
        for spacing in [Spacing::Even, Spacing::Poisson] {
            let states = alloc::vec![state(18e6, 5), state(0.0, 20), state(3e6, 5)];
            let stream = Stream::named(9, "mmpp");
            let mut chain = Modulated::new(states, Lengths::Exponential, spacing, run(424, stream));
            let n = 400_000;
            let total: f64 = (0..n).map(|_| chain.gap().as_secs()).sum();
            let rate = f64::from(n) * 424.0 / total;
            // Mean (18 * 5 + 3 * 5) / 30 = 3.5 Mbit/s. About 1600 cycles: a standard error of about 3 %.
            assert!((rate / 3.5e6 - 1.0).abs() < 0.08, "{spacing:?}: {rate}");
        }
    }

    #[test]
    fn the_state_at_the_start_is_stationary() {
        let states = [state(1.0, 10), state(0.0, 30)];
        let mut stream = Stream::named(2, "start");
        let n = 20_000;
        let on = (0..n)
            .filter(|_| stationary(&states, &mut stream) == 0)
            .count();
        // A quarter, with a standard error of 0.003.
        assert!((on as f64 / f64::from(n) - 0.25).abs() < 0.012, "{on}");
    }
}
