//! Delay that varies from cell to cell, without reordering: cells of a virtual channel keep their
//! order (ITU-T I.150), so a cell that draws a short delay waits for the one before it.
//!
//! A distribution of the added delay is one file with its parameters, which implement [`DelayDistribution`]. A row in the
//! registry below makes the parameters a variant of [`JitterLaw`], as which a scenario is read.

mod distribution;
mod exponential;
#[macro_use]
mod registry;
mod uniform;

pub use distribution::DelayDistribution;

use crate::random::Stream;
use crate::units::{Span, Time};

jitter_distributions! {
    /// Uniform from zero to `max`.
    "uniform", "uniform jitter" => uniform::Uniform(UniformJitter);
    /// Exponential with mean `mean`, truncated at `max`.
    "exponential", "exponential jitter" => exponential::Exponential(ExponentialJitter);
}

/// Arrivals at the far end of a line whose delay varies.
#[derive(Clone, Debug)]
pub struct Jitter {
    law: JitterLaw,
    stream: Stream,
    /// The latest arrival so far.
    last: Time,
}

impl Jitter {
    /// Creates delay variation with this distribution.
    pub fn new(law: JitterLaw, stream: Stream) -> Self {
        Self {
            law,
            stream,
            last: Time::ZERO,
        }
    }

    /// The arrival of a cell that departs at `departs` on a line of delay `delay`; never before that of the previous
    /// cell. Call once per cell, in order of departure.
    pub fn arrival(&mut self, departs: Time, delay: Span) -> Time {
        let added = self.law.draw(&mut self.stream);
        let alone = departs.saturating_add(delay).saturating_add(added);
        self.last = self.last.max(alone);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DELAY: Span = Span::from_ms(20);

    fn jitter(law: JitterLaw) -> Jitter {
        Jitter::new(law, Stream::named(1, "links.up.jitter"))
    }

    /// Mean added delay in seconds of 20 000 cells, spaced too far apart to wait for each other.
    pub(super) fn mean_added(law: JitterLaw) -> f64 {
        let mut jitter = jitter(law);
        let n = 20_000;
        let added = (0..n).map(|i| {
            let departs = Time::ZERO + Span::from_secs(i);
            (jitter.arrival(departs, DELAY) - (departs + DELAY)).as_secs()
        });
        added.sum::<f64>() / n as f64
    }

    #[test]
    fn without_jitter_cells_arrive_after_the_delay() {
        let mut jitter = jitter(JitterLaw::Uniform(UniformJitter { max: Span::ZERO }));
        let departs = Time::ZERO + Span::from_ms(3);
        assert_eq!(jitter.arrival(departs, DELAY), departs + DELAY);
    }

    fn laws() -> impl Strategy<Value = JitterLaw> {
        let span = || (0..5_000_000_u64).prop_map(Span::from_ps);
        prop_oneof![
            span().prop_map(|max| JitterLaw::Uniform(UniformJitter { max })),
            (span(), span())
                .prop_map(|(mean, max)| JitterLaw::Exponential(ExponentialJitter { mean, max })),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn cells_keep_their_order_and_no_delay_is_below_the_line_s_or_above_its_bound(
            law in laws(),
            gaps in prop::collection::vec(0..2_000_000_u64, 1..200),
            delay in 0..9_000_000_u64,
        ) {
            let max = law.max();
            let (mut jitter, delay) = (jitter(law), Span::from_ps(delay));
            let (mut departs, mut previous) = (Time::ZERO, Time::ZERO);
            for gap in gaps {
                departs += Span::from_ps(gap);
                let arrives = jitter.arrival(departs, delay);
                prop_assert!(arrives >= previous);
                prop_assert!(arrives >= departs + delay);
                prop_assert!(arrives <= departs + delay + max);
                previous = arrives;
            }
        }
    }
}
