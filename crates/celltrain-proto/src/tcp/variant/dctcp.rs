//! DCTCP: the window is reduced in proportion to the part of the data that queues have marked.
//!
//! ```text
//! each window of data:  alpha = (1 - gain) alpha + gain x octets acknowledged with a mark / octets acknowledged
//! a mark:               cwnd = cwnd (1 - alpha / 2), once in a window of data
//! ```
//!
//! Growth and the reaction to losses are the standard's. The receiver reports exactly which data were marked
//! ([`ReceiverConfig::echoes_exactly`](crate::tcp::ReceiverConfig)), and both ends use ECN.
//!
//! Source: RFC 8257 3.2 to 3.5. Not modelled: ECN-capable SYNs and pure acknowledgments.

use super::congestion_control::Event;
use super::facts::{ControlOptions, Facts};
use super::law::{MakeLaw, WindowLaw};
use super::window::Window;
use crate::parameters::Bounds;

parameters! {
    /// The parameters of DCTCP.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct DctcpParameters {
        /// The weight of the newest window of data in the estimate (g).
        pub gain: f64 = 0.0625, in Bounds::PART;
        /// The estimate before the first mark.
        pub initial_alpha: f64 = 1.0, in Bounds::PART;
    }
}

/// DCTCP.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Dctcp {
    gain: f64,
    /// The estimate of the part of the data that is marked.
    alpha: f64,
    /// Octets acknowledged in the present window of data, and those of them with a mark.
    acknowledged: u64,
    marked: u64,
    /// The octet behind that window.
    end: u64,
}

impl MakeLaw for Dctcp {
    type Parameters = DctcpParameters;
    const FACTS: Facts = Facts {
        needs_exact_marks: true,
        ..Facts::LAW
    };

    fn new(parameters: &DctcpParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self {
            gain: parameters.gain,
            alpha: parameters.initial_alpha,
            acknowledged: 0,
            marked: 0,
            end: 0,
        }
    }
}

impl WindowLaw for Dctcp {
    fn on_echo(&mut self, acked: u64, is_marked: bool, event: &Event) {
        self.acknowledged += acked;
        self.marked += if is_marked { acked } else { 0 };
        if event.snd_una + acked <= self.end {
            return;
        }
        let part = self.marked as f64 / self.acknowledged as f64;
        self.alpha += self.gain * (part - self.alpha);
        (self.acknowledged, self.marked) = (0, 0);
        self.end = event.snd_max;
    }

    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        let in_use = window.in_use(event.flight());
        let reduced = (in_use as f64 * (1.0 - self.alpha / 2.0)) as u64;
        window.ssthresh = reduced.max(2 * window.mss);
        window.cwnd = reduced.max(window.mss);
        window.clear_credit();
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    fn dctcp(segments: u64) -> Drive<Dctcp> {
        let parameters = DctcpParameters {
            gain: 0.0625,
            initial_alpha: 1.0,
        };
        Drive::new(&parameters, segments)
    }

    /// Acknowledges windows of ten segments, of which the first `marked` are marked.
    fn windows(drive: &mut Drive<Dctcp>, count: u64, marked: u64) {
        for window in 0..count {
            for segment in 0..10 {
                let snd_una = (10 * window + segment) * MSS;
                let event = Event {
                    snd_una,
                    snd_max: snd_una + 10 * MSS,
                    ..Event::default()
                };
                drive.law.on_echo(MSS, segment < marked, &event);
            }
        }
    }

    #[test]
    fn rfc_8257_3_3_alpha_follows_the_marked_part_by_a_sixteenth_each_window() {
        for marked in [0, 3, 10] {
            let mut drive = dctcp(10);
            windows(&mut drive, 50, marked);
            let part = marked as f64 / 10.0;
            // The first segment alone is the first window, of which all is marked, or nothing. The others end with the first
            // segment of the next ten.
            let first = if marked > 0 { 1.0 } else { 15.0 / 16.0 };
            let expected = part + (first - part) * (15.0_f64 / 16.0).powi(49);
            assert!((drive.law.alpha - expected).abs() < 1e-12, "{marked}");
        }
    }

    #[test]
    fn rfc_8257_3_3_a_mark_takes_half_of_alpha_off_the_window() {
        for (alpha, left) in [(1.0, 50), (0.5, 75), (0.1, 95)] {
            let mut drive = dctcp(100);
            drive.law.alpha = alpha;
            let event = drive.event(None, 100 * MSS);
            drive.law.on_ecn(&mut drive.window, &event);
            assert_eq!(drive.window.cwnd / MSS, left, "{alpha}");
            assert_eq!(drive.window.ssthresh, drive.window.cwnd);
        }
    }

    #[test]
    fn rfc_8257_3_5_a_loss_halves_the_window_whatever_alpha_is() {
        let mut drive = dctcp(100);
        drive.law.alpha = 0.1;
        drive.lose();
        assert_eq!(drive.window.cwnd, 50 * MSS);
    }
}
