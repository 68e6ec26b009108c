//! Conformance of TCP: a test for each subject that has none next to its code, and the golden values of the standards
//! and of the BSD sources, using only the public interface.

#[path = "common/ideal_link.rs"]
mod ideal_link;

use celltrain_proto::aal5::Encapsulation;
use celltrain_proto::aqm::{CoDel, CoDelParameters, Pie, PieParameters, QueueManager, Verdict};
use celltrain_proto::random::Stream;
use celltrain_proto::tcp::bbr::{Bbr, State};
use celltrain_proto::tcp::delivery::RateSample;
use celltrain_proto::tcp::{
    AckPolicy, Available, CubicParameters, Flags, NewRenoParameters, NoParameters, ReceiverConfig,
    Rfc6298, RtoFloor, RtoTimer, SackBlocks, Segment, Sender, SenderConfig, TickClock, Timestamps,
    Variant,
};
use celltrain_proto::units::{Bytes, Rate, Span, Time};
use ideal_link::IdealLink;

/// BSD's slow timer, whose first tick is at the start.
const SLOW: TickClock = TickClock::new(Span::from_ms(500), Span::ZERO);
const WINDOW: u32 = 65_535;

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn pure_ack(ack: u64) -> Segment {
    Segment {
        ack,
        window: WINDOW,
        ..Segment::default()
    }
}

/// Start and end of each segment sent.
fn sent(sender: &mut Sender, now: Time) -> Vec<(u64, u64)> {
    std::iter::from_fn(|| sender.poll_transmit(now))
        .map(|segment| (segment.seq, segment.end()))
        .collect()
}

/// A sender of 1000-octet segments with a window of `segments`, all outstanding, and their first octet.
fn full_window(variant: Variant, segments: u64) -> (Sender, u64) {
    let mut sender = Sender::new(SenderConfig::new(1_000, SLOW).with_variant(variant));
    sender.write(Time::ZERO, Available::Unlimited);
    let _ = sent(&mut sender, Time::ZERO);
    while sender.cwnd() < segments * 1_000 {
        let next = sender.snd_una() + 1_000;
        sender.on_segment(Time::ZERO, &pure_ack(next));
        let _ = sent(&mut sender, Time::ZERO);
    }
    let base = sender.snd_una();
    assert_eq!(sender.snd_max() - base, segments * 1_000);
    (sender, base)
}

// Round-trip time and retransmission time-out.

/// Smoothed round-trip time and time-out after each of these round trips, in units of the timestamp clock; the ACK
/// echoes a value that is older by that much.
fn estimates(config: SenderConfig, late_by: &[u32]) -> Vec<(Span, Span)> {
    let config = SenderConfig {
        timestamps: true,
        ..config
    };
    let now = at_ms(1_000_000);
    let mut sender = Sender::new(config);
    let mut estimates = Vec::new();
    for late_by in late_by {
        sender.write(now, Available::Bytes(u64::from(config.mss)));
        let segment = sender
            .poll_transmit(now)
            .expect("a segment, as nothing is outstanding");
        let value = segment.timestamp.expect("timestamps are on").value;
        let timestamp = Timestamps {
            value: 0,
            echo: value - late_by,
        };
        sender.on_segment(
            now,
            &Segment {
                timestamp: Some(timestamp),
                ..pure_ack(segment.end())
            },
        );
        estimates.push((sender.srtt().expect("a sample"), sender.rto()));
    }
    estimates
}

/// Samples; then srtt in eighths of a tick, RTO of Reno and RTO of Tahoe in ticks after each.
type RttVector<'a> = (&'a [u32], &'a [u64], &'a [u64], &'a [u64]);

const RTT_VECTORS: [RttVector; 5] = [
    (
        &[1, 1, 1, 1, 1],
        &[8, 7, 7, 7, 7],
        &[3, 3, 3, 3, 3],
        &[2, 2, 2, 2, 2],
    ),
    (
        &[2, 2, 2, 2, 2],
        &[16, 15, 15, 15, 15],
        &[6, 5, 4, 4, 4],
        &[4, 3, 3, 3, 3],
    ),
    (
        &[2, 1, 2, 1, 1, 3, 1, 1],
        &[16, 14, 14, 13, 12, 13, 12, 11],
        &[6, 6, 5, 5, 5, 5, 5, 5],
        &[4, 4, 3, 3, 3, 3, 3, 3],
    ),
    (
        &[4, 4, 4, 9, 4, 4, 4, 4],
        &[32, 31, 31, 36, 35, 34, 33, 32],
        &[12, 10, 9, 14, 13, 12, 11, 11],
        &[8, 7, 6, 9, 8, 8, 7, 7],
    ),
    (
        &[1, 1, 1, 1, 11, 11, 11, 11],
        &[8, 7, 7, 7, 17, 25, 32, 38],
        &[3, 3, 3, 3, 15, 21, 25, 26],
        &[2, 2, 2, 2, 8, 12, 14, 15],
    ),
];

#[test]
fn tcp_section_3_time_outs_in_ticks_are_those_of_the_bsd_fixed_point_arithmetic() {
    let tick = SLOW.granularity();
    for (samples, srtt, reno, tahoe) in RTT_VECTORS {
        // A sample of one tick is an echo of the current tick.
        let late_by: Vec<u32> = samples.iter().map(|ticks| ticks - 1).collect();
        for (variant, rto) in [
            (Variant::default(), reno),
            (Variant::Bsd43Tahoe(NoParameters {}), tahoe),
        ] {
            let config = SenderConfig::new(1_000, SLOW).with_variant(variant);
            let expected: Vec<(Span, Span)> = srtt
                .iter()
                .zip(rto)
                .map(|(&srtt, &rto)| (tick * srtt / 8, tick * rto))
                .collect();
            assert_eq!(estimates(config, &late_by), expected, "{samples:?}");
        }
    }
}

#[test]
fn tcp_section_3_1_without_an_answer_reno_gives_up_after_718_s_and_tahoe_after_666_s() {
    for (variant, first, total) in [
        (Variant::default(), [6, 24, 48, 64, 64], 718),
        (
            Variant::Bsd43Tahoe(NoParameters {}),
            [6, 12, 24, 48, 64],
            666,
        ),
    ] {
        let mut sender = Sender::new(SenderConfig::new(1_000, SLOW).with_variant(variant));
        sender.write(Time::ZERO, Available::Unlimited);
        let mut now = Time::ZERO;
        let mut intervals = Vec::new();
        while !sender.is_dropped() {
            let _ = sent(&mut sender, now);
            let due = sender.next_timeout().expect("the timer runs");
            intervals.push((due - now).div_floor(Span::from_secs(1)));
            now = due;
            sender.on_timer(now);
        }
        assert_eq!(intervals[..5], first);
        assert_eq!(now, at_ms(1_000 * total));
    }
}

#[test]
fn tcp_section_9_time_outs_in_continuous_time_are_those_of_rfc_6298() {
    let samples = [100, 120, 80, 300, 100, 100];
    let srtt = [0.1, 0.1025, 0.099_687, 0.124_727, 0.121_636, 0.118_931];
    let table = [
        (
            Span::from_ms(200),
            RtoFloor::Rto,
            [0.3, 0.2725, 0.249_688, 0.437_539, 0.380_972, 0.335_069],
        ),
        (
            Span::from_ms(200),
            RtoFloor::Variance,
            [0.3, 0.3025, 0.299_687, 0.437_539, 0.380_972, 0.335_069],
        ),
        (Span::from_secs(1), RtoFloor::Rto, [1.0; 6]),
    ];
    for (min, floor, rto) in table {
        let config = SenderConfig {
            rto_timer: RtoTimer::Continuous(Rfc6298 {
                min,
                floor,
                ..Rfc6298::default()
            }),
            ..SenderConfig::new(1_000, SLOW)
        };
        let found = estimates(config, &samples);
        assert_eq!(found.len(), samples.len());
        for (found, expected) in found.iter().zip(srtt.iter().zip(rto)) {
            let (srtt, rto) = (found.0.as_secs(), found.1.as_secs());
            // To a microsecond: some of the values are truncated, some rounded.
            assert!((srtt - expected.0).abs() < 1.5e-6, "{srtt} {expected:?}");
            assert!((rto - expected.1).abs() < 1.5e-6, "{rto} {expected:?}");
        }
    }
}

// Windows.

/// `cwnd` after each of `acks` ACKs of one segment.
fn windows(variant: Variant, mss: u32, ssthresh: u32, acks: usize) -> Vec<u64> {
    let mut sender = Sender::new(SenderConfig {
        initial_ssthresh: ssthresh,
        ..SenderConfig::new(mss, SLOW).with_variant(variant)
    });
    sender.write(Time::ZERO, Available::Unlimited);
    let after_ack = |_| {
        let _ = sent(&mut sender, Time::ZERO);
        let ack = sender.snd_una() + u64::from(mss);
        sender.on_segment(Time::ZERO, &pure_ack(ack));
        sender.cwnd()
    };
    (0..acks).map(after_ack).collect()
}

#[test]
fn tcp_section_4_slow_start_and_avoidance_give_the_windows_of_lite2_and_reno() {
    let (lite2, reno) = (Variant::Bsd44Lite2(NoParameters {}), Variant::default());
    assert_eq!(
        windows(lite2, 512, 2_048, 8),
        [1_024, 1_536, 2_048, 2_560, 2_662, 2_760, 2_854, 2_945]
    );
    assert_eq!(
        windows(reno, 512, 2_048, 8),
        [1_024, 1_536, 2_048, 2_560, 2_726, 2_886, 3_040, 3_190]
    );
    assert_eq!(
        windows(lite2, 9_140, 36_560, 8)[3..],
        [45_700, 47_528, 49_285, 50_980, 52_618]
    );
    assert_eq!(
        windows(reno, 9_140, 36_560, 7)[3..],
        [45_700, 48_670, 51_528, 54_291]
    );
}

#[test]
fn tcp_section_4_the_third_duplicate_resends_one_segment_and_exactly_three_are_not_deflated() {
    let (mut sender, base) = full_window(Variant::default(), 8);
    for expected in [vec![], vec![], vec![(base, base + 1_000)]] {
        sender.on_segment(at_ms(100), &pure_ack(base));
        assert_eq!(sent(&mut sender, at_ms(100)), expected);
    }
    assert_eq!((sender.ssthresh(), sender.cwnd()), (4_000, 7_000));
    // The test is `> 3`: avoidance continues from the inflated window, 1000^2 / 7000 + 1000 / 8.
    sender.on_segment(at_ms(200), &pure_ack(base + 8_000));
    assert_eq!(sender.cwnd(), 7_000 + 142 + 125);
}

#[test]
fn tcp_section_7_a_partial_ack_resends_the_next_hole_and_a_full_one_ends_recovery() {
    let (mut sender, base) = full_window(Variant::NewReno(NewRenoParameters::default()), 10);
    let now = at_ms(100);
    let mut resent = Vec::new();
    for _ in 0..9 {
        sender.on_segment(now, &pure_ack(base));
        resent.extend(sent(&mut sender, now));
    }
    assert_eq!(resent[0], (base, base + 1_000));
    // 5 + 3 segments, plus one for each of six more duplicates: four new segments.
    assert_eq!((sender.ssthresh(), sender.cwnd()), (5_000, 14_000));
    assert_eq!(resent.len(), 1 + 4);
    sender.on_segment(now, &pure_ack(base + 2_000));
    let after_partial = sent(&mut sender, now);
    assert_eq!(after_partial[0], (base + 2_000, base + 3_000));
    assert_eq!(
        sender.cwnd(),
        14_000 - 2_000 + 1_000,
        "minus the acked segments, plus one"
    );
    sender.on_segment(now, &pure_ack(base + 10_000));
    assert_eq!(sender.cwnd(), 5_000);
    assert_eq!(sender.stats().fast_retransmits, 1);
}

#[test]
fn tcp_section_8_the_second_hole_leaves_as_soon_as_the_pipe_has_room_and_without_an_ack() {
    // Segments 0 and 2 of ten are lost. The threshold is five segments.
    let (mut sender, base) = full_window(Variant::Sack(NoParameters {}), 10);
    let segment = |n: u64| (base + 1_000 * n, base + 1_000 * (n + 1));
    let block = |first: u64, last: u64| (segment(first).0, segment(last).1);
    let duplicates = [
        (vec![block(1, 1)], vec![]),
        (vec![block(3, 3), block(1, 1)], vec![]),
        (vec![block(3, 4), block(1, 1)], vec![segment(0)]),
        // Segment 2 is lost now: 0, 6, 7, 8 and 9 are in the pipe; then one fewer.
        (vec![block(3, 5), block(1, 1)], vec![]),
        (vec![block(3, 6), block(1, 1)], vec![segment(2)]),
    ];
    for (number, (blocks, expected)) in duplicates.into_iter().enumerate() {
        let ack = Segment {
            sack: SackBlocks::new(base, blocks),
            ..pure_ack(base)
        };
        sender.on_segment(at_ms(100), &ack);
        assert_eq!(
            sent(&mut sender, at_ms(100)),
            expected,
            "duplicate {number}"
        );
    }
    assert_eq!((sender.ssthresh(), sender.cwnd()), (5_000, 5_000));
}

// CUBIC. Windows are in segments of 10,000 octets, so that an octet is 0.0001 of a segment.

const CUBIC_MSS: u64 = 10_000;

/// A CUBIC connection with a round trip of 1 ms, no other end, and a timer that never expires.
struct CubicRun {
    sender: Sender,
    /// When the epoch began.
    start: Time,
}

impl CubicRun {
    /// In congestion avoidance since a mark at a window of `segments`.
    fn after_a_mark_at(segments: u64, fast_convergence: bool) -> Self {
        let max_window = 200_000_000;
        let never = Span::from_secs(100_000);
        let mut run = Self {
            sender: Sender::new(SenderConfig {
                max_window,
                peer_window: max_window,
                initial_ssthresh: max_window,
                rto_timer: RtoTimer::Continuous(Rfc6298 {
                    min: never,
                    max: never,
                    initial: never,
                    ..Rfc6298::default()
                }),
                timestamps: true,
                ecn: true,
                ..SenderConfig::new(CUBIC_MSS as u32, SLOW)
                    .with_variant(Variant::Cubic(CubicParameters { fast_convergence }))
            }),
            start: at_ms(1_000),
        };
        run.sender.write(run.start, Available::Unlimited);
        let _ = sent(&mut run.sender, run.start);
        while run.sender.cwnd() < segments * CUBIC_MSS {
            run.ack(run.start, CUBIC_MSS, Flags::default());
            let _ = sent(&mut run.sender, run.start);
        }
        run.mark(run.start);
        run
    }

    fn ack(&mut self, now: Time, octets: u64, flags: Flags) {
        let echo = (now - Time::ZERO).div_floor(Span::from_ms(1)) as u32;
        let timestamp = Some(Timestamps { value: 0, echo });
        let ack = self.sender.snd_una() + octets;
        let window = 200_000_000;
        let segment = Segment {
            ack,
            window,
            flags,
            timestamp,
            ..Segment::default()
        };
        self.sender.on_segment(now, &segment);
    }

    /// A mark at `now`, and the ACK that starts the next epoch.
    fn mark(&mut self, now: Time) {
        self.ack(now, 1, Flags::ECE);
        self.start = now;
        let left = self.window();
        self.ack(now, 1, Flags::default());
        assert!(self.window() - left < 0.001, "the epoch has only begun");
    }

    fn window(&self) -> f64 {
        self.sender.cwnd() as f64 / CUBIC_MSS as f64
    }

    /// The instant at which the target is the window of `seconds` into the epoch: one round trip before.
    fn instant_for(&self, seconds: f64) -> Time {
        let srtt = self.sender.srtt().expect("there are samples");
        self.start + (Span::from_secs_f64(seconds) - srtt)
    }

    /// The window `seconds` into the epoch: an ACK of a whole window advances it to the target, which is at most half
    /// of the window further.
    fn window_at(&mut self, seconds: f64) -> f64 {
        let now = self.instant_for(seconds);
        loop {
            let before = self.window();
            let all = self.sender.snd_max() - self.sender.snd_una();
            self.ack(now, all, Flags::default());
            let _ = sent(&mut self.sender, now);
            if self.window() < before + 1e-3 {
                return self.window();
            }
        }
    }
}

#[test]
fn tcp_section_10_cubic_windows_after_a_reduction_from_100_segments() {
    let mut run = CubicRun::after_a_mark_at(100, true);
    assert!((run.window() - 70.0).abs() < 0.001, "{}", run.window());
    for (seconds, expected) in [
        (1.0, 86.680_8),
        (2.0, 95.640_3),
        (3.0, 99.278_7),
        (4.0, 99.995_9),
        (5.0, 100.191_9),
        (6.0, 102.266_7),
        (8.0, 121.652_7),
        (10.0, 177.354_0),
    ] {
        let found = run.window_at(seconds);
        assert!((found - expected).abs() < 0.001, "W({seconds}) = {found}");
    }
}

#[test]
fn tcp_section_10_cubic_is_back_at_its_maximum_after_k() {
    for (w_max, k) in [
        (10, 1.957_4),
        (100, 4.217_2),
        (1_000, 9.085_6),
        (10_000, 19.574_3),
    ] {
        let mut run = CubicRun::after_a_mark_at(w_max, true);
        let w_max = w_max as f64;
        // W is flat at K, and steep at 2 K, where it is as far above the maximum as it started below.
        let plateau = run.window_at(k);
        let beyond = run.window_at(2.0 * k);
        assert!(
            (plateau - w_max).abs() < 1e-4 * w_max + 0.001,
            "W(K) = {plateau} for {w_max}"
        );
        assert!(
            (beyond - 1.3 * w_max).abs() < 1e-4 * w_max + 0.001,
            "W(2 K) = {beyond} for {w_max}"
        );
    }
}

#[test]
fn tcp_section_10_fast_convergence_takes_90_after_100_for_a_maximum_of_76_5() {
    for (fast_convergence, expected) in [(true, 76.5), (false, 89.763)] {
        let mut run = CubicRun::after_a_mark_at(100, fast_convergence);
        // 0.4 (t - 4.2172)^3 + 100 is slightly more than 90.
        assert!((run.window_at(1.293_2) - 90.0).abs() < 0.001);
        let now = run.instant_for(1.293_2);
        let all = run.sender.snd_max() - run.sender.snd_una();
        run.ack(now, all, Flags::default());
        assert_eq!(sent(&mut run.sender, now).len(), 90);
        run.mark(now);
        assert!((run.window() - 63.0).abs() < 0.001, "{}", run.window());
        // K is cbrt((76.5 - 63) / 0.4) = 3.2317 with the lower maximum, 4.0716 without.
        let found = run.window_at(3.231_7);
        assert!((found - expected).abs() < 0.01, "{found}");
    }
}

// BBR.

#[test]
fn tcp_section_11_three_rounds_without_a_quarter_more_end_startup_and_drain_has_the_inverse_gain() {
    let mut bbr = Bbr::new(1_000, 10_000, Stream::named(1, "bbr"));
    let high_gain = 2.885;
    assert!((bbr.pacing_gain() - high_gain).abs() < 0.001);
    let rate = Rate::kbps(8_000);
    let rtt = Span::from_ms(40);
    let mut round = |number: u64, rate: Rate| {
        let sample = RateSample {
            delivered: 40_000,
            interval: rtt,
            rate: Some(rate),
            rtt: Some(rtt),
            prior_delivered: 40_000 * number,
            is_app_limited: false,
            newly_acked: 1_000,
        };
        bbr.on_ack(Time::ZERO + rtt * (number + 1), &sample, 80_000);
        (bbr.state(), bbr.pacing_gain())
    };
    // Growth by a quarter per round keeps Startup going.
    for (number, rate) in (0..).zip([rate.scaled(0.64), rate.scaled(0.8), rate]) {
        assert_eq!(round(number, rate).0, State::Startup);
    }
    // Slightly less than a quarter does not count.
    assert_eq!(round(3, rate.scaled(1.2)).0, State::Startup);
    assert_eq!(round(4, rate.scaled(1.2)).0, State::Startup);
    let (state, gain) = round(5, rate.scaled(1.2));
    assert_eq!(state, State::Drain);
    assert!((gain - 1.0 / high_gain).abs() < 0.001, "{gain}");
    assert_eq!(bbr.bandwidth(), rate.scaled(1.2));
    assert_eq!(bbr.min_rtt(), Some(rtt));
}

// Active queue management.

#[test]
fn tcp_section_13_codel_drops_at_the_published_offsets_from_entering() {
    // In microseconds; a late packet leaves every microsecond.
    let offsets = [
        100_000, 170_711, 228_446, 278_446, 323_167, 363_992, 401_788, 437_144,
    ];
    let mut codel = CoDel::new(CoDelParameters {
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn: false,
    });
    let mut drops = Vec::new();
    for us in 0..540_000 {
        let now = Time::ZERO + Span::from_us(us);
        while codel.on_dequeue(now, Span::from_ms(20), Bytes(53_000), Bytes(1_696)) == Verdict::Drop
        {
            drops.push(us);
        }
    }
    let entered = drops[0];
    assert!(entered.abs_diff(100_000) <= 1, "after an interval");
    let found: Vec<u64> = drops[1..].iter().map(|us| us - entered).collect();
    assert_eq!(found.len(), offsets.len(), "{found:?}");
    for (found, expected) in found.iter().zip(offsets) {
        assert!(found.abs_diff(expected) <= 1, "{found} {expected}");
    }
}

#[test]
fn tcp_section_13_pie_lets_a_burst_of_150_ms_pass_and_then_drops_by_delay() {
    let mut pie = Pie::new(
        PieParameters {
            target: Span::from_ms(15),
            update: Span::from_ms(15),
            burst: Span::from_ms(150),
            alpha: 0.125,
            beta: 1.25,
            ecn: false,
        },
        Stream::named(1, "pie"),
    );
    let mut drops = [0, 0];
    for ms in 0..3_000 {
        let now = at_ms(ms);
        if pie.next_update() <= now {
            pie.on_update(now, Span::from_ms(300));
        }
        for _ in 0..10 {
            let verdict = pie.on_arrival(now, Bytes(53_000), Bytes(1_696));
            drops[usize::from(ms >= 150)] += u64::from(verdict == Verdict::Drop);
        }
    }
    assert_eq!(drops[0], 0);
    assert!(drops[1] > 10_000, "nearly all at the end: {drops:?}");
}

// Over ATM.

#[test]
fn tcp_section_14_the_goodput_of_an_stm_1_is_120_56_128_92_and_134_51_mbit_s() {
    for (mss, expected) in [(512, 120.56), (1_460, 128.92), (9_140, 134.51)] {
        let cells = Encapsulation::LlcSnap.cells_for_ip(mss + 40);
        let goodput = 149.76 * (8 * mss) as f64 / (424 * cells) as f64;
        assert!((goodput - expected).abs() < 0.005, "MSS {mss}: {goodput}");
    }
}

#[test]
fn tcp_section_14_without_loss_the_throughput_is_the_window_over_the_round_trip_or_the_line() {
    // A segment takes 1 ms on the line, and its ACK returns after 101 ms.
    for (segments, per_second) in [(8, 8.0 / 0.101), (50, 50.0 / 0.101), (200, 1_000.0)] {
        let window = 1_000 * segments;
        let sender = SenderConfig {
            max_window: window,
            peer_window: window,
            initial_ssthresh: window,
            ..SenderConfig::new(1_000, SLOW)
        };
        let receiver = ReceiverConfig {
            ack: AckPolicy::EachSegment,
            ..ReceiverConfig::new(1_000, window, SLOW)
        };
        let mut link = IdealLink::new(
            &(sender, receiver),
            Span::from_ms(100),
            Span::from_ms(1),
            |_| false,
        );
        link.write(Available::Unlimited);
        link.run_while(|_, next| next < at_ms(30_200));
        let steady = |at: Time| at >= at_ms(10_000) && at < at_ms(30_200);
        let acks = link.acks.iter().filter(|ack| steady(ack.0)).count();
        let left = link.sent.iter().filter(|sent| steady(sent.0)).count();
        assert!(acks.abs_diff(left) <= 1, "as many are sent as arrive");
        let found = acks as f64 / 20.2;
        assert!((found / per_second - 1.0).abs() < 1e-9, "{found}");
        assert_eq!(link.receiver.stats().duplicates, 0);
    }
}
