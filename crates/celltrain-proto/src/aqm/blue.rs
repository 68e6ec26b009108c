//! BLUE: losses raise the drop probability and idle time lowers it, whatever the queue length.
//!
//! ```text
//! a cell finds no room, or a packet a backlog above `length`:  pm += d1
//! the line is idle:                                            pm -= d2
//! either at most once in a freeze time;  arrival: drop with probability pm
//! ```
//!
//! d1 is much larger than d2: losses show at once that pm is too small, idle time shows only now and then that it is
//! too large. It reacts to buffer overflows and to an idle line. Source: W. Feng, K. Shin, D. Kandlur, D. Saha, "The
//! BLUE active queue management algorithms", IEEE/ACM Transactions on Networking 10(4), August 2002: the algorithm with
//! its variant that also considers the queue length. Where it is silent: during a long idle time, each freeze time
//! counts once.

use super::manager::{Manager, QueueManager};
use super::verdict::Verdict;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, CELL_OCTETS, Cells, Span, Time};

parameters! {
    /// The parameters of [`Blue`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct BlueParameters {
        /// Increment of the probability.
        pub increment: f64 = 0.0025, in Bounds::PART;
        /// Decrement of the probability.
        pub decrement: f64 = 0.00025, in Bounds::PART;
        /// Minimum time between two changes of the probability.
        pub freeze_time: Span = Span::from_ms(100), in Bounds::INTERVAL;
        /// A backlog above this counts as a loss; if absent, only losses do.
        pub length: Option<Cells>;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
    }
}

/// BLUE.
#[derive(Clone, Debug)]
pub struct Blue {
    parameters: BlueParameters,
    stream: Stream,
    /// pm.
    probability: f64,
    /// When pm may change again.
    frozen_until: Time,
    is_idle: bool,
}

impl Manager for Blue {
    type Parameters = BlueParameters;
    const IS_RANDOM: bool = true;

    fn build(parameters: BlueParameters, stream: Stream) -> Self {
        Self {
            parameters,
            stream,
            probability: 0.0,
            frozen_until: Time::ZERO,
            is_idle: true,
        }
    }
}

impl Blue {
    fn change(&mut self, now: Time, by: f64) {
        if now >= self.frozen_until {
            self.probability = (self.probability + by).clamp(0.0, 1.0);
            self.frozen_until = now.saturating_add(self.parameters.freeze_time);
        }
    }

    /// The idle time ends at `now`.
    fn end_idle_time(&mut self, now: Time) {
        if !core::mem::take(&mut self.is_idle) || now < self.frozen_until {
            return;
        }
        let freeze_time = self.parameters.freeze_time;
        let times = 1 + (now - self.frozen_until).div_floor(freeze_time);
        let lowered = self.probability - times as f64 * self.parameters.decrement;
        self.probability = lowered.max(0.0);
        self.frozen_until = self.frozen_until.saturating_add(freeze_time * times);
    }
}

impl QueueManager for Blue {
    fn on_arrival(&mut self, now: Time, backlog: Bytes, _: Bytes) -> Verdict {
        self.end_idle_time(now);
        if self
            .parameters
            .length
            .is_some_and(|length| backlog.0 > length.0 * CELL_OCTETS)
        {
            self.change(now, self.parameters.increment);
        }
        match (
            self.stream.uniform() < self.probability,
            self.parameters.ecn,
        ) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Mark,
            (true, false) => Verdict::Drop,
        }
    }

    fn on_overflow(&mut self, now: Time) {
        self.change(now, self.parameters.increment);
    }

    fn on_empty(&mut self, now: Time) {
        self.is_idle = true;
        self.change(now, -self.parameters.decrement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: BlueParameters = BlueParameters {
        increment: 0.02,
        decrement: 0.002,
        freeze_time: Span::from_ms(100),
        length: None,
        ecn: false,
    };
    const PACKET: Bytes = cells(32);
    const STANDING: Bytes = cells(1_000);

    /// The octets of so many cells.
    const fn cells(cells: u64) -> Bytes {
        Bytes(53 * cells)
    }

    fn blue(probability: f64) -> Blue {
        Blue {
            probability,
            is_idle: false,
            ..Blue::build(PARAMETERS, Stream::named(1, "blue"))
        }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-12,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn with_losses_all_the_time_everything_is_dropped_after_freeze_time_over_d1() {
        // 50 steps of 0.02, 100 ms apart.
        let mut blue = blue(0.0);
        let reached = (0..10_000).find(|&ms| {
            blue.on_overflow(at(ms));
            blue.probability >= 1.0 - 1e-9
        });
        // The first change is immediate.
        assert_eq!(reached, Some(4_900));
    }

    #[test]
    fn no_two_changes_come_within_a_freeze_time() {
        let mut blue = blue(0.5);
        for (ms, expected) in [(0, 0.52), (50, 0.52), (99, 0.52), (100, 0.54)] {
            blue.on_overflow(at(ms));
            assert_near(blue.probability, expected);
        }
        blue.on_empty(at(199));
        assert_near(blue.probability, 0.54);
        blue.on_empty(at(200));
        assert_near(blue.probability, 0.538);
    }

    #[test]
    fn each_freeze_time_of_idle_time_lowers_the_probability_once() {
        let mut blue = blue(0.5);
        blue.on_empty(at(1_000));
        assert_near(blue.probability, 0.498);
        // Frozen until 1.1 s; then changes at 1.1, 1.2 and 1.3 s.
        blue.on_arrival(at(1_350), cells(0), PACKET);
        assert_near(blue.probability, 0.492);
        assert_eq!(blue.frozen_until, at(1_400));
        // The line is busy: no decrease.
        blue.on_arrival(at(9_000), cells(1), PACKET);
        assert_near(blue.probability, 0.492);
        blue.on_empty(at(9_000));
        blue.on_arrival(at(900_000), cells(0), PACKET);
        assert_near(blue.probability, 0.0);
    }

    #[test]
    fn a_backlog_above_the_length_counts_as_a_loss() {
        let mut blue = blue(0.0);
        blue.parameters.length = Some(Cells(100));
        blue.on_arrival(at(0), cells(100), PACKET);
        assert_near(blue.probability, 0.0);
        blue.on_arrival(at(1), cells(101), PACKET);
        assert_near(blue.probability, 0.02);
    }

    #[test]
    fn the_probability_does_not_depend_on_the_queue() {
        for backlog in [cells(0), STANDING] {
            let mut blue = blue(0.25);
            let n = 100_000;
            let drops = (0..n)
                .filter(|_| blue.on_arrival(Time::ZERO, backlog, PACKET) == Verdict::Drop)
                .count();
            // Four standard errors of √(0.25·0.75/n).
            let found = drops as f64 / f64::from(n);
            assert!((found - 0.25).abs() < 0.005_5, "{found}");
        }
    }

    #[test]
    fn with_ecn_a_mark_stands_for_a_drop() {
        let mut blue = blue(1.0);
        blue.parameters.ecn = true;
        assert_eq!(blue.on_arrival(at(0), STANDING, PACKET), Verdict::Mark);
    }
}
