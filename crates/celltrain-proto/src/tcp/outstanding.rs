//! The segments between `snd_una` and `snd_max`, with the instants of their transmissions.

use alloc::collections::VecDeque;

use crate::units::Time;

/// One segment; it begins where the one before it ends.
#[derive(Clone, Copy, Debug)]
struct Sent {
    end: u64,
    first: Time,
    last: Time,
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
                segment_start = sent.end;
            }
        }
        if end > self.end {
            self.end = end;
            self.segments.push_back(Sent {
                end,
                first: now,
                last: now,
            });
        }
    }

    /// Everything below `ack` is acknowledged; `covered` gets the instant of the first transmission of
    /// each segment that is now wholly acknowledged.
    pub(super) fn acknowledge(&mut self, ack: u64, mut covered: impl FnMut(Time)) {
        while let Some(sent) = self.segments.front().filter(|sent| sent.end <= ack) {
            covered(sent.first);
            self.segments.pop_front();
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
        let mut firsts = Vec::new();
        outstanding.acknowledge(ack, |first| firsts.push(first));
        firsts
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
}
