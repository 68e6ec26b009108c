//! Properties that hold under any pattern of finitely many losses. `Pair` checks at every step that delivery is in
//! order and without repetition, that new data stay within the windows, and that a sender with outstanding data has a
//! timer.

use celltrain_proto::tcp::{
    AckPolicy, Available, BackoffLimit, ControlOptions, Deflation, LossRecovery, OutputRule, Rearm,
    ReceiverConfig, Rfc6298, RtoConfig, RtoGain, RtoTimer, SenderConfig, SlowStartExit, TickClock,
    Variant, WindowRules,
};
use celltrain_proto::units::Span;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

use crate::pair::{Pair, ms, slow};

fn clock(granularity: impl Strategy<Value = Span>) -> impl Strategy<Value = TickClock> {
    (granularity, 0..1_000_u64)
        .prop_map(|(granularity, phase)| TickClock::new(granularity, granularity * phase / 1_000))
}

fn slow_timer() -> impl Strategy<Value = TickClock> {
    let granularities = [100, 10_000, 100_000, 500_000].map(Span::from_us).to_vec();
    clock(prop::sample::select(granularities))
}

/// Any row of the registry, with the defaults of its parameters.
fn variant() -> impl Strategy<Value = Variant> {
    prop::sample::select(Variant::all())
}

fn control() -> impl Strategy<Value = ControlOptions> {
    let deflation = prop_oneof![Just(Deflation::AboveThree), Just(Deflation::FromThree)];
    let rules = prop_oneof![Just(WindowRules::Published), Just(WindowRules::Linux)];
    (any::<[bool; 3]>(), deflation, rules, any::<u64>()).prop_map(
        |([sack, go_back_n, avoids_from_ssthresh], deflation, window_rules, seed)| ControlOptions {
            sack,
            go_back_n,
            avoids_from_ssthresh,
            deflation,
            window_rules,
            seed,
        },
    )
}

/// Each option of current loss recovery on its own, all of them, or none.
fn recovery() -> impl Strategy<Value = LossRecovery> {
    let hystart = prop::sample::select(vec![
        SlowStartExit::Loss,
        SlowStartExit::Rfc9406,
        SlowStartExit::Linux,
    ]);
    let any_of = (any::<[bool; 6]>(), hystart).prop_map(
        |([limited_transmit, rack, tail_loss_probe, prr, undo, frto], hystart)| LossRecovery {
            limited_transmit,
            rack,
            tail_loss_probe,
            prr,
            hystart,
            undo,
            frto,
        },
    );
    prop_oneof![1 => Just(LossRecovery::default()), 2 => Just(LossRecovery::linux()), 3 => any_of]
}

prop_compose! {
    fn ends()(
        mss in prop::sample::select(vec![1_u32, 7, 100, 536]),
        window in 1_000_u32..30_000, // in thousandths of a segment
        ssthresh in 1_u32..30,
        (variant, control) in (variant(), control()),
        gain in prop_oneof![Just(RtoGain::Four), Just(RtoGain::Two)],
        rto_timer in prop_oneof![
            2 => Just(RtoTimer::Ticks),
            1 => Just(RtoTimer::Continuous(Rfc6298::default())),
        ],
        rearm in prop_oneof![Just(Rearm::Restart), Just(Rearm::OldestSegment)],
        output in prop_oneof![Just(OutputRule::Bsd), Just(OutputRule::WholeSegments)],
        (nagle, header_prediction, timestamps, dsack, quick_acks) in any::<(bool, bool, bool, bool, bool)>(),
        recovery in recovery(),
        ack in prop::sample::select(vec![
            AckPolicy::EachSegment, AckPolicy::EverySecondSegment, AckPolicy::Bsd,
        ]),
        fast_timer in clock(Just(Span::from_ms(200))),
    ) -> (SenderConfig, ReceiverConfig) {
        let window = mss * window / 1_000;
        let sender = SenderConfig {
            max_window: window.max(mss),
            peer_window: window,
            initial_ssthresh: mss * ssthresh,
            variant,
            control,
            rto_timer,
            rto: RtoConfig { gain, ..RtoConfig::default() },
            rearm,
            backoff_limit: BackoffLimit::Hold,
            output,
            nagle,
            header_prediction,
            timestamps,
            recovery,
            ..SenderConfig::new(mss, slow(Span::from_ms(500)))
        };
        (sender, ReceiverConfig { ack, sack: sender.uses_sack(), dsack, timestamps, quick_acks, ..ReceiverConfig::new(mss, window, fast_timer) })
    }
}

prop_compose! {
    fn network(ends: (SenderConfig, ReceiverConfig))(
        latency in 0_u64..300,
        service in 0_u64..50,
        lost_data in btree_set(0_u64..120, 0..40),
        lost_acks in btree_set(0_u64..120, 0..40),
        late_data in btree_map(0_u64..120, (1_u64..400).prop_map(Span::from_ms), 0..20),
        // Milliseconds and thousandths of a segment.
        writes in vec((0_u64..5_000, 1_u64..20_000), 1..6),
    ) -> (Pair, u64) {
        let mut pair = Pair::new(ends.0, ends.1);
        pair.latency = Span::from_ms(latency);
        pair.service = Span::from_ms(service);
        pair.lost_data = lost_data;
        pair.lost_acks = lost_acks;
        pair.late_data = late_data;
        let (mut at, mut total) = (0, 0);
        for (pause, size) in writes {
            at += pause;
            let octets = (u64::from(ends.0.mss) * size).div_ceil(1_000);
            total += octets;
            pair.writes.push_back((ms(at), Available::Bytes(octets)));
        }
        (pair, total)
    }
}

fn connection(slow_timer: impl Strategy<Value = TickClock>) -> impl Strategy<Value = (Pair, u64)> {
    (ends(), slow_timer).prop_flat_map(|((sender, receiver), slow_timer)| {
        network((
            SenderConfig {
                slow_timer,
                ..sender
            },
            receiver,
        ))
    })
}

impl core::fmt::Debug for Pair {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pair")
            .field("sender", &self.sender)
            .field("receiver", &self.receiver)
            .field("latency", &self.latency)
            .field("service", &self.service)
            .field("lost_data", &self.lost_data)
            .field("lost_acks", &self.lost_acks)
            .field("late_data", &self.late_data)
            .field("writes", &self.writes)
            .finish_non_exhaustive()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_octet_is_delivered_once_and_in_order_under_any_finite_losses(
        (mut pair, total) in connection(slow_timer())
    ) {
        while pair.step() {
            prop_assert!(pair.steps < 100_000, "the connection never becomes idle");
        }
        prop_assert_eq!(pair.receiver.delivered(), total);
        prop_assert_eq!(pair.sender.snd_una(), total);
        let stats = pair.sender.stats();
        // Each segment is acknowledged once. A retransmission may have new data at its end, and then also counts as a
        // segment of its own.
        let sent_once = stats.segments_sent - stats.segments_retransmitted;
        prop_assert!((sent_once..=stats.segments_sent).contains(&stats.rtt.count));
        prop_assert_eq!(stats.acks_of_unsent_data, 0);
        prop_assert_eq!(pair.receiver.stats().beyond_window, 0);
    }

    #[test]
    fn nothing_is_sent_twice_without_loss_where_round_trips_are_shorter_than_a_tick(
        (mut pair, total) in connection(clock(Just(Span::from_ms(500))))
    ) {
        pair.lost_data.clear();
        pair.lost_acks.clear();
        pair.late_data.clear();
        pair.service = Span::ZERO;
        pair.latency = pair.latency / 3; // twice 100 ms, and 200 ms of a delayed acknowledgment
        while pair.step() {}
        prop_assert_eq!(pair.receiver.delivered(), total);
        prop_assert_eq!(pair.receiver.stats().out_of_order, 0);
        let stats = pair.sender.stats();
        // A probe may precede an acknowledgment that the receiver delays.
        prop_assert!(stats.segments_retransmitted <= stats.tail_probes);
        prop_assert_eq!(stats.timeouts, 0);
        prop_assert!(stats.rtt.max <= Span::from_ms(400));
    }
}
