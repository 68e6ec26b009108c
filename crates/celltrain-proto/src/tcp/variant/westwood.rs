//! Westwood+: after a loss the window fills the path without a queue, at the measured bandwidth.
//!
//! ```text
//! every round trip:  BWE = 0.9 BWE + 0.1 d / T     d octets arrived in time T
//! a loss:            ssthresh = BWE RTTmin,  cwnd = ssthresh
//! a time-out:        ssthresh = BWE RTTmin,  cwnd = one segment
//! ```
//!
//! All other rules are the standard's. Losses without congestion, as on radio links, thus leave the window as it was.
//! Westwood+ measures the octets that have arrived, including those beyond holes, and the minimum round-trip time of the
//! connection.
//!
//! Source: L. A. Grieco, S. Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas TCP Congestion
//! Control", ACM Computer Communication Review 34(2), April 2004, section 2. Our choices where the paper is silent: the first
//! sample is the first estimate; without an estimate the window is halved; a loss never sets a threshold above the window
//! in use.

use super::congestion_control::Event;
use super::facts::ControlOptions;
use super::law::{self, MakeLaw, NoParameters, WindowLaw};
use super::window::Window;
use crate::units::{Span, Time};

/// Weight of the last estimate in the next.
const MEMORY: f64 = 0.9;

/// Westwood+.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct Westwood {
    /// `BWE` in octets per second.
    bandwidth: Option<f64>,
    /// When the current sample began, and the octets that had arrived then.
    begun: Option<(Time, u64)>,
    /// The last and the minimum round-trip time measured.
    rtt: Option<(Span, Span)>,
}

impl MakeLaw for Westwood {
    type Parameters = NoParameters;

    fn new(_: &NoParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self::default()
    }
}

impl Westwood {
    /// Octets that fill the path without a queue (`BWE RTTmin`).
    fn capacity(&self) -> Option<u64> {
        let least = self.rtt?.1.as_secs();
        Some((self.bandwidth? * least) as u64)
    }
}

impl WindowLaw for Westwood {
    fn measure(&mut self, _: &Window, event: &Event) {
        if let Some(rtt) = event.rtt {
            let least = self.rtt.map_or(rtt, |(_, least)| least.min(rtt));
            self.rtt = Some((rtt, least));
        }
        let (start, arrived) = *self.begun.get_or_insert((event.now, event.arrived));
        let took = event.now - start;
        if self.rtt.is_none_or(|(rtt, _)| took < rtt) || took == Span::ZERO {
            return;
        }
        let sample = event.arrived.saturating_sub(arrived) as f64 / took.as_secs();
        self.bandwidth = Some(
            self.bandwidth
                .map_or(sample, |last| MEMORY * last + (1.0 - MEMORY) * sample),
        );
        self.begun = Some((event.now, event.arrived));
    }

    fn reduce(&mut self, window: &mut Window, event: &Event) {
        let Some(capacity) = self.capacity() else {
            window.halve_for_loss(event.flight());
            return;
        };
        let in_use = window.in_use(event.flight());
        window.ssthresh = capacity.min(in_use).max(2 * window.mss);
    }

    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        law::reduce_to_threshold(self, window, event);
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    const RTT: Span = Span::from_ms(100);

    /// A connection with a window of `segments` that has been acknowledged for `rounds` round trips of `rtt`.
    fn westwood(segments: u64, rounds: u64, rtt: Span) -> Drive<Westwood> {
        let mut drive = Drive::new(&NoParameters {}, segments);
        // The minimum round-trip time.
        drive.ack(RTT);
        for _ in 0..rounds {
            drive.window.cwnd = segments * MSS;
            drive.round(rtt);
        }
        drive.window.cwnd = segments * MSS;
        drive
    }

    #[test]
    fn a_loss_leaves_what_fills_the_path_at_the_bandwidth_measured() {
        // 200 segments per second and 100 ms without a queue make 20 segments, however long the queue was.
        for (segments, rtt) in [(40, 200), (50, 250), (25, 125)] {
            let mut drive = westwood(segments, 200, Span::from_ms(rtt));
            drive.lose();
            assert!(
                (drive.segments() - 20.0).abs() < 0.5,
                "{}",
                drive.segments()
            );
            assert_eq!(drive.window.ssthresh, drive.window.cwnd);
        }
    }

    #[test]
    fn a_loss_without_a_queue_leaves_the_window_as_it_is() {
        let mut drive = westwood(40, 200, RTT);
        drive.lose();
        assert!(drive.segments() > 39.0, "{}", drive.segments());
    }

    #[test]
    fn an_estimate_keeps_nine_tenths_of_the_last() {
        let mut drive = westwood(40, 200, RTT);
        let before = drive.law.bandwidth.expect("measured");
        drive.window.cwnd = 20 * MSS;
        drive.round(RTT);
        let after = drive.law.bandwidth.expect("measured");
        let half = before / 2.0;
        // A sample may span both rates.
        assert!(
            (after - (0.9 * before + 0.1 * half)).abs() < 0.03 * before,
            "{before} {after}"
        );
    }

    #[test]
    fn what_the_receiver_holds_beyond_a_hole_counts_as_arrived() {
        let mut drive = westwood(40, 200, RTT);
        let before = drive.law.bandwidth.expect("measured");
        // In this round trip nothing is newly acknowledged, but the receiver holds 39 more segments.
        drive.now += RTT;
        let mut event = drive.event(None, 40 * MSS);
        event.arrived += 39 * MSS;
        drive.law.measure(&drive.window, &event);
        let after = drive.law.bandwidth.expect("measured");
        assert!((after / before - 1.0).abs() < 0.01, "{before} {after}");
    }

    #[test]
    fn without_an_estimate_the_window_is_halved() {
        let mut drive = Drive::<Westwood>::new(&NoParameters {}, 20);
        drive.lose();
        assert_eq!(drive.window.cwnd, 10 * MSS);
    }
}
