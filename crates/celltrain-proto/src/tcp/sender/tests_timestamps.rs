//! Timestamps (reference section 3).

use super::*;
use crate::tcp::{Receiver, ReceiverConfig, Rfc6298, RtoTimer, TickClock, Timestamps};

const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// Slow ticks at 100 ms, 600 ms and so on.
fn config() -> SenderConfig {
    SenderConfig {
        timestamps: true,
        ..SenderConfig::new(
            1_000,
            TickClock::new(Span::from_ms(500), Span::from_ms(100)),
        )
    }
}

fn receiver(sack: bool) -> Receiver {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    Receiver::new(ReceiverConfig {
        timestamps: true,
        sack,
        ..ReceiverConfig::new(1_000, 65_535, fast)
    })
}

fn echo(ack: u64, echo: u32) -> Segment {
    Segment {
        ack,
        window: 65_535,
        timestamp: Some(Timestamps { value: 77, echo }),
        ..Segment::default()
    }
}

/// Data from `seq` on, with timestamp `value`.
fn stamped(seq: u64, value: u32) -> Segment {
    Segment {
        seq,
        len: 1_000,
        timestamp: Some(Timestamps { value, echo: 0 }),
        ..Segment::default()
    }
}

fn echoed(r: &mut Receiver) -> Option<u32> {
    Some(r.poll_transmit(MS(0))?.timestamp?.echo)
}

#[test]
fn tcp_section_3_segments_carry_the_count_of_ticks_and_echo_the_peers() {
    let mut s = Sender::new(config());
    s.write(MS(1_150), Available::Unlimited);
    let value = |s: &mut Sender, ms| {
        s.poll_transmit(MS(ms))
            .and_then(|segment| segment.timestamp)
    };
    // Ticks at 100, 600 and 1100 ms.
    assert_eq!(value(&mut s, 1_150), Some(Timestamps { value: 3, echo: 0 }));
    s.on_segment(MS(1_200), &echo(1_000, 3));
    assert_eq!(
        value(&mut s, 1_600),
        Some(Timestamps { value: 4, echo: 77 })
    );
}

#[test]
fn tcp_section_3_with_timestamps_each_ack_of_new_data_is_a_sample_even_after_a_retransmission() {
    let mut s = Sender::new(config());
    s.write(MS(0), Available::Unlimited);
    assert!(s.poll_transmit(MS(0)).is_some());
    // The first time-out, at tick 12; the segment is retransmitted with timestamp 12.
    s.on_timer(MS(5_600));
    let again = s.poll_transmit(MS(5_600)).expect("the retransmission");
    assert_eq!(again.timestamp.map(|t| t.value), Some(12));
    assert_eq!(s.srtt(), None);
    s.on_segment(MS(6_150), &echo(1_000, 12)); // tick 13 has passed: 13 - 12 + 1 = 2
    assert_eq!(s.srtt(), Some(Span::from_secs(1)));
    assert_eq!(s.rto(), Span::from_secs(3)); // 2 + 4 ticks: the back-off ends
    // Without timestamps Karn's rule allows no sample.
    let mut s = Sender::new(SenderConfig {
        timestamps: false,
        ..config()
    });
    s.write(MS(0), Available::Unlimited);
    assert!(s.poll_transmit(MS(0)).is_some());
    s.on_timer(MS(5_600));
    assert!(s.poll_transmit(MS(5_600)).is_some());
    s.on_segment(MS(6_150), &echo(1_000, 12));
    assert_eq!((s.srtt(), s.rto()), (None, Span::from_secs(24)));
}

#[test]
fn tcp_section_3_duplicates_are_no_samples() {
    let mut s = Sender::new(config());
    s.write(MS(0), Available::Unlimited);
    assert!(s.poll_transmit(MS(0)).is_some());
    s.on_segment(MS(50), &echo(0, 0));
    assert_eq!(s.srtt(), None);
}

#[test]
fn tcp_section_3_in_continuous_time_the_clock_counts_milliseconds() {
    let mut s = Sender::new(SenderConfig {
        rto_timer: RtoTimer::Continuous(Rfc6298::default()),
        ..config()
    });
    s.write(MS(250), Available::Unlimited);
    let first = s
        .poll_transmit(MS(250))
        .and_then(|segment| segment.timestamp);
    assert_eq!(first.map(|t| t.value), Some(250));
    s.on_segment(MS(370), &echo(1_000, 250));
    assert_eq!(s.srtt(), Some(Span::from_ms(120)));
}

#[test]
fn tcp_section_3_a_delayed_ack_echoes_the_first_segment_that_it_acknowledges() {
    let mut r = receiver(false);
    r.on_segment(MS(0), &stamped(0, 5));
    r.on_segment(MS(0), &stamped(1_000, 6));
    assert_eq!(echoed(&mut r), Some(5));
    // A segment beyond a hole does not update the echo; the one that fills it does.
    r.on_segment(MS(0), &stamped(3_000, 8));
    assert_eq!(echoed(&mut r), Some(5));
    r.on_segment(MS(0), &stamped(2_000, 9));
    assert_eq!(echoed(&mut r), Some(9));
    // An older timestamp does not replace it.
    r.on_segment(MS(0), &stamped(0, 5));
    assert_eq!(echoed(&mut r), Some(9));
}

#[test]
fn tcp_section_1_beside_timestamps_three_sack_blocks_fit() {
    let mut r = receiver(true);
    for hole in 1..=5 {
        r.on_segment(MS(0), &stamped(2_000 * hole, 1));
    }
    let ack = r.poll_transmit(MS(0)).expect("an acknowledgment");
    assert_eq!(ack.sack_blocks().count(), 3);
    assert_eq!(ack.options_len(), 12 + 4 + 24); // all 40 octets available in a header
}

#[test]
fn lite_of_1993_counts_options_in_its_windows_and_acknowledges_every_third_segment() {
    // 1012 octets including 12 of timestamps. The window of Reno counts only data.
    for (counted, first, later, third) in [(12, 1_012, 2_024, true), (0, 1_000, 2_000, false)] {
        let mut s = Sender::new(SenderConfig {
            counted_options: counted,
            ..config()
        });
        s.write(MS(0), Available::Unlimited);
        assert_eq!(s.poll_transmit(MS(0)).map(|it| it.len), Some(1_000));
        assert_eq!(s.poll_transmit(MS(0)), None, "less than a segment remains");
        assert_eq!(s.cwnd(), first);
        s.on_segment(MS(50), &echo(1_000, 0));
        assert_eq!(s.cwnd(), later);
        let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
        let mut r = Receiver::new(ReceiverConfig {
            timestamps: true,
            ..ReceiverConfig::new(1_000 + counted, 65_535, fast)
        });
        r.on_segment(MS(50), &stamped(0, 1));
        r.on_segment(MS(50), &stamped(1_000, 1));
        assert_eq!(r.poll_transmit(MS(50)).is_none(), third);
        r.on_segment(MS(50), &stamped(2_000, 1));
        assert_eq!(r.poll_transmit(MS(50)).is_some(), third);
    }
}
