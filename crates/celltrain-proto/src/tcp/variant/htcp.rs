//! H-TCP: growth increases with the time since the last loss, and the delay determines the reduction at a loss.
//!
//! ```text
//! alpha = 1                                     up to one second after a loss
//! alpha = 1 + 10 (t - 1) + ((t - 1) / 2)^2      t seconds after it
//! each round trip:  cwnd += 2 (1 - beta) alpha
//! a loss:           cwnd = beta cwnd,  beta = RTTmin / RTTmax, between 0.5 and 0.8,
//!                   but 0.5 if the throughput has changed by more than a fifth since the last loss
//! ```
//!
//! Connections with large windows thus need no more time between losses than others, and a loss just empties the queue.
//! H-TCP measures the time since the last loss, the minimum round-trip time of the connection, the maximum since the last
//! loss, and the throughput before a loss (window by round-trip time).
//!
//! Source: D. Leith, R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", `PFLDnet` 2004; for the constants,
//! draft-leith-tcp-htcp-06 3. Not modelled: scaling of alpha by the round-trip time, an option there.

use super::congestion_control::Event;
use super::facts::ControlOptions;
use super::fraction::Fraction;
use super::law::{self, MakeLaw, NoParameters, WindowLaw};
use super::window::Window;
use crate::units::{Span, Time};

/// Time after a loss for which the window grows as the standard's, in s.
const STANDARD_S: f64 = 1.0;
/// Minimum and maximum of beta, the part of the window that a loss leaves.
const BETA: [f64; 2] = [0.5, 0.8];
/// Relative change of the throughput from one loss to the next above which beta is the minimum.
const CHANGE: f64 = 0.2;

/// H-TCP.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct HTcp {
    /// Time of the last reduction; before the first one, time of the first acknowledgment.
    reduced: Option<Time>,
    beta: f64,
    /// The minimum round-trip time of the connection.
    least: Option<Span>,
    /// The maximum round-trip time since the last reduction, and the newest.
    longest: Option<Span>,
    newest: Option<Span>,
    /// Throughput before the last reduction, in octets/s.
    throughput: Option<f64>,
    fraction: Fraction,
}

impl MakeLaw for HTcp {
    type Parameters = NoParameters;

    fn new(_: &NoParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self {
            reduced: None,
            beta: BETA[0],
            least: None,
            longest: None,
            newest: None,
            throughput: None,
            fraction: Fraction::default(),
        }
    }
}

/// Growth per round trip in segments `t` seconds after a loss, before the factor for beta.
fn alpha(t: f64) -> f64 {
    let since = (t - STANDARD_S).max(0.0);
    1.0 + 10.0 * since + (since / 2.0) * (since / 2.0)
}

impl HTcp {
    /// Updates beta at a loss, with `in_use` octets of the window in use.
    fn adapt(&mut self, in_use: u64) {
        let before = self.throughput;
        self.throughput = self.newest.map(|rtt| in_use as f64 / rtt.as_secs());
        let is_steady = before
            .zip(self.throughput)
            .is_some_and(|(before, now)| (now - before).abs() <= CHANGE * before);
        self.beta = match self.least.zip(self.longest).filter(|_| is_steady) {
            Some((least, longest)) => (least.as_secs() / longest.as_secs()).clamp(BETA[0], BETA[1]),
            None => BETA[0],
        };
        self.longest = None;
    }
}

impl WindowLaw for HTcp {
    fn measure(&mut self, _: &Window, event: &Event) {
        let both = |one: Option<Span>| [one, event.rtt].into_iter().flatten();
        self.least = both(self.least).min();
        self.longest = both(self.longest).max();
        self.newest = event.rtt.or(self.newest);
    }

    fn reduce(&mut self, window: &mut Window, event: &Event) {
        let in_use = window.in_use(event.flight());
        self.adapt(in_use);
        self.reduced = Some(event.now);
        window.ssthresh = ((in_use as f64 * self.beta) as u64).max(2 * window.mss);
    }

    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        law::reduce_to_threshold(self, window, event);
    }

    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        let reduced = *self.reduced.get_or_insert(event.now);
        if !event.is_cwnd_limited {
            return;
        }
        let increment = 2.0 * (1.0 - self.beta) * alpha((event.now - reduced).as_secs());
        self.fraction.grow(window, acked, limit, increment);
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    const RTT: Span = Span::from_ms(100);

    fn htcp(segments: u64) -> Drive<HTcp> {
        Drive::new(&NoParameters {}, segments)
    }

    #[test]
    fn alpha_is_a_function_of_the_time_since_the_last_loss() {
        // 1 + 10 (t - 1) + (t - 1)^2 / 4.
        for (t, expected) in [
            (0.0, 1.0),
            (1.0, 1.0),
            (1.5, 6.0625),
            (2.0, 11.25),
            (3.0, 22.0),
            (11.0, 126.0),
        ] {
            assert!((alpha(t) - expected).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn the_window_grows_by_alpha_in_a_round_trip() {
        let mut drive = htcp(1_000);
        drive.ack(RTT);
        // Three seconds after the start: 2 (1 - 1/2) alpha(3 s .. 3.1 s) = 22 to 23.
        drive.now += Span::from_ms(3_000);
        let before = drive.segments();
        drive.round(RTT);
        let growth = drive.segments() - before;
        assert!((21.5..23.5).contains(&growth), "{growth}");
        // A loss restarts the time.
        drive.lose();
        let before = drive.segments();
        drive.round(RTT);
        let growth = drive.segments() - before;
        assert!((growth - 1.0).abs() < 0.01, "{growth}");
    }

    #[test]
    fn a_loss_leaves_the_ratio_of_the_least_and_the_longest_round_trip_between_a_half_and_four_fifths()
     {
        for (longest, left) in [(110, 80), (160, 62), (400, 50)] {
            let mut drive = htcp(100);
            drive.ack(RTT);
            // At the first loss there is no throughput to compare with.
            drive.window.cwnd = 100 * MSS;
            drive.ack(Span::from_ms(longest));
            drive.window.cwnd = 100 * MSS;
            drive.lose();
            assert_eq!(drive.window.cwnd, 50 * MSS);
            drive.ack(Span::from_ms(longest));
            drive.window.cwnd = 100 * MSS;
            drive.lose();
            assert_eq!(drive.window.cwnd / MSS, left, "{longest}");
        }
    }

    #[test]
    fn a_throughput_that_has_changed_by_more_than_a_fifth_makes_a_loss_leave_half() {
        for (second, left) in [(121, 60), (119, 95), (79, 39), (81, 64)] {
            let mut drive = htcp(100);
            drive.ack(RTT);
            let rtt = Span::from_ms(125);
            for segments in [100, second] {
                drive.window.cwnd = segments * MSS;
                drive.ack(rtt);
                drive.window.cwnd = segments * MSS;
                drive.lose();
            }
            assert_eq!(drive.window.cwnd / MSS, left, "{second}");
        }
    }
}
