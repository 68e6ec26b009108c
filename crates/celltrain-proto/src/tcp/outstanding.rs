//! The segments between `snd_una` and `snd_max`, with their transmission times and their presumed states.
//!
//! Only a sender that detects losses by time (RFC 8985) distinguishes these states; for others all segments are in
//! flight.

use alloc::collections::VecDeque;

use crate::units::Time;

/// The presumed state of a segment's last transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Belief {
    /// It is in flight.
    #[default]
    OnTheWay,
    /// It has arrived beyond a hole, according to a selective acknowledgment.
    Held,
    /// It is lost and to be retransmitted.
    Lost,
}

/// One segment; it begins where the previous one ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) end: u64,
    /// Its first transmission.
    pub(super) first: Time,
    /// Its last transmission.
    pub(super) last: Time,
    /// Whether it was retransmitted.
    pub(super) is_resent: bool,
    /// Whether its round trip is still being measured: it was sent once, and no time-out has occurred since.
    pub(super) is_timed: bool,
    belief: Belief,
}

/// The number of segments in one state, and their octets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    pub(super) segments: usize,
    pub(super) octets: u64,
}

/// The outstanding segments in order, with the boundaries of their first transmission.
#[derive(Clone, Debug, Default)]
pub(super) struct Outstanding {
    segments: VecDeque<Sent>,
    /// The start of the first of them.
    start: u64,
    /// The sequence number after all data ever sent.
    end: u64,
    held: Tally,
    lost: Tally,
}

impl Outstanding {
    /// The octets of memory that it holds.
    pub(super) fn octets(&self) -> u64 {
        (self.segments.capacity() * size_of::<Sent>()) as u64
    }

    /// Records that `start..end` was sent at `now`; it begins no later than new data.
    pub(super) fn record(&mut self, start: u64, end: u64, now: Time) {
        if start < self.end {
            let resent = self.segments.partition_point(|sent| sent.end <= start);
            let mut segment_start = self.start_of(resent);
            for sent in self.segments.range_mut(resent..) {
                if segment_start >= end {
                    break;
                }
                sent.last = now;
                sent.is_resent = true;
                sent.is_timed = false;
                if sent.belief == Belief::Lost {
                    sent.belief = Belief::OnTheWay;
                    self.lost.remove(sent.end - segment_start);
                }
                segment_start = sent.end;
            }
        }
        if end > self.end {
            self.end = end;
            self.segments.push_back(Sent {
                end,
                first: now,
                last: now,
                is_resent: false,
                is_timed: true,
                belief: Belief::OnTheWay,
            });
        }
    }

    /// The start of the segment at `index`.
    fn start_of(&self, index: usize) -> u64 {
        let before = index.checked_sub(1).map(|before| self.segments[before].end);
        before.unwrap_or(self.start)
    }

    /// Everything below `ack` is acknowledged: removes the oldest segment that is entirely acknowledged.
    pub(super) fn acknowledge(&mut self, ack: u64) -> Option<Sent> {
        self.segments.front().filter(|sent| sent.end <= ack)?;
        let sent = self.segments.pop_front()?;
        match sent.belief {
            Belief::OnTheWay => {}
            Belief::Held => self.held.remove(sent.end - self.start),
            Belief::Lost => self.lost.remove(sent.end - self.start),
        }
        self.start = sent.end;
        Some(sent)
    }

    /// The number of outstanding segments.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Stops measuring the round trips of all outstanding segments.
    pub(super) fn stop_timing(&mut self) {
        for sent in &mut self.segments {
            sent.is_timed = false;
        }
    }

    /// The receiver holds `start..end`: marks the segments entirely within, and passes those newly marked to `visit`.
    pub(super) fn hold(&mut self, start: u64, end: u64, mut visit: impl FnMut(&Sent)) {
        let first = self.segments.partition_point(|sent| sent.end <= start);
        let mut segment_start = self.start_of(first);
        for sent in self.segments.range_mut(first..) {
            if sent.end > end {
                break;
            }
            let octets = sent.end - segment_start;
            if segment_start >= start && sent.belief != Belief::Held {
                visit(sent);
                if sent.belief == Belief::Lost {
                    self.lost.remove(octets);
                }
                sent.belief = Belief::Held;
                self.held.add(octets);
            }
            segment_start = sent.end;
        }
    }

    /// Asks `verdict`, oldest first, whether each segment in flight is lost, until it returns `None`. Returns the
    /// octets found lost.
    pub(super) fn lose(&mut self, mut verdict: impl FnMut(&Sent) -> Option<bool>) -> u64 {
        let before = self.lost.octets;
        let mut start = self.start;
        for sent in &mut self.segments {
            if sent.belief == Belief::OnTheWay {
                match verdict(sent) {
                    None => break,
                    Some(false) => {}
                    Some(true) => {
                        sent.belief = Belief::Lost;
                        self.lost.add(sent.end - start);
                    }
                }
            }
            start = sent.end;
        }
        self.lost.octets - before
    }

    /// Marks no segment as lost any longer.
    pub(super) fn find_all(&mut self) {
        for sent in &mut self.segments {
            if sent.belief == Belief::Lost {
                sent.belief = Belief::OnTheWay;
            }
        }
        self.lost = Tally::default();
    }

    /// Start and end of the first segment that is lost and not yet retransmitted.
    pub(super) fn first_lost(&self) -> Option<(u64, u64)> {
        if self.lost.segments == 0 {
            return None;
        }
        let is_lost = |sent: &Sent| sent.belief == Belief::Lost;
        let index = self.segments.iter().position(is_lost)?;
        Some((self.start_of(index), self.segments[index].end))
    }

    /// Start and end of the last segment, unless the receiver holds it.
    pub(super) fn last(&self) -> Option<(u64, u64)> {
        let last = self.segments.back()?;
        let start = self.start_of(self.segments.len() - 1);
        (last.belief != Belief::Held).then_some((start, last.end))
    }

    /// The segments that the receiver holds beyond a hole.
    pub(super) fn held(&self) -> Tally {
        self.held
    }

    /// The segments that are lost and not yet retransmitted.
    pub(super) fn lost(&self) -> Tally {
        self.lost
    }

    /// The first transmission of the oldest segment.
    pub(super) fn oldest(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// The instant of the last transmission of the oldest segment.
    pub(super) fn oldest_last_sent(&self) -> Option<Time> {
        self.segments.front().map(|sent| sent.last)
    }
}

impl Sent {
    /// Whether the receiver has reported that it holds the segment.
    pub(super) fn is_held(&self) -> bool {
        self.belief == Belief::Held
    }
}

impl Tally {
    fn add(&mut self, octets: u64) {
        self.segments += 1;
        self.octets += octets;
    }

    fn remove(&mut self, octets: u64) {
        self.segments -= 1;
        self.octets -= octets;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;
    use alloc::vec::Vec;

    const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

    fn covered(outstanding: &mut Outstanding, ack: u64) -> Vec<Time> {
        let each = core::iter::from_fn(|| outstanding.acknowledge(ack));
        each.map(|sent| sent.first).collect()
    }

    #[test]
    fn a_segment_keeps_its_first_transmission_and_takes_its_last() {
        let mut o = Outstanding::default();
        for i in 0..4 {
            o.record(100 * i, 100 * (i + 1), MS(i));
        }
        o.record(0, 100, MS(50));
        assert_eq!(o.oldest_last_sent(), Some(MS(50)));
        assert_eq!(covered(&mut o, 200), [MS(0), MS(1)]);
        assert_eq!(o.oldest_last_sent(), Some(MS(2)));
    }

    #[test]
    fn a_partly_acknowledged_segment_is_still_outstanding() {
        let mut o = Outstanding::default();
        o.record(0, 100, MS(0));
        o.record(100, 200, MS(1));
        assert_eq!(covered(&mut o, 150), [MS(0)]);
        assert_eq!(o.oldest_last_sent(), Some(MS(1)));
        assert_eq!(covered(&mut o, 200), [MS(1)]);
        assert_eq!(o.oldest_last_sent(), None);
    }

    #[test]
    fn a_retransmission_may_cover_parts_of_segments_and_new_data() {
        let mut o = Outstanding::default();
        o.record(0, 100, MS(0));
        o.record(100, 140, MS(1));
        o.record(50, 150, MS(9));
        assert_eq!(o.oldest_last_sent(), Some(MS(9)));
        assert_eq!(covered(&mut o, 140), [MS(0), MS(1)]);
        assert_eq!(covered(&mut o, 150), [MS(9)]);
    }

    #[test]
    fn a_retransmission_leaves_its_neighbours_alone() {
        let mut o = Outstanding::default();
        for i in 0..3 {
            o.record(100 * i, 100 * (i + 1), MS(i));
        }
        o.record(100, 200, MS(9));
        assert_eq!(o.oldest_last_sent(), Some(MS(0)));
        covered(&mut o, 100);
        assert_eq!(o.oldest_last_sent(), Some(MS(9)));
        covered(&mut o, 200);
        assert_eq!(o.oldest_last_sent(), Some(MS(2)));
    }

    #[test]
    fn a_round_trip_is_measured_of_a_segment_sent_once_unless_measuring_was_stopped() {
        let mut o = Outstanding::default();
        o.record(0, 100, MS(0));
        o.record(100, 200, MS(1));
        o.stop_timing();
        o.record(0, 100, MS(9));
        o.record(200, 300, MS(10));
        let each = core::iter::from_fn(|| o.acknowledge(300));
        let seen: Vec<_> = each.map(|sent| (sent.is_resent, sent.is_timed)).collect();
        assert_eq!(seen, [(true, false), (false, false), (false, true)]);
    }

    #[test]
    fn held_and_lost_octets_are_counted_until_they_are_acknowledged_or_sent_again() {
        let mut o = Outstanding::default();
        for i in 0..6 {
            o.record(100 * i, 100 * (i + 1), MS(i));
        }
        let mut news = Vec::new();
        o.hold(250, 500, |sent| news.push(sent.end));
        o.hold(300, 500, |sent| news.push(sent.end));
        assert_eq!(news, [400, 500]); // The segment up to 300 is only partly held.
        assert_eq!(o.lose(|sent| (sent.first < MS(2)).then_some(true)), 200);
        assert_eq!((o.held().octets, o.lost().octets), (200, 200));
        assert_eq!(o.first_lost(), Some((0, 100)));
        o.record(0, 100, MS(9));
        assert_eq!((o.first_lost(), o.lost().segments), (Some((100, 200)), 1));
        covered(&mut o, 400);
        assert_eq!((o.held().octets, o.lost().octets), (100, 0));
        assert_eq!(o.last(), Some((500, 600)));
        o.hold(500, 600, |_| {});
        assert_eq!(o.last(), None);
    }
}
