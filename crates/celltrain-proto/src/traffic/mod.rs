//! Traffic sources below TCP: cells at a constant rate, or as a Poisson process.

use crate::random::Stream;
use crate::units::{Rate, Span};

/// A process of cell arrivals.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// One cell every 424 / rate.
    Cbr(Rate),
    /// Independent exponential gaps with mean 424 / rate.
    Poisson {
        /// Mean rate.
        rate: Rate,
        /// The process's own random numbers.
        stream: Stream,
    },
}

impl Traffic {
    /// The time from one cell to the next.
    pub fn gap(&mut self) -> Span {
        match self {
            Self::Cbr(rate) => rate.cell_time(),
            Self::Poisson { rate, stream } => {
                Span::from_secs_f64(stream.exponential(1.0 / rate.as_cells_per_s()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cbr_gaps_are_the_cell_time() {
        assert_eq!(
            Traffic::Cbr(Rate::kbps(1_024)).gap(),
            Span::from_ps(414_062_500)
        );
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_variance_of_an_exponential() {
        let stream = Stream::named(5, "poisson");
        let mut traffic = Traffic::Poisson {
            rate: Rate::cells_per_s(1_000.0),
            stream,
        };
        let n = 100_000;
        let gaps: alloc::vec::Vec<f64> = (0..n).map(|_| traffic.gap().as_secs() * 1e3).collect();
        let mean = gaps.iter().sum::<f64>() / f64::from(n);
        let variance = gaps.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.013, "{mean}");
        assert!((variance - 1.0).abs() < 0.04, "{variance}");
    }
}
