//! Acknowledgments that stand for several: beyond a hole, three leave at once, so that the sender sees the loss without
//! delay, and later ones wait for a moment, each for all that arrive meanwhile.
//!
//! Source: Linux 6 `tcp_input.c` (`__tcp_ack_snd_check`), `tcp_output.c` (`tcp_event_ack_sent`), `ip-sysctl.rst`
//! (`tcp_comp_sack_delay_ns`, `tcp_comp_sack_nr`). Its timer may be up to 100 us late (`tcp_comp_sack_slack_ns`); here it
//! is exact.

use super::{AckPolicy, Receiver};
use crate::units::{Span, Time};

/// An acknowledgment waits for the twentieth part of a round trip, and at most for this long.
const MOST_DELAY: Span = Span::from_ms(1);
const ROUND_TRIP_PART: u64 = 20;

impl Receiver {
    /// A segment has arrived beyond a hole: it is acknowledged at once, or in Linux from the fourth on a moment later.
    pub(super) fn acknowledge_beyond_hole(&mut self, now: Time) {
        // Where each segment is to be acknowledged, or each at a tick, none waits for others.
        let has_rule = self.config.quick_acks && self.config.ack == AckPolicy::EverySecondSegment;
        let may_wait = has_rule && self.config.sack && !self.quick.is_left();
        if !may_wait || !self.compressed.waits(self.rcv_nxt) {
            self.ack_now = true;
            return;
        }
        let due = now.saturating_add(self.compression());
        self.delayed = Some(self.delayed.map_or(due, |timer| timer.min(due)));
    }

    /// How long an acknowledgment waits.
    fn compression(&self) -> Span {
        let of_data = self.growth.and_then(|growth| growth.round_trip());
        let times = [of_data, self.control.rtt.srtt()];
        let shortest = times.into_iter().flatten().min();
        shortest.map_or(Span::ZERO, |rtt| MOST_DELAY.min(rtt / ROUND_TRIP_PART))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ReceiverConfig;
    use super::*;
    use crate::tcp::{Rfc6298, RtoTimer, Segment, TickClock, Timestamps};

    const MSS: u64 = 1_000;

    /// When the segments of each number in `arrivals`, by time in us, are acknowledged, in us; a round trip takes
    /// `rtt_ms`, as the echo of the first segment shows.
    fn acknowledged_at(rtt_ms: u64, arrivals: &[(u64, u64)]) -> alloc::vec::Vec<u64> {
        acknowledged(AckPolicy::EverySecondSegment, rtt_ms, arrivals)
    }

    fn acknowledged(ack: AckPolicy, rtt_ms: u64, arrivals: &[(u64, u64)]) -> alloc::vec::Vec<u64> {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut receiver = Receiver::new(ReceiverConfig {
            ack,
            ack_delay: Some(Span::from_ms(40)),
            quick_acks: true,
            sack: true,
            timestamps: true,
            rto_timer: RtoTimer::Continuous(Rfc6298::default()),
            // A window of two segments: two quick acknowledgments.
            ..ReceiverConfig::new(MSS as u32, 60_000, clock)
        });
        let start = Time::ZERO + Span::from_ms(1_000);
        let echo = receiver
            .control
            .rtt
            .timestamp(start - Span::from_ms(rtt_ms));
        let mut found = alloc::vec::Vec::new();
        let mut send = |receiver: &mut Receiver, now: Time| {
            while receiver.poll_transmit(now).is_some() {
                found.push((now.saturating_since(start)).as_ps() / 1_000_000);
            }
        };
        for &(at_us, number) in arrivals {
            let now = start + Span::from_us(at_us);
            while let Some(due) = receiver.next_timeout().filter(|&due| due < now) {
                receiver.on_timer(due);
                send(&mut receiver, due);
            }
            let segment = Segment {
                seq: number * MSS,
                len: MSS as u32,
                timestamp: Some(Timestamps { value: 1, echo }),
                ..Segment::default()
            };
            receiver.on_segment(now, &segment);
            send(&mut receiver, now);
        }
        found
    }

    /// Sixteen segments in order use up the quick acknowledgments: they are acknowledged at once, at 0.
    fn beyond_hole(after: &[(u64, u64)]) -> alloc::vec::Vec<(u64, u64)> {
        let first = (0..16).map(|number| (0, number));
        first.chain(after.iter().copied()).collect()
    }

    #[test]
    fn linux_acknowledges_three_segments_beyond_a_hole_at_once_and_the_next_together_later() {
        let after: [(u64, u64); 8] = [
            (10_000, 17),
            (10_100, 18),
            (10_200, 19),
            (10_300, 20),
            (10_400, 21),
            (12_000, 22),
            // The hole is filled: at once, and what waited is told with it.
            (12_100, 16),
            (90_000, 40),
        ];
        // Five per cent of a round trip, and a millisecond at most.
        for (rtt_ms, waits_us) in [(10, 500), (20, 1_000), (100, 1_000)] {
            let found = acknowledged_at(rtt_ms, &beyond_hole(&after));
            let expected = [10_000, 10_100, 10_200, 10_300 + waits_us, 12_100, 90_000];
            assert_eq!(found[16..], expected, "{rtt_ms}");
        }
    }

    #[test]
    fn linux_counts_three_anew_where_a_part_of_the_hole_is_filled() {
        let after = [
            (10_000, 20),
            (10_001, 21),
            (10_002, 22),
            (10_003, 16),
            (10_004, 23),
            (90_000, 24),
        ];
        let found = acknowledged_at(100, &beyond_hole(&after));
        assert_eq!(
            found[16..],
            [10_000, 10_001, 10_002, 10_003, 10_004, 90_000]
        );
    }

    #[test]
    fn each_segment_beyond_a_hole_is_acknowledged_where_each_is_to_be() {
        let after: alloc::vec::Vec<_> = (0..8)
            .map(|number| (10_000 + number, 20 + number))
            .collect();
        let found = acknowledged(AckPolicy::EachSegment, 100, &beyond_hole(&after));
        assert_eq!(
            found[16..],
            after.iter().map(|it| it.0).collect::<alloc::vec::Vec<_>>()
        );
    }
}
