//! Illinois: losses determine whether the window grows or shrinks, the queueing delay by how much.
//!
//! ```text
//! each round trip:  cwnd += alpha      a loss:  cwnd = (1 - beta) cwnd
//! alpha = alpha_max                    if the delay is at most d1,
//!         k1 / (k2 + delay)            above d1, with alpha_min at the largest delay
//! beta  = beta_min                     if the delay is at most d2,
//!         k3 + k4 delay                between d2 and d3,
//!         beta_max                     from d3 on
//! ```
//!
//! d1, d2 and d3 are 1, 10 and 80 % of the largest queueing delay seen; alpha lies between 0.3 and 10 segments, beta
//! between 1/8 and 1/2. After a delay above d1, alpha returns to its maximum only when the delay has been at most d1 for
//! five round trips. With a window below 15 segments both are the standard's. Illinois measures the mean round-trip time
//! of each round, and the minimum and maximum of the connection.
//!
//! Source: S. Liu, T. Başar, R. Srikant, "TCP-Illinois: A loss- and delay-based congestion control algorithm for high-speed
//! networks", Performance Evaluation 65(6-7), June 2008, section 2.

use super::congestion_control::Event;
use super::facts::ControlOptions;
use super::fraction::Fraction;
use super::law::{self, MakeLaw, NoParameters, WindowLaw};
use super::round::Round;
use super::window::Window;
use crate::units::Span;

const ALPHA_MIN: f64 = 0.3;
const ALPHA_MAX: f64 = 10.0;
const BETA_MIN: f64 = 0.125;
const BETA_MAX: f64 = 0.5;
/// d1, d2 and d3 as fractions of the largest queueing delay (eta).
const PARTS: [f64; 3] = [0.01, 0.1, 0.8];
/// Round trips with a small delay before alpha returns to its maximum (theta).
const PATIENCE: u32 = 5;
/// Window in segments below which alpha and beta are the standard's (`W_thresh`).
const SMALL_WINDOW: u64 = 15;

/// Illinois.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Illinois {
    alpha: f64,
    beta: f64,
    /// The minimum and maximum round-trip time of the connection.
    extremes: Option<[Span; 2]>,
    round: Round,
    /// Sum of this round's round-trip times in seconds, and their number.
    sum: (f64, u32),
    /// Whether the delay has been above d1 since alpha was last at its maximum, and the number of rounds below d1 since.
    was_above: bool,
    rounds_below: u32,
    fraction: Fraction,
}

impl MakeLaw for Illinois {
    type Parameters = NoParameters;

    fn new(_: &NoParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self {
            alpha: 1.0,
            beta: BETA_MAX,
            extremes: None,
            round: Round::default(),
            sum: (0.0, 0),
            was_above: false,
            rounds_below: 0,
            fraction: Fraction::default(),
        }
    }
}

/// Growth per round trip in segments at a queueing delay of `delay`; `largest` is the largest seen.
fn alpha(delay: f64, largest: f64) -> f64 {
    let d1 = PARTS[0] * largest;
    if delay <= d1 {
        return ALPHA_MAX;
    }
    let span = (largest - d1) * ALPHA_MIN / (ALPHA_MAX - ALPHA_MIN);
    (span * ALPHA_MAX / (span - d1 + delay)).max(ALPHA_MIN)
}

/// The fraction of the window removed at a loss, at a queueing delay of `delay`; `largest` is the largest seen.
fn beta(delay: f64, largest: f64) -> f64 {
    let [_, d2, d3] = PARTS.map(|part| part * largest);
    if delay <= d2 {
        BETA_MIN
    } else if delay < d3 {
        (BETA_MIN * d3 - BETA_MAX * d2 + (BETA_MAX - BETA_MIN) * delay) / (d3 - d2)
    } else {
        BETA_MAX
    }
}

impl Illinois {
    /// Sets alpha and beta at the end of a round.
    fn adapt(&mut self, window: &Window) {
        let (sum, count) = core::mem::take(&mut self.sum);
        let Some([least, longest]) = self.extremes.filter(|_| count > 0) else {
            return;
        };
        if window.cwnd < SMALL_WINDOW * window.mss {
            (self.alpha, self.beta) = (1.0, BETA_MAX);
            return;
        }
        let delay = (sum / f64::from(count) - least.as_secs()).max(0.0);
        let largest = (longest - least).as_secs();
        self.beta = beta(delay, largest);
        if delay > PARTS[0] * largest {
            self.was_above = true;
            self.rounds_below = 0;
            self.alpha = alpha(delay, largest);
            return;
        }
        self.rounds_below += 1;
        if !self.was_above || self.rounds_below >= PATIENCE {
            self.was_above = false;
            self.alpha = ALPHA_MAX;
        }
    }
}

impl WindowLaw for Illinois {
    fn measure(&mut self, window: &Window, event: &Event) {
        if let Some(rtt) = event.rtt {
            let [least, longest] = self.extremes.unwrap_or([rtt; 2]);
            self.extremes = Some([least.min(rtt), longest.max(rtt)]);
            self.sum = (self.sum.0 + rtt.as_secs(), self.sum.1 + 1);
        }
        if self.round.ends(event) {
            self.adapt(window);
        }
    }

    fn reduce(&mut self, window: &mut Window, event: &Event) {
        let left = window.in_use(event.flight()) as f64 * (1.0 - self.beta);
        window.ssthresh = (left as u64).max(2 * window.mss);
    }

    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        law::reduce_to_threshold(self, window, event);
    }

    /// After a time-out, growth starts as the standard's.
    fn on_timeout(&mut self, window: &mut Window, event: &Event, is_repairing: bool) {
        law::restart(self, window, event, is_repairing);
        (self.alpha, self.beta) = (1.0, BETA_MAX);
    }

    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        if !event.is_cwnd_limited {
            return;
        }
        self.fraction.grow(window, acked, limit, self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    const BASE: Span = Span::from_ms(100);

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn growth_falls_with_the_delay_along_a_hyperbola() {
        // With a largest delay of 100 ms: d1 = 1 ms, k1 = 99 x 3 / 9.7 = 30.6186, k2 = 99 x 0.3 / 9.7 - 1 = 2.0619.
        for (delay, expected) in [
            (0.0, 10.0),
            (1.0, 10.0),
            (10.0, 2.538_461_5),
            (50.0, 0.588_118_8),
            (100.0, 0.3),
        ] {
            assert_near(alpha(delay, 100.0), expected);
        }
    }

    #[test]
    fn what_a_loss_takes_grows_with_the_delay_along_a_line() {
        // From 1/8 at 10 ms to 1/2 at 80 ms.
        for (delay, expected) in [
            (0.0, 0.125),
            (10.0, 0.125),
            (45.0, 0.3125),
            (80.0, 0.5),
            (100.0, 0.5),
        ] {
            assert_near(beta(delay, 100.0), expected);
        }
    }

    /// A connection with 100 segments that has seen round trips of 100 and 200 ms, then rounds of `rtt`.
    fn illinois(rtt: u64) -> Drive<Illinois> {
        let mut drive = Drive::<Illinois>::new(&NoParameters {}, 100);
        drive.ack(BASE);
        drive.ack(Span::from_ms(200));
        for _ in 0..3 {
            drive.round(Span::from_ms(rtt));
            drive.window.cwnd = 100 * MSS;
        }
        drive
    }

    #[test]
    fn a_round_trip_adds_alpha_and_a_loss_takes_beta() {
        let mut drive = illinois(150);
        drive.round(Span::from_ms(150));
        let growth = drive.segments() - 100.0;
        assert!((growth - 0.588).abs() < 0.02, "{growth}");
        drive.window.cwnd = 100 * MSS;
        drive.lose();
        // 1/8 + 3/8 x 40 / 70.
        assert!(
            (drive.segments() - (100.0 - 33.93)).abs() < 0.1,
            "{}",
            drive.segments()
        );
    }

    #[test]
    fn after_a_queue_the_largest_growth_waits_for_five_rounds_without_one() {
        let mut drive = illinois(150);
        let rounds = (1..20).find(|_| {
            drive.window.cwnd = 100 * MSS;
            drive.round(BASE);
            drive.law.alpha > 9.0
        });
        // The round that began with the queue counts as the first.
        assert!(rounds.is_some_and(|it| (5..=6).contains(&it)), "{rounds:?}");
    }

    #[test]
    fn a_small_window_is_the_standards() {
        let mut drive = Drive::<Illinois>::new(&NoParameters {}, 14);
        drive.ack(BASE);
        for _ in 0..4 {
            drive.window.cwnd = 14 * MSS;
            drive.round(BASE);
        }
        assert_eq!((drive.law.alpha, drive.law.beta), (1.0, 0.5));
        drive.window.cwnd = 14 * MSS;
        drive.lose();
        assert_eq!(drive.window.cwnd, 7 * MSS);
    }
}
