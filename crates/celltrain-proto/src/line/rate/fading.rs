//! A radio link whose signal-to-noise ratio fades about its mean: a Gauss-Markov process in dB, from which the rate
//! follows by a law of adaptive modulation and coding.
//!
//! In dB the deviation is Gaussian, and its correlation falls exponentially with time (Gudmundson, Correlation model for
//! shadow fading in mobile radio systems, Electronics Letters 27(23), 1991), so that its samples are an autoregressive
//! process of order one. The rate is a fraction of the capacity of Shannon, nothing below a lowest ratio and no more above
//! a highest one (3GPP TR 36.942, A.1).

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::parameters::{Bounds, Problem};
use crate::random::Stream;
use crate::units::{Decibels, Rate, Span, Time};

parameters! {
    /// The parameters of a rate that fades.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct FadingParameters {
        /// Bandwidth that the link has, in MHz: its part of the carrier.
        pub bandwidth_mhz: f64, in Bounds::within(0.001, 10_000.0);
        /// Mean signal-to-noise ratio, with interference, in dB.
        pub snr_db: Decibels, in Bounds::within(Decibels(-30.0), Decibels(60.0));
        /// Standard deviation of the ratio, in dB.
        pub deviation_db: Decibels, in Bounds::within(Decibels(0.0), Decibels(30.0));
        /// Time after which two ratios have a correlation of 1/e.
        pub coherence: Span, in Bounds::INTERVAL;
        /// Time between two rates.
        pub every: Span = Span::from_ms(10), in Bounds::INTERVAL;
        /// Part of the capacity of Shannon that modulation and coding reach: TR 36.942 has 0.6 down and 0.4 up.
        pub efficiency: f64 = 0.6, in Bounds::within(0.01, 1.0);
        /// Ratio in dB below which nothing is sent.
        pub lowest_snr_db: Decibels = Decibels(-10.0), in Bounds::within(Decibels(-30.0), Decibels(0.0));
        /// Ratio in dB above which the rate no longer rises: of TR 36.942, 22 down and 15 up.
        pub highest_snr_db: Decibels = Decibels(22.0), in Bounds::within(Decibels(0.1), Decibels(60.0));
    }
    |it| it.is_ever_sending()
}

impl FadingParameters {
    /// The rate at a ratio in dB (TR 36.942, A.1).
    fn rate(&self, snr_db: f64) -> Rate {
        if snr_db < self.lowest_snr_db.0 {
            return Rate::ZERO;
        }
        let ratio = libm::pow(10.0, snr_db.min(self.highest_snr_db.0) / 10.0);
        Rate::bps(self.bandwidth_mhz * 1e6 * self.efficiency * libm::log2(1.0 + ratio))
    }

    fn is_ever_sending(&self) -> Result<(), Problem> {
        if self.deviation_db.0 > 0.0 || self.snr_db.0 >= self.lowest_snr_db.0 {
            return Ok(());
        }
        Err(Problem {
            key: "snr_db".into(),
            message: alloc::format!(
                "expected at least lowest_snr_db, {}, where deviation_db is 0, found {}; nothing would be sent",
                self.lowest_snr_db,
                self.snr_db
            ),
        })
    }
}

/// A rate that fades: at every multiple of `every` the rate of the ratio there. The first ratio has the stationary law, so
/// that a run needs no warm-up for its line.
#[derive(Clone, Debug)]
pub struct Fading {
    parameters: FadingParameters,
    stream: Stream,
    /// The correlation of two successive ratios, and the part of the deviation that is new.
    kept: f64,
    new: f64,
    /// By how many standard deviations the present ratio differs from the mean.
    away: f64,
}

impl VaryingRate for FadingParameters {
    type Process = Fading;

    fn start(&self, mut stream: Stream) -> Fading {
        let kept = libm::exp(-self.every.as_secs() / self.coherence.as_secs());
        let away = stream.normal();
        Fading {
            parameters: *self,
            stream,
            kept,
            new: libm::sqrt(1.0 - kept * kept),
            away,
        }
    }

    fn range(&self) -> RateRange {
        let is_constant = self.deviation_db.0 == 0.0;
        let (low, high) = if is_constant {
            (self.rate(self.snr_db.0), self.rate(self.snr_db.0))
        } else {
            (Rate::ZERO, self.rate(self.highest_snr_db.0))
        };
        RateRange {
            low,
            high,
            changes_per_s: 1.0 / self.every.as_secs(),
        }
    }

    fn is_random(&self) -> bool {
        true
    }
}

impl Fading {
    fn rate(&self) -> Rate {
        let FadingParameters {
            snr_db,
            deviation_db,
            ..
        } = self.parameters;
        self.parameters.rate(snr_db.0 + deviation_db.0 * self.away)
    }
}

impl RateChanges for Fading {
    fn first(&mut self) -> Rate {
        self.rate()
    }

    fn next_change(&self, now: Time) -> Time {
        let every = self.parameters.every;
        let elapsed = now.saturating_since(Time::ZERO);
        now.saturating_add(every - elapsed % every)
    }

    fn change(&mut self) -> Rate {
        self.away = self.kept * self.away + self.new * self.stream.normal();
        self.rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const LINK: FadingParameters = FadingParameters {
        bandwidth_mhz: 10.0,
        snr_db: Decibels(6.0),
        deviation_db: Decibels(4.0),
        coherence: Span::from_ms(100),
        every: Span::from_ms(20),
        efficiency: 0.6,
        lowest_snr_db: Decibels(-10.0),
        highest_snr_db: Decibels(22.0),
    };

    #[test]
    fn the_rate_at_a_ratio_is_that_of_tr_36_942() {
        let mbps = |snr_db| LINK.rate(snr_db).as_bps() / 1e6;
        // 0.6 log2(1 + 0.1) = 0.083, 0.6 log2 2 = 0.6, 0.6 log2 11 = 2.08 and 0.6 log2 159.5 = 4.39 bit/s/Hz; the report has
        // at most 4.4.
        assert_eq!(mbps(-10.1), 0.0);
        for (snr_db, expected) in [
            (-10.0, 0.8),
            (0.0, 6.0),
            (10.0, 20.8),
            (22.0, 43.9),
            (40.0, 43.9),
        ] {
            assert!(
                (mbps(snr_db) - expected).abs() < 0.06,
                "{snr_db}: {}",
                mbps(snr_db)
            );
        }
    }

    #[test]
    fn ratios_have_their_mean_deviation_and_correlation() {
        let mut process = LINK.start(Stream::named(2, "links.down.rate"));
        let n = 200_000;
        let away: Vec<f64> = (0..n)
            .map(|_| {
                process.change();
                process.away
            })
            .collect();
        let mean_of = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / f64::from(n);
        let mean = mean_of(&mut away.iter().copied());
        let square = mean_of(&mut away.iter().map(|x| x * x));
        // Five steps are the coherence time. Of n samples with correlation r per step, n (1 - r) / (1 + r) = n / 10 count.
        let after = mean_of(&mut away.iter().zip(&away[5..]).map(|(x, y)| x * y));
        let error = 1.0 / libm::sqrt(f64::from(n) / 10.0);
        assert!(mean.abs() < 4.0 * error, "{mean}");
        assert!((square - 1.0).abs() < 6.0 * error, "{square}");
        assert!((after - libm::exp(-1.0)).abs() < 6.0 * error, "{after}");
    }

    #[test]
    fn the_mean_rate_is_that_of_the_stationary_ratios() {
        let mut process = LINK.start(Stream::named(3, "links.down.rate"));
        let n = 200_000;
        let mean = (0..n).map(|_| process.change().as_bps()).sum::<f64>() / f64::from(n);
        // The integral of the rate over the Gaussian density, by the trapezoidal rule from -8 to 8 deviations.
        let step = 0.001;
        let expected: f64 = (-8_000..=8_000)
            .map(|index| f64::from(index) * step)
            .map(|x| {
                let density = libm::exp(-x * x / 2.0) / libm::sqrt(2.0 * core::f64::consts::PI);
                density * step * LINK.rate(6.0 + 4.0 * x).as_bps()
            })
            .sum();
        assert!((mean / expected - 1.0).abs() < 0.01, "{mean} {expected}");
    }

    #[test]
    fn changes_come_at_multiples_of_the_step() {
        let process = LINK.start(Stream::named(1, "links.down.rate"));
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(process.next_change(Time::ZERO), at(20));
        assert_eq!(process.next_change(at(20)), at(40));
    }

    #[test]
    fn a_constant_ratio_at_which_nothing_is_sent_is_refused() {
        let silent = FadingParameters {
            snr_db: Decibels(-11.0),
            deviation_db: Decibels(0.0),
            ..LINK
        };
        assert_eq!(silent.check().unwrap_err().key, "snr_db");
        let steady = FadingParameters {
            deviation_db: Decibels(0.0),
            ..LINK
        };
        assert_eq!(steady.check(), Ok(()));
        assert_eq!(steady.range().low, steady.range().high);
    }
}
