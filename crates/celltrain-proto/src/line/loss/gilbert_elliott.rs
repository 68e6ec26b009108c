//! Losses in bursts: a cell is lost with the probability of the current state, then the state may change.
//!
//! Source: E. N. Gilbert, "Capacity of a burst-noise channel", BSTJ 39 (1960), for `loss_good` = 0; E. O. Elliott,
//! "Estimates of error rates for codes on burst-noise channels", BSTJ 42 (1963).

use super::trials::Trials;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::Time;

parameters! {
    /// The parameters of [`GilbertElliott`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct GilbertElliottParameters {
        /// Probability per cell of a change from the good to the bad state.
        pub good_to_bad: f64, in Bounds::at_most(1.0);
        /// Probability per cell of a change from the bad to the good state; its reciprocal is the mean burst length.
        pub bad_to_good: f64, in Bounds::PART;
        /// The fraction of cells lost in the good state.
        pub loss_good: f64 = 0.0, in Bounds::at_most(1.0);
        /// The fraction of cells lost in the bad state.
        pub loss_bad: f64 = 1.0, in Bounds::at_most(1.0);
    }
}

impl GilbertElliottParameters {
    /// The long-run fraction of cells in the bad state. A chain that never changes stays good.
    fn share_bad(&self) -> f64 {
        if self.good_to_bad > 0.0 {
            self.good_to_bad / (self.good_to_bad + self.bad_to_good)
        } else {
            0.0
        }
    }

    /// The long-run fraction of cells lost.
    fn mean_loss(&self) -> f64 {
        let bad = self.share_bad();
        (1.0 - bad) * self.loss_good + bad * self.loss_bad
    }

    /// The trials of a state: whether it changes after a cell, and whether a cell is lost.
    fn trials(&self, is_bad: bool, stream: &mut Stream) -> (Trials, Trials) {
        let (change, loss) = if is_bad {
            (self.bad_to_good, self.loss_bad)
        } else {
            (self.good_to_bad, self.loss_good)
        };
        (Trials::new(change, stream), Trials::new(loss, stream))
    }
}

/// Losses in bursts, with the initial state drawn from the stationary distribution.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    chain: GilbertElliottParameters,
    is_bad: bool,
    change: Trials,
    loss: Trials,
    stream: Stream,
}

impl GilbertElliott {
    /// Creates the process before its first cell.
    pub fn new(chain: &GilbertElliottParameters, mut stream: Stream) -> Self {
        let is_bad = stream.uniform() < chain.share_bad();
        let (change, loss) = chain.trials(is_bad, &mut stream);
        Self {
            chain: *chain,
            is_bad,
            change,
            loss,
            stream,
        }
    }

    #[inline]
    pub(super) fn loses(&mut self, _: Time) -> bool {
        let lost = self.loss.succeeds(&mut self.stream);
        if self.change.succeeds(&mut self.stream) {
            self.is_bad = !self.is_bad;
            // The geometric distribution is memoryless, so the old state's remaining trials can be dropped.
            (self.change, self.loss) = self.chain.trials(self.is_bad, &mut self.stream);
        }
        lost
    }

    pub(super) fn mean_loss(&self) -> f64 {
        self.chain.mean_loss()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn chain(p: f64, r: f64, loss_good: f64, loss_bad: f64) -> GilbertElliottParameters {
        GilbertElliottParameters {
            good_to_bad: p,
            bad_to_good: r,
            loss_good,
            loss_bad,
        }
    }

    fn bursts(chain: GilbertElliottParameters, seed: u64) -> GilbertElliott {
        GilbertElliott::new(&chain, Stream::named(seed, "links.up.loss"))
    }

    fn count(loss: &mut GilbertElliott, cells: u32) -> f64 {
        (0..cells).filter(|_| loss.loses(Time::ZERO)).count() as f64
    }

    #[test]
    fn a_chain_that_changes_at_every_cell_alternates() {
        let mut line = bursts(chain(1.0, 1.0, 0.0, 1.0), 1);
        let lost: Vec<bool> = (0..100).map(|_| line.loses(Time::ZERO)).collect();
        assert!(lost.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_chain_that_never_changes_stays_good() {
        let mut loss = bursts(chain(0.0, 0.0, 0.0, 1.0), 1);
        assert_eq!(count(&mut loss, 1_000), 0.0);
        assert_eq!(loss.mean_loss(), 0.0);
    }

    #[test]
    fn gilbert_elliott_losses_have_their_mean() {
        let mut loss = bursts(chain(0.01, 0.1, 0.001, 0.5), 5);
        // A fraction of 1/11 of the cells is in the bad state.
        assert!((loss.mean_loss() - (0.5 + 10.0 * 0.001) / 11.0).abs() < 1e-15);
        let cells = 1_000_000;
        let share = count(&mut loss, cells) / f64::from(cells);
        // States correlate over (1 + 0.89) / (1 - 0.89) = 17 cells: the variance of the mean is
        // (10/121 * 17.2 * 0.499^2 + 0.024) / 10^6, the standard error 0.00062.
        assert!((share - 0.046_36).abs() < 0.002_5, "{share}");
    }

    #[test]
    fn bad_times_last_one_over_r_cells() {
        let mut line = bursts(chain(0.01, 0.1, 0.0, 1.0), 6);
        let lost: Vec<bool> = (0..1_000_000).map(|_| line.loses(Time::ZERO)).collect();
        let starts = lost.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        let mean = lost.iter().filter(|&&lost| lost).count() as f64 / starts;
        // About 9 100 bursts with standard deviation 9.5 cells: the standard error is 0.1.
        assert!((mean - 10.0).abs() < 0.4, "{mean}");
    }

    #[test]
    fn the_first_state_has_the_stationary_law() {
        let runs = 4_000;
        let first = |seed| bursts(chain(0.001, 0.003, 0.0, 1.0), seed).loses(Time::ZERO);
        let share = (0..runs).filter(|&seed| first(seed)).count() as f64 / runs as f64;
        // The standard error is sqrt(0.25 * 0.75 / 4000) = 0.0068.
        assert!((share - 0.25).abs() < 0.027, "{share}");
    }

    #[test]
    fn what_is_no_probability_and_a_bad_state_that_never_ends_are_refused_by_name() {
        for (chain, key) in [
            (chain(1.1, 0.5, 0.0, 0.0), "good_to_bad"),
            (chain(0.5, 0.0, 0.0, 0.0), "bad_to_good"),
            (chain(0.5, 0.5, f64::NAN, 0.0), "loss_good"),
            (chain(0.5, 0.5, 0.0, f64::INFINITY), "loss_bad"),
        ] {
            assert_eq!(chain.check().unwrap_err().key, key);
        }
        assert_eq!(chain(0.0, 1.0, 0.0, 1.0).check(), Ok(()));
    }
}
