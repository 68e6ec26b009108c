//! A line that sends in bursts: the grants of a DOCSIS cable modem, the aggregates of a Wi-Fi station.

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

choice! {
    /// How long the gaps between bursts are.
    pub enum Gaps {
        /// All of the same length: grants at the intervals of a schedule.
        #[default]
        Fixed,
        /// Exponential, independent of each other: transmission opportunities that stations win at random.
        Exponential,
    }
}

parameters! {
    /// The parameters of a rate in bursts.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct BurstsParameters {
        /// The rate in a burst.
        pub rate: Rate, in Bounds::above(Rate::ZERO);
        /// Length of a burst.
        pub burst: Span, in Bounds::INTERVAL;
        /// Length of the gap before each burst, in which nothing is sent; its mean if gaps are random.
        pub gap: Span, in Bounds::INTERVAL;
        /// Whether gaps have one length or random ones.
        pub gaps: Gaps = Gaps::Fixed;
    }
}

/// Bursts of one rate and length with gaps between them; a run begins with a gap.
#[derive(Clone, Debug)]
pub struct Bursts {
    parameters: BurstsParameters,
    stream: Stream,
    is_sending: bool,
    /// When the present burst or gap ends.
    until: Time,
}

impl VaryingRate for BurstsParameters {
    type Process = Bursts;

    fn start(&self, stream: Stream) -> Bursts {
        let mut bursts = Bursts {
            parameters: *self,
            stream,
            is_sending: false,
            until: Time::ZERO,
        };
        bursts.hold();
        bursts
    }

    fn range(&self) -> RateRange {
        RateRange {
            low: Rate::ZERO,
            high: self.rate,
            changes_per_s: 2.0 / (self.burst.as_secs() + self.gap.as_secs()),
        }
    }

    fn highest_lasting(&self) -> Rate {
        match self.gaps {
            // A gap comes first, so that no time since the start has more than its part of bursts.
            Gaps::Fixed => {
                let (burst, gap) = (self.burst.as_secs(), self.gap.as_secs());
                Rate::bps(self.rate.as_bps() * burst / (burst + gap))
            }
            Gaps::Exponential => self.rate,
        }
    }

    fn is_random(&self) -> bool {
        self.gaps == Gaps::Exponential
    }
}

impl Bursts {
    fn hold(&mut self) {
        let BurstsParameters {
            burst, gap, gaps, ..
        } = self.parameters;
        let span = match (self.is_sending, gaps) {
            (true, _) => burst,
            (false, Gaps::Fixed) => gap,
            (false, Gaps::Exponential) => {
                Span::from_secs_f64(self.stream.exponential(gap.as_secs()))
            }
        };
        // A draw that rounds to zero would put two changes at the same instant.
        self.until = self.until.saturating_add(span.max(Span::from_ps(1)));
    }
}

impl RateChanges for Bursts {
    fn first(&mut self) -> Rate {
        Rate::ZERO
    }

    fn next_change(&self, _: Time) -> Time {
        self.until
    }

    fn change(&mut self) -> Rate {
        self.is_sending = !self.is_sending;
        self.hold();
        if self.is_sending {
            self.parameters.rate
        } else {
            Rate::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bursts(gaps: Gaps) -> BurstsParameters {
        BurstsParameters {
            rate: Rate::kbps(100_000),
            burst: Span::from_us(500),
            gap: Span::from_us(1_500),
            gaps,
        }
    }

    #[test]
    fn a_gap_comes_before_each_burst() {
        let mut process = bursts(Gaps::Fixed).start(Stream::named(1, "links.up.rate"));
        assert_eq!(process.first(), Rate::ZERO);
        for pass in 0..4 {
            let start = Time::ZERO + Span::from_us(2_000 * pass);
            assert_eq!(process.next_change(start), start + Span::from_us(1_500));
            assert_eq!(process.change(), Rate::kbps(100_000));
            assert_eq!(process.next_change(start), start + Span::from_us(2_000));
            assert_eq!(process.change(), Rate::ZERO);
        }
    }

    #[test]
    fn the_lasting_rate_of_a_quarter_of_the_time_is_a_quarter_of_the_rate() {
        assert_eq!(bursts(Gaps::Fixed).highest_lasting(), Rate::kbps(25_000));
        // Random gaps may be short for long.
        assert_eq!(
            bursts(Gaps::Exponential).highest_lasting(),
            Rate::kbps(100_000)
        );
    }

    #[test]
    fn random_gaps_have_their_mean_and_bursts_their_length() {
        let mut process = bursts(Gaps::Exponential).start(Stream::named(1, "links.up.rate"));
        let n = 20_000;
        let (mut now, mut gaps) = (Time::ZERO, 0.0);
        for _ in 0..n {
            let start = process.next_change(now);
            gaps += (start - now).as_secs();
            process.change();
            now = process.next_change(start);
            assert_eq!(now - start, Span::from_us(500));
            process.change();
        }
        // The standard error of the mean of 20 000 exponential times is 0.7 % of it.
        assert!((gaps / f64::from(n) - 1.5e-3).abs() < 0.045e-3, "{gaps}");
    }
}
