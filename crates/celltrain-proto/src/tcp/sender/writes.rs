//! Data that keep the boundaries of their writes.
//!
//! Linux appends each write to the send queue as separate segments, and counts segment memory instead of octets against
//! the socket buffer. So small writes fill the buffer by their number.
//!
//! Source: Linux 2.0 `tcp.c` (`do_tcp_sendmsg`, `sock_wspace`).

use alloc::collections::VecDeque;

use super::Sender;

/// The ends of the segments that were written and are not acknowledged, sent or not.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    ends: VecDeque<u64>,
    /// The start of the first of them.
    start: u64,
}

impl Written {
    fn push(&mut self, end: u64) {
        self.ends.push_back(end);
    }

    fn lengthen_last(&mut self, octets: u64) {
        if let Some(end) = self.ends.back_mut() {
            *end += octets;
        }
    }

    /// Start and end of the last segment.
    fn last(&self) -> Option<(u64, u64)> {
        let end = *self.ends.back()?;
        let before = self.ends.len().checked_sub(2).map(|at| self.ends[at]);
        Some((before.unwrap_or(self.start), end))
    }

    /// The number of segments that end at or before `seq`.
    fn up_to(&self, seq: u64) -> usize {
        self.ends.partition_point(|&end| end <= seq)
    }

    /// The end of the segment that octet `seq` belongs to.
    fn end_of(&self, seq: u64) -> Option<u64> {
        self.ends.get(self.up_to(seq)).copied()
    }

    /// Everything below `snd_una` is acknowledged.
    pub(super) fn acknowledge(&mut self, snd_una: u64) {
        while self.ends.front().is_some_and(|&end| end <= snd_una) {
            self.start = self.ends.pop_front().unwrap_or(self.start);
        }
    }
}

impl Sender {
    /// Segments a write separately.
    pub(super) fn write_segments(&mut self, octets: u64) {
        let (mss, room) = (self.mss(), self.tail_room());
        let Some(queue) = &mut self.queue else { return };
        let fill = octets.min(room);
        queue.lengthen_last(fill);
        self.written += fill;
        let mut left = octets - fill;
        while left > 0 {
            let len = left.min(mss);
            self.written += len;
            queue.push(self.written);
            left -= len;
        }
    }

    /// Octets by which the last segment can still be filled up: it is short and unsent, and the offered window holds it
    /// back.
    fn tail_room(&self) -> u64 {
        let Some((start, end)) = self.queue.as_ref().and_then(Written::last) else {
            return 0;
        };
        let in_flight = self.snd_max - self.snd_una;
        let is_held = in_flight + (end - start) + self.mss() >= self.snd_wnd;
        if start >= self.snd_max && is_held {
            self.mss().saturating_sub(end - start)
        } else {
            0
        }
    }

    /// How much of a write of `octets` can be written at once now: if write boundaries are kept, what fills up the last
    /// segment, or else a segment, if one is free; otherwise all that fits into the socket buffer.
    pub fn next_piece(&self, octets: u64) -> u64 {
        if self.queue.is_none() {
            return octets.min(self.buffer_free());
        }
        match self.tail_room() {
            0 if self.has_all_segments() => 0,
            0 => octets.min(self.mss()),
            room => octets.min(room),
        }
    }

    fn has_all_segments(&self) -> bool {
        let most = self.config.send_segments;
        most.is_some_and(|most| self.segments_held() >= most as usize)
    }

    /// Segments written and not acknowledged, sent or not, if write boundaries are kept.
    pub fn segments_held(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.ends.len())
    }

    /// The end of the written segment that begins at `seq`.
    pub(super) fn segment_end(&self, seq: u64) -> u64 {
        let end = self.buffered_end().max(seq).min(seq + self.mss());
        let own = self.queue.as_ref().and_then(|queue| queue.end_of(seq));
        own.unwrap_or(end)
    }

    /// Segments in flight, or retransmitted since the sender went back.
    fn segments_in_flight(&self) -> u64 {
        match &self.queue {
            Some(queue) => (queue.up_to(self.snd_nxt) - queue.up_to(self.snd_una)) as u64,
            None => (self.snd_nxt - self.snd_una).div_ceil(self.mss()),
        }
    }

    /// Octets of the segment at `snd_nxt` if the congestion window counts segments: all of it if it fits into the
    /// offered window and fewer segments are in flight than the congestion window allows.
    pub(super) fn len_by_segments(&self) -> u64 {
        let end = self.segment_end(self.snd_nxt);
        let has_room = self.segments_in_flight() < self.cwnd() / self.mss();
        if has_room && end <= self.snd_una + self.snd_wnd {
            end - self.snd_nxt
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Available, OutputRule, SenderConfig, Writes};
    use super::*;
    use crate::tcp::variant::CongestionControl;
    use crate::tcp::{NoParameters, Segment, TickClock, Variant};
    use crate::units::{Span, Time};
    use alloc::vec::Vec;

    const NOW: Time = Time::ZERO;

    /// A sender with segments of 1000 octets and a window of 6000, with a `cwnd` of that many segments.
    fn sender(cwnd: u64) -> Sender {
        let clock = TickClock::new(Span::from_ms(10), Span::ZERO);
        let mut config =
            SenderConfig::new(1_000, clock).with_variant(Variant::Linux1999(NoParameters {}));
        config.peer_window = 6_000;
        config.nagle = false;
        config.writes = Writes::KeepBounds;
        config.output = OutputRule::CountedSegments;
        config.send_segments = Some(8);
        let mut sender = Sender::new(config);
        for _ in 1..cwnd {
            let event = sender.event(NOW);
            sender.control.on_ack(1, &event);
        }
        sender
    }

    fn leave(sender: &mut Sender) -> Vec<(u64, u32)> {
        let each = core::iter::from_fn(|| sender.poll_transmit(NOW));
        each.map(|segment| (segment.seq, segment.len)).collect()
    }

    fn write(sender: &mut Sender, octets: u64) {
        sender.write(NOW, Available::Bytes(octets));
    }

    fn acknowledge(sender: &mut Sender, ack: u64) {
        let window = 6_000;
        let segment = Segment {
            ack,
            window,
            ..Segment::default()
        };
        sender.on_segment(NOW, &segment);
    }

    #[test]
    fn a_write_becomes_full_segments_and_one_remainder() {
        let mut sender = sender(8);
        write(&mut sender, 2_400);
        write(&mut sender, 300);
        let expected = [(0, 1_000), (1_000, 1_000), (2_000, 400), (2_400, 300)];
        assert_eq!(leave(&mut sender), expected);
    }

    #[test]
    fn small_segments_fill_the_congestion_window_by_their_number() {
        let mut sender = sender(3);
        (0..5).for_each(|_| write(&mut sender, 100));
        assert_eq!(leave(&mut sender), [(0, 100), (100, 100), (200, 100)]);
    }

    #[test]
    fn a_segment_waits_until_the_window_offered_holds_all_of_it() {
        let mut sender = sender(8);
        (0..7).for_each(|_| write(&mut sender, 900));
        assert_eq!(leave(&mut sender).len(), 6); // 5400; the seventh would end at 6300
        acknowledge(&mut sender, 900);
        assert_eq!(leave(&mut sender), [(5_400, 900)]);
    }

    #[test]
    fn a_short_segment_that_the_window_holds_back_is_filled_up_by_the_next_write() {
        let mut sender = sender(8);
        (0..5).for_each(|_| write(&mut sender, 1_000));
        write(&mut sender, 700);
        assert_eq!(leave(&mut sender).len(), 6);
        write(&mut sender, 600); // in flight 5700: it would end at 6300
        write(&mut sender, 700); // 400 of it fill up the segment
        assert_eq!(leave(&mut sender), []);
        acknowledge(&mut sender, 2_000);
        assert_eq!(leave(&mut sender), [(5_700, 1_000), (6_700, 300)]);
    }

    #[test]
    fn a_short_segment_that_the_congestion_window_holds_back_is_left_alone() {
        let mut sender = sender(2);
        (0..2).for_each(|_| write(&mut sender, 1_000));
        write(&mut sender, 600);
        assert_eq!(leave(&mut sender).len(), 2);
        write(&mut sender, 700); // 2000 + 600 in flight would leave more than a segment of the window
        acknowledge(&mut sender, 2_000);
        assert_eq!(leave(&mut sender), [(2_000, 600), (2_600, 700)]);
    }

    #[test]
    fn a_write_is_taken_segment_by_segment_until_all_segments_are_in_use() {
        let mut sender = sender(2);
        for held in 0..8 {
            assert_eq!(sender.segments_held(), held);
            assert_eq!(sender.next_piece(50), 50);
            write(&mut sender, 50);
        }
        assert_eq!(sender.next_piece(50), 0);
        leave(&mut sender);
        acknowledge(&mut sender, 50);
        assert_eq!(
            (sender.segments_held(), sender.next_piece(2_500)),
            (7, 1_000)
        );
    }

    #[test]
    fn what_is_sent_again_has_the_bounds_that_it_had() {
        let mut sender = sender(8);
        for octets in [300, 1_000, 200] {
            write(&mut sender, octets);
        }
        let first = leave(&mut sender);
        let timeout = sender.next_timeout().expect("data are outstanding");
        sender.on_timer(timeout);
        assert_eq!(leave(&mut sender), first[..1]);
        acknowledge(&mut sender, 300);
        assert_eq!(leave(&mut sender), first[1..]);
    }
}
