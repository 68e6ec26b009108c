//! The MSS that both ends agree on (RFC 9293 3.7.1, RFC 1122 4.2.2.6).

use super::*;
use crate::tcp::pair::{Pair, To};
use crate::tcp::{NoParameters, Receiver, ReceiverConfig, TickClock, Variant};

/// A sender of 1460-octet segments and a receiver that announces `told`, opened and with data.
fn opened(told: Option<u16>, change: impl Fn(&mut SenderConfig)) -> Pair {
    let clock = TickClock::new(Span::from_ms(500), Span::from_ms(100));
    let mut config = SenderConfig {
        handshake: true,
        negotiates_mss: true,
        ..SenderConfig::new(1_460, clock)
    };
    change(&mut config);
    let receiver = ReceiverConfig {
        told_mss: told,
        timestamps: config.timestamps,
        ..ReceiverConfig::new(1_460, 8_000, clock)
    };
    let mut sender = Sender::new(config);
    sender.write(Time::ZERO, Available::Unlimited);
    sender.connect(Time::ZERO);
    let mut pair = Pair::new(sender, Receiver::new(receiver), 50);
    pair.run_until(120);
    pair
}

/// Octets of data in the first segment that has any.
fn first_len(pair: &Pair) -> u32 {
    let mut data = pair.sent(To::Receiver).filter(|(_, it)| it.len > 0);
    data.next().map_or(0, |(_, segment)| segment.len)
}

#[test]
fn rfc_9293_3_7_1_the_smaller_segment_is_taken() {
    for (told, len) in [(536, 536), (1_000, 1_000), (1_460, 1_460), (9_140, 1_460)] {
        let pair = opened(Some(told), |_| ());
        assert_eq!(first_len(&pair), len);
        assert_eq!(
            (pair.sender.mss(), pair.sender.cwnd()),
            (len.into(), len.into())
        );
    }
}

#[test]
fn rfc_1122_4_2_2_6_without_the_option_segments_have_536_octets() {
    assert_eq!(first_len(&opened(None, |_| ())), 536);
    let small = opened(None, |config| config.mss = 400);
    assert_eq!(first_len(&small), 400);
}

#[test]
fn rfc_6691_the_option_counts_timestamps_and_segments_leave_room_for_them() {
    let pair = opened(Some(1_000), |config| {
        config.timestamps = true;
        config.mss = 1_448;
    });
    assert_eq!(first_len(&pair), 988);
    let syn = pair.sent(To::Receiver).next().and_then(|(_, syn)| syn.mss);
    assert_eq!(syn, Some(1_460));
}

#[test]
fn windows_count_the_segments_agreed_on() {
    let pair = opened(Some(500), |config| {
        config.initial_window = InitialWindow::TwoSegments;
        config.variant = Variant::Sack(NoParameters {});
    });
    assert_eq!(pair.sender.cwnd(), 1_000);
    let data = pair.sent(To::Receiver).filter(|(_, it)| it.len > 0);
    assert!(data.map(|(_, it)| it.len).eq([500, 500]));
}

#[test]
fn a_sender_that_does_not_negotiate_keeps_its_segments() {
    let pair = opened(Some(536), |config| config.negotiates_mss = false);
    assert_eq!(first_len(&pair), 1_460);
}

#[test]
fn a_syn_without_the_option_is_four_octets_shorter() {
    let length = |told| {
        let pair = opened(told, |_| ());
        let answer = pair.sent(To::Sender).next();
        answer.map(|(_, syn)| syn.options_len())
    };
    assert_eq!((length(Some(1_460)), length(None)), (Some(4), Some(0)));
}
