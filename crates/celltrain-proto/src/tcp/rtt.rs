//! Round-trip time and retransmission time-out in slow-timer ticks, as BSD computes them.
//!
//! The smoothed round-trip time is stored times 8, the mean deviation times 4. All divisions are integer shifts.
//! Source: 4.3BSD-Reno `tcp_xmit_timer`, `tcp_timers`; Jacobson 1988; Karn 1987.

use crate::units::Span;

/// The maximum back-off index; BSD drops the connection at the time-out after it.
pub(super) const MAX_SHIFT: u8 = 12;

/// How many mean deviations the time-out adds to the smoothed round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RtoGain {
    /// Four: `(srtt >> 3) + rttvar`, 4.3BSD-Reno and later.
    #[default]
    Four,
    /// Two: `((srtt >> 2) + rttvar) >> 1`, 4.3BSD-Tahoe.
    Two,
}

/// How much of the smoothed round-trip time is folded into the deviation when, from the fourth consecutive time-out on,
/// the estimate is discarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SrttFold {
    /// As much as keeps the time-out unchanged: `srtt >> 3` with gain four, `srtt >> 2` with gain two (BSD).
    #[default]
    ByGain,
    /// `srtt >> 3` with either gain.
    Eighth,
}

/// The minimum retransmission time-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinRto {
    /// A number of ticks at any granularity; two in BSD.
    Ticks(u64),
    /// A time, rounded up to whole ticks.
    Span(Span),
}

/// Whole ticks that an implementation adds to what BSD's tick timer measures and waits, by counting from another number or
/// by rounding up. None in BSD.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RtoSlack {
    /// Added to each sample of the round-trip time.
    pub sample: u64,
    /// Added whenever the timer is set, to the time-out with its back-off and limits.
    pub expiry: u64,
}

impl RtoSlack {
    /// A sample of this many ticks, plus the additional ones.
    pub(super) fn sample(self, ticks: u64) -> u64 {
        ticks.saturating_add(self.sample)
    }

    /// The ticks after which a timer expires that is set to a time-out of `rto` ticks.
    pub(super) fn timer(self, rto: u64) -> u64 {
        rto.saturating_add(self.expiry)
    }
}

/// Options of the retransmission time-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtoConfig {
    /// Weight of the mean deviation.
    pub gain: RtoGain,
    /// What is kept of a discarded estimate.
    pub fold: SrttFold,
    /// The minimum time-out.
    pub min: MinRto,
    /// The maximum time-out, rounded down to whole ticks; 64 s in BSD.
    pub max: Span,
    /// Additional ticks.
    pub slack: RtoSlack,
}

impl Default for RtoConfig {
    /// 4.3BSD-Reno: gain four, two ticks to 64 s.
    fn default() -> Self {
        Self {
            gain: RtoGain::Four,
            fold: SrttFold::ByGain,
            min: MinRto::Ticks(2),
            max: Span::from_secs(64),
            slack: RtoSlack::default(),
        }
    }
}

impl RtoConfig {
    /// The minimum and the maximum time-out in ticks.
    pub(super) fn limits(&self, granularity: Span) -> (u64, u64) {
        let min = match self.min {
            MinRto::Ticks(n) => n,
            MinRto::Span(span) => span.as_ps().div_ceil(granularity.as_ps()),
        }
        .max(1);
        (min, self.max.div_floor(granularity).max(min))
    }
}

/// Smoothed round-trip time, mean deviation, time-out and its back-off.
#[derive(Clone, Debug)]
pub(super) struct RttEstimator {
    gain: RtoGain,
    fold: SrttFold,
    /// Limits of the time-out in ticks.
    min: i64,
    max: i64,
    slack: RtoSlack,
    /// Times 8; zero before the first sample.
    srtt: i64,
    /// Times 4.
    rttvar: i64,
    /// Time-outs since the last sample.
    shift: u8,
    rto: i64,
}

impl RttEstimator {
    /// The initial state: no estimate, a deviation of 3 s, a time-out of 6 s.
    pub(super) fn new(config: &RtoConfig, granularity: Span) -> Self {
        let ticks = |span: Span| signed(span.div_floor(granularity));
        let (min, max) = config.limits(granularity);
        let (min, max) = (signed(min), signed(max));
        Self {
            gain: config.gain,
            fold: config.fold,
            min,
            max,
            slack: config.slack,
            srtt: 0,
            rttvar: ticks(Span::from_secs(3)) << 2,
            shift: 0,
            rto: ticks(Span::from_secs(6)).clamp(min, max),
        }
    }

    /// Begins with an estimate in eighths and a deviation in quarters of a tick, as `tcp_mss` of 4.4BSD does, which
    /// takes two deviations for either gain. An estimate of zero is none; a deviation of zero means that of one round trip.
    pub(super) fn begin_with(&mut self, srtt: u64, rttvar: u64) {
        if srtt == 0 {
            return;
        }
        self.srtt = signed(srtt);
        self.rttvar = signed(if rttvar == 0 { srtt / 2 } else { rttvar });
        self.rto = signed(self.persist()).clamp(self.min, self.max);
    }

    /// The deviation in quarters of a tick.
    pub(super) fn rttvar_quarters(&self) -> u64 {
        self.rttvar as u64
    }

    /// A valid sample of `ticks`, counted from one: an answer before the next tick counts as one.
    pub(super) fn sample(&mut self, ticks: u64) {
        let ticks = signed(self.slack.sample(ticks));
        if self.srtt == 0 {
            self.srtt = ticks << 3;
            self.rttvar = ticks << 1;
        } else {
            let error = ticks - 1 - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
        }
        self.shift = 0;
        self.rto = self.base().clamp(self.min, self.max);
    }

    /// A time-out: doubles the time-out up to 64 times its base. The base is the estimate, not the previous time-out;
    /// the result stays in force until the next sample.
    pub(super) fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
        let backed_off = self.base() << self.shift.min(6);
        self.rto = backed_off.clamp(self.min, self.max);
        if self.shift > 3 {
            let fold = match (self.fold, self.gain) {
                (SrttFold::ByGain, RtoGain::Two) => 2,
                (SrttFold::ByGain, RtoGain::Four) | (SrttFold::Eighth, _) => 3,
            };
            self.rttvar += self.srtt >> fold;
            self.srtt = 0;
        }
    }

    /// The time-out of the estimate in ticks, without back-off and limits.
    fn base(&self) -> i64 {
        match self.gain {
            RtoGain::Four => (self.srtt >> 3) + self.rttvar,
            RtoGain::Two => ((self.srtt >> 2) + self.rttvar) >> 1,
        }
    }

    /// The base of the persist timer in ticks: two mean deviations for either gain (`tcp_setpersist`).
    pub(super) fn persist(&self) -> u64 {
        (((self.srtt >> 2) + self.rttvar) >> 1) as u64
    }

    /// The current time-out, in ticks.
    pub(super) fn rto(&self) -> u64 {
        self.rto as u64
    }

    /// The ticks after which a timer that is set now expires.
    pub(super) fn timer(&self) -> u64 {
        self.slack.timer(self.rto())
    }

    /// Time-outs since the last sample, at most [`MAX_SHIFT`].
    pub(super) fn shift(&self) -> u8 {
        self.shift
    }

    /// The smoothed round-trip time in eighths of a tick; `None` without an estimate.
    pub(super) fn srtt_eighths(&self) -> Option<u64> {
        (self.srtt != 0).then_some(self.srtt as u64)
    }
}

fn signed(ticks: u64) -> i64 {
    i64::try_from(ticks).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const HALF_SECOND: Span = Span::from_ms(500);

    fn estimator(gain: RtoGain) -> RttEstimator {
        let config = RtoConfig {
            gain,
            ..RtoConfig::default()
        };
        RttEstimator::new(&config, HALF_SECOND)
    }

    /// Samples; then srtt, rttvar, RTO with gain four and RTO with gain two after each.
    type Vector<'a> = (&'a [u64], &'a [i64], &'a [i64], &'a [u64], &'a [u64]);
    const VECTORS: [Vector<'_>; 5] = [
        (
            &[1, 1, 1, 1, 1],
            &[8, 7, 7, 7, 7],
            &[2, 3, 3, 3, 3],
            &[3, 3, 3, 3, 3],
            &[2, 2, 2, 2, 2],
        ),
        (
            &[2, 2, 2, 2, 2],
            &[16, 15, 15, 15, 15],
            &[4, 4, 3, 3, 3],
            &[6, 5, 4, 4, 4],
            &[4, 3, 3, 3, 3],
        ),
        (
            &[2, 1, 2, 1, 1, 3, 1, 1],
            &[16, 14, 14, 13, 12, 13, 12, 11],
            &[4, 5, 4, 4, 4, 4, 4, 4],
            &[6, 6, 5, 5, 5, 5, 5, 5],
            &[4, 4, 3, 3, 3, 3, 3, 3],
        ),
        (
            &[4, 4, 4, 9, 4, 4, 4, 4],
            &[32, 31, 31, 36, 35, 34, 33, 32],
            &[8, 7, 6, 10, 9, 8, 7, 7],
            &[12, 10, 9, 14, 13, 12, 11, 11],
            &[8, 7, 6, 9, 8, 8, 7, 7],
        ),
        (
            &[1, 1, 1, 1, 11, 11, 11, 11],
            &[8, 7, 7, 7, 17, 25, 32, 38],
            &[2, 3, 3, 3, 13, 18, 21, 22],
            &[3, 3, 3, 3, 15, 21, 25, 26],
            &[2, 2, 2, 2, 8, 12, 14, 15],
        ),
    ];

    #[test]
    fn srtt_rttvar_and_rto_follow_the_bsd_fixed_point_arithmetic() {
        for (samples, srtt, rttvar, rto_four, rto_two) in VECTORS {
            for (gain, rto) in [(RtoGain::Four, rto_four), (RtoGain::Two, rto_two)] {
                let mut e = estimator(gain);
                for (i, &m) in samples.iter().enumerate() {
                    e.sample(m);
                    let expected = (srtt[i], rttvar[i], rto[i]);
                    assert_eq!(
                        (e.srtt, e.rttvar, e.rto()),
                        expected,
                        "{gain:?} {samples:?} [{i}]"
                    );
                }
            }
        }
    }

    #[test]
    fn a_connection_starts_with_a_time_out_of_six_seconds_at_any_granularity() {
        for (granularity, rttvar, rto) in [
            (500_000, 24, 12),
            (100_000, 120, 60),
            (100, 120_000, 60_000),
        ] {
            let e = RttEstimator::new(&RtoConfig::default(), Span::from_us(granularity));
            assert_eq!((e.srtt, e.rttvar, e.rto()), (0, rttvar, rto));
            assert_eq!(e.srtt_eighths(), None);
        }
    }

    #[test]
    fn without_any_answer_the_time_outs_are_6_24_48_64_s_or_with_gain_two_6_12_24_48_64_s() {
        for (gain, first, until_limit) in [
            (RtoGain::Four, [6, 24, 48, 64, 64], 718),
            (RtoGain::Two, [6, 12, 24, 48, 64], 666),
        ] {
            let mut e = estimator(gain);
            let mut seconds = Vec::new();
            for _ in 0..=MAX_SHIFT {
                seconds.push(e.rto() / 2);
                e.back_off();
            }
            assert_eq!(seconds[..5], first, "{gain:?}");
            assert_eq!(seconds.iter().sum::<u64>(), until_limit, "{gain:?}");
        }
    }

    #[test]
    fn the_back_off_multiplies_the_estimate_by_2_4_8_16_32_and_then_64() {
        let config = RtoConfig {
            max: Span::from_secs(100_000),
            ..RtoConfig::default()
        };
        let mut e = RttEstimator::new(&config, HALF_SECOND);
        e.sample(1); // srtt 8, rttvar 2: three ticks
        let rtos = (0..8).map(|_| {
            e.back_off();
            e.rto()
        });
        assert_eq!(rtos.collect::<Vec<_>>(), [6, 12, 24, 48, 96, 192, 192, 192]);
    }

    #[test]
    fn a_sample_ends_the_back_off() {
        let mut e = estimator(RtoGain::Four);
        e.sample(1);
        e.back_off();
        e.back_off();
        assert_eq!((e.rto(), e.shift()), (12, 2));
        e.sample(1); // srtt 7, rttvar 3 as in the first vector
        assert_eq!((e.rto(), e.shift()), (3, 0));
    }

    #[test]
    fn the_fourth_time_out_folds_the_estimate_into_the_deviation() {
        // After samples 4, 4: srtt 31, rttvar 7.
        let cases = [
            (RtoGain::Four, SrttFold::ByGain, 7 + 3),
            (RtoGain::Two, SrttFold::ByGain, 7 + 7),
            (RtoGain::Two, SrttFold::Eighth, 7 + 3),
        ];
        for (gain, fold, rttvar) in cases {
            let config = RtoConfig {
                gain,
                fold,
                ..RtoConfig::default()
            };
            let mut e = RttEstimator::new(&config, HALF_SECOND);
            e.sample(4);
            e.sample(4);
            for _ in 0..3 {
                e.back_off();
            }
            assert_eq!((e.srtt, e.rttvar), (31, 7));
            e.back_off();
            assert_eq!((e.srtt, e.rttvar), (0, rttvar), "{gain:?} {fold:?}");
            e.sample(2);
            assert_eq!((e.srtt, e.rttvar), (16, 4)); // as a first sample
        }
    }

    #[test]
    fn the_smallest_time_out_is_in_ticks_or_in_time() {
        let rto_of_one_tick = |min| {
            let config = RtoConfig {
                gain: RtoGain::Two,
                min,
                ..RtoConfig::default()
            };
            let mut e = RttEstimator::new(&config, Span::from_ms(3));
            e.sample(1); // base (2 + 2) >> 1 = 2
            e.rto()
        };
        assert_eq!(rto_of_one_tick(MinRto::Ticks(2)), 2);
        assert_eq!(rto_of_one_tick(MinRto::Ticks(5)), 5);
        assert_eq!(rto_of_one_tick(MinRto::Span(Span::from_secs(1))), 334);
    }

    #[test]
    fn slack_is_added_to_each_sample_and_whenever_the_timer_is_set() {
        let config = RtoConfig {
            slack: RtoSlack {
                sample: 1,
                expiry: 3,
            },
            ..RtoConfig::default()
        };
        let mut e = RttEstimator::new(&config, HALF_SECOND);
        for (rto, srtt) in [(6, 16), (5, 15), (4, 15)] {
            e.sample(1); // as samples of two ticks in the second vector
            assert_eq!((e.rto(), e.srtt, e.timer()), (rto, srtt, rto + 3));
        }
        e.back_off(); // (15 >> 3) + 3 = 4 ticks, doubled without the slack
        assert_eq!((e.rto(), e.timer()), (8, 11));
    }

    #[test]
    fn the_largest_time_out_is_64_s() {
        let mut e = estimator(RtoGain::Four);
        e.sample(1_000);
        assert_eq!(e.rto(), 128);
    }
}
