//! A timer and a measurement for each segment, in real ticks of 100 ms at 30 ms, 130 ms and so on.

use super::*;
use crate::tcp::{Available, RtoGain, RtoTimer, TickClock};
use alloc::vec::Vec;

const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// A sender with a window of four segments of 1000 octets.
fn sender() -> Sender {
    let clock = TickClock::new(Span::from_ms(100), Span::from_ms(30));
    let mut config = SenderConfig::new(1_000, clock);
    config.rtt_timing = RttTiming::EverySegment;
    config.rearm = Rearm::OldestSegment;
    config.rto_timer = RtoTimer::RealTicks;
    config.rto.gain = RtoGain::Two;
    config.initial_window = InitialWindow::Rfc3390;
    let mut s = Sender::new(config);
    s.log_timer_events();
    s.write(Time::ZERO, Available::Unlimited);
    s
}

fn send(s: &mut Sender, ms: u64) {
    assert!(s.poll_transmit(MS(ms)).is_some(), "at {ms} ms");
}

fn ack(s: &mut Sender, ms: u64, ack: u64) {
    let segment = Segment {
        ack,
        window: 65_535,
        ..Segment::default()
    };
    s.on_segment(MS(ms), &segment);
}

/// The measured round trips in ms, and time-outs as zero.
fn events(s: &mut Sender) -> Vec<u64> {
    let events = core::iter::from_fn(|| s.take_timer_event());
    let ms = |event: TimerEvent| event.rtt.map_or(0, |rtt| rtt.div_floor(Span::from_ms(1)));
    events.map(ms).collect()
}

#[test]
fn every_segment_of_a_window_is_measured() {
    let mut s = sender();
    for ms in [0, 10, 20, 40] {
        send(&mut s, ms);
    }
    ack(&mut s, 140, 1_000);
    ack(&mut s, 150, 3_000);
    ack(&mut s, 250, 4_000);
    assert_eq!(events(&mut s), [140, 140, 130, 210]);
    // In ticks 2, 2, 2, 2: 0 to 30 ms is tick 0, 140 ms is tick 2.
    assert_eq!(s.srtt(), Some(Span::from_ms(200)));
}

#[test]
fn the_timer_guards_the_oldest_segment_from_its_own_start() {
    let mut s = sender();
    send(&mut s, 0);
    assert_eq!(s.next_timeout(), Some(MS(3_030))); // tick 0 + 30 + 1
    send(&mut s, 40); // tick 1
    ack(&mut s, 90, 1_000); // one tick: srtt 1, deviation 1/2, two ticks
    assert_eq!(s.rto(), Span::from_ms(200));
    assert_eq!(s.next_timeout(), Some(MS(330))); // tick 1 + 2 + 1 = 4
    send(&mut s, 310);
    ack(&mut s, 320, 1_000); // nothing new: the timer is unchanged
    assert_eq!(s.next_timeout(), Some(MS(330)));
    s.on_timer(MS(330));
    assert_eq!(s.stats().timeouts, 1);
    assert_eq!(s.next_timeout(), Some(MS(830))); // tick 4 + 4 + 1 = 9
}

#[test]
fn a_segment_older_than_the_time_out_expires_at_the_next_tick() {
    let mut s = sender();
    send(&mut s, 0);
    send(&mut s, 1);
    ack(&mut s, 1_000, 1_000); // ten ticks: srtt 10, deviation 5: 20 ticks
    ack(&mut s, 1_001, 2_000);
    for ms in [1_010, 1_011, 1_012] {
        send(&mut s, ms);
    }
    for ms in [1_013, 1_014] {
        ack(&mut s, ms, 3_000 + (ms - 1_013) * 1_000);
    }
    let rto = s.rto().div_floor(Span::from_ms(100));
    assert_eq!(s.next_timeout(), Some(MS(30 + 100 * (9 + rto + 1))));
}

#[test]
fn a_time_out_ends_all_measurements_and_what_was_not_sent_again_is_new_to_the_timer() {
    let mut s = sender();
    for ms in [0, 1, 2, 3] {
        send(&mut s, ms);
    }
    s.on_timer(MS(3_030));
    send(&mut s, 3_040); // the first, retransmitted
    assert_eq!(events(&mut s), [0]);
    // It was in flight after all: neither it nor the second, sent once, gives a sample.
    ack(&mut s, 3_050, 2_000);
    assert!(events(&mut s).is_empty());
    assert_eq!(s.rto(), Span::from_secs(6));
    // Tick 31 + 60 + 1, from now.
    assert_eq!(s.next_timeout(), Some(MS(30 + 100 * 91)));
    assert_eq!(s.stats().rtt_once.count, 1);
    assert_eq!(s.stats().rtt.count, 2);
}

#[test]
fn the_squares_of_round_trips_are_summed() {
    let mut s = sender();
    send(&mut s, 0);
    send(&mut s, 0);
    ack(&mut s, 3, 1_000);
    ack(&mut s, 4, 2_000);
    assert_eq!(s.stats().rtt_once.sum_sq_ps2, 25 * 10_u128.pow(18));
}
