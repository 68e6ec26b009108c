//! Acknowledgments that say exactly which data were marked.
//!
//! Source: RFC 8257 3.2. An acknowledgment has ECE if the data that it acknowledges were marked. So, where marked data follow
//! others, those are acknowledged first, and the other way round.

use super::Receiver;
use crate::tcp::{Flags, Segment};
use crate::units::Time;

impl Receiver {
    /// A segment with data arrives, marked or not.
    pub(super) fn note_mark(&mut self, segment: &Segment) {
        let is_marked = segment.congestion_experienced;
        if segment.len == 0 || is_marked == self.echoes_congestion {
            return;
        }
        if self.rcv_nxt > self.acknowledged {
            self.before_change = Some((self.rcv_nxt, self.echoes_congestion));
            self.acknowledged = self.rcv_nxt;
            self.delayed = None;
        }
        self.echoes_congestion = is_marked;
    }

    /// The acknowledgment of the data before the change.
    pub(super) fn acknowledge_before_change(&mut self, now: Time, ack: u64, echo: bool) -> Segment {
        self.stats.acks_sent += 1;
        Segment {
            seq: self.next_seq(false),
            ack,
            window: self.offer() as u32,
            flags: Flags::ECE.only_if(echo),
            timestamp: self.timestamp(now),
            ..Segment::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{AckPolicy, ReceiverConfig};
    use super::*;
    use crate::tcp::TickClock;
    use crate::units::Span;

    /// The acknowledgments of segments of 1000 octets that are marked so, each with whether it has ECE.
    fn acknowledgments(marks: &[bool]) -> Vec<(u64, bool)> {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut receiver = Receiver::new(ReceiverConfig {
            ack: AckPolicy::EverySecondSegment,
            ecn: true,
            echoes_exactly: true,
            ..ReceiverConfig::new(1_000, 64_000, clock)
        });
        let mut sent = Vec::new();
        for (number, &is_marked) in marks.iter().enumerate() {
            let now = Time::ZERO + Span::from_us(number as u64);
            receiver.on_segment(
                now,
                &Segment {
                    seq: 1_000 * number as u64,
                    len: 1_000,
                    congestion_experienced: is_marked,
                    ..Segment::default()
                },
            );
            while let Some(ack) = receiver.poll_transmit(now) {
                sent.push((ack.ack, ack.flags.has(Flags::ECE)));
            }
        }
        sent
    }

    #[test]
    fn rfc_8257_3_2_every_second_segment_is_acknowledged_while_marks_do_not_change() {
        let marked = acknowledgments(&[true; 4]);
        assert_eq!(marked, [(2_000, true), (4_000, true)]);
        let others = acknowledgments(&[false; 4]);
        assert_eq!(others, [(2_000, false), (4_000, false)]);
    }

    #[test]
    fn rfc_8257_3_2_data_before_a_change_are_acknowledged_at_once_and_by_themselves() {
        let sent = acknowledgments(&[false, true, true, true, false, false]);
        let expected = [(1_000, false), (3_000, true), (4_000, true), (6_000, false)];
        assert_eq!(sent, expected);
    }

    #[test]
    fn rfc_8257_3_2_nothing_waits_where_a_change_follows_an_acknowledgment() {
        let sent = acknowledgments(&[false, false, true, true]);
        assert_eq!(sent, [(2_000, false), (4_000, true)]);
    }
}
