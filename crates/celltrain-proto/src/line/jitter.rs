//! Delay that varies from cell to cell. [`VaryingDelay`](super::VaryingDelay) keeps the cells in order.
//!
//! A distribution of the added delay is one file with its parameters, which implement [`DelayDistribution`]. A row in the
//! registry below makes the parameters a variant of [`JitterLaw`], as which a scenario is read.

mod distribution;
mod exponential;
mod hand_over;
#[macro_use]
mod registry;
mod uniform;

pub use distribution::{DelayDistribution, Draws};

use crate::random::Stream;
use crate::units::{Span, Time};

jitter_distributions! {
    /// Uniform from zero to `max`.
    "uniform", "uniform jitter" => uniform::Uniform(UniformJitter);
    /// Exponential with mean `mean`, truncated at `max`.
    "exponential", "exponential jitter" => exponential::Exponential(ExponentialJitter);
    /// Uniform from zero to `max`, drawn anew at each hand-over between satellites.
    "hand-over", "hand-over jitter" => hand_over::HandOver(HandOverJitter);
}

/// Draws the delay that each cell gets in addition to that of its line.
#[derive(Clone, Debug)]
pub struct Jitter {
    law: JitterLaw,
    draws: Draws,
}

impl Jitter {
    /// Creates delay variation with this distribution.
    pub fn new(law: JitterLaw, stream: Stream) -> Self {
        Self {
            law,
            draws: Draws::new(stream),
        }
    }

    /// The delay added to the next cell, which departs at `departs`. Call once per cell, in order of departure.
    pub(super) fn draw(&mut self, departs: Time) -> Span {
        self.law.draw(&mut self.draws, departs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean added delay in seconds of 20 000 cells.
    pub(super) fn mean_added(law: JitterLaw) -> f64 {
        let mut jitter = Jitter::new(law, Stream::named(1, "links.up.jitter"));
        let n = 20_000;
        let added = (0..n).map(|_| jitter.draw(Time::ZERO).as_secs());
        added.sum::<f64>() / f64::from(n)
    }

    #[test]
    fn without_jitter_nothing_is_added() {
        let law = JitterLaw::Uniform(UniformJitter { max: Span::ZERO });
        assert_eq!(mean_added(law), 0.0);
    }
}
