//! Losses whose probability follows a list.

use alloc::vec::Vec;

use super::trials::Trials;
use crate::line::steps::{Steps, StepsError};
use crate::parameters::{Bounds, Problem, each};
use crate::random::Stream;
use crate::units::{Span, Time};

parameters! {
    /// A probability of loss and the time from which it applies.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct LossStep {
        /// Time after the start of the run.
        pub at: Span;
        /// The fraction lost of the cells that arrive from then on; 1 is an outage without a queue.
        pub probability: f64, in Bounds::at_most(1.0);
    }
}

parameters! {
    /// The parameters of [`List`].
    #[derive(Clone, PartialEq, Debug)]
    pub struct LossListParameters {
        /// The first at `"0 s"`, each later than the previous one.
        pub probabilities: Vec<LossStep>;
        /// The list repeats after this time. Allowed: after the last `at`.
        pub repeat: Option<Span>;
    }
    |it| it.check_steps()
}

impl LossListParameters {
    fn steps(&self) -> Result<Steps<f64>, StepsError> {
        let steps = self
            .probabilities
            .iter()
            .map(|step| (Time::ZERO + step.at, step.probability));
        Steps::new(steps.collect(), self.repeat)
    }

    fn check_steps(&self) -> Result<(), Problem> {
        each("probabilities", &self.probabilities, LossStep::check)?;
        self.steps()?;
        Ok(())
    }
}

/// Each cell is lost with the probability of the instant at which it arrives, independently of the others.
#[derive(Clone, Debug)]
pub struct List {
    steps: Steps<f64>,
    next: Trials,
    stream: Stream,
}

impl List {
    /// Creates the process before its first cell. The parameters must be valid.
    pub fn new(parameters: &LossListParameters, mut stream: Stream) -> Self {
        let steps = parameters
            .steps()
            .expect("the list was read when it was checked");
        Self {
            next: Trials::new(steps.value(), &mut stream),
            steps,
            stream,
        }
    }

    #[inline]
    pub(super) fn loses(&mut self, at: Time) -> bool {
        if self.steps.advance(at) {
            // The geometric distribution is memoryless, so the remaining trials can be dropped.
            self.next = Trials::new(self.steps.value(), &mut self.stream);
        }
        self.next.succeeds(&mut self.stream)
    }

    /// Of a list that repeats the mean over its period, of another one the last probability.
    pub(super) fn mean_loss(&self) -> f64 {
        let steps = self.steps.steps();
        let Some(repeat) = self.steps.repeat() else {
            return steps.last().map_or(0.0, |step| step.1);
        };
        let ends = steps.iter().skip(1).map(|step| step.0);
        let ends = ends.chain([Time::ZERO + repeat]);
        let lost = steps
            .iter()
            .zip(ends)
            .map(|(step, end)| step.1 * (end - step.0).as_secs());
        lost.sum::<f64>() / repeat.as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(steps: &[(u64, f64)], repeat: Option<u64>) -> LossListParameters {
        LossListParameters {
            probabilities: steps
                .iter()
                .map(|&(at, probability)| LossStep {
                    at: Span::from_ms(at),
                    probability,
                })
                .collect(),
            repeat: repeat.map(Span::from_ms),
        }
    }

    fn started(parameters: &LossListParameters) -> List {
        List::new(parameters, Stream::named(1, "links.up.loss"))
    }

    #[test]
    fn cells_are_lost_while_the_probability_is_one_and_arrive_while_it_is_zero() {
        let mut losses = started(&list(&[(0, 0.0), (10, 1.0), (20, 0.0)], Some(50)));
        for ms in 0..500 {
            let lost = losses.loses(Time::ZERO + Span::from_ms(ms));
            assert_eq!(lost, (10..20).contains(&(ms % 50)), "{ms} ms");
        }
    }

    #[test]
    fn each_step_loses_its_share() {
        let parameters = list(&[(0, 0.1), (1_000, 0.5)], None);
        let mut losses = started(&parameters);
        let mut count = |from: u64| {
            let lost =
                (0..100_000).filter(|k| losses.loses(Time::ZERO + Span::from_us(from + 10 * k)));
            lost.count() as f64 / 1e5
        };
        let (first, second) = (count(0), count(1_000_000));
        // The standard errors are sqrt(0.09 / 100 000) = 0.00095 and 0.0016.
        assert!((first - 0.1).abs() < 0.0038, "{first}");
        assert!((second - 0.5).abs() < 0.0064, "{second}");
        assert_eq!(started(&parameters).mean_loss(), 0.5);
        let repeated = started(&list(&[(0, 0.1), (1_000, 0.5)], Some(4_000)));
        assert!((repeated.mean_loss() - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_probability_is_refused_with_its_step() {
        let problem = list(&[(0, 0.5), (3, 1.5)], None).check().unwrap_err();
        assert_eq!(problem.key, "probabilities.1.probability");
        assert_eq!(problem.message, "expected at most 1, found 1.5");
        let problem = list(&[(0, 0.5), (4, 0.1), (4, 0.2)], None)
            .check()
            .unwrap_err();
        assert_eq!(
            problem.message,
            "step 2 is at 4 ms; it must be later than the step before it, at 4 ms"
        );
    }
}
