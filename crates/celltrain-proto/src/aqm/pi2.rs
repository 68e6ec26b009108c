//! PI2: a linear controller of the queueing delay whose output is squared to give the drop probability.
//!
//! ```text
//! each T:    p' += α·(d - target) + β·(d - d_old), kept in [0, √p_max]
//! arrival:   drop with probability p'², as two random numbers are both below p'
//! ```
//!
//! The window of a TCP that halves it on a loss is proportional to 1/√p, so with the square the loop gain is the same
//! at every load: PIE's table of gains is not needed, and the gains can be 2.5 times as large. It measures the queueing
//! delay, given by its owner. Source: K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for
//! both Classic and Scalable TCP", ACM `CoNEXT` 2016: the linear controller, the square, and the parameters of its
//! evaluation (α = 5/16, β = 50/16, T = 32 ms, target 20 ms). The maximum probability is `p_Cmax` of RFC 9332, Appendix
//! A.1, which uses PI2 as its Classic part; its second queue and the coupling are not modelled. Where these are silent:
//! an arrival after less than two packets passes, as in RFC 8033, section 4.1, and a late update postpones those after
//! it.

use super::manager::{Manager, QueueManager};
use super::verdict::Verdict;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, Span, Time};

parameters! {
    /// The parameters of [`Pi2`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Pi2Parameters {
        /// Target queueing delay.
        pub target: Span = Span::from_ms(20), in Bounds::POSITIVE;
        /// Time between two updates of the probability.
        pub update: Span = Span::from_ms(32), in Bounds::INTERVAL;
        /// Gain of the deviation from the target, in 1/s.
        pub alpha: f64 = 0.3125;
        /// Gain of the increase of the delay, in 1/s.
        pub beta: f64 = 3.125;
        /// The maximum drop probability; load beyond it is left to tail drop.
        pub max_probability: f64 = 0.25, in Bounds::PART;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
    }
}

/// PI2.
#[derive(Clone, Debug)]
pub struct Pi2 {
    parameters: Pi2Parameters,
    stream: Stream,
    next_update: Time,
    /// p': the root of the probability.
    root: f64,
    /// The queueing delay at the last update.
    delay: Span,
}

impl Manager for Pi2 {
    type Parameters = Pi2Parameters;
    const IS_RANDOM: bool = true;
    const NEEDS_RATE: bool = true;

    fn build(parameters: Pi2Parameters, stream: Stream) -> Self {
        Self {
            next_update: Time::ZERO.saturating_add(parameters.update),
            root: 0.0,
            delay: Span::ZERO,
            parameters,
            stream,
        }
    }
}

impl QueueManager for Pi2 {
    fn on_arrival(&mut self, _: Time, backlog: Bytes, one_packet: Bytes) -> Verdict {
        if backlog.0 < 2 * one_packet.0 {
            return Verdict::Pass;
        }
        let is_hit = self.stream.uniform().max(self.stream.uniform()) < self.root;
        match (is_hit, self.parameters.ecn) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Mark,
            (true, false) => Verdict::Drop,
        }
    }

    fn next_update(&self) -> Time {
        self.next_update
    }

    fn pass_idle_time(&mut self, now: Time) {
        let update = self.parameters.update;
        if self.root == 0.0 && self.delay == Span::ZERO && self.next_update < now {
            self.next_update += update * (now - self.next_update).div_floor(update);
        }
    }

    fn on_update(&mut self, now: Time, delay: Span) {
        let Pi2Parameters {
            target,
            update,
            alpha,
            beta,
            max_probability,
            ..
        } = self.parameters;
        let before = core::mem::replace(&mut self.delay, delay).as_secs();
        let delay = delay.as_secs();
        let change = alpha * (delay - target.as_secs()) + beta * (delay - before);
        self.root = (self.root + change).clamp(0.0, libm::sqrt(max_probability));
        self.next_update = now.saturating_add(update);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: Pi2Parameters = Pi2Parameters {
        target: Span::from_ms(20),
        update: Span::from_ms(32),
        alpha: 0.3125,
        beta: 3.125,
        max_probability: 0.25,
        ecn: false,
    };
    const PACKET: Bytes = cells(32);
    const STANDING: Bytes = cells(1_000);

    /// The octets of so many cells.
    const fn cells(cells: u64) -> Bytes {
        Bytes(53 * cells)
    }

    fn pi2(root: f64, delay_ms: u64) -> Pi2 {
        Pi2 {
            root,
            delay: Span::from_ms(delay_ms),
            ..Pi2::build(PARAMETERS, Stream::named(1, "pi2"))
        }
    }

    impl Pi2 {
        fn update(&mut self, delay: Span) -> f64 {
            self.on_update(self.next_update, delay);
            self.root
        }
    }

    #[test]
    fn the_root_follows_distance_and_growth_with_the_same_gain_everywhere() {
        // (p', d_old, d, resulting p'), delays in ms, computed by hand.
        let table = [
            (0.1, 20, 20, 0.1),         // at the target and at rest
            (0.1, 30, 30, 0.103_125),   // 0.3125·0.010
            (0.001, 30, 30, 0.004_125), // the same step where PIE's would be a 128th
            (0.1, 30, 40, 0.137_5),     // 0.3125·0.020 + 3.125·0.010
            (0.1, 40, 20, 0.037_5),     // 3.125·(-0.020)
            (0.01, 0, 0, 0.003_75),     // 0.3125·(-0.020)
            (0.001, 0, 0, 0.0),
            (0.49, 500, 500, 0.5), // √0.25
        ];
        for (root, before, delay, expected) in table {
            let found = pi2(root, before).update(Span::from_ms(delay));
            assert!(
                (found - expected).abs() < 1e-12,
                "{root} {before} {delay}: {found}"
            );
        }
    }

    #[test]
    fn a_drop_has_the_square_of_the_root_as_its_probability() {
        for root in [0.1, 0.3, 0.5] {
            let mut pi2 = pi2(root, 20);
            let n = 100_000;
            let drops = (0..n)
                .filter(|_| pi2.on_arrival(Time::ZERO, STANDING, PACKET) == Verdict::Drop)
                .count();
            let probability = root * root;
            // Four standard errors.
            let error = 4.0 * libm::sqrt(probability * (1.0 - probability) / f64::from(n));
            let found = drops as f64 / f64::from(n);
            assert!((found - probability).abs() < error, "{root}: {found}");
        }
    }

    #[test]
    fn an_arrival_behind_less_than_two_packets_passes() {
        let drops = |backlog| {
            let mut pi2 = pi2(0.5, 20);
            (0..100).any(|_| pi2.on_arrival(Time::ZERO, backlog, PACKET) == Verdict::Drop)
        };
        assert!(!drops(cells(63)));
        assert!(drops(cells(64)));
    }

    #[test]
    fn with_ecn_a_mark_stands_for_a_drop() {
        let mut pi2 = pi2(0.5, 20);
        pi2.parameters.ecn = true;
        let mut verdicts = (0..100).map(|_| pi2.on_arrival(Time::ZERO, STANDING, PACKET));
        assert!(verdicts.any(|verdict| verdict == Verdict::Mark));
        assert!(verdicts.all(|verdict| verdict != Verdict::Drop));
    }

    /// Delay in ms and p' at which `n` flows settle in the paper's fluid model, at 1000 packets a second and 50 ms: W'
    /// = 1/R - W²·p/(2·R), and the queue grows by n·W/R - C, with R = 50 ms plus its delay.
    fn at_rest(n: f64) -> (f64, f64) {
        let (capacity, base, step) = (1_000.0, 0.050, 0.001);
        let (mut window, mut queue, mut pi2) = (10.0_f64, 0.0_f64, pi2(0.0, 0));
        for tick in 0..200_000 {
            let delay = queue / capacity;
            let rtt = base + delay;
            if tick % 32 == 0 {
                pi2.update(Span::from_secs_f64(delay));
            }
            let p = pi2.root * pi2.root;
            window += step * (1.0 - window * window * p / 2.0) / rtt;
            queue = (queue + step * (n * window / rtt - capacity)).max(0.0);
        }
        (1e3 * queue / capacity, pi2.root)
    }

    #[test]
    fn the_delay_of_reno_flows_comes_to_rest_at_the_target_whatever_their_number() {
        for n in [2.0, 10.0, 20.0] {
            let (delay, root) = at_rest(n);
            assert!((delay - 20.0).abs() < 0.2, "{n} flows: {delay} ms");
            // p = 2/W² and n·W = C·R, R = 70 ms.
            let expected = libm::sqrt(2.0) * n / 70.0;
            assert!((root / expected - 1.0).abs() < 0.02, "{n} flows: {root}");
        }
    }

    #[test]
    fn beyond_its_largest_probability_the_delay_grows_with_the_flows() {
        // W = √(2/0.25), so that R = 30·W/C = 84.85 ms.
        let (delay, root) = at_rest(30.0);
        assert!((delay - 34.85).abs() < 0.1, "{delay} ms");
        assert!((root - 0.5).abs() < 1e-12);
    }
}
