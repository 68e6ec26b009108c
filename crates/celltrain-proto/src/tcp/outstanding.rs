//! The segments between `snd_una` and `snd_max`, with the instants of their transmissions.

use alloc::collections::VecDeque;

use crate::units::Time;

/// One segment; it begins where the one before it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    end: u64,
    /// Its first transmission.
    pub(super) first: Time,
    last: Time,
    /// Whether it was sent more than once.
    pub(super) is_resent: bool,
    /// Whether its round trip is still being measured: it was sent once, and no time-out has come since.
    pub(super) is_timed: bool,
}

/// The outstanding segments in order, as they were cut at their first transmission.
#[derive(Clone, Debug, Default)]
pub(super) struct Outstanding {
    segments: VecDeque<Sent>,
    /// The sequence number behind all that was ever sent.
    end: u64,
}

impl Outstanding {
    /// `start..end` was sent at `now`; it begins at most where new data begin.
    pub(super) fn record(&mut self, start: u64, end: u64, now: Time) {
        if start < self.end {
            let resent = self.segments.partition_point(|sent| sent.end <= start);
            let mut segment_start = start;
            for sent in self.segments.range_mut(resent..) {
                if segment_start >= end {
                    break;
                }
                sent.last = now;
                sent.is_resent = true;
                sent.is_timed = false;
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
            });
        }
    }

    /// Everything below `ack` is acknowledged: takes the oldest segment that is wholly so.
    pub(super) fn acknowledge(&mut self, ack: u64) -> Option<Sent> {
        self.segments.front().filter(|sent| sent.end <= ack)?;
        self.segments.pop_front()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// No round trip of what is outstanding is measured any longer.
    pub(super) fn stop_timing(&mut self) {
        for sent in &mut self.segments {
            sent.is_timed = false;
        }
    }

    /// The instant of the last transmission of the oldest segment.
    pub(super) fn oldest_last_sent(&self) -> Option<Time> {
        self.segments.front().map(|sent| sent.last)
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
}
