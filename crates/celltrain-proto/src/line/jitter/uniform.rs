//! An added delay between zero and a maximum, all equally likely.

use super::distribution::{DelayDistribution, Draws};
use crate::parameters::Bounds;
use crate::units::{Span, Time};

parameters! {
    /// The parameters of a uniform distribution.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct UniformJitter {
        /// Largest added delay.
        pub max: Span, in Bounds::POSITIVE;
    }
}

impl DelayDistribution for UniformJitter {
    fn max(&self) -> Span {
        self.max
    }

    #[inline]
    fn draw(&self, draws: &mut Draws, _: Time) -> Span {
        Span::from_secs_f64(draws.stream.uniform_in(0.0, self.max.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JitterLaw, tests::mean_added};
    use super::*;

    #[test]
    fn uniform_jitter_adds_half_of_its_maximum_in_the_mean() {
        let max = Span::from_ms(10);
        let mean = mean_added(JitterLaw::Uniform(UniformJitter { max }));
        // The standard error is 10 ms / sqrt(12 * 20 000) = 0.020 ms.
        assert!((mean - 0.005).abs() < 0.000_082, "{mean}");
    }
}
