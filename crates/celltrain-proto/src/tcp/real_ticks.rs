//! Round-trip time and retransmission time-out in slow-timer ticks, without the rounding of BSD's fixed point: for
//! studies that state Jacobson's formulas instead of his code.
//!
//! ```text
//! first sample r:  srtt = r, var = r / 2
//! later:           srtt += (r - srtt) / 8, var += (|r - srtt| - var) / 4
//! time-out:        max(min, floor(srtt + gain var)) 2^min(shift, 6), at most max
//! ```
//!
//! A sample is a difference of tick numbers, so it may be zero. Source: Jacobson 1988, appendix A; Karn
//! 1987; 3 s before the first sample: RFC 1122 4.2.3.1.

use super::rtt::{MAX_SHIFT, RtoConfig, RtoGain, RtoSlack};
use crate::units::Span;

/// The time-out before the first sample (RFC 1122 4.2.3.1).
const INITIAL: Span = Span::from_secs(3);

/// Smoothed round-trip time, mean deviation, time-out and its back-off, in ticks.
#[derive(Clone, Debug)]
pub(super) struct RealEstimator {
    gain: f64,
    min: u64,
    max: u64,
    initial: u64,
    slack: RtoSlack,
    /// `srtt` and `var`, once there is a sample.
    estimate: Option<(f64, f64)>,
    /// Time-outs since the last sample.
    shift: u8,
}

impl RealEstimator {
    pub(super) fn new(config: &RtoConfig, granularity: Span) -> Self {
        let (min, max) = config.limits(granularity);
        Self {
            gain: match config.gain {
                RtoGain::Two => 2.0,
                RtoGain::Four => 4.0,
            },
            min,
            max,
            initial: INITIAL.div_floor(granularity),
            slack: config.slack,
            estimate: None,
            shift: 0,
        }
    }

    /// A valid sample of `ticks`, counted from zero.
    pub(super) fn sample(&mut self, ticks: u64) {
        let r = self.slack.sample(ticks) as f64;
        self.estimate = Some(match self.estimate {
            None => (r, r / 2.0),
            Some((srtt, var)) => {
                let error = r - srtt;
                (srtt + error / 8.0, var + (error.abs() - var) / 4.0)
            }
        });
        self.shift = 0;
    }

    /// A time-out.
    pub(super) fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
    }

    /// The current time-out, in ticks.
    pub(super) fn rto(&self) -> u64 {
        let base = match self.estimate {
            None => self.initial,
            // The cast truncates.
            Some((srtt, var)) => (srtt + self.gain * var) as u64,
        };
        (base.max(self.min) << self.shift.min(6)).min(self.max)
    }

    /// The ticks after which a timer that is set now expires, without the rounding up.
    pub(super) fn timer(&self) -> u64 {
        self.slack.timer(self.rto())
    }

    /// The base of the persist timer in ticks: two mean deviations for either gain.
    pub(super) fn persist(&self) -> u64 {
        self.estimate
            .map_or(self.initial, |(srtt, var)| (srtt + 2.0 * var) as u64)
    }

    /// Time-outs since the last sample, at most [`MAX_SHIFT`].
    pub(super) fn shift(&self) -> u8 {
        self.shift
    }

    /// The smoothed round-trip time in ticks; `None` before the first sample.
    pub(super) fn srtt(&self) -> Option<f64> {
        self.estimate.map(|(srtt, _)| srtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Span = Span::from_ms(100);

    fn estimator(gain: RtoGain, granularity: Span) -> RealEstimator {
        let config = RtoConfig {
            gain,
            ..RtoConfig::default()
        };
        RealEstimator::new(&config, granularity)
    }

    #[test]
    fn srtt_and_deviation_follow_jacobson_s_formulas_without_rounding() {
        let mut e = estimator(RtoGain::Two, Span::from_us(100));
        // 80; then error 40: 85 and 40 + 0; then error -25: 81.875 and 40 - 15/4.
        let expected = [
            (80, 80.0, 40.0, 160),
            (120, 85.0, 40.0, 165),
            (60, 81.875, 36.25, 154),
        ];
        for (r, srtt, var, rto) in expected {
            e.sample(r);
            assert_eq!(e.estimate, Some((srtt, var)));
            assert_eq!(e.rto(), rto);
        }
        assert_eq!(e.persist(), 154);
    }

    #[test]
    fn gain_four_adds_four_deviations() {
        let mut e = estimator(RtoGain::Four, TENTH);
        e.sample(8);
        assert_eq!(e.rto(), 24);
    }

    #[test]
    fn the_time_out_is_three_seconds_before_the_first_sample_at_any_granularity() {
        assert_eq!(estimator(RtoGain::Two, TENTH).rto(), 30);
        assert_eq!(estimator(RtoGain::Two, Span::from_us(100)).rto(), 30_000);
    }

    #[test]
    fn round_trips_within_a_tick_leave_the_time_out_at_two_ticks() {
        let mut e = estimator(RtoGain::Two, TENTH);
        for _ in 0..20 {
            e.sample(0);
        }
        assert_eq!((e.srtt(), e.rto()), (Some(0.0), 2));
    }

    #[test]
    fn the_back_off_doubles_the_larger_of_estimate_and_minimum_up_to_64_fold_and_64_s() {
        let mut e = estimator(RtoGain::Two, TENTH);
        e.sample(1);
        let rtos = [2, 4, 8, 16, 32, 64, 128, 128];
        for rto in rtos {
            assert_eq!(e.rto(), rto);
            e.back_off();
        }
        e.sample(50); // srtt 7.125, var 12.625: 32
        assert_eq!((e.rto(), e.shift()), (32, 0));
        for _ in 0..6 {
            e.back_off();
        }
        assert_eq!(e.rto(), 640);
    }
}
