use super::*;
use crate::tcp::TickClock;
use crate::units::Span;
use alloc::vec;
use alloc::vec::Vec;

const MSS: u32 = 1_000;
const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// A receiver whose fast timer ticks at 30 ms, 230 ms, 430 ms and so on.
fn receiver(ack: AckPolicy) -> Receiver {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    Receiver::new(ReceiverConfig {
        ack,
        ..ReceiverConfig::new(MSS, 8_000, fast)
    })
}

/// No acknowledgments.
const NONE: [u64; 0] = [];

/// The acknowledgments sent at once in answer to the segment `start..end`.
fn acks_to(receiver: &mut Receiver, ms: u64, start: u64, end: u64) -> Vec<u64> {
    let segment = Segment {
        seq: start,
        len: (end - start) as u32,
        ..Segment::default()
    };
    receiver.on_segment(MS(ms), &segment);
    drain(receiver, ms)
}

fn drain(receiver: &mut Receiver, ms: u64) -> Vec<u64> {
    core::iter::from_fn(|| receiver.poll_transmit(MS(ms)))
        .map(|segment| segment.ack)
        .collect()
}

#[test]
fn a_lone_segment_is_acknowledged_at_the_next_fast_tick() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 50, 0, 1_000), NONE);
    assert_eq!(r.next_timeout(), Some(MS(230)));
    r.on_timer(MS(229));
    assert_eq!(drain(&mut r, 229), NONE);
    r.on_timer(MS(230));
    assert_eq!(drain(&mut r, 230), [1_000]);
    assert_eq!(r.next_timeout(), None);
}

#[test]
fn a_segment_at_the_instant_of_a_fast_tick_waits_for_the_next_one() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 230, 0, 1_000), NONE);
    assert_eq!(r.next_timeout(), Some(MS(430)));
}

#[test]
fn the_second_full_segment_is_acknowledged_at_once() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 50, 0, 1_000), NONE);
    assert_eq!(acks_to(&mut r, 60, 1_000, 2_000), [2_000]);
    assert_eq!(r.next_timeout(), None);
    assert_eq!(acks_to(&mut r, 70, 2_000, 3_000), NONE);
    assert_eq!(acks_to(&mut r, 80, 3_000, 4_000), [4_000]);
}

#[test]
fn two_short_segments_are_not_two_full_ones() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 50, 0, 1_000), NONE);
    assert_eq!(acks_to(&mut r, 60, 1_000, 1_999), NONE);
    assert_eq!(acks_to(&mut r, 70, 1_999, 2_000), [2_000]);
}

#[test]
fn a_later_segment_does_not_put_off_the_delayed_acknowledgment() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    acks_to(&mut r, 50, 0, 400);
    acks_to(&mut r, 229, 400, 800);
    assert_eq!(r.next_timeout(), Some(MS(230)));
}

#[test]
fn each_segment_policy_never_delays() {
    let mut r = receiver(AckPolicy::EachSegment);
    assert_eq!(acks_to(&mut r, 50, 0, 1_000), [1_000]);
    assert_eq!(acks_to(&mut r, 51, 1_000, 1_500), [1_500]);
    assert_eq!(r.next_timeout(), None);
}

#[test]
fn bsd_acknowledges_two_segments_or_half_of_the_window() {
    let mut r = receiver(AckPolicy::Bsd);
    assert_eq!(acks_to(&mut r, 50, 0, 1_000), NONE);
    assert_eq!(acks_to(&mut r, 51, 1_000, 2_000), [2_000]);

    let fast = TickClock::new(Span::from_ms(200), Span::ZERO);
    let mut small = Receiver::new(ReceiverConfig::new(MSS, 2_000, fast));
    assert_eq!(acks_to(&mut small, 50, 0, 999), NONE);
    assert_eq!(acks_to(&mut small, 51, 999, 1_000), [1_000]);
}

#[test]
fn data_beyond_a_hole_are_kept_and_bring_a_duplicate_acknowledgment_each() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 50, 1_000, 2_000), [0]);
    assert_eq!(acks_to(&mut r, 51, 2_000, 3_000), [0]);
    assert_eq!(acks_to(&mut r, 52, 4_000, 5_000), [0]);
    assert_eq!(r.delivered(), 0);
    assert_eq!(r.stats().out_of_order, 3);
    // Each segment that fills a hole is acknowledged at once, including the one that fills the last hole.
    assert_eq!(acks_to(&mut r, 60, 0, 1_000), [3_000]);
    assert_eq!(acks_to(&mut r, 61, 3_000, 4_000), [5_000]);
    assert_eq!(r.delivered(), 5_000);
    assert_eq!(acks_to(&mut r, 62, 5_000, 6_000), NONE);
}

#[test]
fn an_immediate_acknowledgment_replaces_a_delayed_one() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 50, 0, 1_000), NONE);
    assert_eq!(acks_to(&mut r, 51, 2_000, 3_000), [1_000]);
    assert_eq!(r.next_timeout(), None);
}

#[test]
fn old_data_are_acknowledged_at_once_and_not_delivered_again() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    acks_to(&mut r, 50, 0, 1_000);
    acks_to(&mut r, 51, 1_000, 2_000);
    assert_eq!(acks_to(&mut r, 60, 0, 1_000), [2_000]);
    assert_eq!(acks_to(&mut r, 61, 1_000, 2_000), [2_000]);
    assert_eq!((r.delivered(), r.stats().duplicates), (2_000, 2));
}

#[test]
fn data_held_already_count_as_duplicates() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    acks_to(&mut r, 50, 1_000, 2_000);
    assert_eq!(acks_to(&mut r, 51, 1_000, 2_000), [0]);
    assert_eq!((r.stats().out_of_order, r.stats().duplicates), (1, 1));
}

#[test]
fn only_the_new_part_of_a_segment_counts() {
    let mut r = receiver(AckPolicy::EachSegment);
    acks_to(&mut r, 50, 0, 1_000);
    assert_eq!(acks_to(&mut r, 51, 500, 1_500), [1_500]);
    assert_eq!(r.stats().duplicates, 0);
}

#[test]
fn data_beyond_the_window_are_dropped_and_acknowledged_at_once() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    assert_eq!(acks_to(&mut r, 50, 8_000, 9_000), [0]);
    assert_eq!(r.stats().beyond_window, 1);
    assert_eq!(acks_to(&mut r, 51, 7_500, 8_500), [0]); // only its first half is accepted
    assert_eq!(acks_to(&mut r, 52, 0, 7_500), [8_000]);
}

#[test]
fn a_segment_without_data_is_not_answered() {
    let mut r = receiver(AckPolicy::EachSegment);
    assert_eq!(acks_to(&mut r, 50, 0, 0), NONE);
    assert_eq!(r.stats(), &ReceiverStats::default());
}

#[test]
fn a_late_timer_call_still_sends_the_acknowledgment() {
    let mut r = receiver(AckPolicy::EverySecondSegment);
    acks_to(&mut r, 50, 0, 1_000);
    // The tick of 230 ms comes before the segment of 231 ms.
    assert_eq!(acks_to(&mut r, 231, 1_000, 1_500), [1_500]);
}

#[test]
fn the_range_that_received_data_last_is_the_first_block_and_blocks_end_with_their_hole() {
    let mut r = receiver(AckPolicy::EachSegment);
    r.config.sack = true;
    let mut blocks_after = |start: u64| {
        let segment = Segment {
            seq: start,
            len: 1_000,
            ..Segment::default()
        };
        r.on_segment(MS(10), &segment);
        let ack = r
            .poll_transmit(MS(10))
            .expect("an immediate acknowledgment");
        ack.sack_blocks().collect::<Vec<_>>()
    };
    assert_eq!(blocks_after(0), []);
    assert_eq!(blocks_after(2_000), [(2_000, 3_000)]);
    assert_eq!(blocks_after(6_000), [(6_000, 7_000), (2_000, 3_000)]);
    assert_eq!(blocks_after(3_000), [(2_000, 4_000), (6_000, 7_000)]);
    assert_eq!(blocks_after(1_000), [(6_000, 7_000)]);
    assert_eq!(blocks_after(4_000), [(6_000, 7_000)]);
    assert_eq!(blocks_after(5_000), []);
}

#[test]
fn rfc_1122_4_2_3_2_an_acknowledgment_waits_by_a_timer_that_starts_with_its_first_segment() {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    for (arrives, second) in [(0, None), (29, None), (150, None), (150, Some(170))] {
        let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
        let mut receiver = Receiver::new(ReceiverConfig {
            ack: AckPolicy::EverySecondSegment,
            ack_delay: Some(Span::from_ms(40)),
            ..ReceiverConfig::new(1_000, 9_000, fast)
        });
        let segment = |seq| Segment {
            seq,
            len: 1_000,
            ..Segment::default()
        };
        receiver.on_segment(at(arrives), &segment(0));
        assert_eq!(receiver.poll_transmit(at(arrives)), None);
        assert_eq!(receiver.next_timeout(), Some(at(arrives + 40)));
        let (leaves, ack) = match second {
            None => (arrives + 40, 1_000),
            Some(ms) => {
                receiver.on_segment(at(ms), &segment(1_000));
                (ms, 2_000)
            }
        };
        receiver.on_timer(at(leaves));
        let sent = receiver.poll_transmit(at(leaves));
        assert_eq!(sent.map(|segment| segment.ack), Some(ack));
        assert_eq!(receiver.next_timeout(), None);
    }
}

#[test]
fn rfc_2883_4_data_that_arrive_twice_are_reported_once_before_what_is_held() {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    for dsack in [true, false] {
        let mut r = Receiver::new(ReceiverConfig {
            ack: AckPolicy::EachSegment,
            sack: true,
            dsack,
            ..ReceiverConfig::new(MSS, 8_000, fast)
        });
        let mut blocks = |start: u64, end: u64| {
            let segment = Segment {
                seq: start,
                len: (end - start) as u32,
                ..Segment::default()
            };
            r.on_segment(MS(50), &segment);
            let ack = r.poll_transmit(MS(50)).expect("an acknowledgment");
            (ack.sack_blocks().collect::<Vec<_>>(), ack.duplicate_block())
        };
        let reported = |block: (u64, u64)| dsack.then_some(block);
        let with = |block: (u64, u64), held: &[(u64, u64)]| {
            let all: Vec<_> = reported(block)
                .into_iter()
                .chain(held.iter().copied())
                .collect();
            (all, reported(block))
        };
        assert_eq!(blocks(0, 1_000), (Vec::new(), None));
        assert_eq!(blocks(0, 1_000), with((0, 1_000), &[]));
        assert_eq!(blocks(2_000, 3_000), ([(2_000, 3_000)].to_vec(), None));
        assert_eq!(blocks(3_000, 4_000), ([(2_000, 4_000)].to_vec(), None));
        // Below what is acknowledged, and within what is held; reported once only.
        assert_eq!(blocks(0, 1_000), with((0, 1_000), &[(2_000, 4_000)]));
        assert_eq!(
            blocks(3_000, 4_000),
            with((3_000, 4_000), &[(2_000, 4_000)])
        );
        assert_eq!(blocks(5_000, 6_000).1, None);
    }
}

#[test]
fn rfc_2883_4_the_first_part_of_a_segment_that_arrived_before_is_reported() {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    let report = |segments: &[(u64, u64)]| {
        let mut r = Receiver::new(ReceiverConfig {
            ack: AckPolicy::EachSegment,
            sack: true,
            dsack: true,
            ..ReceiverConfig::new(MSS, 20_000, fast)
        });
        let acks = segments.iter().map(|&(start, end)| {
            let segment = Segment {
                seq: start,
                len: (end - start) as u32,
                ..Segment::default()
            };
            r.on_segment(MS(50), &segment);
            r.poll_transmit(MS(50)).expect("an acknowledgment")
        });
        let last = acks.last().expect("segments");
        (last.ack, last.sack_blocks().collect::<Vec<_>>())
    };
    let holes = [(2_000, 3_000), (4_000, 5_000), (7_000, 8_000)];
    let with = |last| [holes.as_slice(), &[last]].concat();
    // Two parts within what is acknowledged now (4.2.3), one part at its end, and one beyond a hole (4.2.2).
    let both = vec![(2_000, 3_000), (7_000, 8_000)];
    assert_eq!(report(&with((0, 6_000))), (6_000, both));
    let end = vec![(2_000, 2_500), (7_000, 8_000), (4_000, 5_000)];
    assert_eq!(report(&with((0, 2_500))), (3_000, end));
    let beyond = vec![
        (4_500, 5_000),
        (4_000, 6_000),
        (7_000, 8_000),
        (2_000, 3_000),
    ];
    assert_eq!(report(&with((4_500, 6_000))), (0, beyond));
    // What fills a hole exactly arrived once.
    let none = vec![(7_000, 8_000), (4_000, 5_000)];
    assert_eq!(report(&with((0, 2_000))), (3_000, none));
}
