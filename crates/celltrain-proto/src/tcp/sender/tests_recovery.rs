//! Rules of current loss recovery; each test is named after its section.

use super::*;
use crate::tcp::{
    ControlOptions, CubicParameters, NewRenoParameters, NoParameters, Rfc6298, RtoTimer,
    SackBlocks, TickClock, Timestamps, Variant, WindowRules,
};
use alloc::vec::Vec;

const CUBIC: CubicParameters = CubicParameters {
    fast_convergence: true,
};

const MSS: u64 = 1_000;
const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// Only RACK.
const RACK: LossRecovery = LossRecovery {
    limited_transmit: false,
    rack: true,
    tail_loss_probe: false,
    prr: false,
    hystart: SlowStartExit::Loss,
    undo: false,
    frto: false,
};

fn config(variant: Variant, recovery: LossRecovery) -> SenderConfig {
    let unused = TickClock::new(Span::from_ms(500), Span::ZERO);
    SenderConfig {
        max_window: 1_000_000,
        peer_window: 1_000_000,
        initial_ssthresh: 1_000_000,
        initial_window: InitialWindow::Rfc6928,
        rto_timer: RtoTimer::Continuous(Rfc6298::default()),
        recovery,
        ..SenderConfig::new(MSS as u32, unused).with_variant(variant)
    }
}

fn sent(s: &mut Sender, now: u64) -> Vec<(u64, u64)> {
    core::iter::from_fn(|| s.poll_transmit(MS(now)))
        .map(|segment| (segment.seq / MSS, segment.end() / MSS))
        .collect()
}

/// An acknowledgment of `ack` segments with `blocks`; returns what is sent in answer.
fn hear(s: &mut Sender, now: u64, ack: u64, blocks: &[(u64, u64)]) -> Vec<(u64, u64)> {
    hear_echo(s, now, ack, blocks, None)
}

fn hear_echo(
    s: &mut Sender,
    now: u64,
    ack: u64,
    blocks: &[(u64, u64)],
    echo: Option<u32>,
) -> Vec<(u64, u64)> {
    let blocks = blocks.iter().map(|&(start, end)| (start * MSS, end * MSS));
    let segment = Segment {
        ack: ack * MSS,
        window: 1_000_000,
        sack: SackBlocks::new(ack * MSS, blocks),
        timestamp: echo.map(|echo| Timestamps { value: 1, echo }),
        ..Segment::default()
    };
    s.on_segment(MS(now), &segment);
    sent(s, now)
}

/// A sender with the twenty segments from 10 on outstanding, sent at 100 ms after a round trip of 100 ms. The
/// application has written `segments`.
fn flight(config: SenderConfig, segments: u64) -> Sender {
    let mut s = Sender::new(config);
    s.write(MS(0), Available::Bytes(segments * MSS));
    assert_eq!(sent(&mut s, 0).len(), 10);
    for ack in 1..=10 {
        hear_echo(&mut s, 100, ack, &[], config.timestamps.then_some(0));
    }
    assert_eq!((s.snd_una(), s.snd_max()), (10 * MSS, 30 * MSS));
    s
}

fn timer(s: &Sender) -> Time {
    s.next_timeout().expect("a timer runs")
}

/// Lets the next timer expire; returns what is sent.
fn expire(s: &mut Sender) -> Vec<(u64, u64)> {
    let due = timer(s);
    s.on_timer(due);
    core::iter::from_fn(|| s.poll_transmit(due))
        .map(|segment| (segment.seq / MSS, segment.end() / MSS))
        .collect()
}

#[test]
fn rfc_8985_6_2_what_three_segments_have_overtaken_is_lost_at_once() {
    let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 30);
    assert_eq!(hear(&mut s, 200, 10, &[(11, 12)]), []);
    assert_eq!(hear(&mut s, 200, 10, &[(11, 13)]), []);
    assert_eq!(hear(&mut s, 200, 10, &[(11, 14)]), [(10, 11)]);
    assert_eq!((s.stats().fast_retransmits, s.ssthresh()), (1, 10 * MSS));
}

#[test]
fn rfc_8985_6_2_what_fewer_have_overtaken_is_lost_a_quarter_of_a_round_trip_later() {
    let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 30);
    assert_eq!(hear(&mut s, 200, 10, &[(11, 12)]), []);
    assert_eq!(timer(&s), MS(225));
    assert_eq!(expire(&mut s), [(10, 11)]);
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn rfc_8985_6_2_what_one_acknowledgment_tells_in_order_is_no_reordering() {
    let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 30);
    // The next segment, and three beyond a hole: the hole is lost at once.
    assert_eq!(hear(&mut s, 200, 11, &[(12, 15)]), [(11, 12)]);
}

#[test]
fn rfc_8985_6_2_where_segments_were_seen_to_overtake_each_other_three_are_waited_for_too() {
    let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 30);
    hear(&mut s, 200, 10, &[(12, 13)]);
    // Segment 11, sent once, arrives after 12.
    hear(&mut s, 200, 10, &[(11, 13)]);
    assert_eq!(hear(&mut s, 200, 10, &[(11, 16)]), []);
    assert_eq!(timer(&s), MS(225));
}

#[test]
fn rfc_8985_6_2_a_reported_duplicate_makes_the_reordering_window_larger() {
    for (reports, due) in [(0, 225), (1, 250)] {
        let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 30);
        for _ in 0..reports {
            hear(&mut s, 200, 10, &[(9, 10)]);
        }
        hear(&mut s, 200, 10, &[(11, 12)]);
        assert_eq!(timer(&s), MS(due));
    }
}

#[test]
fn rfc_8985_6_2_a_lost_retransmission_is_sent_again_without_a_time_out() {
    let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 100);
    // Segment 10 is lost; its retransmission leaves at 200 ms, with new segments behind it.
    hear(&mut s, 200, 10, &[(11, 14)]);
    let new: Vec<_> = (14..30)
        .flat_map(|end| hear(&mut s, 200, 10, &[(11, end + 1)]))
        .collect();
    assert!(new.contains(&(30, 31)), "{new:?}");
    // The retransmission is also lost: what was sent after it arrives at 300 ms.
    assert_eq!(hear(&mut s, 300, 10, &[(11, 31)])[0], (10, 11));
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn rfc_8985_6_3_a_time_out_loses_the_oldest_segment_and_what_is_as_old_as_a_round_trip() {
    let mut s = flight(config(Variant::Sack(NoParameters {}), RACK), 30);
    hear(&mut s, 300, 20, &[]);
    // Shortly before the timer expires the application writes more.
    s.write(MS(1_250), Available::Bytes(2 * MSS));
    assert_eq!(sent(&mut s, 1_250), [(30, 31), (31, 32)]);
    assert_eq!(expire(&mut s), [(20, 21)]);
    assert_eq!(s.stats().timeouts, 1);
    assert_eq!(s.outstanding.lost().segments, 9);
    assert_eq!((s.pipe(), s.cwnd()), (3 * MSS, MSS));
    // Slow start repairs the rest, one by one.
    hear(&mut s, 1_350, 20, &[(30, 32)]);
    assert_eq!(hear(&mut s, 1_400, 21, &[(30, 32)]), [(21, 22), (22, 23)]);
}

#[test]
fn rfc_8985_7_2_a_probe_follows_the_last_transmission_after_two_round_trips() {
    let probing = LossRecovery {
        tail_loss_probe: true,
        ..RACK
    };
    // There are no more data: the last segment is sent again. The time-out restarts.
    let mut s = flight(config(Variant::Sack(NoParameters {}), probing), 30);
    assert_eq!(timer(&s), MS(300));
    assert_eq!(expire(&mut s), [(29, 30)]);
    assert_eq!(timer(&s), MS(1_300));
    // A single segment may be held back by the receiver.
    let mut s = flight(config(Variant::Sack(NoParameters {}), probing), 30);
    hear(&mut s, 200, 29, &[]);
    assert_eq!(timer(&s), MS(600));
    // No probe if the retransmission timer expires sooner.
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn rfc_8985_7_3_new_data_are_the_probe_where_there_are_any() {
    let probing = LossRecovery {
        tail_loss_probe: true,
        ..RACK
    };
    let mut s = flight(config(Variant::Sack(NoParameters {}), probing), 100);
    assert_eq!(expire(&mut s), [(30, 31)]);
    assert_eq!(s.stats().tail_probes, 1);
}

#[test]
fn rfc_8985_7_4_a_probe_that_repairs_a_loss_reduces_the_window_and_a_superfluous_one_does_not() {
    let probing = LossRecovery {
        tail_loss_probe: true,
        ..RACK
    };
    for (reported, ssthresh) in [(None, 5_500), (Some((29, 30)), 1_000_000)] {
        let mut s = flight(config(Variant::Sack(NoParameters {}), probing), 30);
        hear(&mut s, 200, 20, &[]);
        assert_eq!(expire(&mut s), [(29, 30)]);
        // The answer covers the probe, and data written since then.
        s.write(MS(410), Available::Bytes(MSS));
        assert_eq!(sent(&mut s, 410), [(30, 31)]);
        let blocks: Vec<_> = reported.into_iter().collect();
        hear(&mut s, 500, 31, &blocks);
        // Half of the eleven segments outstanding.
        assert_eq!(s.ssthresh(), ssthresh, "{reported:?}");
        assert_eq!(s.stats().timeouts, 0);
    }
}

#[test]
fn rfc_8985_7_a_lost_tail_is_repaired_without_a_time_out() {
    let probing = LossRecovery {
        tail_loss_probe: true,
        ..RACK
    };
    let mut s = flight(config(Variant::Sack(NoParameters {}), probing), 30);
    // The last three of the flight are lost.
    hear(&mut s, 200, 27, &[]);
    assert_eq!(expire(&mut s), [(29, 30)]);
    assert_eq!(hear(&mut s, 500, 27, &[(29, 30)]), [(27, 28), (28, 29)]);
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn rfc_6937_3_while_more_is_on_its_way_than_the_threshold_a_share_of_what_is_delivered_leaves() {
    let variants = [
        (Variant::Sack(NoParameters {}), RACK, 10),
        (Variant::Sack(NoParameters {}), LossRecovery::default(), 10),
        (Variant::Cubic(CUBIC), RACK, 14),
        (
            Variant::NewReno(NewRenoParameters::default()),
            LossRecovery::default(),
            10,
        ),
    ];
    for (variant, recovery, threshold) in variants {
        let reducing = LossRecovery {
            prr: true,
            ..recovery
        };
        let mut s = flight(config(variant, reducing), 1_000);
        let has_sack = variant.uses_sack(&ControlOptions::default());
        let mut left = Vec::new();
        for end in 12..=30 {
            let blocks = [(11, end)];
            let blocks: &[_] = if has_sack { &blocks } else { &[] };
            left.push(hear(&mut s, 200, 10, blocks).len());
        }
        // The first is sent at the third; in total as many as the threshold allows, and never two at once.
        let total: usize = left.iter().sum();
        assert!(
            left.iter().all(|&n| n <= 1),
            "{variant:?} {recovery:?} {left:?}"
        );
        assert!(
            total.abs_diff(threshold) <= 1,
            "{variant:?} {recovery:?} {left:?}"
        );
        let first_half: usize = left[..10].iter().sum();
        assert!(
            first_half >= threshold / 2 - 2,
            "{variant:?} {recovery:?} {left:?}"
        );
        hear(&mut s, 300, 30, &[]);
        assert!(s.cwnd() <= s.ssthresh(), "{variant:?} {}", s.cwnd());
    }
}

#[test]
fn rfc_3042_2_the_first_two_duplicates_let_two_new_segments_leave() {
    let limited = LossRecovery {
        limited_transmit: true,
        ..LossRecovery::default()
    };
    for variant in [
        Variant::NewReno(NewRenoParameters::default()),
        Variant::Sack(NoParameters {}),
    ] {
        let mut s = flight(config(variant, limited), 1_000);
        let has_sack = variant.uses_sack(&ControlOptions::default());
        let mut duplicate = |end| {
            let blocks = [(11, end)];
            hear(&mut s, 200, 10, if has_sack { &blocks } else { &[] })
        };
        assert_eq!(duplicate(12), [(30, 31)], "{variant:?}");
        assert_eq!(duplicate(13), [(31, 32)], "{variant:?}");
        assert_eq!(duplicate(14)[0], (10, 11), "{variant:?}");
        // They did not increase the window in use.
        assert_eq!(s.ssthresh(), 10 * MSS, "{variant:?}");
    }
}

/// A sender whose last reduction may be undone, with segment 10 just retransmitted at 200 ms; returns also its window
/// before.
fn reduced(variant: Variant, recovery: LossRecovery, timestamps: bool) -> (Sender, [u64; 2]) {
    let config = SenderConfig {
        timestamps,
        ..config(variant, recovery)
    };
    let mut s = flight(config, 1_000);
    let before = [s.cwnd(), s.ssthresh()];
    let echo = timestamps.then_some(100);
    let mut again = Vec::new();
    for end in 12..=14 {
        let blocks = [(11, end)];
        let blocks: &[_] = if variant.uses_sack(&ControlOptions::default()) {
            &blocks
        } else {
            &[]
        };
        again = hear_echo(&mut s, 200, 10, blocks, echo);
    }
    assert_eq!(again[0], (10, 11));
    assert!(s.ssthresh() < before[1]);
    (s, before)
}

const UNDO: LossRecovery = LossRecovery { undo: true, ..RACK };

#[test]
fn rfc_3708_undo_1_when_all_that_was_sent_again_is_reported_twice_the_window_returns() {
    let without_rack = LossRecovery {
        rack: false,
        ..UNDO
    };
    for variant in [Variant::Sack(NoParameters {}), Variant::Cubic(CUBIC)] {
        for recovery in [UNDO, without_rack] {
            let (mut s, [cwnd, ssthresh]) = reduced(variant, recovery, false);
            // Segment 10 was only delayed; the report of its retransmission follows.
            hear(&mut s, 210, 14, &[]);
            assert!(s.ssthresh() < ssthresh);
            hear(&mut s, 300, 30, &[(10, 11)]);
            assert!(s.cwnd() >= cwnd, "{variant:?}: {}", s.cwnd());
            assert_eq!(s.ssthresh(), ssthresh, "{variant:?}");
            assert_eq!(s.stats().reductions_undone, 1);
        }
    }
}

#[test]
fn rfc_3708_undo_1_one_retransmission_without_a_report_lets_the_reduction_stand() {
    let (mut s, [_, ssthresh]) = reduced(Variant::Sack(NoParameters {}), UNDO, false);
    // Segments 14 and 15 are lost as well.
    let again = hear(&mut s, 210, 14, &[(16, 29)]);
    assert_eq!(again[..2], [(14, 15), (15, 16)]);
    hear(&mut s, 300, 14, &[(10, 11), (16, 30)]);
    hear(&mut s, 310, 30, &[]);
    assert!(s.ssthresh() < ssthresh);
    assert_eq!(s.stats().reductions_undone, 0);
}

#[test]
fn rfc_3522_3_2_an_echo_older_than_the_retransmission_undoes_the_reduction() {
    let without_rack = LossRecovery {
        rack: false,
        ..UNDO
    };
    for (variant, recovery) in [
        (Variant::Sack(NoParameters {}), UNDO),
        (Variant::NewReno(NewRenoParameters::default()), without_rack),
    ] {
        for (echo, undone) in [(100, 1), (200, 0)] {
            let (mut s, [cwnd, ssthresh]) = reduced(variant, recovery, true);
            hear_echo(&mut s, 300, 14, &[], Some(echo));
            assert_eq!(s.stats().reductions_undone, undone, "{variant:?} {echo}");
            if undone == 1 {
                assert!(s.cwnd() >= cwnd);
                assert_eq!(s.ssthresh(), ssthresh);
            }
        }
    }
}

#[test]
fn rfc_5682_3_1_a_time_out_after_which_data_arrive_that_were_not_sent_again_is_undone() {
    let doubting = LossRecovery { frto: true, ..RACK };
    // The acknowledgments were held up for longer than the time-out.
    let mut s = flight(config(Variant::Sack(NoParameters {}), doubting), 1_000);
    let cwnd = s.cwnd();
    assert_eq!(expire(&mut s), [(10, 11)]);
    assert_eq!(s.cwnd(), MSS);
    // The first releases new data, and nothing is retransmitted.
    assert_eq!(hear(&mut s, 1_150, 11, &[]), [(30, 31), (31, 32)]);
    hear(&mut s, 1_151, 12, &[]);
    assert!(s.cwnd() >= cwnd, "{}", s.cwnd());
    assert_eq!(
        (s.stats().reductions_undone, s.outstanding.lost().segments),
        (1, 0)
    );
}

#[test]
fn rfc_5682_3_1_a_time_out_after_which_only_new_data_arrive_stands() {
    let doubting = LossRecovery { frto: true, ..RACK };
    let mut s = flight(config(Variant::Sack(NoParameters {}), doubting), 1_000);
    assert_eq!(expire(&mut s), [(10, 11)]);
    assert_eq!(hear(&mut s, 1_200, 11, &[]), [(30, 31), (31, 32)]);
    // The whole flight is lost: only what was sent since then arrives, and the repair continues.
    assert_eq!(hear(&mut s, 1_300, 11, &[(30, 31)])[0], (11, 12));
    assert_eq!(s.stats().reductions_undone, 0);
}

#[test]
fn rfc_9406_4_2_slow_start_ends_by_the_delay_that_it_causes() {
    for (hystart, ends) in [(SlowStartExit::Loss, false), (SlowStartExit::Rfc9406, true)] {
        for variant in [
            Variant::NewReno(NewRenoParameters::default()),
            Variant::Sack(NoParameters {}),
            Variant::Cubic(CUBIC),
        ] {
            let found = ends_slow_start(variant, hystart);
            assert_eq!(found, ends, "{variant:?} {hystart:?}");
        }
    }
}

/// Whether slow start ends without a loss if each round takes a fifth longer than the previous one.
fn ends_slow_start(variant: Variant, hystart: SlowStartExit) -> bool {
    let recovery = LossRecovery {
        hystart,
        ..LossRecovery::default()
    };
    let mut s = flight(config(variant, recovery), 100_000);
    let (mut now, mut rtt) = (100, 100);
    for _ in 0..9 {
        now += rtt;
        rtt += rtt / 5;
        let (una, max) = (s.snd_una() / MSS, s.snd_max() / MSS);
        for ack in una + 1..=max {
            hear(&mut s, now, ack, &[]);
        }
    }
    s.ssthresh() < 1_000 * MSS
}

#[test]
fn linux_has_hystart_in_cubic_alone() {
    for variant in Variant::all() {
        let facts = variant.facts();
        if facts.is_paced || facts.has_own_slow_start || !facts.is_modern {
            // Their first windows are not those of this path.
            continue;
        }
        let is_cubic = matches!(variant, Variant::Cubic(_));
        let with = ends_slow_start(variant, SlowStartExit::Linux);
        let without = ends_slow_start(variant, SlowStartExit::Loss);
        assert_eq!(with && !without, is_cubic, "{variant:?}");
        assert!(with || !without, "{variant:?}");
    }
}

#[test]
fn linux_counts_what_the_acknowledgment_that_ends_a_recovery_delivers() {
    for (window_rules, grows) in [(WindowRules::Linux, true), (WindowRules::Published, false)] {
        let mut config = config(Variant::Sack(NoParameters {}), RACK);
        config.control.window_rules = window_rules;
        config.slow_start_limit = SlowStartLimit::Unlimited;
        let mut s = flight(config, 100_000);
        // Of 20 segments the first is lost, and repaired.
        hear(&mut s, 200, 10, &[(11, 30)]);
        hear(&mut s, 300, 30, &[]);
        assert_eq!((s.cwnd(), s.ssthresh()), (10 * MSS, 10 * MSS));
        // Nine more: ten with the repaired one, a window.
        for ack in 31..40 {
            assert_eq!(s.cwnd() / MSS, 10);
            hear(&mut s, 270 + ack, ack, &[]);
        }
        assert_eq!(s.cwnd() / MSS == 11, grows, "{window_rules:?}");
    }
}
