//! A Markov chain in continuous time with a rate in each state, such as a Markov-modulated Poisson process.

use alloc::vec::Vec;

use super::arrivals::{Run, TrafficSource};
use super::modulated::{Lengths, Modulated, Spacing, State};
use crate::parameters::{Problem, each};
use crate::units::Rate;

parameters! {
    /// The parameters of a chain with any number of states.
    #[derive(Clone, PartialEq, Debug)]
    pub struct MarkovParameters {
        /// The states; each leads to any of the others with equal probability. The initial state is drawn in proportion
        /// to the time spent in each.
        pub states: Vec<State>;
        /// Whether cells arrive as a Poisson process with the state's rate, rather than evenly spaced.
        pub poisson: bool = false;
    }
    |it| states(&it.states)
}

fn states(states: &[State]) -> Result<(), Problem> {
    let wrong = |message: &str| Problem {
        key: "states".into(),
        message: message.into(),
    };
    if states.is_empty() {
        return Err(wrong("expected at least one state"));
    }
    each("states", states, State::check)?;
    if states.iter().all(|state| state.rate == Rate::ZERO) {
        return Err(wrong("expected a state with a rate above zero"));
    }
    Ok(())
}

impl TrafficSource for MarkovParameters {
    type Process = Modulated;

    fn start(&self, run: Run) -> Option<Modulated> {
        let spacing = if self.poisson {
            Spacing::Poisson
        } else {
            Spacing::Even
        };
        let states = self.states.clone();
        Some(Modulated::new(states, Lengths::Exponential, spacing, run))
    }

    fn peak(&self, _: u64) -> Option<Rate> {
        let rates = self.states.iter().map(|state| state.rate);
        Some(rates.reduce(Rate::max).unwrap_or_default())
    }

    fn changes_per_s(&self) -> f64 {
        let means = self.states.iter().map(|state| state.mean.as_secs());
        self.states.len() as f64 / means.sum::<f64>()
    }

    fn is_random(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::units::Span;

    #[test]
    fn a_chain_that_never_sends_is_refused_and_a_state_by_its_number() {
        let state = |rate, ps| State {
            rate: Rate::kbps(rate),
            mean: Span::from_ps(ps),
        };
        for (states, key) in [
            (vec![], "states"),
            (vec![state(0, 1_000_000)], "states"),
            (
                vec![state(1, 1_000_000), state(0, 999_999)],
                "states.1.mean",
            ),
        ] {
            let poisson = false;
            let problem = MarkovParameters { states, poisson }.check().unwrap_err();
            assert_eq!(problem.key, key);
        }
    }
}
