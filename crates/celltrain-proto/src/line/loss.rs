//! Loss of cells on a line: independent, or in bursts.
//!
//! Both models draw the number of cells up to the next event, not a number for each cell: a line of
//! loss 10^-9 costs one decrement a cell and one draw for each cell lost.

use core::fmt;

use crate::random::Stream;

/// Which cells of a line are lost.
#[derive(Clone, Debug)]
pub enum Loss {
    /// Each cell alike, independent of the others.
    Bernoulli(BernoulliLoss),
    /// By a state of the line that changes from cell to cell.
    GilbertElliott(GilbertElliottLoss),
}

impl Loss {
    /// Each cell is lost with this probability, independent of the others.
    pub fn bernoulli(probability: f64, mut stream: Stream) -> Result<Self, ProbabilityError> {
        check("probability", probability)?;
        let next = Trials::new(probability, &mut stream);
        Ok(Self::Bernoulli(BernoulliLoss { next, stream }))
    }

    /// Losses of the chain `chain`, its first state drawn from the stationary law.
    pub fn gilbert_elliott(
        chain: GilbertElliott,
        mut stream: Stream,
    ) -> Result<Self, ProbabilityError> {
        check("p", chain.p)?;
        check("r", chain.r)?;
        check("loss_good", chain.loss_good)?;
        check("loss_bad", chain.loss_bad)?;
        let is_bad = stream.uniform() < chain.share_bad();
        let (change, loss) = chain.trials(is_bad, &mut stream);
        Ok(Self::GilbertElliott(GilbertElliottLoss {
            chain,
            is_bad,
            change,
            loss,
            stream,
        }))
    }

    /// Whether the next cell of the line is lost. Call once a cell, in order.
    #[inline]
    pub fn loses(&mut self) -> bool {
        match self {
            Self::Bernoulli(loss) => loss.next.succeeds(&mut loss.stream),
            Self::GilbertElliott(loss) => loss.loses(),
        }
    }

    /// The share of cells that are lost in the long run.
    pub fn mean_loss(&self) -> f64 {
        match self {
            Self::Bernoulli(loss) => loss.next.probability,
            Self::GilbertElliott(loss) => loss.chain.mean_loss(),
        }
    }
}

/// Independent losses; made by [`Loss::bernoulli`].
#[derive(Clone, Debug)]
pub struct BernoulliLoss {
    next: Trials,
    stream: Stream,
}

/// Gilbert's and Elliott's chain, which steps from cell to cell: a cell is lost with the probability
/// of the present state, then the state may change.
///
/// E. N. Gilbert, "Capacity of a burst-noise channel", BSTJ 39 (1960), for `loss_good` = 0;
/// E. O. Elliott, "Estimates of error rates for codes on burst-noise channels", BSTJ 42 (1963).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GilbertElliott {
    /// Probability that the state turns bad after a cell in the good state.
    pub p: f64,
    /// Probability that the state turns good after a cell in the bad state: bad times last 1/r cells.
    pub r: f64,
    /// Probability of loss in the good state.
    pub loss_good: f64,
    /// Probability of loss in the bad state.
    pub loss_bad: f64,
}

impl GilbertElliott {
    /// The share of cells in the bad state in the long run. A chain that never changes stays good.
    pub fn share_bad(&self) -> f64 {
        if self.p > 0.0 {
            self.p / (self.p + self.r)
        } else {
            0.0
        }
    }

    /// The share of cells that are lost in the long run.
    pub fn mean_loss(&self) -> f64 {
        let bad = self.share_bad();
        (1.0 - bad) * self.loss_good + bad * self.loss_bad
    }

    /// The trials of a state: whether it changes after a cell, whether a cell is lost.
    fn trials(&self, is_bad: bool, stream: &mut Stream) -> (Trials, Trials) {
        let (change, loss) = if is_bad {
            (self.r, self.loss_bad)
        } else {
            (self.p, self.loss_good)
        };
        (Trials::new(change, stream), Trials::new(loss, stream))
    }
}

/// Losses in bursts; made by [`Loss::gilbert_elliott`].
#[derive(Clone, Debug)]
pub struct GilbertElliottLoss {
    chain: GilbertElliott,
    is_bad: bool,
    change: Trials,
    loss: Trials,
    stream: Stream,
}

impl GilbertElliottLoss {
    #[inline]
    fn loses(&mut self) -> bool {
        let lost = self.loss.succeeds(&mut self.stream);
        if self.change.succeeds(&mut self.stream) {
            self.is_bad = !self.is_bad;
            // A geometric number has no memory, so what was left of the old state's is not missed.
            (self.change, self.loss) = self.chain.trials(self.is_bad, &mut self.stream);
        }
        lost
    }
}

/// Independent trials of one probability, as the number of failures left before the next success.
#[derive(Clone, Debug)]
struct Trials {
    probability: f64,
    failures: u64,
}

impl Trials {
    fn new(probability: f64, stream: &mut Stream) -> Self {
        let failures = failures(probability, stream);
        Self {
            probability,
            failures,
        }
    }

    #[inline]
    fn succeeds(&mut self, stream: &mut Stream) -> bool {
        let success = self.failures == 0;
        if success {
            self.failures = failures(self.probability, stream);
        } else {
            self.failures -= 1;
        }
        success
    }
}

/// Failures before the first success: geometric, by inversion.
fn failures(probability: f64, stream: &mut Stream) -> u64 {
    if probability > 0.0 {
        // P(failures >= n) = (1 - probability)^n; log1p keeps a probability of 10^-17 apart from none.
        (stream.exponential(1.0) / -libm::log1p(-probability)) as u64
    } else {
        u64::MAX
    }
}

/// A probability that is not between 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProbabilityError {
    /// The parameter's name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

impl fmt::Display for ProbabilityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} = {}; expected a probability from 0 to 1",
            self.name, self.value
        )
    }
}

impl core::error::Error for ProbabilityError {}

fn check(name: &'static str, value: f64) -> Result<(), ProbabilityError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(ProbabilityError { name, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn bernoulli(probability: f64, seed: u64) -> Loss {
        Loss::bernoulli(probability, Stream::named(seed, "links.up.loss")).unwrap()
    }

    fn chain(p: f64, r: f64, loss_good: f64, loss_bad: f64) -> GilbertElliott {
        GilbertElliott {
            p,
            r,
            loss_good,
            loss_bad,
        }
    }

    fn bursts(chain: GilbertElliott, seed: u64) -> Loss {
        Loss::gilbert_elliott(chain, Stream::named(seed, "links.up.loss")).unwrap()
    }

    fn count(loss: &mut Loss, cells: u32) -> f64 {
        (0..cells).filter(|_| loss.loses()).count() as f64
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
        let lost: Vec<bool> = (0..200_000).map(|_| line.loses()).collect();
        let after_loss: Vec<bool> = lost.windows(2).filter(|w| w[0]).map(|w| w[1]).collect();
        let share =
            after_loss.iter().filter(|&&lost| lost).count() as f64 / after_loss.len() as f64;
        // About 60 000 cells follow a loss: the standard error is sqrt(0.21 / 60 000) = 0.0019.
        assert!((share - 0.3).abs() < 0.0076, "{share}");
    }

    #[test]
    fn gaps_between_rare_losses_have_their_mean() {
        let mut stream = Stream::named(4, "rare");
        for probability in [1e-9, 1e-17] {
            let n = 10_000;
            let gaps = (0..n).map(|_| failures(probability, &mut stream) as f64);
            let mean = gaps.sum::<f64>() / f64::from(n) * probability;
            // In units of 1/probability the standard error is 0.01.
            assert!((mean - 1.0).abs() < 0.04, "{mean}");
        }
    }

    #[test]
    fn a_chain_that_changes_at_every_cell_alternates() {
        let mut line = bursts(chain(1.0, 1.0, 0.0, 1.0), 1);
        let lost: Vec<bool> = (0..100).map(|_| line.loses()).collect();
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
        // A share of 1/11 of the cells is in the bad state.
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
        let lost: Vec<bool> = (0..1_000_000).map(|_| line.loses()).collect();
        let starts = lost.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        let mean = lost.iter().filter(|&&lost| lost).count() as f64 / starts;
        // About 9 100 bursts of standard deviation 9.5 cells: the standard error is 0.1.
        assert!((mean - 10.0).abs() < 0.4, "{mean}");
    }

    #[test]
    fn the_first_state_has_the_stationary_law() {
        let runs = 4_000;
        let first = |seed| bursts(chain(0.001, 0.003, 0.0, 1.0), seed).loses();
        let share = (0..runs).filter(|&seed| first(seed)).count() as f64 / runs as f64;
        // The standard error is sqrt(0.25 * 0.75 / 4000) = 0.0068.
        assert!((share - 0.25).abs() < 0.027, "{share}");
    }

    #[test]
    fn what_is_no_probability_is_refused_by_name() {
        let stream = || Stream::named(1, "refused");
        let error = Loss::bernoulli(1.5, stream()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "probability = 1.5; expected a probability from 0 to 1"
        );
        let cases = [
            (chain(-0.1, 0.0, 0.0, 0.0), "p"),
            (chain(0.0, f64::NAN, 0.0, 0.0), "r"),
            (chain(0.0, 0.0, 2.0, 0.0), "loss_good"),
            (chain(0.0, 0.0, 0.0, f64::INFINITY), "loss_bad"),
        ];
        for (chain, name) in cases {
            assert_eq!(
                Loss::gilbert_elliott(chain, stream()).unwrap_err().name,
                name
            );
        }
    }
}
