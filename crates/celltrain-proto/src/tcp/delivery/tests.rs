//! One test for each rule of the draft; times in milliseconds, segments of 1000 octets.

use super::*;

const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);
const OCTETS: u64 = 1_000;

fn acked(delivery: &mut DeliveryRate, ms: u64, packets: &[PacketState]) -> RateSample {
    for packet in packets {
        delivery.on_packet_acked(MS(ms), OCTETS, packet);
    }
    delivery.take_sample(MS(ms)).expect("segments were acked")
}

#[test]
fn the_rate_is_what_was_delivered_since_the_segment_left_over_the_time_since() {
    let mut d = DeliveryRate::default();
    let first = d.on_send(MS(0), true);
    let second = d.on_send(MS(0), false);
    assert_eq!(acked(&mut d, 10, &[first]).rate, Some(Rate::kbps(800)));
    let third = d.on_send(MS(10), false);
    acked(&mut d, 14, &[second]);
    // Sent at 10 ms, when one segment was delivered; two more are delivered by 20 ms.
    let sample = acked(&mut d, 20, &[third]);
    assert_eq!((sample.prior_delivered, sample.delivered), (1_000, 2_000));
    assert_eq!(sample.interval, Span::from_ms(10));
    assert_eq!(sample.rate, Some(Rate::kbps(1_600)));
    assert_eq!(sample.delivered_total(), 3_000);
}

#[test]
fn the_interval_is_the_longer_of_sending_and_acknowledging() {
    // Sent over 30 ms, acknowledged over 10 ms: a burst of acknowledgments does not raise the rate.
    let mut d = DeliveryRate::default();
    let slow: [_; 4] = core::array::from_fn(|i| d.on_send(MS(10 * i as u64), i == 0));
    let sample = acked(&mut d, 40, &slow);
    assert_eq!(sample.interval, Span::from_ms(40)); // nothing was delivered since the start
    let next: [_; 3] = core::array::from_fn(|i| d.on_send(MS(41 + 10 * i as u64), false));
    let sample = acked(&mut d, 62, &next);
    assert_eq!(sample.interval, Span::from_ms(31)); // sending: from 30 ms (last acked) to 61 ms
    // Sent at one instant, acknowledged one by one: the acknowledgments determine the rate.
    let mut d = DeliveryRate::default();
    let burst: [_; 4] = core::array::from_fn(|i| d.on_send(MS(0), i == 0));
    for (i, packet) in burst.iter().enumerate() {
        let sample = acked(&mut d, 10 * (i as u64 + 1), &[*packet]);
        assert_eq!(sample.rate, Some(Rate::kbps(800)), "segment {i}");
    }
}

#[test]
fn an_acknowledgment_that_covers_nothing_new_gives_no_sample() {
    let mut d = DeliveryRate::default();
    let packet = d.on_send(MS(0), true);
    acked(&mut d, 10, &[packet]);
    assert_eq!(d.take_sample(MS(11)), None);
}

#[test]
fn the_newest_segment_acknowledged_gives_rtt_and_start_of_the_sample() {
    let mut d = DeliveryRate::default();
    let first = d.on_send(MS(0), true);
    let second = d.on_send(MS(4), false);
    for order in [[first, second], [second, first]] {
        let sample = acked(&mut d.clone(), 10, &order);
        assert_eq!(sample.rtt, Some(Span::from_ms(6)));
        assert_eq!(sample.newly_acked, 2_000);
    }
}

#[test]
fn newly_acked_counts_one_acknowledgment_only() {
    let mut d = DeliveryRate::default();
    let packets: [_; 3] = core::array::from_fn(|i| d.on_send(MS(0), i == 0));
    assert_eq!(acked(&mut d, 10, &packets[..2]).newly_acked, 2_000);
    assert_eq!(acked(&mut d, 11, &packets[2..]).newly_acked, 1_000);
    assert_eq!(d.delivered(), 3_000);
}

#[test]
fn after_an_idle_time_the_pause_is_not_part_of_the_interval() {
    let mut d = DeliveryRate::default();
    let first = d.on_send(MS(0), true);
    acked(&mut d, 10, &[first]);
    let late = d.on_send(MS(1_000), true);
    assert_eq!(
        acked(&mut d, 1_010, &[late]).interval,
        Span::from_ms(10),
        "the connection was idle from 10 ms to 1000 ms"
    );
}

#[test]
fn a_retransmission_gives_no_rtt() {
    let mut d = DeliveryRate::default();
    d.on_send(MS(0), true);
    let again = d.on_retransmit(MS(100), false);
    let sample = acked(&mut d, 110, &[again]);
    assert_eq!(sample.rtt, None);
    assert!(sample.rate.is_some());
}

#[test]
fn an_interval_below_the_shortest_rtt_gives_no_rate() {
    let mut d = DeliveryRate::default();
    let first = d.on_send(MS(0), true);
    acked(&mut d, 10, &[first]);
    d.on_send(MS(20), true);
    // All were marked lost; an acknowledgment 1 ms later can only be for the first transmission.
    let again = d.on_retransmit(MS(29), true);
    let sample = acked(&mut d, 30, &[again]);
    assert_eq!((sample.rate, sample.newly_acked), (None, 1_000));
}

#[test]
fn what_is_sent_in_an_application_limited_phase_is_marked_until_the_phase_is_acknowledged() {
    let mut d = DeliveryRate::default();
    let before = d.on_send(MS(0), true);
    d.on_app_limited(OCTETS);
    let within = d.on_send(MS(1), false);
    assert!(!acked(&mut d, 10, &[before]).is_app_limited);
    // 1000 octets are delivered, not more than the mark: the bubble remains.
    let still_within = d.on_send(MS(10), false);
    assert!(acked(&mut d, 11, &[within]).is_app_limited);
    let after = d.on_send(MS(11), false);
    assert!(acked(&mut d, 20, &[still_within]).is_app_limited);
    assert!(!acked(&mut d, 21, &[after]).is_app_limited);
}
