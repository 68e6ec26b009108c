//! A Poisson process: independent exponential gaps; the first arrival is immediate.

use super::arrivals::{Arrivals, LongestGap, Run, TrafficSource};
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Rate, Span};

parameters! {
    /// The parameters of a Poisson process.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PoissonParameters {
        /// Mean rate.
        pub rate: Rate, in Bounds::above(Rate::ZERO);
    }
}

/// A Poisson process of arrivals.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Mean gap in seconds.
    mean_s: f64,
    stream: Stream,
}

impl TrafficSource for PoissonParameters {
    type Process = Poisson;

    fn start(&self, run: Run) -> Option<Poisson> {
        Some(Poisson {
            mean_s: 1.0 / (self.rate.as_bps() / run.bits as f64),
            stream: run.stream,
        })
    }

    fn peak(&self, _: u64) -> Option<Rate> {
        Some(self.rate)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn longest_gap(&self, bits: u64) -> Option<LongestGap> {
        Some(LongestGap {
            random: self.rate.span_of_bits(bits as f64),
            ..LongestGap::default()
        })
    }
}

impl Arrivals for Poisson {
    fn gap(&mut self) -> Span {
        Span::from_secs_f64(self.stream.exponential(self.mean_s))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::start;
    use super::*;

    #[test]
    fn gaps_have_the_mean_and_the_variance_of_an_exponential() {
        let rate = Rate::cells_per_s(1_000.0);
        let mut traffic = start(&PoissonParameters { rate });
        let n = 100_000;
        let gaps: alloc::vec::Vec<f64> = (0..n).map(|_| traffic.gap().as_secs() * 1e3).collect();
        let mean = gaps.iter().sum::<f64>() / f64::from(n);
        let variance = gaps.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.013, "{mean}");
        assert!((variance - 1.0).abs() < 0.04, "{variance}");
    }
}
