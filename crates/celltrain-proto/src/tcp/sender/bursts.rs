//! What leaves at once: Linux gives several segments to the network layer together, and sets PSH in the last of them, so
//! that the receiver does not wait for more.
//!
//! Source: Linux 6 `tcp_output.c` (`tcp_tso_autosize`, `__tcp_transmit_skb`), `tcp_input.c` (`tcp_update_pacing_rate`).

use super::{Sender, SenderConfig};
use crate::tcp::Flags;
use crate::tcp::variant::{CongestionControl, WindowRules};
use crate::units::Time;

/// The least and the most that leaves together: two segments, and 64 kilobytes.
const LEAST_SEGMENTS: u64 = 2;
const MOST: u64 = 64 << 10;
/// What leaves together takes this time, in s, at the rate of the window; at twice this rate far below the threshold.
const TIME_S: f64 = 1.0 / 1_024.0;
const RATE_IN_SLOW_START: f64 = 2.0;
const RATE: f64 = 1.2;

/// The new data sent at the present instant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bursts {
    at: Time,
    /// Octets of those that leave together now.
    octets: u64,
}

impl Bursts {
    /// `None` except by the rules of Linux.
    pub(super) fn new(config: &SenderConfig) -> Option<Self> {
        let is_linux = config.control.window_rules == WindowRules::Linux;
        (is_linux && config.variant.facts().is_modern).then(Self::default)
    }
}

impl Sender {
    /// PSH, if the full segment of new data that was just sent is the last of several that leave together.
    pub(super) fn push(&mut self, now: Time) -> Flags {
        if self.bursts.is_none() {
            return Flags::default();
        }
        let (mss, together) = (self.mss(), self.octets_together());
        let follows = self.next_len() == mss && !self.is_paced(now);
        let Some(bursts) = &mut self.bursts else {
            return Flags::default();
        };
        if bursts.at != now {
            *bursts = Bursts { at: now, octets: 0 };
        }
        bursts.octets += mss;
        let octets = bursts.octets;
        let is_last = octets >= together || !follows;
        if is_last {
            bursts.octets = 0;
        }
        Flags::PSH.only_if(is_last && octets > mss)
    }

    /// Octets that leave together.
    fn octets_together(&self) -> u64 {
        match self.control.pacing_quantum() {
            0 => {
                let window = self.control.window();
                let factor = if window.cwnd < window.ssthresh / 2 {
                    RATE_IN_SLOW_START
                } else {
                    RATE
                };
                let round_trips = self.rtt.srtt().map_or(0.0, |srtt| TIME_S / srtt.as_secs());
                let octets = (factor * round_trips * window.cwnd as f64) as u64;
                (octets.min(MOST) / self.mss()).max(LEAST_SEGMENTS) * self.mss()
            }
            quantum => quantum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Available, InitialWindow, NoParameters, Segment, TickClock, Variant};
    use crate::units::Span;
    use alloc::vec::Vec;

    const MSS: u64 = 1_000;
    const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

    fn sender(rules: WindowRules) -> Sender {
        let unused = TickClock::new(Span::from_ms(500), Span::ZERO);
        let mut config = SenderConfig::new(MSS as u32, unused);
        config = config.with_variant(Variant::Sack(NoParameters {}));
        config.control.window_rules = rules;
        config.initial_window = InitialWindow::Rfc6928;
        let mut sender = Sender::new(config);
        sender.write(MS(0), Available::Unlimited);
        sender
    }

    /// Whether each of the segments that leave now pushes.
    fn pushes(sender: &mut Sender, now: Time) -> Vec<bool> {
        core::iter::from_fn(|| sender.poll_transmit(now))
            .map(|segment| segment.flags.has(Flags::PSH))
            .collect()
    }

    fn acked(segments: u64) -> Segment {
        Segment {
            ack: segments * MSS,
            window: 65_535,
            ..Segment::default()
        }
    }

    #[test]
    fn linux_pushes_with_the_last_of_two_segments_that_leave_together() {
        let mut s = sender(WindowRules::Linux);
        assert_eq!(pushes(&mut s, MS(0)), [false, true].repeat(5));
        // In slow start two acknowledged let four be sent, and one two.
        s.on_segment(MS(100), &acked(2));
        assert_eq!(pushes(&mut s, MS(100)), [false, true].repeat(2));
        s.on_segment(MS(101), &acked(3));
        assert_eq!(pushes(&mut s, MS(101)), [false, true]);
    }

    #[test]
    fn linux_does_not_push_a_segment_that_leaves_alone() {
        let mut s = sender(WindowRules::Linux);
        let _ = pushes(&mut s, MS(0));
        s.control.end_slow_start();
        s.on_segment(MS(100), &acked(1));
        assert_eq!(pushes(&mut s, MS(100)), [false]);
        s.on_segment(MS(101), &acked(2));
        assert_eq!(pushes(&mut s, MS(101)), [false]);
    }

    #[test]
    fn without_the_rules_of_linux_nothing_is_pushed() {
        let mut s = sender(WindowRules::Published);
        assert_eq!(pushes(&mut s, MS(0)), [false; 10]);
    }
}
