//! Independent losses.

use super::trials::Trials;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::Time;

parameters! {
    /// The parameters of [`Bernoulli`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct BernoulliParameters {
        /// The fraction of cells lost.
        pub probability: f64, in Bounds::at_most(1.0);
    }
}

/// Each cell is lost with the same probability, independently of the others.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    next: Trials,
    stream: Stream,
}

impl Bernoulli {
    /// Creates the process before its first cell.
    pub fn new(parameters: &BernoulliParameters, mut stream: Stream) -> Self {
        Self {
            next: Trials::new(parameters.probability, &mut stream),
            stream,
        }
    }

    #[inline]
    pub(super) fn loses(&mut self, _: Time) -> bool {
        self.next.succeeds(&mut self.stream)
    }

    pub(super) fn mean_loss(&self) -> f64 {
        self.next.probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn bernoulli(probability: f64, seed: u64) -> Bernoulli {
        let parameters = BernoulliParameters { probability };
        Bernoulli::new(&parameters, Stream::named(seed, "links.up.loss"))
    }

    fn count(loss: &mut Bernoulli, cells: u32) -> f64 {
        (0..cells).filter(|_| loss.loses(Time::ZERO)).count() as f64
    }

    #[test]
    fn probability_zero_loses_no_cell_and_one_loses_all() {
        assert_eq!(count(&mut bernoulli(0.0, 1), 1_000), 0.0);
        assert_eq!(count(&mut bernoulli(1.0, 1), 1_000), 1_000.0);
    }

    #[test]
    fn bernoulli_losses_have_their_probability() {
        for probability in [0.01, 0.5, 0.99] {
            let cells = 400_000;
            let mut loss = bernoulli(probability, 2);
            assert_eq!(loss.mean_loss(), probability);
            let share = count(&mut loss, cells) / f64::from(cells);
            let error = libm::sqrt(probability * (1.0 - probability) / f64::from(cells));
            assert!((share - probability).abs() < 4.0 * error, "{share}");
        }
    }

    #[test]
    fn a_bernoulli_loss_says_nothing_of_the_next_cell() {
        let mut line = bernoulli(0.3, 3);
        let lost: Vec<bool> = (0..200_000).map(|_| line.loses(Time::ZERO)).collect();
        let after_loss: Vec<bool> = lost.windows(2).filter(|w| w[0]).map(|w| w[1]).collect();
        let share =
            after_loss.iter().filter(|&&lost| lost).count() as f64 / after_loss.len() as f64;
        // About 60 000 cells follow a loss: the standard error is sqrt(0.21 / 60 000) = 0.0019.
        assert!((share - 0.3).abs() < 0.0076, "{share}");
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        let problem = BernoulliParameters { probability: 1.5 }
            .check()
            .unwrap_err();
        assert_eq!(problem.key, "probability");
        assert_eq!(problem.message, "expected at most 1, found 1.5");
    }
}
