//! Rules of current RFCs that a sender of the 1990s does not follow; each test is named after its section.

use super::*;
use crate::tcp::{
    ControlOptions, CubicParameters, NewRenoParameters, NoParameters, Rfc6298, RtoTimer,
    SackBlocks, TickClock, Variant, WindowRules,
};
use alloc::vec::Vec;

const CUBIC: CubicParameters = CubicParameters {
    fast_convergence: true,
};

const MSS: u64 = 1_000;
const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// A minimum time-out of 1 s, and a window of a thousand segments.
fn config(variant: Variant) -> SenderConfig {
    let unused = TickClock::new(Span::from_ms(500), Span::ZERO);
    SenderConfig {
        max_window: 1_000_000,
        peer_window: 1_000_000,
        initial_ssthresh: 1_000_000,
        rto_timer: RtoTimer::Continuous(Rfc6298::default()),
        ..SenderConfig::new(MSS as u32, unused).with_variant(variant)
    }
}

fn modern() -> [Variant; 3] {
    [
        Variant::NewReno(NewRenoParameters::default()),
        Variant::Sack(NoParameters {}),
        Variant::Cubic(CUBIC),
    ]
}

fn sent(s: &mut Sender, now: Time) -> Vec<(u64, u64)> {
    core::iter::from_fn(|| s.poll_transmit(now))
        .map(|segment| (segment.seq / MSS, segment.end() / MSS))
        .collect()
}

/// An acknowledgment of `ack` segments, with the ranges held beyond.
fn acked(ack: u64, held: &[(u64, u64)]) -> Segment {
    let blocks = held.iter().map(|&(start, end)| (start * MSS, end * MSS));
    Segment {
        ack: ack * MSS,
        window: 1_000_000,
        sack: SackBlocks::new(ack * MSS, blocks),
        ..Segment::default()
    }
}

/// A greedy sender with a window of `segments`, all outstanding, and the first of them.
fn full(config: SenderConfig, segments: u64) -> (Sender, u64) {
    let mut s = Sender::new(config);
    s.write(MS(0), Available::Unlimited);
    sent(&mut s, MS(0));
    while s.cwnd() < segments * MSS {
        let next = s.snd_una() / MSS + 1;
        s.on_segment(MS(0), &acked(next, &[]));
        sent(&mut s, MS(0));
    }
    let base = s.snd_una() / MSS;
    assert_eq!(s.snd_max() / MSS, base + segments);
    (s, base)
}

#[test]
fn rfc_5681_3_1_a_time_out_in_a_recovery_keeps_its_threshold() {
    for variant in modern() {
        let (mut s, base) = full(config(variant), 20);
        for held in 2..=19 {
            s.on_segment(MS(100), &acked(base, &[(base + 1, base + held)]));
            sent(&mut s, MS(100));
        }
        let threshold = s.ssthresh();
        assert!(threshold <= 14 * MSS, "{variant:?}: {threshold}");
        // The retransmissions are also lost. The duplicates allow new segments, so more was sent than the window held.
        assert!(s.snd_max() > (base + 20) * MSS);
        for _ in 0..3 {
            let due = s.next_timeout().expect("data are outstanding");
            s.on_timer(due);
            sent(&mut s, due);
            assert_eq!((s.ssthresh(), s.cwnd()), (threshold, MSS), "{variant:?}");
        }
        assert_eq!(s.stats().timeouts, 3);
    }
}

#[test]
fn rfc_5681_3_1_the_first_time_out_halves_what_was_outstanding() {
    // Thresholds after a loss with 20 segments outstanding, and then with three.
    let thresholds = [[10_000, 2_000], [10_000, 2_000], [14_000, 2_100]];
    for (variant, thresholds) in modern().into_iter().zip(thresholds) {
        let (mut s, base) = full(config(variant), 20);
        let due = s.next_timeout().expect("data are outstanding");
        s.on_timer(due);
        assert_eq!(s.ssthresh(), thresholds[0], "{variant:?}");
        // All of it is acknowledged: the next time-out is for another loss.
        sent(&mut s, due);
        s.on_segment(due, &acked(base + 20, &[]));
        sent(&mut s, due);
        let due = s.next_timeout().expect("data are outstanding");
        s.on_timer(due);
        assert_eq!(s.ssthresh(), thresholds[1], "{variant:?}");
    }
}

#[test]
fn rfc_3465_2_an_acknowledgment_of_two_segments_opens_the_window_by_two_in_slow_start() {
    for variant in modern() {
        let (mut s, base) = full(config(variant), 10);
        s.on_segment(MS(100), &acked(base + 2, &[]));
        assert_eq!(s.cwnd(), 12 * MSS, "{variant:?}");
        // Of four acknowledged segments no more than two count.
        sent(&mut s, MS(100));
        s.on_segment(MS(100), &acked(base + 6, &[]));
        assert_eq!(s.cwnd(), 14 * MSS, "{variant:?}");
    }
}

#[test]
fn rfc_3465_2_congestion_avoidance_adds_a_segment_for_each_window_however_many_acknowledgments_tell()
 {
    for variant in [
        Variant::NewReno(NewRenoParameters::default()),
        Variant::Sack(NoParameters {}),
    ] {
        for stride in [1, 2, 5] {
            let config = SenderConfig {
                initial_ssthresh: 10_000,
                ..config(variant)
            };
            let (mut s, base) = full(config, 10);
            for acknowledged in (stride..=10).step_by(stride as usize) {
                s.on_segment(MS(100), &acked(base + acknowledged, &[]));
                sent(&mut s, MS(100));
            }
            // A segment, minus the growth of the window during the count: a twentieth of one.
            let grown = s.cwnd() - 10 * MSS;
            assert!(
                (950..=1_000).contains(&grown),
                "{variant:?} {stride}: {grown}"
            );
        }
    }
}

#[test]
fn rfc_7661_4_1_a_window_that_the_application_does_not_fill_does_not_grow() {
    for variant in modern() {
        let mut s = Sender::new(config(variant));
        for round in 0..500 {
            s.write(MS(100 * round), Available::Bytes(MSS));
            sent(&mut s, MS(100 * round));
            s.on_segment(MS(100 * round + 50), &acked(round + 1, &[]));
        }
        assert!(s.cwnd() <= 3 * MSS, "{variant:?}: {}", s.cwnd());
    }
}

#[test]
fn rfc_9438_5_8_the_clock_of_cubic_stands_still_while_the_application_limits_the_sender() {
    let (mut s, base) = full(config(Variant::Cubic(CUBIC)), 20);
    // A loss, and its repair: 14 segments.
    for held in 2..=5 {
        s.on_segment(MS(100), &acked(base, &[(base + 1, base + held)]));
        sent(&mut s, MS(100));
    }
    let end = s.snd_max() / MSS;
    s.on_segment(MS(200), &acked(end, &[]));
    assert_eq!(s.cwnd(), 14 * MSS);
    // Greedy for a round trip; after that the cubic function would grow the window far more in 60 s.
    sent(&mut s, MS(200));
    s.on_segment(MS(300), &acked(end + 1, &[]));
    let mut limited = s.clone();
    for second in 1..60 {
        // Nothing is polled: the outstanding data stay far below the window.
        limited.on_segment(MS(300 + 1_000 * second), &acked(end + 1 + second / 5, &[]));
    }
    assert!(limited.cwnd() <= 15 * MSS, "{}", limited.cwnd());
}

#[test]
fn rfc_6298_3_data_sent_in_a_recovery_and_again_give_no_sample() {
    let (mut s, base) = full(config(Variant::Sack(NoParameters {})), 20);
    s.log_timer_events();
    // Segment `base` is lost; the duplicates allow new segments, the first of which is timed.
    for held in 2..=18 {
        s.on_segment(MS(100), &acked(base, &[(base + 1, base + held)]));
        sent(&mut s, MS(100));
    }
    let new = base + 20;
    assert!(s.snd_max() > (new + 4) * MSS);
    while s.take_timer_event().is_some() {}
    // The retransmission is also lost, and retransmitted at 200 ms.
    let held = [(new + 1, new + 5), (base + 1, new)];
    s.on_segment(MS(200), &acked(base, &held));
    let again = sent(&mut s, MS(200));
    assert!(again.contains(&(new, new + 1)), "{again:?}");
    s.on_segment(MS(350), &acked(new + 5, &[]));
    assert_eq!(s.take_timer_event(), None);
}

#[test]
fn rfc_6582_3_2_the_first_segment_of_a_connection_is_sent_again_at_the_third_duplicate() {
    let ten = SenderConfig {
        initial_window: InitialWindow::Rfc6928,
        ..config(Variant::NewReno(NewRenoParameters::default()))
    };
    let mut s = Sender::new(ten);
    s.write(MS(0), Available::Unlimited);
    assert_eq!(sent(&mut s, MS(0)).len(), 10);
    for _ in 0..3 {
        s.on_segment(MS(100), &acked(0, &[]));
    }
    assert_eq!(sent(&mut s, MS(100)), [(0, 1)]);
}

#[test]
fn rfc_5681_4_1_after_a_silence_the_window_is_the_initial_one_and_no_larger_than_it_was() {
    for variant in modern() {
        for (reached, left) in [(20, 10), (10, 10), (4, 4)] {
            let mut s = Sender::new(SenderConfig {
                initial_window: InitialWindow::Rfc6928,
                ..config(variant)
            });
            s.write(MS(0), Available::Bytes(200 * MSS));
            sent(&mut s, MS(0));
            let mut now = MS(100);
            if reached == 4 {
                // A time-out, and slow start up to four segments.
                now = MS(1_000);
                s.on_timer(now);
                sent(&mut s, now);
            }
            while s.cwnd() < reached * MSS {
                let next = s.snd_una() / MSS + 1;
                s.on_segment(now, &acked(next, &[]));
                sent(&mut s, now);
            }
            s.control.on_idle();
            assert_eq!(s.cwnd(), left * MSS, "{variant:?} {reached}");
        }
    }
}

#[test]
fn rfc_9293_3_8_6_1_a_closed_window_is_probed_after_the_time_out_and_then_more_and_more_rarely() {
    for variant in modern() {
        let mut s = Sender::new(config(variant));
        s.write(MS(0), Available::Unlimited);
        assert_eq!(sent(&mut s, MS(0)), [(0, 1)]);
        let shut = Segment {
            window: 0,
            ..acked(1, &[])
        };
        s.on_segment(MS(50), &shut);
        assert_eq!(sent(&mut s, MS(50)), []);
        // With the sample of 50 ms the time-out remains 1 s.
        let mut last = 50;
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            let due = s.next_timeout().expect("the persist timer runs");
            last += 1_000 * seconds;
            assert_eq!(due, MS(last), "{variant:?}");
            s.on_timer(due);
            assert!(s.poll_transmit(due).is_some());
        }
    }
}

#[test]
fn without_a_limit_slow_start_counts_all_that_an_acknowledgment_delivers_up_to_the_threshold() {
    for variant in modern() {
        let unlimited = SenderConfig {
            slow_start_limit: SlowStartLimit::Unlimited,
            ..config(variant)
        };
        let (mut s, base) = full(unlimited, 10);
        s.on_segment(MS(100), &acked(base + 6, &[]));
        assert_eq!(s.cwnd(), 16 * MSS, "{variant:?}");
        // What remains beyond the threshold counts as in congestion avoidance.
        let low = SenderConfig {
            initial_ssthresh: 12_000,
            ..unlimited
        };
        let (mut s, base) = full(low, 10);
        s.on_segment(MS(100), &acked(base + 10, &[]));
        assert!(
            (12 * MSS..13 * MSS).contains(&s.cwnd()),
            "{variant:?}: {}",
            s.cwnd()
        );
    }
}

#[test]
fn without_a_limit_what_the_receiver_held_before_does_not_count_again() {
    let mut unlimited = SenderConfig {
        slow_start_limit: SlowStartLimit::Unlimited,
        ..config(Variant::Sack(NoParameters {}))
    };
    unlimited.recovery.limited_transmit = true;
    let (mut s, base) = full(unlimited, 10);
    // Two overtake one: when all three are acknowledged, only that one is newly acknowledged.
    s.on_segment(MS(100), &acked(base, &[(base + 1, base + 3)]));
    s.on_segment(MS(101), &acked(base + 3, &[]));
    assert_eq!(s.cwnd(), 11 * MSS);
}

#[test]
fn rfc_6582_3_2_cubic_without_selective_acknowledgments_repairs_a_hole_for_each_partial_one() {
    let partial = SenderConfig {
        control: ControlOptions {
            sack: false,
            ..ControlOptions::default()
        },
        ..config(Variant::Cubic(CUBIC))
    };
    let (mut s, base) = full(partial, 20);
    // Two are lost; of the others each gives a duplicate.
    for _ in 0..18 {
        s.on_segment(MS(100), &acked(base, &[]));
        sent(&mut s, MS(100));
    }
    // RFC 9438 4.6: seven tenths of the window.
    assert_eq!(s.ssthresh(), 14 * MSS);
    s.on_segment(MS(200), &acked(base + 5, &[]));
    assert_eq!(sent(&mut s, MS(200))[0], (base + 5, base + 6));
    s.on_segment(MS(300), &acked(s.snd_max() / MSS, &[]));
    assert_eq!((s.stats().timeouts, s.stats().fast_retransmits), (0, 1));
    assert!(s.cwnd() <= 14 * MSS);
}

#[test]
fn a_loss_leaves_a_share_of_what_is_outstanding_or_as_in_linux_of_the_window() {
    for (loss_window, thresholds) in [
        (LossWindow::FlightSize, [2 * MSS, 2 * MSS, 2_100]),
        (LossWindow::Cwnd, [5 * MSS, 5 * MSS, 7 * MSS]),
    ] {
        for (variant, threshold) in modern().into_iter().zip(thresholds) {
            let mut s = Sender::new(SenderConfig {
                initial_window: InitialWindow::Rfc6928,
                loss_window,
                ..config(variant)
            });
            // Three segments of a window of ten are in use.
            s.write(MS(0), Available::Bytes(3 * MSS));
            sent(&mut s, MS(0));
            let due = s.next_timeout().expect("data are outstanding");
            s.on_timer(due);
            assert_eq!(s.ssthresh(), threshold, "{variant:?} {loss_window:?}");
        }
    }
}

#[test]
fn bbr_linux_sends_the_first_window_at_once_and_then_two_segments_at_a_time() {
    let mut config = config(Variant::Bbr(NoParameters {}));
    config.initial_window = InitialWindow::Rfc6928;
    config.control.window_rules = WindowRules::Linux;
    let mut s = Sender::new(config);
    s.write(MS(0), Available::Unlimited);
    assert_eq!(sent(&mut s, MS(0)).len(), 10);
    s.on_segment(MS(100), &acked(10, &[]));
    let mut now = MS(100);
    for _ in 0..5 {
        assert_eq!(sent(&mut s, now).len(), 2);
        let next = s.next_transmit().expect("more is due");
        assert!(next > now);
        now = next;
    }
}
