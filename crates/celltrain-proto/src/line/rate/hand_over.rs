//! A line through satellites: at each hand-over a new rate, after a time in which nothing is sent.

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::parameters::{Bounds, at_least, more_than};
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

parameters! {
    /// The parameters of a rate that hand-overs change.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct HandOverParameters {
        /// Lowest rate.
        pub low: Rate, in Bounds::above(Rate::ZERO);
        /// Highest rate.
        pub high: Rate;
        /// Time between two hand-overs. Starlink assigns satellites every 15 s (Tanveer et al. 2023).
        pub every: Span = Span::from_secs(15), in Bounds::INTERVAL;
        /// Time after a hand-over in which nothing is sent. Allowed: less than `every`.
        pub outage: Span = Span::ZERO;
    }
    |it| at_least("high", it.high, "low", it.low)
        .and_then(|()| more_than("every", it.every, "outage", it.outage))
}

/// A new rate, uniform on [low, high) and independent of the past, from each hand-over on; the first rate holds from the
/// start of the run without an outage.
#[derive(Clone, Debug)]
pub struct HandOver {
    parameters: HandOverParameters,
    stream: Stream,
    /// When the present rate or outage ends.
    until: Time,
    is_out: bool,
}

impl VaryingRate for HandOverParameters {
    type Process = HandOver;

    fn start(&self, stream: Stream) -> HandOver {
        HandOver {
            parameters: *self,
            stream,
            until: Time::ZERO + self.every,
            is_out: false,
        }
    }

    fn range(&self) -> RateRange {
        let has_outage = self.outage > Span::ZERO;
        RateRange {
            low: if has_outage { Rate::ZERO } else { self.low },
            high: self.high,
            changes_per_s: if has_outage { 2.0 } else { 1.0 } / self.every.as_secs(),
        }
    }

    fn is_random(&self) -> bool {
        true
    }
}

impl HandOver {
    fn draw(&mut self) -> Rate {
        let HandOverParameters { low, high, .. } = self.parameters;
        Rate::bps(self.stream.uniform_in(low.as_bps(), high.as_bps()))
    }
}

impl RateChanges for HandOver {
    fn first(&mut self) -> Rate {
        self.draw()
    }

    fn next_change(&self, _: Time) -> Time {
        self.until
    }

    fn change(&mut self) -> Rate {
        let HandOverParameters { every, outage, .. } = self.parameters;
        self.is_out = !self.is_out && outage > Span::ZERO;
        if self.is_out {
            self.until = self.until.saturating_add(outage);
            return Rate::ZERO;
        }
        self.until = self.until.saturating_add(every - outage);
        self.draw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const LOW: Rate = Rate::kbps(40_000);
    const HIGH: Rate = Rate::kbps(240_000);

    /// The first changes with an outage of so many ms: the instant in ms, and the rate.
    fn changes(outage: u64, count: usize) -> Vec<(f64, Rate)> {
        let parameters = HandOverParameters {
            low: LOW,
            high: HIGH,
            every: Span::from_secs(15),
            outage: Span::from_ms(outage),
        };
        assert_eq!(parameters.check(), Ok(()));
        let mut process = parameters.start(Stream::named(1, "links.down.rate"));
        let mut seen = Vec::from([(0.0, process.first())]);
        while seen.len() < count {
            let at = process.next_change(Time::ZERO);
            seen.push((at.as_secs() * 1e3, process.change()));
        }
        seen
    }

    #[test]
    fn after_each_hand_over_nothing_is_sent_for_the_outage() {
        let seen = changes(80, 6);
        let at: Vec<f64> = seen.iter().map(|it| it.0).collect();
        assert_eq!(at, [0.0, 15_000.0, 15_080.0, 30_000.0, 30_080.0, 45_000.0]);
        let is_out: Vec<bool> = seen.iter().map(|it| it.1 == Rate::ZERO).collect();
        assert_eq!(is_out, [false, true, false, true, false, true]);
    }

    #[test]
    fn without_an_outage_only_the_rate_changes() {
        let at: Vec<f64> = changes(0, 4).iter().map(|it| it.0).collect();
        assert_eq!(at, [0.0, 15_000.0, 30_000.0, 45_000.0]);
    }

    #[test]
    fn rates_are_uniform_between_their_bounds() {
        let rates: Vec<f64> = changes(0, 20_000).iter().map(|it| it.1.as_bps()).collect();
        assert!(rates.iter().all(|rate| (40e6..240e6).contains(rate)));
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        // The standard error is 200 / sqrt(12 * 20 000) = 0.41 Mbit/s.
        assert!((mean - 140e6).abs() < 1.7e6, "{mean}");
    }

    #[test]
    fn an_outage_that_never_ends_is_refused() {
        let parameters = HandOverParameters {
            low: LOW,
            high: HIGH,
            every: Span::from_secs(1),
            outage: Span::from_secs(1),
        };
        assert_eq!(parameters.check().unwrap_err().key, "every");
    }
}
