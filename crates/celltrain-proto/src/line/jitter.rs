//! Delay that varies from cell to cell, without reordering: cells of a virtual channel keep their
//! order (ITU-T I.150), so a cell that draws a short delay waits for the one before it.

use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Span, Time};

parameters! {
    /// The parameters of [`JitterLaw::Uniform`].
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct UniformJitter {
        /// Largest added delay.
        pub max: Span, in Bounds::POSITIVE;
    }
}

parameters! {
    /// The parameters of [`JitterLaw::Exponential`].
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct ExponentialJitter {
        /// Mean of the added delay before truncation.
        pub mean: Span, in Bounds::POSITIVE;
        /// Largest added delay.
        pub max: Span, in Bounds::POSITIVE;
    }
}

family! {
    /// Delay added to each cell, without reordering: a cell never overtakes another.
    pub enum JitterLaw as "Jitter" by "process" {
        /// Uniform from zero to `max`.
        "uniform", "uniform jitter" => Uniform(UniformJitter);
        /// Exponential with mean `mean`, truncated at `max`.
        "exponential", "exponential jitter" => Exponential(ExponentialJitter);
    }
}

impl JitterLaw {
    /// The largest added delay.
    pub fn max(&self) -> Span {
        match self {
            Self::Uniform(it) => it.max,
            Self::Exponential(it) => it.max,
        }
    }

    fn draw(&self, stream: &mut Stream) -> Span {
        match self {
            Self::Uniform(it) => Span::from_secs_f64(stream.uniform_in(0.0, it.max.as_secs())),
            Self::Exponential(it) => {
                Span::from_secs_f64(stream.exponential(it.mean.as_secs())).min(it.max)
            }
        }
    }
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
    fn mean_added(law: JitterLaw) -> f64 {
        let mut jitter = jitter(law);
        let n = 20_000;
        let added = (0..n).map(|i| {
            let departs = Time::ZERO + Span::from_secs(i);
            (jitter.arrival(departs, DELAY) - (departs + DELAY)).as_secs()
        });
        added.sum::<f64>() / n as f64
    }

    #[test]
    fn uniform_jitter_adds_half_of_its_maximum_in_the_mean() {
        let max = Span::from_ms(10);
        let mean = mean_added(JitterLaw::Uniform(UniformJitter { max }));
        // The standard error is 10 ms / sqrt(12 * 20 000) = 0.020 ms.
        assert!((mean - 0.005).abs() < 0.000_082, "{mean}");
    }

    #[test]
    fn exponential_jitter_adds_its_mean() {
        let law = JitterLaw::Exponential(ExponentialJitter {
            mean: Span::from_ms(2),
            max: Span::from_ms(900),
        });
        let mean = mean_added(law);
        // The standard error is 2 ms / sqrt(20 000) = 0.014 ms.
        assert!((mean - 0.002).abs() < 0.000_057, "{mean}");
    }

    #[test]
    fn bounded_exponential_jitter_adds_less_by_the_mass_above_the_bound() {
        let law = JitterLaw::Exponential(ExponentialJitter {
            mean: Span::from_ms(2),
            max: Span::from_ms(2),
        });
        let mean = mean_added(law);
        // E min(X, 2 ms) = 2 ms (1 - 1/e) = 1.264 ms, with standard deviation 2 ms sqrt(1 - 2/e - 1/e^2) = 0.72 ms: the
        // standard error is 0.0051 ms.
        assert!((mean - 0.001_264_2).abs() < 0.000_021, "{mean}");
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
