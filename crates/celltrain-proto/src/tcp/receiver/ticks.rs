//! Delayed acknowledgments of Linux 2.0: sent at clock ticks, after a time that adapts to the arrival of segments.
//!
//! Source: Linux 2.0 `tcp_input.c` (`tcp_delack_estimator`, `tcp_queue_ack`).

/// How long an acknowledgment may wait for a second segment, in ticks.
#[derive(Clone, Debug)]
pub(super) struct Timeout {
    ticks: u64,
    /// The tick before the last in-order segment; `None` before the first.
    last: Option<u64>,
}

impl Default for Timeout {
    fn default() -> Self {
        Self {
            ticks: 2,
            last: None,
        }
    }
}

impl Timeout {
    /// An in-order segment arrives after tick `now`; returns the tick at which it is acknowledged, the next one if
    /// `two_segments` or more wait.
    pub(super) fn due(&mut self, now: u64, two_segments: bool) -> u64 {
        let since_last = now - self.last.unwrap_or(now);
        self.ticks = (self.ticks >> 1) + since_last.max(1);
        self.last = Some(now);
        now + if two_segments {
            1
        } else {
            self.ticks.clamp(1, 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AckPolicy, Receiver, ReceiverConfig};
    use crate::tcp::{Segment, TickClock};
    use crate::units::{Span, Time};
    use alloc::vec::Vec;

    /// When acknowledgments are sent, in tenths of a millisecond, and what they acknowledge. Segments with the given
    /// arrival times, starts and lengths arrive; ticks are at 10 ms, 20 ms and so on.
    fn acknowledged(arrivals: &[(u64, u64, u32)]) -> Vec<(u64, u64)> {
        let clock = TickClock::new(Span::from_ms(10), Span::ZERO);
        let mut config = ReceiverConfig::new(1_000, 9_000, clock);
        config.ack = AckPolicy::AtTicks;
        let mut receiver = Receiver::new(config);
        let mut acks = Vec::new();
        for tenth in 0..1_000 {
            let now = Time::ZERO + Span::from_us(100 * tenth);
            receiver.on_timer(now);
            acks.extend(receiver.poll_transmit(now).map(|ack| (tenth, ack.ack)));
            for &(_, seq, len) in arrivals.iter().filter(|it| it.0 == tenth) {
                let segment = Segment {
                    seq,
                    len,
                    ..Segment::default()
                };
                receiver.on_segment(now, &segment);
                acks.extend(receiver.poll_transmit(now).map(|ack| (tenth, ack.ack)));
            }
        }
        acks
    }

    #[test]
    fn two_full_segments_are_acknowledged_at_the_next_tick() {
        let arrivals = [(101, 0, 1_000), (120, 1_000, 1_000), (150, 2_000, 1_000)];
        assert_eq!(acknowledged(&arrivals), [(200, 3_000)]);
    }

    #[test]
    fn less_than_two_are_acknowledged_at_the_second_tick_after_the_first_of_them() {
        // Initial time-out: 2/2 + 1 = 2 ticks; two more segments within the tick do not change it.
        let arrivals = [(101, 0, 500), (120, 500, 500), (150, 1_000, 500)];
        assert_eq!(acknowledged(&arrivals), [(300, 1_500)]);
    }

    #[test]
    fn a_second_segment_in_time_brings_the_tick_forward_but_never_back() {
        // The first is due at 30 ms. The second makes two full segments after tick 1: due at 20 ms.
        assert_eq!(
            acknowledged(&[(101, 0, 1_000), (190, 1_000, 1_000)]),
            [(200, 2_000)]
        );
        // A third small one at 25 ms would itself be due at 40 ms.
        let small = [(101, 0, 300), (120, 300, 300), (250, 600, 300)];
        assert_eq!(acknowledged(&small), [(300, 900)]);
    }

    #[test]
    fn an_arrival_at_a_tick_comes_after_it() {
        assert_eq!(
            acknowledged(&[(200, 0, 1_000), (200, 1_000, 1_000)]),
            [(300, 2_000)]
        );
    }

    #[test]
    fn what_is_out_of_order_and_what_fills_a_hole_are_acknowledged_at_once() {
        let arrivals = [
            (101, 0, 500),
            (110, 1_000, 500), // beyond a hole: the acknowledgment includes the first
            (115, 500, 500),   // fills it
            (120, 0, 500),     // again
            (125, 1_500, 500),
        ];
        let expected = [(110, 500), (115, 1_500), (120, 1_500), (300, 2_000)];
        assert_eq!(acknowledged(&arrivals), expected);
    }
}
