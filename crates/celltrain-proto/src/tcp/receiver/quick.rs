//! Quick acknowledgments: a new receiver acknowledges each segment, so that a window of few segments grows as fast as
//! possible. It stops after a number of them, or when data of its own answer those of the peer.
//!
//! Not modelled: their return after an idle time, after duplicate data, and after marks.
//!
//! Source: Linux 6 `tcp_input.c` (`tcp_incr_quickack`, `TCP_MAX_QUICKACKS`), `tcp_output.c` (`tcp_event_ack_sent`,
//! `tcp_event_data_sent`).

use super::ReceiverConfig;
use crate::units::{Span, Time};

/// The maximum number in a row (`TCP_MAX_QUICKACKS`).
const MOST: u32 = 16;
/// The number if the window holds less than two pairs of segments.
const LEAST: u32 = 2;

/// Data sent this soon after data arrived answer them (`TCP_ATO_MIN`).
const ANSWER: Span = Span::from_ms(40);

/// How many are left, and when data last arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuickAcks {
    left: u32,
    received: Option<Time>,
}

impl QuickAcks {
    /// One for every two segments that the window holds.
    pub(super) fn new(config: &ReceiverConfig) -> Self {
        let pairs = match config.window / (2 * config.mss.max(1)) {
            0 => LEAST,
            pairs => pairs.min(MOST),
        };
        Self {
            left: if config.quick_acks { pairs } else { 0 },
            received: None,
        }
    }

    pub(super) fn is_left(self) -> bool {
        self.left > 0
    }

    pub(super) fn on_data(&mut self, now: Time) {
        self.received = Some(now);
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Data are sent the other way: if they are an answer, this is an interactive exchange, in which the next data
    /// carry the acknowledgment.
    pub(super) fn on_data_sent(&mut self, now: Time) {
        if self
            .received
            .is_some_and(|received| now < received + ANSWER)
        {
            self.left = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AckPolicy, Receiver, ReceiverConfig};
    use crate::tcp::{Segment, TickClock};
    use crate::units::{Span, Time};

    /// How many of forty segments, 100 ms apart, are acknowledged at once; `answers` says whether data are sent 10 ms
    /// after the third.
    fn acknowledged_at_once(window: u32, answers: bool) -> usize {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut receiver = Receiver::new(ReceiverConfig {
            ack: AckPolicy::EverySecondSegment,
            ack_delay: Some(Span::from_ms(40)),
            quick_acks: true,
            ..ReceiverConfig::new(1_000, window, clock)
        });
        let quick = (0..40).filter(|&number| {
            let now = Time::ZERO + Span::from_ms(100 * number);
            receiver.on_timer(now);
            let _ = receiver.poll_transmit(now);
            receiver.on_segment(
                now,
                &Segment {
                    seq: 500 * number,
                    len: 500,
                    ..Segment::default()
                },
            );
            let at_once = receiver.poll_transmit(now).is_some();
            if answers && number == 2 {
                let mut answer = Segment {
                    len: 1,
                    ..Segment::default()
                };
                receiver.ride(now + Span::from_ms(10), &mut answer, 999);
            }
            at_once
        });
        quick.count()
    }

    #[test]
    fn linux_acknowledges_one_segment_for_each_two_that_the_window_holds_and_16_at_most() {
        for (window, quick) in [(1_500, 2), (8_000, 4), (65_535, 16), (1_000_000, 16)] {
            assert_eq!(acknowledged_at_once(window, false), quick, "{window}");
        }
    }

    #[test]
    fn linux_stops_when_data_answer_those_of_the_peer() {
        assert_eq!(acknowledged_at_once(65_535, true), 3);
    }
}
