//! Resets (RFC 9293 3.5.2, 3.5.3, 3.10.7).

use super::*;
use crate::tcp::pair::{Pair, To};
use crate::tcp::{Receiver, ReceiverConfig, TickClock, WhenClosed};
use alloc::vec::Vec;

/// A greedy sender that opens a connection to this receiver.
fn pair(receiver: fn(ReceiverConfig) -> Receiver) -> Pair {
    let clock = TickClock::new(Span::from_ms(500), Span::from_ms(100));
    let config = ReceiverConfig {
        when_closed: WhenClosed::Resets,
        ..ReceiverConfig::new(1_000, 8_000, clock)
    };
    let mut sender = Sender::new(SenderConfig {
        handshake: true,
        ..SenderConfig::new(1_000, clock)
    });
    sender.write(Time::ZERO, Available::Unlimited);
    sender.connect(Time::ZERO);
    Pair::new(sender, receiver(config), 50)
}

fn resets(pair: &Pair, to: To) -> Vec<(u64, Segment)> {
    let sent = pair.sent(to);
    sent.filter(|(_, it)| it.flags.has(Flags::RST)).collect()
}

#[test]
fn rfc_9293_3_10_7_1_a_closed_port_answers_a_syn_by_a_reset_and_the_sender_gives_up_at_once() {
    let mut p = pair(Receiver::closed);
    p.run_until(100);
    assert_eq!(resets(&p, To::Sender).len(), 1);
    assert!(p.sender.is_dropped());
    p.run_until(200_000);
    assert_eq!(p.log.len(), 2, "a SYN and a reset");
    assert_eq!(p.sender.next_timeout(), None);
}

#[test]
fn a_closed_port_that_is_silent_is_tried_again() {
    let mut p = pair(|config| {
        Receiver::closed(ReceiverConfig {
            when_closed: WhenClosed::Silent,
            ..config
        })
    });
    p.run_until(20_000);
    assert!(!p.sender.is_dropped());
    assert!(p.sent(To::Receiver).count() > 1);
}

#[test]
fn rfc_9293_3_5_1_an_end_that_does_not_know_the_connection_resets_it() {
    let mut p = pair(Receiver::new);
    p.run_until(500);
    assert!(p.sender.is_established());
    // The receiver has restarted.
    p.receiver.on_segment(
        p.now,
        &Segment {
            flags: Flags::RST,
            ..Segment::default()
        },
    );
    assert!(p.receiver.is_closed());
    p.run_until(10_000);
    let (_, reset) = resets(&p, To::Sender)[0];
    assert_eq!((reset.seq, reset.len), (0, 0));
    assert!(p.sender.is_dropped());
    let count = p.log.len();
    p.run_until(200_000);
    assert_eq!(p.log.len(), count);
}

#[test]
fn rfc_9293_3_10_5_an_abort_sends_one_reset_and_no_more_data() {
    let mut p = pair(Receiver::new);
    p.run_until(500);
    let delivered = p.receiver.delivered();
    p.sender.abort(p.now);
    p.run_until(200_000);
    let sent = resets(&p, To::Receiver);
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].0, sent[0].1.seq), (500, p.sender.snd_max()));
    assert!(p.sender.is_dropped() && p.receiver.is_closed());
    assert!(p.receiver.delivered() >= delivered);
    assert!(resets(&p, To::Sender).is_empty(), "a reset is not answered");
    assert_eq!(
        (p.sender.next_timeout(), p.receiver.next_timeout()),
        (None, None)
    );
}

#[test]
fn an_abort_before_the_answer_to_the_syn_tells_nobody() {
    let mut p = pair(Receiver::new);
    p.run_until(10);
    p.sender.abort(p.now);
    p.run_until(1_000);
    assert!(resets(&p, To::Receiver).is_empty());
    assert!(p.sender.is_dropped());
}
