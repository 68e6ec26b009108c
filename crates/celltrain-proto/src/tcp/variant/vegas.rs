//! Vegas: the window keeps a few segments of the connection in the bottleneck queue.
//!
//! ```text
//! expected = cwnd / BaseRTT     actual = cwnd / RTT     diff = (expected - actual) BaseRTT
//! once per round:  diff < alpha: cwnd += 1 segment;  diff > beta: cwnd -= 1 segment
//! slow start: the window doubles every other round, until diff > gamma
//! ```
//!
//! `diff` is the part of the window that waits in queues, in segments. Vegas measures the minimum round-trip time of the
//! connection (`BaseRTT`) and of each round. The latter replaces the RTT of the paper's distinguished segment, so that
//! delayed acknowledgments do not count.
//!
//! The reaction to a loss is the standard's. RACK, if enabled, replaces the paper's own retransmissions (part A).
//!
//! Source: L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8),
//! October 1995, parts B (congestion avoidance) and C (slow start). The defaults are those of Linux; the paper uses
//! 1 and 3, or 2 and 4.

use super::congestion_control::Event;
use super::facts::{ControlOptions, Facts};
use super::law::{MakeLaw, WindowLaw};
use super::round::Round;
use super::window::Window;
use crate::parameters::{Bounds, at_least};
use crate::units::Span;

parameters! {
    /// The parameters of Vegas.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct VegasParameters {
        /// Segments in queues below which the window grows.
        pub alpha: f64 = 2.0, in Bounds::above(0.0);
        /// Segments in queues above which the window shrinks.
        pub beta: f64 = 4.0;
        /// Segments in queues above which slow start ends.
        pub gamma: f64 = 1.0, in Bounds::above(0.0);
    }
    |it| at_least("beta", it.beta, "alpha", it.alpha)
}

/// Vegas.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Vegas {
    parameters: VegasParameters,
    /// `BaseRTT`.
    least: Option<Span>,
    round: Round,
    least_of_round: Option<Span>,
    /// In slow start: the window is constant in this round, so that expected and actual rate can be compared.
    is_comparing: bool,
}

impl MakeLaw for Vegas {
    type Parameters = VegasParameters;
    const FACTS: Facts = Facts {
        has_own_slow_start: true,
        ..Facts::LAW
    };

    fn new(parameters: &VegasParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self {
            parameters: *parameters,
            least: None,
            round: Round::default(),
            least_of_round: None,
            is_comparing: false,
        }
    }
}

impl Vegas {
    /// The segments that wait in queues (`diff`); none without a sample in this round.
    fn queued(&self, window: &Window) -> Option<f64> {
        let (least, rtt) = (self.least?.as_secs(), self.least_of_round?.as_secs());
        let segments = window.cwnd as f64 / window.mss as f64;
        Some(segments * (rtt - least) / rtt)
    }

    /// A round has ended in which the window limited the sender.
    fn adjust(&mut self, window: &mut Window) {
        let Some(queued) = self.queued(window) else {
            return;
        };
        if window.is_slow_start() {
            if self.is_comparing && queued > self.parameters.gamma {
                window.ssthresh = window.cwnd;
            }
            self.is_comparing = !self.is_comparing;
        } else if queued < self.parameters.alpha {
            window.cwnd = (window.cwnd + window.mss).min(window.max);
        } else if queued > self.parameters.beta {
            window.cwnd = (window.cwnd - window.mss).max(2 * window.mss);
            // A window below the threshold would be in slow start again.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }
}

impl WindowLaw for Vegas {
    fn measure(&mut self, _: &Window, event: &Event) {
        let least = |least: Option<Span>| [least, event.rtt].into_iter().flatten().min();
        self.least = least(self.least);
        self.least_of_round = least(self.least_of_round);
    }

    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        let is_over = self.round.ends(event);
        if !event.is_cwnd_limited {
            return;
        }
        if window.is_slow_start() && !self.is_comparing {
            window.grow_in_slow_start(acked, limit);
        }
        if is_over {
            self.adjust(window);
            self.least_of_round = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;
    use alloc::vec::Vec;

    const PARAMETERS: VegasParameters = VegasParameters {
        alpha: 2.0,
        beta: 4.0,
        gamma: 1.0,
    };
    const BASE: Span = Span::from_ms(100);

    /// A connection in congestion avoidance with a window of `segments`, which has measured a round trip of 100 ms.
    fn vegas(segments: u64) -> Drive<Vegas> {
        let mut drive = Drive::new(&PARAMETERS, segments);
        drive.ack(BASE);
        drive
    }

    #[test]
    fn between_alpha_and_beta_segments_in_the_queue_the_window_stays() {
        // Round-trip time, change of the window in a round; beside it cwnd (rtt - 100 ms) / rtt with 20 segments.
        for (rtt, change) in [
            (100, 1.0),  // none
            (111, 1.0),  // 1.98
            (112, 0.0),  // 2.14
            (124, 0.0),  // 3.87
            (126, -1.0), // 4.13
            (200, -1.0), // 10
        ] {
            let mut drive = vegas(20);
            // The sample of the base belongs to the first round.
            for _ in 0..2 {
                drive.round(Span::from_ms(rtt));
                drive.window.cwnd = 20 * MSS;
            }
            drive.round(Span::from_ms(rtt));
            assert!((drive.segments() - 20.0 - change).abs() < 1e-9, "{rtt}");
        }
    }

    #[test]
    fn slow_start_doubles_the_window_every_other_round() {
        let mut drive = vegas(2);
        drive.window.ssthresh = 1_000 * MSS;
        // The window at the end of each round.
        let mut windows = Vec::new();
        while windows.len() < 9 {
            let was_comparing = drive.law.is_comparing;
            drive.ack(BASE);
            if drive.law.is_comparing != was_comparing {
                windows.push(drive.window.cwnd / MSS);
            }
        }
        assert_eq!(windows, [4, 4, 8, 8, 16, 16, 32, 32, 64]);
    }

    #[test]
    fn slow_start_ends_with_more_than_gamma_segments_in_the_queue() {
        // 20 x 5 / 105 = 0.95; 20 x 6 / 106 = 1.13.
        for (rtt, ends) in [(105, false), (106, true)] {
            let mut drive = vegas(20);
            drive.window.ssthresh = 1_000 * MSS;
            drive.law.is_comparing = true;
            drive.law.least_of_round = None;
            // The acknowledgment that ends the round.
            for _ in 0..20 {
                drive.ack(Span::from_ms(rtt));
            }
            assert_eq!(!drive.window.is_slow_start(), ends, "{rtt}");
        }
    }

    #[test]
    fn the_thresholds_are_in_order() {
        let wrong = VegasParameters {
            beta: 1.0,
            ..PARAMETERS
        };
        let found = wrong.check().map_err(|it| (it.key, it.message));
        let message = "expected at least alpha, 2, found 1";
        assert_eq!(found, Err(("beta".into(), message.into())));
    }
}
