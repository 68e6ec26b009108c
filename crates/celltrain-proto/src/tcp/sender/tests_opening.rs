//! Opening (reference section 6, with the timers of section 3).

use super::*;
use crate::tcp::pair::{Pair, To};
use crate::tcp::{Receiver, ReceiverConfig, Rfc6298, RtoTimer, TickClock};
use alloc::vec::Vec;

/// Slow ticks at 100 ms, 600 ms and so on; fast ones at 30 ms, 230 ms and so on.
fn config() -> SenderConfig {
    SenderConfig {
        handshake: true,
        ..SenderConfig::new(
            1_000,
            TickClock::new(Span::from_ms(500), Span::from_ms(100)),
        )
    }
}

fn receiver_config() -> ReceiverConfig {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    ReceiverConfig {
        slow_timer: TickClock::new(Span::from_ms(500), Span::from_ms(100)),
        ..ReceiverConfig::new(1_000, 8_000, fast)
    }
}

fn connecting(config: SenderConfig, receiver: ReceiverConfig) -> Pair {
    let mut sender = Sender::new(config);
    sender.connect(Time::ZERO);
    Pair::new(sender, Receiver::new(receiver), 50)
}

fn is_syn(segment: &Segment) -> bool {
    segment.flags.has(Flags::SYN)
}

fn instants(pair: &Pair, to: To) -> Vec<u64> {
    pair.sent(to).map(|(ms, _)| ms).collect()
}

#[test]
fn tcp_section_6_syn_its_answer_and_an_ack_open_the_connection_and_data_start_at_zero() {
    let mut p = connecting(config(), receiver_config());
    assert_eq!(p.sender.state(), State::SynSent);
    p.run_until(60);
    assert_eq!(p.receiver.state(), State::SynReceived);
    p.run_until(160);
    assert!(p.sender.is_established());
    assert_eq!(p.receiver.state(), State::Established);
    let (at, ack) = p.sent(To::Receiver).last().expect("the third segment");
    assert_eq!((at, ack.len, ack.seq, ack.ack), (100, 0, 0, 0));
    assert_eq!(
        (instants(&p, To::Receiver).len(), instants(&p, To::Sender)),
        (2, [50].into())
    );
    p.sender.write(p.now, Available::Bytes(400));
    p.run_until(500);
    assert_eq!(p.receiver.delivered(), 400);
    assert_eq!(p.sender.snd_una(), 400);
}

#[test]
fn tcp_section_6_nothing_but_the_syn_leaves_before_the_connection_is_open() {
    let mut p = connecting(config(), receiver_config());
    p.sender.write(Time::ZERO, Available::Bytes(400));
    p.run_until(99);
    assert_eq!(instants(&p, To::Receiver), [0]);
    p.run_until(100);
    // The data segments carry the acknowledgment of the SYN.
    let (_, first) = p.sent(To::Receiver).last().expect("data");
    assert_eq!(
        (first.seq, first.len, p.sender.stats().acks_sent),
        (0, 400, 0)
    );
}

#[test]
fn tcp_section_6_a_sender_without_handshake_is_established_from_the_start() {
    let mut s = Sender::new(SenderConfig {
        handshake: false,
        ..config()
    });
    assert!(s.is_established());
    s.connect(Time::ZERO);
    assert_eq!(s.poll_transmit(Time::ZERO), None);
}

#[test]
fn tcp_section_3_bsd_sends_the_syn_at_0_6_and_30_s_and_drops_the_connection_after_75_s() {
    let mut p = connecting(config(), receiver_config()).with_wire(|_, _, _| false);
    p.run_until(74_599);
    // Ticks 12 and 12 + 48; the set-up timer is at tick 150.
    assert_eq!(instants(&p, To::Receiver), [0, 5_600, 29_600]);
    assert!(!p.sender.is_dropped());
    p.run_until(74_600);
    assert!(p.sender.is_dropped());
    assert_eq!(p.sender.state(), State::Closed);
    p.run_until(1_000_000);
    assert_eq!(instants(&p, To::Receiver).len(), 3);
}

#[test]
fn tcp_section_6_in_continuous_time_the_syn_backs_off_from_one_second() {
    let rfc = RtoTimer::Continuous(Rfc6298::default());
    let config = SenderConfig {
        rto_timer: rfc,
        ..config()
    };
    let mut p = connecting(config, receiver_config()).with_wire(|_, _, _| false);
    p.run_until(100_000);
    let expected = [0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000];
    assert_eq!(instants(&p, To::Receiver), expected);
    assert!(p.sender.is_dropped());
    // After a lost SYN, data start with a time-out of 3 s (RFC 6298 5.7).
    let mut p =
        connecting(config, receiver_config()).with_wire(|to, n, _| to == To::Sender || n > 0);
    p.run_until(1_200);
    assert!(p.sender.is_established());
    assert_eq!(p.sender.rto(), Span::from_secs(3));
}

#[test]
fn tcp_section_6_the_round_trip_of_a_syn_sent_once_is_the_first_sample() {
    let mut p = connecting(config(), receiver_config());
    p.run_until(100);
    // One tick, at 100 ms, has passed: m = 2, srtt = 2 ticks, RTO = 2 + 4 ticks.
    assert_eq!(p.sender.srtt(), Some(Span::from_secs(1)));
    assert_eq!(p.sender.rto(), Span::from_secs(3));
}

#[test]
fn tcp_section_3_a_syn_sent_twice_gives_no_sample_and_leaves_the_time_out_backed_off() {
    let mut p =
        connecting(config(), receiver_config()).with_wire(|to, n, _| to == To::Sender || n > 0);
    p.run_until(5_800);
    assert!(p.sender.is_established());
    assert_eq!(
        (p.sender.srtt(), p.sender.rto()),
        (None, Span::from_secs(24))
    );
    assert_eq!(p.sender.stats().syns_sent, 2);
}

#[test]
fn tcp_section_6_a_lost_syn_ack_is_sent_again_by_either_timer() {
    let lost = |to, n, _: &mut Segment| to == To::Receiver || n > 0;
    let mut p = connecting(config(), receiver_config()).with_wire(lost);
    p.run_until(10_000);
    // The receiver's own timer (tick 12) and the retransmitted SYN, which arrives at 5650 ms.
    assert_eq!(instants(&p, To::Sender), [50, 5_600, 5_650]);
    assert!(p.sender.is_established());
    assert_eq!(p.receiver.state(), State::Established);
}

#[test]
fn tcp_section_6_a_lost_third_segment_is_repeated_because_the_syn_ack_is() {
    let lost = |to, n, _: &mut Segment| to == To::Sender || n != 1;
    let mut p = connecting(config(), receiver_config()).with_wire(lost);
    p.run_until(5_000);
    assert_eq!(p.receiver.state(), State::SynReceived);
    p.run_until(6_000);
    assert_eq!(p.receiver.state(), State::Established);
    assert_eq!(instants(&p, To::Receiver), [0, 100, 5_650]);
}

#[test]
fn tcp_section_3_a_receiver_drops_an_opening_that_takes_75_s() {
    let lost = |to, _, _: &mut Segment| to == To::Receiver;
    let mut p = connecting(config(), receiver_config()).with_wire(lost);
    p.run_until(74_599);
    assert_eq!(p.receiver.state(), State::SynReceived);
    p.run_until(80_000);
    assert!(p.receiver.is_closed());
    assert!(!p.receiver.is_finished());
}

#[test]
fn tcp_section_6_a_late_syn_is_acknowledged_and_changes_nothing() {
    let mut p = connecting(config(), receiver_config());
    p.sender.write(Time::ZERO, Available::Bytes(1_000));
    p.run_until(500);
    let (_, syn) = p.sent(To::Receiver).next().expect("the SYN");
    p.receiver.on_segment(p.now, &syn);
    let answer = p.receiver.poll_transmit(p.now).expect("an answer");
    assert_eq!((answer.ack, is_syn(&answer)), (1_000, false));
    assert_eq!(p.receiver.state(), State::Established);
}

#[test]
fn tcp_section_5_windows_are_scaled_only_if_both_syns_carry_it() {
    for (sender_scale, receiver_scale, agreed, window) in [
        (None, None, None, 65_535),
        (Some(0), None, None, 65_535),
        (None, Some(2), None, 65_535),
        (Some(0), Some(0), Some(0), 65_535),
        (Some(0), Some(1), Some(1), 131_070), // 65535 units of two
        (Some(0), Some(3), Some(3), 200_000), // 25000 units of eight
        (Some(0), Some(9), Some(9), 199_680), // 390 units of 512
        (Some(0), Some(20), Some(14), 196_608), // 12 units of 16384
    ] {
        let config = SenderConfig {
            window_scale: sender_scale,
            max_window: 1_000_000,
            ..config()
        };
        let receiver = ReceiverConfig {
            window_scale: receiver_scale,
            window: 200_000,
            ..receiver_config()
        };
        let mut p = connecting(config, receiver);
        p.run_until(100);
        let (_, syn_ack) = p.sent(To::Sender).next().expect("the answer");
        assert_eq!((syn_ack.window_scale, syn_ack.window), (agreed, 65_535));
        assert_eq!(p.sender.snd_wnd(), 65_535); // a SYN's window is never scaled
        for _ in 0..2 {
            p.sender.write(p.now, Available::Bytes(1_000));
            p.run_until(p.now.as_ps() / 1_000_000_000 + 500);
        }
        let case = (sender_scale, receiver_scale);
        assert_eq!(p.sender.snd_wnd(), window, "{case:?}");
    }
}

#[test]
fn tcp_section_6_the_initial_window_is_1_2_4_or_10_segments_and_1_after_a_lost_syn() {
    for (initial_window, mss, cwnd) in [
        (InitialWindow::OneSegment, 1_460, 1_460),
        (InitialWindow::TwoSegments, 1_460, 2_920),
        (InitialWindow::Rfc3390, 512, 2_048),
        (InitialWindow::Rfc3390, 1_460, 4_380),
        (InitialWindow::Rfc3390, 9_140, 18_280),
        (InitialWindow::Rfc6928, 1_460, 14_600),
        (InitialWindow::Rfc6928, 9_140, 18_280),
    ] {
        let config = SenderConfig {
            mss,
            initial_window,
            ..config()
        };
        let mut p = connecting(config, receiver_config());
        p.run_until(100);
        assert_eq!(p.sender.cwnd(), cwnd, "{initial_window:?} {mss}");
        let mut p =
            connecting(config, receiver_config()).with_wire(|to, n, _| to == To::Sender || n > 0);
        p.run_until(6_000);
        assert_eq!(p.sender.cwnd(), u64::from(mss));
    }
}

#[test]
fn tcp_section_1_options_take_4_octets_on_a_syn_4_for_the_scale_and_12_for_timestamps() {
    for (window_scale, timestamps, syn, data) in [
        (None, false, 4, 0),
        (Some(3), false, 8, 0),
        (None, true, 16, 12),
        (Some(3), true, 20, 12),
    ] {
        let config = SenderConfig {
            window_scale,
            timestamps,
            ..config()
        };
        let receiver = ReceiverConfig {
            window_scale,
            timestamps,
            ..receiver_config()
        };
        let mut p = connecting(config, receiver);
        p.sender.write(Time::ZERO, Available::Bytes(1_000));
        p.run_until(1_000);
        for (_, _, segment) in &p.log {
            let expected = if is_syn(segment) { syn } else { data };
            assert_eq!(segment.options_len(), expected, "{segment:?}");
        }
        assert_eq!(p.receiver.delivered(), 1_000);
    }
}
