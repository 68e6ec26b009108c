//! The window of a receiver whose application reads explicitly (reference sections 2 and 5).

use super::*;
use crate::tcp::TickClock;
use crate::units::Span;

const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// Segments of 1000 octets, fast ticks at 30 ms, 230 ms and so on.
fn receiver(window: u32, window_update: WindowUpdate) -> Receiver {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    Receiver::new(ReceiverConfig {
        application: ReadMode::Manual,
        window_update,
        ..ReceiverConfig::new(1_000, window, fast)
    })
}

fn arrives(r: &mut Receiver, seq: u64, len: u32) {
    let segment = Segment {
        seq,
        len,
        ..Segment::default()
    };
    r.on_segment(MS(50), &segment);
}

/// Acknowledgment number and window of the segment sent at the fast tick, or at once.
fn answer(r: &mut Receiver) -> Option<(u64, u32)> {
    r.on_timer(MS(230));
    let ack = r.poll_transmit(MS(230))?;
    Some((ack.ack, ack.window))
}

#[test]
fn tcp_section_5_a_slow_application_leaves_acks_to_the_timer_and_the_window_shrinks() {
    let mut r = receiver(4_000, WindowUpdate::Bsd);
    for (number, window) in [(0, 3_000), (1, 2_000), (2, 1_000), (3, 0)] {
        arrives(&mut r, 1_000 * number, 1_000);
        assert_eq!(r.poll_transmit(MS(60)), None);
        assert_eq!(answer(&mut r), Some((1_000 * (number + 1), window)));
    }
    assert_eq!((r.delivered(), r.readable()), (0, 4_000));
    assert_eq!(r.read(MS(300), 1_500), 1_500);
    assert_eq!((r.delivered(), r.readable()), (1_500, 2_500));
}

#[test]
fn tcp_section_5_data_beyond_a_full_buffer_are_dropped_and_acknowledged_at_once() {
    let mut r = receiver(1_000, WindowUpdate::Bsd);
    arrives(&mut r, 0, 1_000);
    assert_eq!(answer(&mut r), Some((1_000, 0)));
    arrives(&mut r, 1_000, 1);
    assert_eq!(
        r.poll_transmit(MS(60)).map(|ack| (ack.ack, ack.window)),
        Some((1_000, 0))
    );
    assert_eq!(r.stats().beyond_window, 1);
}

#[test]
fn tcp_section_5_a_window_update_leaves_when_the_edge_can_move_far_enough() {
    // Buffer, octets in it, and how much must be read before an update is sent.
    for (rule, size, filled, reads) in [
        (WindowUpdate::Bsd, 8_000, 8_000, 2_000),     // two segments
        (WindowUpdate::Bsd, 3_000, 3_000, 1_500),     // half of the buffer
        (WindowUpdate::Tahoe, 8_000, 8_000, 2_800),   // 35 %: two segments need an empty buffer
        (WindowUpdate::Tahoe, 8_000, 2_000, 2_000),   // two segments, and the buffer is empty
        (WindowUpdate::Rfc1122, 8_000, 8_000, 1_000), // a segment
        (WindowUpdate::Rfc1122, 1_600, 1_600, 800),   // half of the buffer
    ] {
        let mut r = receiver(size, rule);
        let mut seq = 0;
        while seq < filled {
            let len = (filled - seq).min(1_000);
            arrives(&mut r, seq, len as u32);
            seq += len;
        }
        assert!(answer(&mut r).is_some());
        assert_eq!(r.read(MS(300), reads - 1), reads - 1);
        assert_eq!(r.poll_transmit(MS(300)), None, "{rule:?} {size} {filled}");
        assert_eq!(r.read(MS(300), 1), 1);
        let update = r.poll_transmit(MS(300)).expect("an update");
        let free = u64::from(size) - filled + reads;
        assert_eq!(
            (update.ack, u64::from(update.window)),
            (filled, free),
            "{rule:?}"
        );
    }
}

#[test]
fn tcp_section_5_a_small_free_part_is_not_offered() {
    for (size, read, offered) in [
        (8_000, 999, 0),       // less than a segment and less than a quarter
        (8_000, 1_000, 1_000), // a segment
        (2_000, 499, 0),
        (2_000, 500, 500), // a quarter
    ] {
        let mut r = receiver(size, WindowUpdate::Bsd);
        for seq in (0..size).step_by(1_000) {
            arrives(&mut r, seq.into(), 1_000);
        }
        assert!(answer(&mut r).is_some());
        r.read(MS(300), read);
        let end = u64::from(size);
        arrives(&mut r, 0, 1_000); // old data: acknowledged at once
        assert_eq!(answer(&mut r), Some((end, offered)), "{size} {read}");
    }
}

#[test]
fn tcp_section_5_the_window_offered_never_shrinks() {
    let mut r = receiver(8_000, WindowUpdate::Bsd);
    arrives(&mut r, 0, 1_000);
    assert_eq!(answer(&mut r), Some((1_000, 7_000)));
    for number in 1..7 {
        arrives(&mut r, 1_000 * number, 1_000);
    }
    // 1000 octets remain of the offered window, and 500 of these arrive: 500 are free, less than a segment.
    arrives(&mut r, 7_000, 500);
    assert_eq!(answer(&mut r), Some((7_500, 500)));
}

#[test]
fn tcp_section_5_an_application_that_reads_at_once_leaves_the_window_constant() {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    let mut r = Receiver::new(ReceiverConfig::new(1_000, 4_000, fast));
    for number in 0..6 {
        arrives(&mut r, 1_000 * number, 1_000);
        if let Some((ack, window)) = answer(&mut r) {
            assert_eq!((ack, window), (1_000 * (number + 1), 4_000));
        }
        assert_eq!(r.readable(), 0);
        assert_eq!(r.delivered(), 1_000 * (number + 1));
    }
    assert_eq!(r.read(MS(500), 100), 0);
}

#[test]
fn what_the_application_reads_is_news_when_the_window_moves_by_two_segments_or_half_the_buffer() {
    // 3000 of 4000 octets have arrived and nothing is read; the offered window ends at 4000.
    for (rule, news) in [
        (WindowUpdate::Bsd, Some(2_000)),
        (WindowUpdate::Rfc1122, Some(1_000)),
    ] {
        let mut r = receiver(4_000, rule);
        for number in 0..3 {
            arrives(&mut r, 1_000 * number, 1_000);
        }
        assert_eq!(answer(&mut r), Some((3_000, 1_000)));
        assert_eq!(r.octets_until_news(), news);
        let octets = news.unwrap_or(0);
        assert_eq!(r.read(MS(300), octets - 1), octets - 1);
        assert_eq!(r.poll_transmit(MS(300)), None);
        assert_eq!(r.octets_until_news(), Some(1));
        r.read(MS(300), 1);
        assert!(r.poll_transmit(MS(300)).is_some());
    }
}

#[test]
fn reading_all_that_has_come_may_be_no_news() {
    let mut r = receiver(9_000, WindowUpdate::Bsd);
    arrives(&mut r, 0, 1_000);
    assert_eq!(r.octets_until_news(), None);
    r.read(MS(300), 1_000);
    assert_eq!(r.poll_transmit(MS(300)), None);
}
