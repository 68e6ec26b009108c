//! PIE: arrivals are dropped with a probability that a controller derives from the queueing delay.
//!
//! ```text
//! each 15 ms:  Δ = α·(d - target) + β·(d - d_old), both gains divided while p is small
//!              p >= 0.1: Δ at most 0.02;  d > 250 ms: Δ += 0.02;  p += Δ, kept in [0, 1]
//!              d = d_old = 0: p = 0.98·p
//! arrival:     accept within a burst, or if d_old < target/2 and p < 0.2, or if backlog < 2 packets
//!              accu += p;  accept if accu < 0.85;  drop if accu >= 8.5;  else drop with probability p
//! ```
//!
//! A drop resets accu to zero. With ECN a mark replaces a drop while p <= 0.1. A burst allowance of 150 ms starts when
//! p = 0 and both delays are below target/2. Source: RFC 8033. Where it is silent: a mark also resets accu, and a late
//! update postpones those after it. It measures the queueing delay, given by its owner.

use super::manager::{Manager, QueueManager};
use super::verdict::Verdict;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, Span, Time};

/// While p is below the first number, both gains are divided by the second (RFC 8033, 4.2).
const SCALES: [(f64, f64); 6] = [
    (1e-6, 2_048.0),
    (1e-5, 512.0),
    (1e-4, 128.0),
    (1e-3, 32.0),
    (1e-2, 8.0),
    (1e-1, 2.0),
];
/// The delay above which the probability always rises.
const LONG_DELAY: Span = Span::from_ms(250);
/// The probability up to which ECN marks (RFC 8033, 5.1).
const MARK_LIMIT: f64 = 0.1;

parameters! {
    /// The parameters of [`Pie`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PieParameters {
        /// Target queueing delay.
        pub target: Span = Span::from_ms(15), in Bounds::POSITIVE;
        /// Time between two updates of the probability.
        pub update: Span = Span::from_ms(15), in Bounds::INTERVAL;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
        /// How long a burst after an idle period is let through.
        pub burst: Span = Span::from_ms(150);
        /// Gain of the deviation from the target, in 1/s.
        pub alpha: f64 = 0.125;
        /// Gain of the increase of the delay, in 1/s.
        pub beta: f64 = 1.25;
    }
}

/// PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    options: PieParameters,
    stream: Stream,
    next_update: Time,
    /// p.
    probability: f64,
    /// The sum of the probabilities since the last drop or mark.
    accumulated: f64,
    /// `d_old`: the delay at the last update.
    delay: Span,
    /// Nothing is dropped before this instant.
    burst_end: Time,
    /// The probability up to which ECN marks.
    mark_limit: f64,
}

impl Pie {
    /// Creates the manager of a queue that is empty at the start of the run.
    pub fn new(options: PieParameters, stream: Stream) -> Self {
        Self {
            next_update: Time::ZERO.saturating_add(options.update),
            probability: 0.0,
            accumulated: 0.0,
            delay: Span::ZERO,
            burst_end: Time::ZERO.saturating_add(options.burst),
            mark_limit: MARK_LIMIT,
            options,
            stream,
        }
    }

    /// This manager, marking instead of dropping up to this probability.
    pub fn marking_up_to(self, mark_limit: f64) -> Self {
        Self { mark_limit, ..self }
    }

    fn is_short(&self, delay: Span) -> bool {
        delay < self.options.target / 2
    }

    /// p after an update at which the delay was `delay`, and `before` at the previous one.
    fn controlled(&self, delay: Span, before: Span) -> f64 {
        let PieParameters {
            target,
            alpha,
            beta,
            ..
        } = self.options;
        let d = delay.as_secs();
        let by_delay = alpha * (d - target.as_secs()) + beta * (d - before.as_secs());
        let mut change = by_delay / scale(self.probability);
        if self.probability >= 0.1 {
            change = change.min(0.02);
        }
        if delay > LONG_DELAY {
            change += 0.02;
        }
        (self.probability + change).clamp(0.0, 1.0)
    }
}

impl Manager for Pie {
    type Parameters = PieParameters;
    const IS_RANDOM: bool = true;
    const NEEDS_RATE: bool = true;

    fn build(parameters: PieParameters, stream: Stream) -> Self {
        Self::new(parameters, stream)
    }
}

impl QueueManager for Pie {
    fn next_update(&self) -> Time {
        self.next_update
    }

    fn pass_idle_time(&mut self, now: Time) {
        // All but the last: it renews the burst.
        if self.probability == 0.0 && self.delay == Span::ZERO && self.next_update < now {
            let updates = (now - self.next_update).div_floor(self.options.update);
            self.next_update += self.options.update * updates;
        }
    }

    fn on_update(&mut self, now: Time, delay: Span) {
        let before = core::mem::replace(&mut self.delay, delay);
        self.probability = self.controlled(delay, before);
        if delay == Span::ZERO && before == Span::ZERO {
            self.probability *= 0.98;
        }
        if self.probability == 0.0 && self.is_short(delay) && self.is_short(before) {
            self.burst_end = now.saturating_add(self.options.burst);
        }
        self.next_update = now.saturating_add(self.options.update);
    }

    fn on_arrival(&mut self, now: Time, backlog: Bytes, one_packet: Bytes) -> Verdict {
        let harmless = self.is_short(self.delay) && self.probability < 0.2;
        if now < self.burst_end || harmless || backlog.0 < 2 * one_packet.0 {
            return Verdict::Pass;
        }
        // RFC 8033, derandomization: the sum is forgotten when the probability falls to zero.
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        let passes = match self.accumulated {
            sum if sum < 0.85 => true,
            sum if sum >= 8.5 => false,
            _ => self.stream.uniform() >= self.probability,
        };
        if passes {
            return Verdict::Pass;
        }
        self.accumulated = 0.0;
        if self.options.ecn && self.probability <= self.mark_limit {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }
}

/// The divisor of both gains at this probability.
fn scale(probability: f64) -> f64 {
    let step = SCALES.iter().find(|(limit, _)| probability < *limit);
    step.map_or(1.0, |(_, scale)| *scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: PieParameters = PieParameters {
        target: Span::from_ms(15),
        update: Span::from_ms(15),
        burst: Span::from_ms(150),
        alpha: 0.125,
        beta: 1.25,
        ecn: false,
    };
    const PACKET: Bytes = cells(32);
    const STANDING: Bytes = cells(1_000);

    /// The octets of so many cells.
    const fn cells(cells: u64) -> Bytes {
        Bytes(53 * cells)
    }

    fn pie(probability: f64, delay_ms: u64) -> Pie {
        Pie {
            probability,
            delay: Span::from_ms(delay_ms),
            burst_end: Time::ZERO,
            ..Pie::new(OPTIONS, Stream::named(1, "pie"))
        }
    }

    impl Pie {
        fn update(&mut self, delay_ms: u64) -> f64 {
            self.on_update(self.next_update, Span::from_ms(delay_ms));
            self.probability
        }

        fn arrival(&mut self) -> Verdict {
            self.on_arrival(Time::ZERO, STANDING, PACKET)
        }
    }

    #[test]
    fn pie_scales_its_gains_by_the_table_of_the_rfc() {
        let table = [
            (0.0, 2_048.0),
            (0.999e-6, 2_048.0),
            (1e-6, 512.0),
            (1e-5, 128.0),
            (1e-4, 32.0),
            (1e-3, 8.0),
            (1e-2, 2.0),
            (0.099, 2.0),
            (0.1, 1.0),
            (1.0, 1.0),
        ];
        for (probability, expected) in table {
            assert_eq!(scale(probability), expected, "p = {probability}");
        }
    }

    #[test]
    fn pie_probability_follows_delay_and_growth() {
        // (p, d_old, d, resulting p), delays in ms, computed by hand.
        let table = [
            (0.5, 31, 31, 0.502),                     // 0.125·0.016
            (0.5, 25, 15, 0.487_5),                   // 1.25·(-0.010)
            (0.05, 31, 31, 0.051),                    // gains halved
            (0.0, 31, 31, 0.002 / 2_048.0),           // and divided by 2048
            (0.2, 100, 200, 0.22),                    // 0.148, but at most 0.02
            (0.05, 100, 200, 0.05 + 0.148_125 / 2.0), // no bound below 0.1
            (0.2, 300, 300, 0.24),                    // 0.0356 bounded, and 0.02 for a long delay
            (0.2, 250, 250, 0.22),                    // 250 ms is not long yet: 0.0294 bounded
            (0.99, 300, 300, 1.0),
            (0.001, 200, 0, 0.0),
            (0.5, 0, 0, (0.5 - 0.001_875) * 0.98), // decay when idle
        ];
        for (p, before, delay, expected) in table {
            let found = pie(p, before).update(delay);
            assert!(
                (found - expected).abs() < 1e-12,
                "{p} {before} {delay}: {found}"
            );
        }
    }

    #[test]
    fn pie_updates_at_regular_intervals() {
        let mut pie = Pie::new(OPTIONS, Stream::named(1, "pie"));
        for n in 1..5 {
            assert_eq!(pie.next_update(), Time::ZERO + Span::from_ms(15) * n);
            pie.update(20);
        }
    }

    #[test]
    fn pie_passes_arrivals_that_do_no_harm() {
        // With p = 1 nothing would pass; with p = 0.19 the sum reaches 8.5 within 45 packets.
        let passes = |mut pie: Pie, backlog| {
            (0..50).all(|_| pie.on_arrival(Time::ZERO, backlog, PACKET) == Verdict::Pass)
        };
        assert!(
            passes(pie(0.19, 7), STANDING),
            "short delay before, p < 0.2"
        );
        assert!(!passes(pie(0.2, 7), STANDING), "p not below 0.2");
        assert!(!passes(pie(0.19, 8), STANDING), "delay not below 7.5 ms");
        assert!(passes(pie(1.0, 50), cells(63)), "less than two packets");
        assert!(!passes(pie(1.0, 50), cells(64)), "two packets");
    }

    #[test]
    fn pie_passes_a_burst_of_150_ms_after_quiet() {
        let mut pie = pie(1.0, 50);
        pie.burst_end = Time::ZERO + Span::from_ms(150);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(pie.on_arrival(at(149), STANDING, PACKET), Verdict::Pass);
        assert_eq!(pie.on_arrival(at(150), STANDING, PACKET), Verdict::Drop);
    }

    #[test]
    fn pie_renews_the_burst_only_at_p_zero_and_two_short_delays() {
        // The first update is at 15 ms, so that a renewed burst ends at 165 ms.
        let cases = [
            (0.0, 7, 7, 165),
            (0.0, 8, 7, 0),
            (0.0, 7, 8, 0),
            (0.5, 7, 7, 0),
        ];
        for (p, before, delay, expected) in cases {
            let mut pie = pie(p, before);
            pie.update(delay);
            let end = Time::ZERO + Span::from_ms(expected);
            assert_eq!(pie.burst_end, end, "p = {p}, {before} ms, {delay} ms");
        }
    }

    #[test]
    fn updates_of_an_idle_time_that_change_nothing_can_be_left_out() {
        let mut each = Pie::new(OPTIONS, Stream::named(1, "pie"));
        let mut last = each.clone();
        for _ in 0..1_000 {
            each.update(0);
        }
        // 1000 updates are due at 15 s, and the next one 15 ms later.
        let now = Time::ZERO + Span::from_ms(15_014);
        last.pass_idle_time(now);
        last.update(0);
        let seen = |pie: &Pie| (pie.next_update, pie.burst_end, pie.probability, pie.delay);
        assert_eq!(seen(&last), seen(&each));
        // With a probability or a delay each changes something.
        for mut busy in [pie(0.1, 0), pie(0.0, 20)] {
            busy.pass_idle_time(now);
            assert_eq!(busy.next_update, Time::ZERO + Span::from_ms(15));
        }
    }

    #[test]
    fn pie_drops_neither_too_early_nor_too_late_after_a_drop() {
        // p = 1/16: 13 packets sum to 0.8125 and pass; 136 sum to 8.5, so one must have been dropped.
        let mut pie = pie(0.0625, 50);
        let (mut gap, mut gaps) = (0, alloc::vec::Vec::new());
        for _ in 0..50_000 {
            gap += 1;
            if pie.arrival() == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
        assert_eq!(*least, 14);
        assert!(*most <= 136, "{most}");
    }

    #[test]
    fn pie_must_drop_when_the_sum_reaches_8_5() {
        let mut pie = pie(0.0625, 50);
        pie.accumulated = 8.5 - 0.0625;
        assert_eq!(pie.arrival(), Verdict::Drop);
        assert_eq!(pie.accumulated, 0.0);
    }

    #[test]
    fn pie_forgets_the_sum_at_probability_zero() {
        let mut pie = pie(0.0, 50);
        pie.accumulated = 8.6;
        assert_eq!(pie.arrival(), Verdict::Pass);
        assert_eq!(pie.accumulated, 0.0);
    }

    #[test]
    fn pie_with_ecn_marks_up_to_a_tenth_and_drops_above() {
        for (probability, expected) in [(0.1, Verdict::Mark), (0.101, Verdict::Drop)] {
            let mut pie = pie(probability, 50);
            pie.options.ecn = true;
            pie.accumulated = 8.5;
            assert_eq!(pie.arrival(), expected);
            assert_eq!(pie.accumulated, 0.0);
        }
    }
}
