//! Independent trials that cost only a decrement until one succeeds.

use crate::random::Stream;

/// Independent trials with one probability, stored as the number of failures before the next success.
#[derive(Clone, Debug)]
pub(super) struct Trials {
    pub(super) probability: f64,
    failures: u64,
}

impl Trials {
    pub(super) fn new(probability: f64, stream: &mut Stream) -> Self {
        let failures = failures(probability, stream);
        Self {
            probability,
            failures,
        }
    }

    #[inline]
    pub(super) fn succeeds(&mut self, stream: &mut Stream) -> bool {
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
        // P(failures >= n) = (1 - probability)^n; log1p distinguishes a probability of 10^-17 from zero.
        (stream.exponential(1.0) / -libm::log1p(-probability)) as u64
    } else {
        u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
