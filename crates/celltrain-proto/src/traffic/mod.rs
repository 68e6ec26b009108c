//! Traffic below TCP: arrival processes of cells or packets.
//!
//! A process returns the span from one arrival to the next, [`Span::MAX`] if there are no more. An arrival has a fixed
//! size on the line, so rates are always in bit/s.

mod modulated;
mod pulses;
mod replay;

pub use modulated::{Lengths, Modulated, Spacing, State};
pub use pulses::Pulses;
pub use replay::{Replay, ReplayError};

use alloc::boxed::Box;

use crate::random::Stream;
use crate::units::{Rate, Span};

/// An arrival process.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// One arrival every size / rate; the first is immediate.
    Cbr {
        /// Time between arrivals.
        gap: Span,
    },
    /// Independent exponential gaps; the first arrival is immediate.
    Poisson(Box<Poisson>),
    /// A chain of states, each with a rate: on-off sources, Markov-modulated processes.
    Modulated(Box<Modulated>),
    /// Pulses with a fixed period.
    Pulses(Box<Pulses>),
    /// A trace.
    Replay(Box<Replay>),
}

/// A Poisson process of arrivals.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Mean gap in seconds.
    mean_s: f64,
    /// The process's own random numbers.
    stream: Stream,
}

impl Traffic {
    /// Arrivals of `bits` bits each at a constant rate.
    pub fn cbr(rate: Rate, bits: u64) -> Self {
        Self::Cbr {
            gap: rate.span_of_bits(bits as f64),
        }
    }

    /// Arrivals of `bits` bits each as a Poisson process with mean rate `rate`.
    pub fn poisson(rate: Rate, bits: u64, stream: Stream) -> Self {
        Self::Poisson(Box::new(Poisson {
            mean_s: 1.0 / (rate.as_bps() / bits as f64),
            stream,
        }))
    }

    /// The span from the start of the process to the first arrival. Call once, before [`Traffic::gap`].
    pub fn first(&mut self) -> Span {
        match self {
            Self::Cbr { .. } | Self::Poisson(_) | Self::Pulses(_) => Span::ZERO,
            Self::Modulated(modulated) => modulated.first(),
            Self::Replay(replay) => replay.gap(),
        }
    }

    /// The span from one arrival to the next.
    pub fn gap(&mut self) -> Span {
        match self {
            Self::Cbr { gap } => *gap,
            Self::Poisson(it) => Span::from_secs_f64(it.stream.exponential(it.mean_s)),
            Self::Modulated(modulated) => modulated.gap(),
            Self::Pulses(pulses) => pulses.gap(),
            Self::Replay(replay) => replay.gap(),
        }
    }

    /// The span from one arrival to the next, and how many successive arrivals, at least one, are spaced by it:
    /// equivalent to that many calls of [`Traffic::gap`].
    pub fn run(&mut self) -> (Span, u32) {
        match self {
            Self::Cbr { gap } => (*gap, u32::MAX),
            Self::Modulated(modulated) => modulated.run(),
            Self::Pulses(pulses) => pulses.run(),
            Self::Poisson(_) | Self::Replay(_) => (self.gap(), 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::CELL_BITS;

    #[test]
    fn cbr_gaps_are_the_cell_time() {
        assert_eq!(
            Traffic::cbr(Rate::kbps(1_024), CELL_BITS).gap(),
            Span::from_ps(414_062_500)
        );
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_variance_of_an_exponential() {
        let stream = Stream::named(5, "poisson");
        let mut traffic = Traffic::poisson(Rate::cells_per_s(1_000.0), CELL_BITS, stream);
        let n = 100_000;
        let gaps: alloc::vec::Vec<f64> = (0..n).map(|_| traffic.gap().as_secs() * 1e3).collect();
        let mean = gaps.iter().sum::<f64>() / f64::from(n);
        let variance = gaps.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.013, "{mean}");
        assert!((variance - 1.0).abs() < 0.04, "{variance}");
    }
}
