//! Socket buffer, small windows and the persist timer (reference section 5).

use super::*;
use crate::tcp::pair::{Pair, To};
use crate::tcp::{NoParameters, ReadMode, Receiver, ReceiverConfig, TickClock, Variant};
use alloc::vec::Vec;

const MSS: u64 = 1_000;
const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// Slow ticks at 100 ms, 600 ms and so on.
fn config() -> SenderConfig {
    SenderConfig::new(
        1_000,
        TickClock::new(Span::from_ms(500), Span::from_ms(100)),
    )
}

fn ack(ack: u64, window: u32) -> Segment {
    Segment {
        ack,
        window,
        ..Segment::default()
    }
}

fn sent(s: &mut Sender, now: Time) -> Vec<(u64, u64)> {
    core::iter::from_fn(|| s.poll_transmit(now))
        .map(|segment| (segment.seq, segment.end()))
        .collect()
}

/// A greedy sender whose first segment is acknowledged at 50 ms, leaving a window of `window`: the sample is one tick,
/// so srtt is 1 tick and the deviation half a tick.
fn shut(config: SenderConfig, window: u32) -> Sender {
    let mut s = Sender::new(config);
    s.write(MS(0), Available::Unlimited);
    assert_eq!(sent(&mut s, MS(0)), [(0, 1_000)]);
    s.on_segment(MS(50), &ack(1_000, window));
    s
}

#[test]
fn tcp_section_5_a_closed_window_is_probed_by_one_octet_after_5_to_60_s() {
    let mut s = shut(config(), 0);
    assert_eq!(sent(&mut s, MS(50)), []);
    // srtt + 2 rttvar is 2 ticks: 1, 2, 4 s are raised to 5 s, followed by 8, 16, 32, 60 and 60 s. The first interval
    // begins before tick 1.
    let mut last = 0;
    for ticks in [10, 10, 10, 16, 32, 64, 120, 120] {
        let due = s.next_timeout().expect("the persist timer runs");
        last += ticks;
        assert_eq!(due, MS(100 + 500 * (last - 1)));
        s.on_timer(due);
        assert_eq!(sent(&mut s, due), [(1_000, 1_001)]);
        s.on_segment(due, &ack(1_000, 0));
        assert_eq!(sent(&mut s, due), []);
    }
    assert_eq!(s.stats().window_probes, 8);
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn tcp_section_5_probes_go_on_where_nothing_answers() {
    let mut s = shut(config(), 0);
    assert_eq!(sent(&mut s, MS(50)), []);
    for _ in 0..100 {
        let due = s.next_timeout().expect("the persist timer runs");
        s.on_timer(due);
        assert_eq!(sent(&mut s, due), [(1_000, 1_001)]);
    }
    assert!(!s.is_dropped());
}

#[test]
fn tcp_section_5_a_window_that_opens_ends_the_probes() {
    let mut s = shut(config(), 0);
    assert_eq!(sent(&mut s, MS(50)), []);
    s.on_timer(MS(4_600));
    assert_eq!(sent(&mut s, MS(4_600)), [(1_000, 1_001)]);
    // The octet of the probe is retransmitted in the segment that begins with it.
    s.on_segment(MS(4_700), &ack(1_000, 8_000));
    assert_eq!(sent(&mut s, MS(4_700)), [(1_000, 2_000), (2_000, 3_000)]);
    // No sample, as the probe is not timed; the retransmission timer of 3 ticks starts at tick 10.
    assert_eq!(s.next_timeout(), Some(MS(100 + 500 * 12)));
    // Or the receiver accepts the octet, and the sender continues after it.
    let mut s = shut(config(), 0);
    assert_eq!(sent(&mut s, MS(50)), []);
    s.on_timer(MS(4_600));
    assert_eq!(sent(&mut s, MS(4_600)), [(1_000, 1_001)]);
    s.on_segment(MS(4_700), &ack(1_001, 8_000));
    assert_eq!(sent(&mut s, MS(4_700))[0], (1_001, 2_001));
}

#[test]
fn tcp_section_5_a_small_window_is_filled_when_the_persist_timer_expires() {
    for output in [OutputRule::Bsd, OutputRule::WholeSegments] {
        let mut s = shut(SenderConfig { output, ..config() }, 300);
        // Less than a segment and less than half of the largest window: silly.
        assert_eq!(sent(&mut s, MS(50)), []);
        s.on_timer(MS(4_600));
        assert_eq!(sent(&mut s, MS(4_600)), [(1_000, 1_300)]);
        assert_eq!(s.stats().window_probes, 0);
        assert_eq!(s.next_timeout(), Some(MS(100 + 500 * 12))); // the retransmission timer: 3 ticks
    }
}

#[test]
fn tcp_section_5_a_window_shut_over_outstanding_data_stops_their_timer() {
    let mut s = shut(config(), 8_000);
    assert_eq!(sent(&mut s, MS(50)), [(1_000, 2_000), (2_000, 3_000)]);
    s.on_segment(MS(60), &ack(2_000, 0));
    assert_eq!(sent(&mut s, MS(60)), []);
    assert_eq!(s.next_timeout(), Some(MS(4_600)));
    s.on_timer(MS(4_600));
    assert_eq!(sent(&mut s, MS(4_600)), [(2_000, 2_001)]);
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn tcp_section_5_no_persist_timer_runs_where_nothing_waits() {
    let mut s = Sender::new(config());
    s.write(MS(0), Available::Bytes(1_000));
    assert_eq!(sent(&mut s, MS(0)), [(0, 1_000)]);
    s.on_segment(MS(50), &ack(1_000, 0));
    assert_eq!(sent(&mut s, MS(50)), []);
    assert_eq!(s.next_timeout(), None);
}

#[test]
fn tcp_section_5_the_application_writes_what_the_socket_buffer_has_room_for() {
    let mut s = Sender::new(SenderConfig {
        send_buffer: Some(4_000),
        ..config()
    });
    assert_eq!(s.buffer_free(), 4_000);
    s.write(MS(0), Available::Bytes(3_500));
    assert_eq!(s.buffer_free(), 500);
    assert_eq!(sent(&mut s, MS(0)), [(0, 1_000)]);
    assert_eq!(s.buffer_free(), 500); // sent data stay in the buffer until they are acknowledged
    s.on_segment(MS(50), &ack(1_000, 8_000));
    assert_eq!(s.buffer_free(), 1_500);
    assert_eq!(Sender::new(config()).buffer_free(), u64::MAX);
}

#[test]
fn tcp_section_5_a_greedy_source_has_no_more_outstanding_than_the_socket_buffer_holds() {
    let mut s = Sender::new(SenderConfig {
        send_buffer: Some(3_000),
        ..config()
    });
    s.write(MS(0), Available::Unlimited);
    let mut at = 0;
    while s.cwnd() < 8 * MSS {
        at += 10;
        sent(&mut s, MS(at));
        s.on_segment(MS(at), &ack(s.snd_una() + MSS, 8_000));
    }
    sent(&mut s, MS(at));
    assert_eq!(s.snd_max() - s.snd_una(), 3_000);
}

#[test]
fn tcp_section_5_nagle_holds_a_partial_segment_while_data_are_outstanding() {
    for (nagle, second) in [(true, None), (false, Some((600, 700)))] {
        let mut s = Sender::new(SenderConfig { nagle, ..config() });
        s.write(MS(0), Available::Bytes(600));
        assert_eq!(sent(&mut s, MS(0)), [(0, 600)]);
        s.write(MS(1), Available::Bytes(100));
        assert_eq!(sent(&mut s, MS(1)).first().copied(), second);
        s.on_segment(MS(50), &ack(600, 8_000));
        let after = (nagle && second.is_none()).then_some((600, 700));
        assert_eq!(sent(&mut s, MS(50)).first().copied(), after);
    }
}

#[test]
fn tcp_section_2_idle_for_a_time_out_shuts_the_window_of_reno_and_not_of_tahoe() {
    let tahoe = Variant::Bsd43Tahoe(NoParameters {});
    for (variant, cwnd) in [(Variant::Bsd44(NoParameters {}), 1_000), (tahoe, 3_000)] {
        let mut s = Sender::new(config().with_variant(variant));
        for _ in 0..2 {
            s.write(MS(0), Available::Bytes(1_000));
            sent(&mut s, MS(0));
            s.on_segment(MS(50), &ack(s.snd_max(), 8_000));
        }
        assert_eq!(s.cwnd(), 3_000);
        s.write(MS(20_000), Available::Bytes(100));
        assert_eq!(s.cwnd(), cwnd, "{variant:?}");
    }
}

#[test]
fn tcp_section_5_a_slow_reader_gets_all_data_and_the_connection_does_not_stop() {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    // Every window update is lost: only probes reopen the window.
    let receiver = ReceiverConfig {
        application: ReadMode::Manual,
        ..ReceiverConfig::new(1_000, 4_000, fast)
    };
    let mut sender = Sender::new(config());
    sender.write(MS(0), Available::Bytes(8_000));
    let mut last_ack = None;
    let mut p = Pair::new(sender, Receiver::new(receiver), 50).with_wire(move |to, _, s| {
        let update = to == To::Sender && last_ack == Some(s.ack) && s.window > 0;
        if to == To::Sender {
            last_ack = Some(s.ack);
        }
        !update
    });
    p.run_until(3_000);
    assert_eq!((p.receiver.readable(), p.sender.snd_wnd()), (4_000, 0));
    assert_eq!(p.receiver.read(p.now, 4_000), 4_000);
    p.run_until(40_000);
    assert_eq!(p.receiver.readable(), 4_000);
    assert!(p.sender.stats().window_probes > 0);
}
