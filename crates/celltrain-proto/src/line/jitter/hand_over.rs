//! An added delay that all cells between two hand-overs share: another satellite is nearer or farther away.

use super::distribution::{DelayDistribution, Draws};
use crate::parameters::Bounds;
use crate::units::{Span, Time};

parameters! {
    /// The parameters of a delay that hand-overs change.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct HandOverJitter {
        /// Largest added delay of a hand-over.
        pub max: Span, in Bounds::POSITIVE;
        /// Time between two hand-overs, as of a rate with `process = "hand-over"`.
        pub every: Span = Span::from_secs(15), in Bounds::INTERVAL;
        /// Largest further delay, uniform from zero and drawn for each cell.
        pub each: Span = Span::ZERO;
    }
}

impl DelayDistribution for HandOverJitter {
    fn max(&self) -> Span {
        self.max.saturating_add(self.each)
    }

    #[inline]
    fn draw(&self, draws: &mut Draws, departs: Time) -> Span {
        let number = departs.saturating_since(Time::ZERO).div_floor(self.every);
        let shared = Span::from_secs_f64(draws.of_interval(number) * self.max.as_secs());
        if self.each == Span::ZERO {
            return shared;
        }
        shared.saturating_add(Span::from_secs_f64(
            draws.stream.uniform_in(0.0, self.each.as_secs()),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Jitter, JitterLaw};
    use super::*;
    use crate::random::Stream;

    const LAW: HandOverJitter = HandOverJitter {
        max: Span::from_ms(20),
        every: Span::from_secs(15),
        each: Span::ZERO,
    };

    fn jitter(law: HandOverJitter) -> Jitter {
        Jitter::new(
            JitterLaw::HandOver(law),
            Stream::named(1, "links.down.jitter"),
        )
    }

    /// What is added at an instant in ms, in ms.
    fn added(jitter: &mut Jitter, ms: u64) -> f64 {
        jitter.draw(Time::ZERO + Span::from_ms(ms)).as_secs() * 1e3
    }

    #[test]
    fn cells_between_two_hand_overs_share_their_delay() {
        let mut jitter = jitter(LAW);
        let first = added(&mut jitter, 0);
        assert_eq!(added(&mut jitter, 14_999), first);
        let second = added(&mut jitter, 15_000);
        assert_ne!(second, first);
        // A line without cells has the same delays as one with many.
        let mut idle = self::jitter(LAW);
        assert_eq!(added(&mut idle, 29_999), second);
    }

    #[test]
    fn delays_of_hand_overs_are_uniform() {
        let mut jitter = jitter(LAW);
        let n = 20_000;
        let delays = (0..n).map(|number| added(&mut jitter, 15_000 * number));
        let (sum, squares) = delays.fold((0.0, 0.0), |(sum, squares), it| {
            (sum + it, squares + it * it)
        });
        let mean = sum / n as f64;
        // The standard error is 20 ms / sqrt(12 * 20 000) = 0.041 ms; the mean of squares is 400/3 with an error of 0.84.
        assert!((mean - 10.0).abs() < 0.16, "{mean}");
        assert!((squares / n as f64 - 400.0 / 3.0).abs() < 3.4, "{squares}");
    }

    #[test]
    fn what_each_cell_gets_beside_it_is_its_own() {
        let each = Span::from_ms(2);
        let mut jitter = jitter(HandOverJitter { each, ..LAW });
        let base = added(&mut self::jitter(LAW), 0);
        let n = 20_000;
        let mean = (0..n).map(|_| added(&mut jitter, 0) - base).sum::<f64>() / f64::from(n);
        // The standard error is 2 ms / sqrt(12 * 20 000) = 0.0041 ms.
        assert!((mean - 1.0).abs() < 0.016, "{mean}");
        assert_eq!(HandOverJitter { each, ..LAW }.max(), Span::from_ms(22));
    }
}
