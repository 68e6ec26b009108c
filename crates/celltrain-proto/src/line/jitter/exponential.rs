//! An exponential added delay up to a maximum; what exceeds it is cut off.

use super::distribution::{DelayDistribution, Draws};
use crate::parameters::Bounds;
use crate::units::{Span, Time};

parameters! {
    /// The parameters of an exponential distribution.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct ExponentialJitter {
        /// Mean of the added delay before truncation.
        pub mean: Span, in Bounds::POSITIVE;
        /// Largest added delay.
        pub max: Span, in Bounds::POSITIVE;
    }
}

impl DelayDistribution for ExponentialJitter {
    fn max(&self) -> Span {
        self.max
    }

    #[inline]
    fn draw(&self, draws: &mut Draws, _: Time) -> Span {
        Span::from_secs_f64(draws.stream.exponential(self.mean.as_secs())).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JitterLaw, tests::mean_added};
    use super::*;

    fn mean(mean_ms: u64, max_ms: u64) -> f64 {
        let [mean, max] = [mean_ms, max_ms].map(Span::from_ms);
        mean_added(JitterLaw::Exponential(ExponentialJitter { mean, max }))
    }

    #[test]
    fn exponential_jitter_adds_its_mean() {
        let mean = mean(2, 900);
        // The standard error is 2 ms / sqrt(20 000) = 0.014 ms.
        assert!((mean - 0.002).abs() < 0.000_057, "{mean}");
    }

    #[test]
    fn bounded_exponential_jitter_adds_less_by_the_mass_above_the_bound() {
        let mean = mean(2, 2);
        // E min(X, 2 ms) = 2 ms (1 - 1/e) = 1.264 ms, with standard deviation 2 ms sqrt(1 - 2/e - 1/e^2) = 0.72 ms: the
        // standard error is 0.0051 ms.
        assert!((mean - 0.001_264_2).abs() < 0.000_021, "{mean}");
    }
}
