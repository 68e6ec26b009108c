//! Quick acknowledgments: a receiver acknowledges each segment while the peer's window may be small, so that it grows as
//! fast as possible: at the start, after an idle time, after data that arrive twice, and after marks. It stops after a
//! number of them, or while data of its own answer those of the peer.
//!
//! Source: Linux 6 `tcp_input.c` (`tcp_incr_quickack`, `tcp_event_data_recv`, `tcp_data_queue`, `tcp_ecn_check_ce`,
//! `TCP_MAX_QUICKACKS`), `tcp_output.c` (`tcp_event_ack_sent`, `tcp_event_data_sent`).

use super::ReceiverConfig;
use crate::units::{Span, Time};

/// The maximum number in a row (`TCP_MAX_QUICKACKS`).
const MOST: u32 = 16;
/// The number if the window holds no pair of segments, and after a mark.
const LEAST: u32 = 2;

/// Data sent this soon after data arrived answer them (`TCP_ATO_MIN`).
const ANSWER: Span = Span::from_ms(40);

/// How many are left, and when data last arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuickAcks {
    /// The number at the start and when they return; zero if there are none at all.
    most: u32,
    left: u32,
    received: Option<Time>,
    /// Data of this end answer those of the peer: an interactive exchange, in which the next data carry the
    /// acknowledgment (`pingpong`).
    answers: bool,
}

impl QuickAcks {
    /// One for every two segments that the window holds.
    pub(super) fn new(config: &ReceiverConfig) -> Self {
        let pairs = match config.window / (2 * config.mss.max(1)) {
            0 => LEAST,
            pairs => pairs.min(MOST),
        };
        let most = if config.quick_acks { pairs } else { 0 };
        Self {
            most,
            left: most,
            received: None,
            answers: false,
        }
    }

    pub(super) fn is_left(self) -> bool {
        self.left > 0 && !self.answers
    }

    /// Whether a full segment with PSH is acknowledged at once, as the last of those that left together.
    pub(super) fn hears_pushes(self) -> bool {
        self.most > 0 && !self.answers
    }

    /// Data arrive. After a pause longer than this end's time-out `rto`, the peer's window may have become small.
    pub(super) fn on_data(&mut self, now: Time, rto: Span) {
        let is_past = |received: Time| now > received.saturating_add(rto);
        if self.received.is_some_and(is_past) {
            self.left = self.most;
        }
        self.received = Some(now);
    }

    /// The window grows: this segment is acknowledged at once, and the number left becomes odd, so that it does not shrink
    /// in a row of such segments (`quick |= 1`).
    pub(super) fn on_growth(&mut self) {
        self.left |= 1;
    }

    /// Data arrived twice, or beyond the window: the peer has lost acknowledgments, or its time-out was too short.
    pub(super) fn on_useless_data(&mut self) {
        self.left = self.most;
        self.answers = false;
    }

    /// The first mark arrives since the peer confirmed one: its window may become as small as a segment.
    pub(super) fn on_mark(&mut self) {
        self.left = self.left.max(self.most.min(LEAST));
        self.answers = false;
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Data are sent the other way.
    pub(super) fn on_data_sent(&mut self, now: Time) {
        if self
            .received
            .is_some_and(|received| now < received + ANSWER)
        {
            self.answers = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AckPolicy, Receiver, ReceiverConfig};
    use crate::tcp::{Rfc6298, RtoTimer, Segment, TickClock};
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
        // Of the largest window, eight segments more let it grow from 65,160 to 80,896 octets.
        for (window, quick) in [(1_500, 2), (8_000, 4), (65_160, 16), (1_000_000, 24)] {
            assert_eq!(acknowledged_at_once(window, false), quick, "{window}");
        }
    }

    #[test]
    fn linux_stops_when_data_answer_those_of_the_peer() {
        assert_eq!(acknowledged_at_once(65_535, true), 3);
    }

    fn at_once(receiver: &mut Receiver, now: Time, segment: Segment) -> bool {
        receiver.on_timer(now);
        let _ = receiver.poll_transmit(now);
        receiver.on_segment(now, &segment);
        receiver.poll_transmit(now).is_some()
    }

    /// A receiver that has used all quick acknowledgments, the time, and the next octet. Its time-out is one second.
    fn used_up(ecn: bool) -> (Receiver, Time, u64) {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut receiver = Receiver::new(ReceiverConfig {
            ack: AckPolicy::EverySecondSegment,
            ack_delay: Some(Span::from_ms(40)),
            quick_acks: true,
            ecn,
            rto_timer: RtoTimer::Continuous(Rfc6298::default()),
            ..ReceiverConfig::new(1_000, 8_000, clock)
        });
        let (mut now, mut seq) = (Time::ZERO, 0);
        while at_once(&mut receiver, now, data(seq)) {
            seq += 500;
            now += Span::from_ms(100);
        }
        (receiver, now, seq + 500)
    }

    fn data(seq: u64) -> Segment {
        Segment {
            seq,
            len: 500,
            ..Segment::default()
        }
    }

    /// How many segments, 100 ms apart, are acknowledged at once from now on.
    fn quick(receiver: &mut Receiver, mut now: Time, mut seq: u64) -> usize {
        let mut quick = 0;
        for _ in 0..20 {
            quick += usize::from(at_once(receiver, now, data(seq)));
            now += Span::from_ms(100);
            seq += 500;
        }
        quick
    }

    #[test]
    fn linux_acknowledges_each_segment_again_after_a_pause_longer_than_its_time_out() {
        for (pause_ms, count) in [(1_000, 0), (1_001, 4)] {
            let (mut receiver, now, seq) = used_up(false);
            let now = now + Span::from_ms(pause_ms);
            assert_eq!(quick(&mut receiver, now, seq), count, "{pause_ms}");
        }
    }

    #[test]
    fn linux_acknowledges_each_segment_again_after_data_that_arrive_twice_or_beyond_the_window() {
        for useless in [0, 1_000_000] {
            let (mut receiver, now, seq) = used_up(false);
            assert!(at_once(&mut receiver, now, data(useless)));
            // The answer to the useless segment was one of the four.
            assert_eq!(quick(&mut receiver, now + Span::from_ms(100), seq), 3);
        }
    }

    #[test]
    fn linux_acknowledges_two_segments_from_the_first_of_several_marks_on() {
        let (mut receiver, now, seq) = used_up(true);
        let mark = |seq| Segment {
            congestion_experienced: true,
            ..data(seq)
        };
        let at = |number: u64| (now + Span::from_ms(100 * number), seq + 500 * number);
        let found = [0, 1, 2, 3].map(|number| {
            let (now, seq) = at(number);
            at_once(&mut receiver, now, mark(seq))
        });
        assert_eq!(found, [true, true, false, false]);
    }
}
