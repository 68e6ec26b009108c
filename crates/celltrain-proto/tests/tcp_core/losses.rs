//! The effect of one to four losses in a window of eight segments, by variant.
//!
//! Transmissions 7 to 14 are the window: with a round trip of 100 ms and each segment acknowledged, slow start sends 0,
//! 1-2, 3-6, 7-14. The first n segments of the window are lost. So 8 - n duplicates follow.

use celltrain_proto::tcp::{
    AckPolicy, Available, ControlOptions, CubicParameters, NewRenoParameters, NoParameters,
    ReceiverConfig, SenderConfig, Variant,
};
use celltrain_proto::units::Span;

use crate::pair::{Pair, fast, ms, slow};

const MSS: u32 = 1_000;

/// A connection that is limited only by its own windows, and loses the first `losses` of eight segments.
fn after_losses(variant: Variant, losses: u64) -> Pair {
    after_losses_until(variant, losses, 10_000)
}

fn after_losses_until(variant: Variant, losses: u64, at: u64) -> Pair {
    after_losses_with(variant, ControlOptions::default(), losses, at)
}

fn after_losses_with(variant: Variant, control: ControlOptions, losses: u64, at: u64) -> Pair {
    let window = 64 * MSS;
    let sender = SenderConfig {
        max_window: window,
        peer_window: window,
        initial_ssthresh: window,
        control,
        ..SenderConfig::new(MSS, slow(Span::from_ms(500))).with_variant(variant)
    };
    let receiver = ReceiverConfig {
        ack: AckPolicy::EachSegment,
        sack: variant.uses_sack(&ControlOptions::default()),
        ..ReceiverConfig::new(MSS, window, fast())
    };
    let mut pair = Pair::new(sender, receiver);
    pair.writes.push_back((ms(0), Available::Unlimited));
    pair.lost_data.extend(7..7 + losses);
    pair.run_until(ms(at));
    pair
}

/// Fast retransmits and time-outs for one to four losses.
fn repairs(variant: Variant) -> [(u64, u64); 4] {
    [1, 2, 3, 4].map(|losses| {
        let pair = after_losses(variant, losses);
        let stats = pair.sender.stats();
        (stats.fast_retransmits, stats.timeouts)
    })
}

#[test]
fn reno_repairs_one_loss_and_times_out_for_more() {
    let expected = [(1, 0), (1, 1), (1, 1), (1, 1)];
    assert_eq!(repairs(Variant::default()), expected);
    assert_eq!(repairs(Variant::Bsd44Lite2(NoParameters {})), expected);
}

#[test]
fn tahoe_repairs_one_loss_and_times_out_for_more_unless_it_goes_back() {
    // The window is one segment, two after the first is acknowledged: no new segment, no duplicate, so
    // nothing reports the second hole.
    let tahoe = Variant::Bsd43Tahoe(NoParameters {});
    assert_eq!(repairs(tahoe), [(1, 0), (1, 1), (1, 1), (1, 1)]);
    // Slow start sends the holes again, one after the other.
    let going_back = ControlOptions {
        go_back_n: true,
        ..ControlOptions::default()
    };
    let repaired = [1, 2, 3, 4].map(|losses| {
        let pair = after_losses_with(tahoe, going_back, losses, 10_000);
        let stats = pair.sender.stats();
        (stats.fast_retransmits, stats.timeouts)
    });
    assert_eq!(repaired, [(1, 0), (1, 0), (1, 0), (1, 0)]);
}

#[test]
fn tahoe_without_fast_retransmit_waits_for_the_timer() {
    let variant = Variant::Bsd43TahoeNoFastRetransmit(NoParameters {});
    assert_eq!(repairs(variant), [(0, 1), (0, 1), (0, 1), (0, 1)]);
}

#[test]
fn newreno_repairs_up_to_four_losses_in_one_recovery() {
    assert_eq!(
        repairs(Variant::NewReno(NewRenoParameters::default())),
        [(1, 0); 4]
    );
    // Each partial acknowledgment sends one segment again, the next hole; nothing is retransmitted needlessly.
    for losses in 1..=4 {
        let pair = after_losses(Variant::NewReno(NewRenoParameters::default()), losses);
        assert_eq!(pair.sender.stats().segments_retransmitted, losses);
    }
}

#[test]
fn sack_repairs_up_to_four_losses_in_one_recovery_and_sends_nothing_in_vain() {
    assert_eq!(repairs(Variant::Sack(NoParameters {})), [(1, 0); 4]);
    for losses in 1..=4 {
        let pair = after_losses(Variant::Sack(NoParameters {}), losses);
        assert_eq!(pair.sender.stats().segments_retransmitted, losses);
        assert_eq!(pair.receiver.stats().duplicates, 0);
    }
}

#[test]
fn sack_repairs_several_holes_in_a_round_trip_where_newreno_needs_one_for_each() {
    // Transmissions 7 to 14 are sent at 300 ms; the duplicates arrive at 400 ms, the first repair reaches the receiver
    // at 450 ms and its acknowledgment arrives at 500 ms. NewReno learns of one more hole then; SACK retransmits the
    // second hole at 400 ms, when the fourth duplicate has drained the pipe, and the rest at 500 ms.
    let delivered = |variant, at| {
        let pair = after_losses_until(variant, 4, at);
        pair.receiver.delivered()
    };
    assert_eq!(
        delivered(Variant::NewReno(NewRenoParameters::default()), 460),
        8_000
    );
    assert_eq!(
        delivered(Variant::NewReno(NewRenoParameters::default()), 560),
        9_000
    );
    assert!(delivered(Variant::Sack(NoParameters {}), 460) > 8_000);
    assert!(delivered(Variant::Sack(NoParameters {}), 560) >= 15_000);
}

#[test]
fn cubic_repairs_as_sack_does() {
    let cubic = Variant::Cubic(CubicParameters {
        fast_convergence: true,
    });
    assert_eq!(repairs(cubic), [(1, 0); 4]);
}
