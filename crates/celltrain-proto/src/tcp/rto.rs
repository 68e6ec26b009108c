//! The retransmission time-out in continuous time, and the choice between it and BSD's ticks.
//!
//! Source: RFC 6298 2, 5; for the lower bound of the variance term, Linux `tcp_rtt_estimator`.

use super::TickClock;
use super::real_ticks::RealEstimator;
use super::rtt::{MAX_SHIFT, RtoConfig, RttEstimator};
use crate::units::{Span, Time};

/// The minimum time-out, so that it can be doubled.
const SHORTEST: Span = Span::from_ms(1);

/// The unit of timestamps in continuous time.
const TIMESTAMP_UNIT: Span = Span::from_ms(1);
/// The age in ticks above which a timestamp says nothing about a round trip.
const OLDEST: u32 = 1 << 16;

/// How a sender measures round-trip times and computes its time-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RtoTimer {
    /// In ticks of the slow timer, with the options in `SenderConfig::rto` (BSD).
    #[default]
    Ticks,
    /// Also in ticks of the slow timer, but with Jacobson's formulas in real numbers instead of BSD's fixed point. A
    /// round trip is the difference of two tick numbers, an RTO of `n` ticks lasts between `n` and `n + 1` ticks, and
    /// the initial RTO is 3 s.
    RealTicks,
    /// In continuous time (RFC 6298).
    Continuous(Rfc6298),
    /// In continuous time, but round trips are counted in ticks of the slow timer, at least one: Linux, whose clock
    /// ("jiffies") ticks every 10 ms.
    Jiffies(Rfc6298),
}

/// What the minimum time-out bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RtoFloor {
    /// The time-out: `max(min, srtt + 4 rttvar)` (RFC 6298).
    #[default]
    Rto,
    /// Its second term: `srtt + max(min, 4 rttvar)` (Linux).
    Variance,
}

/// How the time-out follows from samples of the round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RtoFormula {
    /// `srtt + 4 rttvar` with gains of 1/8 and 1/4 (Jacobson 1988, RFC 6298).
    #[default]
    Jacobson,
    /// `beta srtt` with `srtt = alpha srtt + (1 - alpha) r`, `alpha` = 0.9 and `beta` = 2, the upper ends of the ranges
    /// that RFC 793 3.7 names. It does not measure how much round trips vary.
    Original,
}

/// Options of the continuous-time time-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rfc6298 {
    /// The minimum time-out: 1 s in the RFC, 200 ms in Linux; less than 1 ms counts as 1 ms.
    pub min: Span,
    /// Whether `min` bounds the whole time-out or its variance term.
    pub floor: RtoFloor,
    /// The maximum time-out, at least 60 s in the RFC.
    pub max: Span,
    /// The initial time-out, before the first sample.
    pub initial: Span,
    /// How samples are used.
    pub formula: RtoFormula,
}

impl Rfc6298 {
    /// The time-out of RFC 793: 1 s to 60 s, initially 3 s (RFC 1122 4.2.3.1). As in all estimators here, it is doubled by
    /// each time-out (RFC 1122), and retransmitted segments are not timed (Karn); RFC 793 has neither.
    pub fn original() -> Self {
        Self {
            initial: Span::from_secs(3),
            formula: RtoFormula::Original,
            ..Self::default()
        }
    }

    /// As in Linux 2.0: 200 ms to 60 s, initially 3 s.
    pub fn linux() -> Self {
        Self {
            min: Span::from_ms(200),
            initial: Span::from_secs(3),
            ..Self::default()
        }
    }
}

impl Default for Rfc6298 {
    /// As in the RFC: 1 s to 60 s, initially 1 s.
    fn default() -> Self {
        Self {
            min: Span::from_secs(1),
            floor: RtoFloor::Rto,
            max: Span::from_secs(60),
            initial: Span::from_secs(1),
            formula: RtoFormula::Jacobson,
        }
    }
}

/// Smoothed round-trip time, its variation and the time-out, in whole picoseconds. The clock granularity, which bounds
/// `4 rttvar` from below in the RFC, is zero.
#[derive(Clone, Debug)]
pub(super) struct Continuous {
    config: Rfc6298,
    /// `srtt` and `rttvar`, once there is a sample.
    estimate: Option<(Span, Span)>,
    rto: Span,
    shift: u8,
}

impl Continuous {
    fn new(config: Rfc6298) -> Self {
        Self {
            config,
            estimate: None,
            rto: config.initial.min(config.max),
            shift: 0,
        }
    }

    fn sample(&mut self, r: Span) {
        let (srtt, rttvar) = match (self.config.formula, self.estimate) {
            (RtoFormula::Jacobson, None) => (r, r / 2),
            (RtoFormula::Jacobson, Some((srtt, rttvar))) => {
                let error = r.max(srtt) - r.min(srtt);
                ((srtt * 7 + r) / 8, (rttvar * 3 + error) / 4)
            }
            // A fixed deviation of a quarter makes the time-out `2 srtt`.
            (RtoFormula::Original, before) => {
                let srtt = before.map_or(r, |(srtt, _)| (srtt * 9 + r) / 10);
                (srtt, srtt / 4)
            }
        };
        self.estimate = Some((srtt, rttvar));
        let Rfc6298 { min, max, .. } = self.config;
        let min = min.max(SHORTEST);
        self.rto = match self.config.floor {
            RtoFloor::Rto => (srtt + rttvar * 4).max(min),
            RtoFloor::Variance => srtt + (rttvar * 4).max(min),
        }
        .min(max);
        self.shift = 0;
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
        self.rto = (self.rto * 2).min(self.config.max);
    }
}

/// The estimator in use, with its clock.
#[derive(Clone, Debug)]
pub(super) enum RtoEstimator {
    Ticks(TickClock, RttEstimator),
    RealTicks(TickClock, RealEstimator),
    Continuous(Continuous),
    /// With the clock that counts round trips.
    Jiffies(TickClock, Continuous),
}

impl RtoEstimator {
    pub(super) fn new(timer: RtoTimer, rto: &RtoConfig, clock: TickClock) -> Self {
        match timer {
            RtoTimer::Ticks => Self::Ticks(clock, RttEstimator::new(rto, clock.granularity())),
            RtoTimer::RealTicks => {
                Self::RealTicks(clock, RealEstimator::new(rto, clock.granularity()))
            }
            RtoTimer::Continuous(config) => Self::Continuous(Continuous::new(config)),
            RtoTimer::Jiffies(config) => Self::Jiffies(clock, Continuous::new(config)),
        }
    }

    /// Begins with a smoothed round-trip time and a mean deviation measured before; only BSD's ticks take them.
    pub(super) fn starting_with(mut self, srtt: Span, rttvar: Span) -> Self {
        if let Self::Ticks(clock, rtt) = &mut self {
            let tick = clock.granularity();
            rtt.begin_with((srtt * 8).div_floor(tick), (rttvar * 4).div_floor(tick));
        }
        self
    }

    /// The smoothed round-trip time and its mean deviation, in BSD's ticks; `None` without an estimate.
    pub(super) fn measured(&self) -> Option<(Span, Span)> {
        let Self::Ticks(clock, rtt) = self else {
            return None;
        };
        let tick = clock.granularity();
        Some((
            tick * rtt.srtt_eighths()? / 8,
            tick * rtt.rttvar_quarters() / 4,
        ))
    }

    /// A segment sent at `sent` is acknowledged at `now`.
    pub(super) fn sample(&mut self, sent: Time, now: Time) {
        match self {
            Self::Ticks(clock, rtt) => rtt.sample(clock.ticks_at(now) - clock.ticks_at(sent) + 1),
            Self::RealTicks(clock, rtt) => rtt.sample(clock.ticks_at(now) - clock.ticks_at(sent)),
            Self::Continuous(rtt) => rtt.sample(now - sent),
            Self::Jiffies(clock, rtt) => {
                let ticks = clock.ticks_at(now) - clock.ticks_at(sent);
                rtt.sample(clock.granularity() * ticks.max(1));
            }
        }
    }

    /// The clock of the timestamps option, in ticks or milliseconds.
    pub(super) fn timestamp(&self, now: Time) -> u32 {
        let count = match self {
            Self::Ticks(clock, _) | Self::RealTicks(clock, _) | Self::Jiffies(clock, _) => {
                clock.ticks_at(now)
            }
            Self::Continuous(_) => (now - Time::ZERO).div_floor(TIMESTAMP_UNIT),
        };
        count as u32
    }

    /// The time since clock value `echo`, at least a tick of that clock; none for a value that no recent segment carried.
    pub(super) fn age(&self, echo: u32, now: Time) -> Option<Span> {
        let unit = match self {
            Self::Ticks(clock, _) | Self::RealTicks(clock, _) | Self::Jiffies(clock, _) => {
                clock.granularity()
            }
            Self::Continuous(_) => TIMESTAMP_UNIT,
        };
        let age = self.timestamp(now).wrapping_sub(echo);
        let is_known = echo > 0 && age <= OLDEST;
        is_known.then(|| unit * u64::from(age.max(1)))
    }

    /// A segment sent at clock value `echo` is acknowledged at `now`.
    pub(super) fn sample_timestamp(&mut self, echo: u32, now: Time) {
        let age = u64::from(self.timestamp(now).wrapping_sub(echo));
        match self {
            Self::Ticks(_, rtt) => rtt.sample(age + 1),
            Self::RealTicks(_, rtt) => rtt.sample(age),
            Self::Continuous(rtt) => rtt.sample(Span::from_ms(age).max(SHORTEST)),
            Self::Jiffies(clock, rtt) => rtt.sample(clock.granularity() * age.max(1)),
        }
    }

    /// The connection opens after a retransmitted SYN: in continuous time the time-out becomes at least 3 s (RFC 6298
    /// 5.7); in ticks it stays backed off until a sample arrives (Karn).
    pub(super) fn begin_after_lost_syn(&mut self) {
        if let Self::Continuous(rtt) | Self::Jiffies(_, rtt) = self {
            rtt.rto = Span::from_secs(3)
                .max(rtt.config.initial)
                .min(rtt.config.max);
            rtt.shift = 0;
        }
    }

    /// A time-out.
    pub(super) fn back_off(&mut self) {
        match self {
            Self::Ticks(_, rtt) => rtt.back_off(),
            Self::RealTicks(_, rtt) => rtt.back_off(),
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => rtt.back_off(),
        }
    }

    /// Time-outs since the last sample, at most [`MAX_SHIFT`].
    pub(super) fn shift(&self) -> u8 {
        match self {
            Self::Ticks(_, rtt) => rtt.shift(),
            Self::RealTicks(_, rtt) => rtt.shift(),
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => rtt.shift,
        }
    }

    /// When a timer expires that is set at `now` for a segment in flight since `since`. At least one tick, or the next
    /// instant of continuous time, remains.
    pub(super) fn expiry(&self, now: Time, since: Time) -> Time {
        match self {
            Self::Ticks(clock, rtt) => {
                let age = (now - since).div_floor(clock.granularity());
                let left = rtt.timer().saturating_sub(age).max(1);
                clock.time_of(clock.ticks_at(now) + left)
            }
            Self::RealTicks(clock, rtt) => {
                let due = clock.ticks_at(since) + rtt.timer() + 1;
                clock.time_of(due.max(clock.ticks_at(now) + 1))
            }
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => {
                let left = rtt.rto.saturating_sub(now - since);
                now.saturating_add(left.max(Span::from_ps(1)))
            }
        }
    }

    /// The end of a fixed span that begins at `now`, in ticks as counted down by a timer.
    pub(super) fn after(&self, now: Time, span: Span) -> Time {
        match self {
            Self::Ticks(clock, _) | Self::RealTicks(clock, _) => {
                let ticks = span.as_ps().div_ceil(clock.granularity().as_ps());
                clock.time_of(clock.ticks_at(now) + ticks)
            }
            Self::Continuous(_) | Self::Jiffies(..) => now.saturating_add(span),
        }
    }

    /// The interval between probes of a zero window, after `shift` probes, as in BSD: 5 to 60 s.
    pub(super) fn persist(&self, shift: u8) -> Span {
        let base = match self {
            Self::Ticks(clock, rtt) => clock.granularity() * rtt.persist(),
            Self::RealTicks(clock, rtt) => clock.granularity() * rtt.persist(),
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => rtt
                .estimate
                .map_or(rtt.rto, |(srtt, rttvar)| srtt + rttvar * 2),
        };
        (base * (1 << shift.min(6))).clamp(Span::from_secs(5), Span::from_secs(60))
    }

    /// The interval between probes as in RFC 9293 3.8.6.1: the time-out, doubled by each probe up to 60 s.
    pub(super) fn probe_interval(&self, shift: u8) -> Span {
        let longest = Span::from_secs(60).max(self.rto());
        (self.rto() * (1 << shift.min(6))).min(longest)
    }

    /// Whether nothing happened between `since` and `now` for the length of a time-out.
    pub(super) fn is_past(&self, since: Time, now: Time) -> bool {
        match self {
            Self::Ticks(clock, rtt) => clock.ticks_at(now) - clock.ticks_at(since) >= rtt.rto(),
            Self::RealTicks(clock, rtt) => clock.ticks_at(now) - clock.ticks_at(since) >= rtt.rto(),
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => now - since >= rtt.rto,
        }
    }

    /// The current time-out.
    pub(super) fn rto(&self) -> Span {
        match self {
            Self::Ticks(clock, rtt) => clock.granularity() * rtt.rto(),
            Self::RealTicks(clock, rtt) => clock.granularity() * rtt.rto(),
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => rtt.rto,
        }
    }

    /// The smoothed round-trip time; `None` without an estimate.
    pub(super) fn srtt(&self) -> Option<Span> {
        match self {
            Self::Ticks(clock, rtt) => Some(clock.granularity() * rtt.srtt_eighths()? / 8),
            Self::RealTicks(clock, rtt) => Some(Span::from_secs_f64(
                clock.granularity().as_secs() * rtt.srtt()?,
            )),
            Self::Continuous(rtt) | Self::Jiffies(_, rtt) => rtt.estimate.map(|(srtt, _)| srtt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Span = Span::from_us;

    fn continuous(min: Span, floor: RtoFloor) -> Continuous {
        Continuous::new(Rfc6298 {
            min,
            floor,
            ..Rfc6298::default()
        })
    }

    /// Rounds to the nearest microsecond.
    fn us(span: Span) -> u64 {
        (span + Span::from_ps(500_000)).div_floor(US(1))
    }

    #[test]
    fn srtt_rttvar_and_rto_follow_rfc_6298() {
        let samples = [100, 120, 80, 300, 100, 100].map(Span::from_ms);
        let srtt = [100_000, 102_500, 99_687, 124_727, 121_636, 118_931];
        let rttvar = [50_000, 42_500, 37_500, 78_203, 64_834, 54_034];
        let rto = [300_000, 272_500, 249_688, 437_539, 380_972, 335_069];
        let rto_linux = [300_000, 302_500, 299_687, 437_539, 380_972, 335_069];
        let mut rfc = continuous(Span::from_ms(200), RtoFloor::Rto);
        let mut linux = continuous(Span::from_ms(200), RtoFloor::Variance);
        let mut second = Continuous::new(Rfc6298::default());
        for (i, r) in samples.into_iter().enumerate() {
            for estimator in [&mut rfc, &mut linux, &mut second] {
                estimator.sample(r);
            }
            let (s, v) = rfc.estimate.expect("there is a sample");
            // The reference values are in microseconds, some truncated and some rounded.
            for (found, expected) in [
                (us(s), srtt[i]),
                (us(v), rttvar[i]),
                (us(rfc.rto), rto[i]),
                (us(linux.rto), rto_linux[i]),
            ] {
                assert!(found.abs_diff(expected) <= 1, "{i}: {found} {expected}");
            }
            assert_eq!(second.rto, Span::from_secs(1));
        }
    }

    #[test]
    fn the_original_time_out_is_twice_a_slow_average() {
        let mut rtt = Continuous::new(Rfc6298::original());
        assert_eq!(rtt.rto, Span::from_secs(3));
        // 1 s; 0.9 + 0.1; 0.9 + 0.5 s; 1.26 + 0.5 s.
        for (sample, srtt) in [
            (1_000, 1_000),
            (1_000, 1_000),
            (5_000, 1_400),
            (5_000, 1_760),
        ] {
            rtt.sample(Span::from_ms(sample));
            assert_eq!(
                rtt.estimate.map(|(srtt, _)| srtt),
                Some(Span::from_ms(srtt))
            );
            assert_eq!(rtt.rto, Span::from_ms(2 * srtt));
        }
        rtt.back_off();
        assert_eq!(rtt.rto, Span::from_ms(2 * 2 * 1_760));
    }

    #[test]
    fn the_time_out_starts_at_one_second_and_doubles_up_to_sixty() {
        let mut rtt = Continuous::new(Rfc6298::default());
        let seconds = [1, 2, 4, 8, 16, 32, 60, 60];
        for s in seconds {
            assert_eq!(rtt.rto, Span::from_secs(s));
            rtt.back_off();
        }
    }

    #[test]
    fn a_sample_ends_the_back_off() {
        let mut rtt = continuous(Span::from_ms(200), RtoFloor::Rto);
        rtt.sample(Span::from_ms(100));
        rtt.back_off();
        rtt.back_off();
        assert_eq!((rtt.rto, rtt.shift), (Span::from_ms(1_200), 2));
        rtt.sample(Span::from_ms(100));
        assert_eq!((rtt.rto, rtt.shift), (Span::from_ms(250), 0));
    }

    #[test]
    fn a_continuous_timer_expires_a_time_out_after_it_was_set_to_the_picosecond() {
        let clock = TickClock::new(Span::from_ms(500), Span::ZERO);
        let timer = RtoTimer::Continuous(Rfc6298::default());
        let rtt = RtoEstimator::new(timer, &RtoConfig::default(), clock);
        let now = Time::ZERO + Span::from_ps(123_456_789);
        assert_eq!(rtt.expiry(now, now), now + Span::from_secs(1));
        assert!(!rtt.is_past(Time::ZERO, Time::ZERO + Span::from_ms(999)));
        assert!(rtt.is_past(Time::ZERO, Time::ZERO + Span::from_secs(1)));
    }

    #[test]
    fn in_jiffies_a_round_trip_is_whole_ticks_and_at_least_one_and_the_timer_is_exact() {
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        let clock = TickClock::new(Span::from_ms(10), Span::from_ms(3));
        let timer = RtoTimer::Jiffies(Rfc6298::linux());
        let mut rtt = RtoEstimator::new(timer, &RtoConfig::default(), clock);
        assert_eq!(rtt.rto(), Span::from_secs(3));
        rtt.sample(ms(4), ms(12)); // within a tick
        assert_eq!(rtt.srtt(), Some(Span::from_ms(10)));
        rtt.sample(ms(12), ms(154)); // 142 ms, but 15 ticks: 10 + 140/8 and 5 + (140 - 5)/4
        assert_eq!(rtt.srtt(), Some(Span::from_us(27_500)));
        assert_eq!(
            rtt.rto(),
            Span::from_us(27_500 + 4 * 38_750).max(Span::from_ms(200))
        );
        rtt.sample(ms(12), ms(404)); // 40 ticks: 27.5 + 372.5/8, 38.75 + (372.5 - 38.75)/4
        let rto = Span::from_ps(74_062_500_000 + 4 * 122_187_500_000);
        assert_eq!(rtt.rto(), rto);
        assert_eq!(rtt.expiry(ms(404), ms(404)), ms(404) + rto);
    }

    /// Real ticks of 100 ms, the first at 30 ms, with a time-out of two ticks.
    fn real_ticks() -> RtoEstimator {
        let clock = TickClock::new(Span::from_ms(100), Span::from_ms(30));
        let config = RtoConfig::default();
        let mut rtt = RtoEstimator::new(RtoTimer::RealTicks, &config, clock);
        rtt.sample(Time::ZERO, Time::ZERO + Span::from_ms(20)); // within a tick
        assert_eq!(rtt.rto(), Span::from_ms(200));
        rtt
    }

    #[test]
    fn in_real_ticks_a_time_out_of_n_ticks_ends_at_the_tick_after_the_nth() {
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        let rtt = real_ticks();
        // Sent after tick 1 (30 ms): expires at tick 4. The age of the segment is counted in ticks.
        let cases = [
            (50, 50, 330),
            (129, 50, 330),
            (290, 50, 330),
            (430, 50, 530),
        ];
        for (now, since, expiry) in cases {
            assert_eq!(rtt.expiry(ms(now), ms(since)), ms(expiry), "at {now} ms");
        }
    }

    #[test]
    fn in_real_ticks_a_round_trip_is_the_difference_of_two_tick_numbers() {
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        let mut rtt = real_ticks();
        rtt.sample(ms(29), ms(31)); // 2 ms, but one tick: srtt 1/8, deviation 1/4
        assert_eq!(rtt.srtt(), Some(Span::from_us(12_500)));
    }
}
