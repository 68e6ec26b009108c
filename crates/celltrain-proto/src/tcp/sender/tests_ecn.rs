//! Classic ECN (reference section 12).

use super::*;
use crate::tcp::pair::{Pair, To};
use crate::tcp::{
    CubicParameters, NewRenoParameters, NoParameters, Receiver, ReceiverConfig, TickClock, Variant,
};
use alloc::vec::Vec;

const CUBIC: CubicParameters = CubicParameters {
    fast_convergence: true,
};

const MSS: u64 = 1_000;
const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// Slow ticks at 100 ms, 600 ms and so on.
fn config(variant: Variant) -> SenderConfig {
    SenderConfig {
        ecn: true,
        ..SenderConfig::new(
            1_000,
            TickClock::new(Span::from_ms(500), Span::from_ms(100)),
        )
        .with_variant(variant)
    }
}

fn receiver() -> Receiver {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    Receiver::new(ReceiverConfig {
        ecn: true,
        ack: crate::tcp::AckPolicy::EachSegment,
        ..ReceiverConfig::new(1_000, 65_535, fast)
    })
}

fn sent(s: &mut Sender) -> Vec<Segment> {
    core::iter::from_fn(|| s.poll_transmit(MS(0))).collect()
}

fn ack(s: &mut Sender, ack: u64, flags: Flags) -> Vec<Segment> {
    let segment = Segment {
        ack,
        flags,
        window: 65_535,
        ..Segment::default()
    };
    s.on_segment(MS(0), &segment);
    sent(s)
}

/// A greedy sender with ten segments outstanding, and the first octet of those.
fn full(config: SenderConfig) -> (Sender, u64) {
    let mut s = Sender::new(config);
    s.write(MS(0), Available::Unlimited);
    sent(&mut s);
    while s.cwnd() < 10 * MSS {
        let next = s.snd_una() + MSS;
        ack(&mut s, next, Flags::default());
    }
    assert_eq!(s.snd_max() - s.snd_una(), 10 * MSS);
    let base = s.snd_una();
    (s, base)
}

#[test]
fn tcp_section_12_a_mark_halves_the_window_or_leaves_seven_tenths_and_resends_nothing() {
    for (variant, ssthresh) in [
        (Variant::default(), 5_000),
        (Variant::Bsd43Tahoe(NoParameters {}), 5_000),
        (Variant::NewReno(NewRenoParameters::default()), 5_000),
        (Variant::Sack(NoParameters {}), 5_000),
        (Variant::Cubic(CUBIC), 7_000),
    ] {
        let (mut s, base) = full(config(variant));
        assert_eq!(ack(&mut s, base + MSS, Flags::ECE), [], "{variant:?}");
        assert_eq!(
            (s.ssthresh(), s.cwnd()),
            (ssthresh, ssthresh),
            "{variant:?}"
        );
        assert_eq!(s.stats().segments_retransmitted, 0);
    }
}

#[test]
fn tcp_section_12_the_sender_reduces_once_for_each_window() {
    let (mut s, base) = full(config(Variant::NewReno(NewRenoParameters::default())));
    for acked in 1..=10 {
        ack(&mut s, base + acked * MSS, Flags::ECE);
        assert_eq!(s.cwnd(), 5 * MSS, "{acked}"); // nor does it grow
    }
    assert_eq!(s.stats().ecn_reductions, 1);
    // The first data after the reduction are also marked: five are outstanding, and half of them remain.
    ack(&mut s, base + 11 * MSS, Flags::ECE);
    assert_eq!((s.cwnd(), s.stats().ecn_reductions), (2_500, 2));
}

#[test]
fn tcp_section_12_the_next_new_segment_and_only_that_tells_of_the_reduction() {
    let (mut s, base) = full(config(Variant::NewReno(NewRenoParameters::default())));
    ack(&mut s, base + MSS, Flags::ECE);
    let after = ack(&mut s, base + 7 * MSS, Flags::ECE);
    let flags: Vec<bool> = after.iter().map(|s| s.flags.has(Flags::CWR)).collect();
    assert_eq!(flags, [true, false]);
}

#[test]
fn tcp_section_12_a_loss_reduces_for_the_marks_of_its_window_too() {
    let (mut s, base) = full(config(Variant::NewReno(NewRenoParameters::default())));
    for _ in 0..3 {
        ack(&mut s, base, Flags::default());
    }
    assert_eq!(s.ssthresh(), 5 * MSS);
    ack(&mut s, base, Flags::ECE);
    assert_eq!((s.ssthresh(), s.stats().ecn_reductions), (5 * MSS, 0));
    // RFC 3168 6.1.2: CWR follows a reduction for any reason.
    let new = ack(&mut s, base + 10 * MSS, Flags::default());
    assert!(new[0].flags.has(Flags::CWR));
}

#[test]
fn tcp_section_12_the_window_may_fall_to_one_segment_and_then_data_wait_for_the_timer() {
    let mut s = Sender::new(config(Variant::NewReno(NewRenoParameters::default())));
    s.write(MS(0), Available::Unlimited);
    assert_eq!(sent(&mut s).len(), 1);
    assert_eq!(ack(&mut s, MSS, Flags::ECE), []);
    assert_eq!((s.cwnd(), s.ssthresh()), (MSS, 2 * MSS));
    // Before an acknowledgment gives a sample, the time-out is 12 ticks.
    let due = s.next_timeout().expect("the sender wakes");
    assert_eq!(due, MS(5_600));
    s.on_timer(due);
    let next = s.poll_transmit(due).expect("new data");
    assert_eq!((next.seq, next.flags), (MSS, Flags::CWR));
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn tcp_section_12_new_data_may_be_marked_and_retransmissions_syns_and_bare_acks_may_not() {
    let sender = SenderConfig {
        handshake: true,
        ..config(Variant::NewReno(NewRenoParameters::default()))
    };
    let mut p = Pair::new(Sender::new(sender), receiver(), 50)
        .with_wire(|to, n, _| to == To::Sender || n != 2);
    p.sender.connect(MS(0));
    p.sender.write(MS(0), Available::Bytes(4_000));
    p.run_until(20_000);
    p.sender.close(p.now);
    p.run_until(30_000);
    assert_eq!(p.receiver.delivered(), 4_000);
    let mut highest = 0;
    for (_, segment) in p.sent(To::Receiver) {
        let new = segment.len > 0 && segment.seq >= highest;
        assert_eq!(segment.ecn_capable, new, "{segment:?}");
        highest = highest.max(segment.end());
    }
    assert!(p.sent(To::Sender).all(|(_, segment)| !segment.ecn_capable));
    assert!(p.sender.stats().segments_retransmitted > 0);
}

#[test]
fn tcp_section_12_the_receiver_echoes_a_mark_until_the_sender_tells_of_its_reduction() {
    let mut r = receiver();
    let mut echoes = |number: u64, marked, flags| {
        r.on_segment(
            MS(0),
            &Segment {
                seq: number * MSS,
                len: 1_000,
                flags,
                congestion_experienced: marked,
                ..Segment::default()
            },
        );
        let ack = r.poll_transmit(MS(0)).expect("an acknowledgment");
        ack.flags.has(Flags::ECE)
    };
    let none = Flags::default();
    assert!(!echoes(0, false, none));
    assert!(echoes(1, true, none));
    assert!(echoes(2, false, none));
    assert!(!echoes(3, false, Flags::CWR));
    assert!(!echoes(4, false, none));
    // A marked segment that announces a reduction starts a new echo.
    assert!(echoes(5, true, Flags::CWR));
    assert!(echoes(6, false, none));
}

#[test]
fn tcp_section_12_ecn_is_used_only_if_both_syns_agree() {
    for (sender_ecn, receiver_ecn) in [(true, true), (true, false), (false, true)] {
        let sender = SenderConfig {
            handshake: true,
            ecn: sender_ecn,
            ..config(Variant::NewReno(NewRenoParameters::default()))
        };
        let mut receiver = receiver();
        if !receiver_ecn {
            let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
            receiver = Receiver::new(ReceiverConfig::new(1_000, 65_535, fast));
        }
        let mut p = Pair::new(Sender::new(sender), receiver, 50).with_wire(|_, _, s| {
            s.congestion_experienced = s.len > 0;
            true
        });
        p.sender.connect(MS(0));
        p.sender.write(MS(0), Available::Bytes(2_000));
        p.run_until(20_000);
        let both = sender_ecn && receiver_ecn;
        let capable = p.sent(To::Receiver).any(|(_, segment)| segment.ecn_capable);
        assert_eq!(capable, both);
        assert_eq!(p.sender.stats().ecn_reductions > 0, both);
        assert_eq!(p.receiver.delivered(), 2_000);
    }
}

#[test]
fn tcp_section_12_without_the_option_marks_and_echoes_mean_nothing() {
    let (mut s, base) = full(SenderConfig {
        ecn: false,
        ..config(Variant::NewReno(NewRenoParameters::default()))
    });
    ack(&mut s, base + MSS, Flags::ECE);
    assert_eq!(s.cwnd(), 11 * MSS);
}

#[test]
fn rfc_6937_3_the_window_comes_down_evenly_after_marks_too() {
    for prr in [false, true] {
        let mut options = config(Variant::Sack(NoParameters {}));
        options.recovery.prr = prr;
        let (mut s, base) = full(options);
        // One mark: the window of ten is reduced to five.
        let mut leave = ack(&mut s, base + MSS, Flags::ECE).len();
        let mut after: Vec<usize> = Vec::from([leave]);
        for acked in 2..=10 {
            leave = ack(&mut s, base + acked * MSS, Flags::default()).len();
            after.push(leave);
        }
        let sent: usize = after.iter().sum();
        let halves: Vec<usize> = after.chunks(5).map(|half| half.iter().sum()).collect();
        if prr {
            // Every second acknowledgment releases a segment.
            assert!(after.iter().all(|&n| n <= 1) && halves[0] >= 2, "{after:?}");
        } else {
            // Nothing is sent until half of the window is acknowledged.
            assert_eq!(halves[0], 0, "{after:?}");
        }
        assert!((4..=6).contains(&sent), "{after:?}");
        assert_eq!(s.ssthresh(), 5 * MSS, "prr {prr}");
        assert!((5..=6).contains(&(s.cwnd() / MSS)), "prr {prr}");
    }
}
