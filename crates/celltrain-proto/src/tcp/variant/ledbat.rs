//! LEDBAT: the window keeps the queueing delay at its target, and yields to flows that fill the queue further.
//!
//! ```text
//! queueing delay = minimum of the last four round-trip times - minimum of the last ten minutes
//! each acknowledgment:  cwnd += gain (target - queueing delay) / target x octets acknowledged x mss / cwnd,
//!                       at most a segment more than was outstanding
//! a loss:               half of the window, once in a round trip
//! a time-out:           one segment
//! ```
//!
//! There is no slow start: far below its target, with a gain of 1, the window grows as in standard congestion avoidance.
//! Round-trip times replace the RFC's one-way delays, which TCP cannot measure without synchronized clocks, so queues on
//! the return path count too.
//!
//! Source: RFC 6817 2.4.2, 2.5, 3.4 to 3.6; for round trips, RFC 9840 and the drafts of LEDBAT++.

use super::congestion_control::Event;
use super::facts::{ControlOptions, Facts};
use super::fraction::Fraction;
use super::law::{MakeLaw, WindowLaw};
use super::window::Window;
use crate::parameters::Bounds;
use crate::units::{Span, Time};

/// Number of samples whose minimum is the current delay (`CURRENT_FILTER`).
const CURRENT: usize = 4;
/// Number of minutes whose minimum is the delay of the empty path (`BASE_HISTORY`).
const MINUTES: usize = 10;
/// The minimum window (`MIN_CWND`), and the excess allowed over the outstanding data (`ALLOWED_INCREASE`), in segments.
const LEAST_SEGMENTS: u64 = 2;
const ALLOWED_SEGMENTS: u64 = 1;

parameters! {
    /// The parameters of LEDBAT.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct LedbatParameters {
        /// Target queueing delay.
        pub target: Span = Span::from_ms(100), in Bounds::at_most(Span::from_ms(100));
        /// Segments by which the window grows in a round trip without a queue.
        pub gain: f64 = 1.0, in Bounds::PART;
    }
    |it| Bounds::POSITIVE.check("target", &it.target)
}

/// LEDBAT.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Ledbat {
    parameters: LedbatParameters,
    delays: Delays,
    fraction: Fraction,
}

/// The round-trip times in use.
#[derive(Clone, Debug, Default)]
struct Delays {
    /// The last samples, newest at the end.
    current: [Option<Span>; CURRENT],
    /// The minimum of each minute, the current minute at the end.
    minutes: [Option<Span>; MINUTES],
    /// Number of the current minute.
    minute: u64,
}

impl Delays {
    fn add(&mut self, now: Time, rtt: Span) {
        self.current.rotate_left(1);
        self.current[CURRENT - 1] = Some(rtt);
        let minute = (now - Time::ZERO).div_floor(Span::from_secs(60));
        let passed = (minute - self.minute).min(MINUTES as u64) as usize;
        self.minute = minute;
        self.minutes.rotate_left(passed);
        self.minutes[MINUTES - passed..].fill(None);
        let present = &mut self.minutes[MINUTES - 1];
        *present = Some(present.map_or(rtt, |least| least.min(rtt)));
    }

    /// The queueing delay; none without a sample.
    fn queueing(&self) -> Option<Span> {
        let current = self.current.iter().flatten().min()?;
        let base = self.minutes.iter().flatten().min()?;
        Some(current.saturating_sub(*base))
    }
}

impl MakeLaw for Ledbat {
    type Parameters = LedbatParameters;
    const FACTS: Facts = Facts {
        has_own_slow_start: true,
        ..Facts::LAW
    };

    fn new(parameters: &LedbatParameters, _: &ControlOptions, window: &mut Window) -> Self {
        // It is never in slow start.
        window.ssthresh = window.ssthresh.min(window.cwnd);
        Self {
            parameters: *parameters,
            delays: Delays::default(),
            fraction: Fraction::default(),
        }
    }
}

impl WindowLaw for Ledbat {
    fn measure(&mut self, _: &Window, event: &Event) {
        if let Some(rtt) = event.rtt {
            self.delays.add(event.now, rtt);
        }
    }

    fn reduce(&mut self, window: &mut Window, event: &Event) {
        window.ssthresh = (window.in_use(event.flight()) / 2).max(LEAST_SEGMENTS * window.mss);
    }

    fn on_ack(&mut self, window: &mut Window, acked: u64, _: u64, event: &Event) {
        let Some(queueing) = self.delays.queueing() else {
            return;
        };
        let least = LEAST_SEGMENTS * window.mss;
        let target = self.parameters.target.as_secs();
        let off_target = (target - queueing.as_secs()) / target;
        let share = acked as f64 / window.cwnd as f64;
        let octets = self.parameters.gain * off_target * share * window.mss as f64;
        self.fraction.add(window, octets, least);
        let outstanding = event.flight() + acked;
        let allowed = outstanding + ALLOWED_SEGMENTS * window.mss;
        window.cwnd = window.cwnd.min(allowed.max(least));
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    const PARAMETERS: LedbatParameters = LedbatParameters {
        target: Span::from_ms(100),
        gain: 1.0,
    };
    const BASE: Span = Span::from_ms(50);

    /// A connection with 20 segments that has seen a round trip of 50 ms, then only `rtt`.
    fn ledbat(parameters: &LedbatParameters, rtt: Span) -> Drive<Ledbat> {
        let mut drive = Drive::new(parameters, 20);
        drive.ack(BASE);
        for _ in 0..CURRENT {
            drive.ack(rtt);
        }
        drive.window.cwnd = 20 * MSS;
        drive
    }

    #[test]
    fn rfc_6817_2_4_the_window_moves_by_how_far_the_delay_is_off_target() {
        for (queueing, gain, change) in [
            (0, 1.0, 1.0),
            (50, 1.0, 0.5),
            (100, 1.0, 0.0),
            (150, 1.0, -0.5),
            (300, 1.0, -2.0),
            (50, 0.5, 0.25),
        ] {
            let parameters = LedbatParameters { gain, ..PARAMETERS };
            let rtt = BASE + Span::from_ms(queueing);
            let mut drive = ledbat(&parameters, rtt);
            drive.round(rtt);
            let found = drive.segments() - 20.0;
            // Tolerance: the divisor, cwnd, changes meanwhile.
            assert!((found - change).abs() < 0.12, "{queueing} {found}");
        }
    }

    #[test]
    fn rfc_6817_2_4_the_window_is_a_segment_above_what_was_outstanding_at_most_and_at_least_two() {
        let mut drive = ledbat(&PARAMETERS, BASE);
        let event = drive.event(Some(BASE), 4 * MSS);
        drive.law.on_ack(&mut drive.window, MSS, 0, &event);
        assert_eq!(drive.window.cwnd, 6 * MSS);
        for _ in 0..100 {
            drive.round(Span::from_ms(2_000));
        }
        assert_eq!(drive.window.cwnd, 2 * MSS);
    }

    #[test]
    fn rfc_6817_3_4_the_least_of_the_last_four_delays_counts() {
        let mut drive = ledbat(&PARAMETERS, BASE);
        for late in 1..=4 {
            let is_low = drive.law.delays.queueing() == Some(Span::ZERO);
            assert!(is_low, "{late}");
            drive.ack(Span::from_ms(150));
        }
        assert_eq!(drive.law.delays.queueing(), Some(Span::from_ms(100)));
    }

    #[test]
    fn rfc_6817_3_4_the_base_is_the_least_of_the_last_ten_minutes() {
        let mut delays = Delays::default();
        let at = |minute: u64| Time::ZERO + Span::from_secs(60 * minute);
        delays.add(at(3), BASE);
        for minute in 4..=20 {
            for _ in 0..CURRENT {
                delays.add(at(minute), BASE * 2);
            }
            let expected = if minute < 13 { BASE } else { Span::ZERO };
            assert_eq!(delays.queueing(), Some(expected), "{minute}");
        }
    }

    #[test]
    fn rfc_6817_2_4_a_loss_halves_the_window() {
        let mut drive = ledbat(&PARAMETERS, BASE);
        drive.lose();
        assert_eq!(drive.window.cwnd, 10 * MSS);
    }

    #[test]
    fn the_target_is_more_than_nothing_and_at_most_100_ms() {
        for (target, is_allowed) in [(0, false), (1, true), (100, true), (101, false)] {
            let parameters = LedbatParameters {
                target: Span::from_ms(target),
                ..PARAMETERS
            };
            assert_eq!(parameters.check().is_ok(), is_allowed, "{target}");
        }
    }
}
