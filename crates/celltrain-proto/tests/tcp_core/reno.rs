//! The behaviour of a whole Reno connection.

use celltrain_proto::tcp::{
    AckPolicy, Available, OutputRule, Rearm, ReceiverConfig, RtoConfig, RtoGain, SenderConfig,
};
use celltrain_proto::units::Span;

use crate::pair::{Pair, fast, ms, slow};

const MSS: u32 = 1_000;
const HALF_SECOND: Span = Span::from_ms(500);

/// A greedy connection with a round trip of 100 ms, windows of at most `segments`, and each segment acknowledged. The
/// sender starts at time zero with one segment and doubles: transmissions 0, 1-2, 3-6, 7-14 and so on.
fn greedy(segments: u32, granularity: Span) -> Pair {
    let window = segments * MSS;
    let sender = SenderConfig {
        max_window: window,
        peer_window: window,
        initial_ssthresh: window,
        ..SenderConfig::new(MSS, slow(granularity))
    };
    let receiver = ReceiverConfig {
        ack: AckPolicy::EachSegment,
        ..ReceiverConfig::new(MSS, window, fast())
    };
    let mut pair = Pair::new(sender, receiver);
    pair.writes.push_back((ms(0), Available::Unlimited));
    pair
}

#[test]
fn without_loss_the_throughput_is_the_window_over_the_round_trip() {
    let mut pair = greedy(7, HALF_SECOND);
    pair.run_until(ms(2_025));
    let before = pair.receiver.delivered();
    pair.run_until(ms(12_025));
    assert_eq!(pair.receiver.delivered() - before, 100 * 7_000);
    let rtt = pair.sender.stats().rtt;
    assert_eq!(
        (rtt.mean(), rtt.max),
        (Some(Span::from_ms(100)), Span::from_ms(100))
    );
    assert_eq!(pair.sender.stats().segments_retransmitted, 0);
}

#[test]
fn a_fine_timer_takes_no_more_steps_than_a_coarse_one() {
    let steps = [HALF_SECOND, Span::from_us(100)].map(|granularity| {
        let mut pair = greedy(7, granularity);
        pair.run_until(ms(70_000));
        assert_eq!(pair.sender.stats().timeouts, 0);
        pair.steps
    });
    assert_eq!(steps[0], steps[1]);
}

/// Fast retransmits, time-outs and the threshold in segments after the given transmissions were lost, with an offered
/// window that does not limit.
fn after_losses(lost: &[u64]) -> (u64, u64, u64) {
    let mut pair = greedy(64, HALF_SECOND);
    pair.lost_data.extend(lost);
    pair.run_until(ms(10_000));
    let stats = pair.sender.stats();
    let ssthresh = pair.sender.ssthresh() / u64::from(MSS);
    (stats.fast_retransmits, stats.timeouts, ssthresh)
}

#[test]
fn one_loss_in_a_window_is_repaired_by_one_fast_retransmit() {
    assert_eq!(after_losses(&[7]), (1, 0, 4));
}

#[test]
fn two_losses_in_a_large_window_halve_it_twice() {
    // 14 duplicates inflate the window to 8 + 3 + 11 = 22: six new segments, so the second hole gets its three
    // duplicates. The partial acknowledgment left a window of 8 + 1 segments, half of which is 4.
    assert_eq!(after_losses(&[15, 16]), (2, 0, 4));
}

#[test]
fn two_losses_in_a_small_window_end_in_a_time_out() {
    // Six duplicates inflate the window to 4 + 3 + 3 = 10: two new segments, two duplicates. The partial acknowledgment
    // left a window of 4 + 1 segments, half of which is 2.
    assert_eq!(after_losses(&[7, 8]), (1, 1, 2));
}

#[test]
fn three_losses_in_a_window_end_in_a_time_out() {
    assert_eq!(after_losses(&[7, 8, 9]), (1, 1, 2));
}

#[test]
fn the_loss_of_the_last_segment_is_repaired_by_a_time_out() {
    let mut pair = greedy(8, HALF_SECOND);
    pair.writes = [(ms(0), Available::Bytes(7_000))].into();
    pair.lost_data.insert(6);
    while pair.step() {}
    let stats = pair.sender.stats();
    assert_eq!((stats.fast_retransmits, stats.timeouts), (0, 1));
    assert_eq!(pair.receiver.delivered(), 7_000);
}

#[test]
fn delayed_acknowledgments_slow_slow_start_down_to_one_and_a_half() {
    let mut pair = greedy(60, HALF_SECOND);
    let receiver = ReceiverConfig::new(MSS, 60_000, fast());
    pair.receiver = celltrain_proto::tcp::Receiver::new(receiver);
    // The first segment arrives at 50 ms; its acknowledgment waits for the fast tick at 70 ms.
    pair.run_until(ms(119));
    assert_eq!(pair.sender.stats().segments_sent, 1);
    pair.run_until(ms(120));
    assert_eq!(pair.sender.stats().segments_sent, 3);
    pair.run_until(ms(220)); // one acknowledgment for two segments: the window grows by one
    assert_eq!(pair.sender.cwnd(), 3_000);
    assert_eq!(pair.sender.stats().segments_sent, 6);
}

/// Time-outs when the line's service time per segment increases from 79.5 ms to 636 ms at 20 s, without loss.
fn timeouts_on_a_line_that_slows_down(rearm: Rearm, gain: RtoGain) -> u64 {
    let sender = SenderConfig {
        rearm,
        rto: RtoConfig {
            gain,
            ..RtoConfig::default()
        },
        output: OutputRule::WholeSegments,
        ..SenderConfig::new(9_140, slow(HALF_SECOND))
    };
    let receiver = ReceiverConfig {
        ack: AckPolicy::EverySecondSegment,
        ..ReceiverConfig::new(9_140, 65_535, fast())
    };
    let mut pair = Pair::new(sender, receiver);
    pair.writes.push_back((ms(0), Available::Unlimited));
    pair.service = Span::from_us(79_500);
    pair.run_until(ms(20_000));
    assert_eq!(pair.sender.stats().timeouts, 0);
    pair.service = Span::from_ms(636);
    pair.run_until(ms(60_000));
    pair.sender.stats().timeouts
}

#[test]
fn a_line_that_slows_down_brings_time_outs_without_loss_where_the_oldest_segment_is_guarded() {
    let gain = RtoGain::Four;
    assert_eq!(timeouts_on_a_line_that_slows_down(Rearm::Restart, gain), 0);
    assert!(timeouts_on_a_line_that_slows_down(Rearm::OldestSegment, gain) > 0);
    assert!(timeouts_on_a_line_that_slows_down(Rearm::OldestSegment, RtoGain::Two) > 0);
}
