//! Closing (reference section 6).

use super::*;
use crate::tcp::pair::{Pair, To};
use crate::tcp::{
    CloseMode, NewRenoParameters, NoParameters, ReadMode, Receiver, ReceiverConfig, TickClock,
    Variant,
};
use alloc::vec::Vec;
use proptest::prelude::*;

/// Slow ticks at 100 ms, 600 ms and so on; fast ones at 30 ms, 230 ms and so on.
fn config() -> SenderConfig {
    SenderConfig::new(
        1_000,
        TickClock::new(Span::from_ms(500), Span::from_ms(100)),
    )
}

fn receiver_config() -> ReceiverConfig {
    let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
    ReceiverConfig {
        slow_timer: TickClock::new(Span::from_ms(500), Span::from_ms(100)),
        ..ReceiverConfig::new(1_000, 8_000, fast)
    }
}

/// A sender that closes after `octets`.
fn closing(octets: u64, config: SenderConfig, receiver: ReceiverConfig) -> Pair {
    let mut sender = Sender::new(config);
    sender.write(Time::ZERO, Available::Bytes(octets));
    sender.close(Time::ZERO);
    Pair::new(sender, Receiver::new(receiver), 50)
}

/// Time, sequence number, length, acknowledgment and whether there is a FIN.
fn seen(pair: &Pair, to: To) -> Vec<(u64, u64, u32, u64, bool)> {
    pair.sent(to)
        .map(|(ms, s)| (ms, s.seq, s.len, s.ack, s.flags.has(Flags::FIN)))
        .collect()
}

#[test]
fn tcp_section_6_the_fin_rides_on_the_last_data_and_takes_one_number() {
    let mut p = closing(400, config(), receiver_config());
    assert_eq!(p.sender.state(), State::FinWait1);
    p.run_until(149);
    assert_eq!(
        seen(&p, To::Receiver),
        [(0, 0, 400, 0, true), (100, 401, 0, 1, false)]
    );
    // Acknowledged at once; the receiver's own FIN follows because its application has read everything.
    assert_eq!(
        seen(&p, To::Sender),
        [(50, 0, 0, 401, false), (50, 0, 0, 401, true)]
    );
    assert!(p.receiver.is_finished());
    assert_eq!(p.receiver.delivered(), 400); // the FIN is not an octet of data
    assert_eq!(p.receiver.state(), State::LastAck);
    assert_eq!(p.sender.state(), State::TimeWait);
    assert!(p.sender.is_closed());
    p.run_until(150);
    assert!(p.receiver.is_closed());
}

#[test]
fn tcp_section_6_a_close_without_data_to_send_sends_the_fin_alone_whatever_the_window() {
    let mut p = closing(1_000, config(), receiver_config());
    p.run_until(1_000);
    assert!(p.sender.is_closed());
    let mut s = Sender::new(config());
    s.write(Time::ZERO, Available::Bytes(1_000));
    assert_eq!(s.poll_transmit(Time::ZERO).map(|s| s.len), Some(1_000));
    assert_eq!(s.poll_transmit(Time::ZERO), None); // the congestion window is full
    s.close(Time::ZERO);
    let fin = s.poll_transmit(Time::ZERO).expect("the FIN");
    assert_eq!((fin.seq, fin.len, fin.flags), (1_000, 0, Flags::FIN));
    assert_eq!(s.poll_transmit(Time::ZERO), None);
}

#[test]
fn tcp_section_6_the_fin_waits_for_data_that_the_window_holds_back() {
    let mut p = closing(2_500, config(), receiver_config());
    p.run_until(2_000);
    let fins: Vec<_> = seen(&p, To::Receiver).into_iter().filter(|s| s.4).collect();
    assert_eq!(fins.len(), 1);
    assert_eq!((fins[0].1, fins[0].2), (2_000, 500)); // a partial segment that Nagle would hold
    assert_eq!(p.receiver.delivered(), 2_500);
}

#[test]
fn tcp_section_6_nothing_is_taken_after_close() {
    let mut p = closing(400, config(), receiver_config());
    p.sender.write(Time::ZERO, Available::Bytes(600));
    p.sender.write(Time::ZERO, Available::Unlimited);
    p.run_until(1_000);
    assert_eq!(p.receiver.delivered(), 400);
}

#[test]
fn tcp_section_6_a_greedy_source_closes_behind_what_it_has_sent() {
    let mut p = closing(0, config(), receiver_config());
    p.sender = Sender::new(config());
    p.sender.write(Time::ZERO, Available::Unlimited);
    p.run_until(500);
    let sent = p.sender.snd_max();
    p.sender.close(p.now);
    p.run_until(2_000);
    assert_eq!(p.receiver.delivered(), sent);
    assert!(p.sender.is_closed() && p.receiver.is_closed());
}

#[test]
fn tcp_section_6_a_lost_fin_is_sent_again_by_the_retransmission_timer() {
    let mut p =
        closing(400, config(), receiver_config()).with_wire(|to, n, _| to == To::Sender || n > 0);
    p.run_until(6_000);
    assert_eq!(
        seen(&p, To::Receiver)[..2],
        [(0, 0, 400, 0, true), (5_600, 0, 400, 0, true)]
    );
    assert!(p.sender.is_closed());
    // Also for a FIN alone, after data that are acknowledged.
    let mut p =
        closing(0, config(), receiver_config()).with_wire(|to, n, _| to == To::Sender || n > 0);
    p.run_until(6_000);
    assert_eq!(
        seen(&p, To::Receiver)[..2],
        [(0, 0, 0, 0, true), (5_600, 0, 0, 0, true)]
    );
    assert!(p.sender.is_closed());
}

#[test]
fn tcp_section_6_a_fin_beyond_a_hole_counts_only_when_the_hole_is_filled() {
    let mut r = Receiver::new(receiver_config());
    let segment = |seq, len, flags| Segment {
        seq,
        len,
        flags,
        ..Segment::default()
    };
    r.on_segment(Time::ZERO, &segment(1_000, 500, Flags::FIN));
    assert_eq!(r.poll_transmit(Time::ZERO).map(|ack| ack.ack), Some(0));
    assert!(!r.is_finished());
    r.on_segment(Time::ZERO, &segment(0, 1_000, Flags::default()));
    assert_eq!(r.poll_transmit(Time::ZERO).map(|ack| ack.ack), Some(1_501));
    assert!(r.is_finished());
}

#[test]
fn tcp_section_6_the_receivers_fin_is_sent_again_until_it_is_acknowledged() {
    // The first acknowledgment of the receiver's FIN is lost.
    let mut p =
        closing(400, config(), receiver_config()).with_wire(|to, n, _| to == To::Sender || n != 1);
    p.run_until(5_599);
    assert_eq!(p.receiver.state(), State::LastAck);
    p.run_until(6_000);
    // Initial time-out of 12 ticks, starting at 50 ms; TIME_WAIT acknowledges again.
    assert_eq!(seen(&p, To::Sender)[2..], [(5_600, 0, 0, 401, true)]);
    assert_eq!(seen(&p, To::Receiver)[2..], [(5_650, 401, 0, 1, false)]);
    assert!(p.receiver.is_closed());
}

#[test]
fn tcp_section_6_time_wait_lasts_120_ticks_and_starts_again_at_a_repeated_fin() {
    let mut p =
        closing(400, config(), receiver_config()).with_wire(|to, n, _| to == To::Sender || n != 1);
    p.run_until(1_000);
    assert_eq!(p.sender.state(), State::TimeWait);
    // Entered at 100 ms, after tick 1: until tick 121; retransmitted at 5650 ms, after tick 12: tick 132.
    assert_eq!(
        p.sender.next_timeout(),
        Some(Time::ZERO + Span::from_ms(60_100))
    );
    p.run_until(6_000);
    assert_eq!(
        p.sender.next_timeout(),
        Some(Time::ZERO + Span::from_ms(65_600))
    );
    p.run_until(65_600);
    assert_eq!(
        (p.sender.state(), p.sender.next_timeout()),
        (State::Closed, None)
    );
    assert!(p.sender.is_closed() && !p.sender.is_dropped());
}

#[test]
fn tcp_section_6_fin_wait_2_may_end_after_ten_minutes() {
    let receiver = ReceiverConfig {
        close: CloseMode::Manual,
        ..receiver_config()
    };
    let mut p = closing(400, config(), receiver);
    p.run_until(600_099);
    assert_eq!(p.sender.state(), State::FinWait2);
    assert!(p.receiver.is_finished() && !p.sender.is_closed());
    assert_eq!(p.receiver.state(), State::CloseWait);
    p.run_until(600_100);
    assert_eq!(p.sender.state(), State::Closed);
}

#[test]
fn tcp_section_6_the_receiver_closes_when_its_application_does_and_has_read_everything() {
    let receiver = ReceiverConfig {
        application: ReadMode::Manual,
        close: CloseMode::Manual,
        ..receiver_config()
    };
    let mut p = closing(400, config(), receiver);
    p.run_until(1_000);
    p.receiver.close(p.now);
    p.run_until(2_000);
    assert!(!p.receiver.is_finished());
    assert_eq!(p.receiver.state(), State::CloseWait);
    assert_eq!(p.receiver.read(p.now, 1_000), 400);
    assert_eq!(p.receiver.state(), State::LastAck);
    p.run_until(3_000);
    assert!(p.receiver.is_closed() && p.sender.is_closed());
}

#[test]
fn tcp_section_6_a_close_before_the_connection_is_open_waits_with_the_data() {
    let config = SenderConfig {
        handshake: true,
        ..config()
    };
    let mut p = closing(400, config, receiver_config());
    p.sender.connect(Time::ZERO);
    p.run_until(1_000);
    assert_eq!(p.receiver.delivered(), 400);
    assert!(p.sender.is_closed() && p.receiver.is_closed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever is lost, a file arrives complete and both ends close, as no segment is lost so often (12 times) that
    /// the sender gives up.
    #[test]
    fn a_file_arrives_whole_over_a_line_that_loses_segments(
        octets in 0_u64..40_000,
        losses in prop::collection::vec(0_usize..60, 0..6),
        ack_losses in prop::collection::vec(0_usize..60, 0..6),
        variant in 0_usize..5,
        options in 0_usize..8,
        read in 200_u64..3_000,
    ) {
        let variants = [
            Variant::default(),
            Variant::Bsd43Tahoe(NoParameters {}),
            Variant::NewReno(NewRenoParameters::default()),
            Variant::Sack(NoParameters {}),
            Variant::Cubic(crate::tcp::CubicParameters {
                fast_convergence: true,
            }),
        ];
        let sender = SenderConfig {
            handshake: true,
            // Three lost SYNs take longer than BSD waits.
            setup_limit: Span::from_secs(4_000),
            timestamps: options & 1 > 0,
            ecn: options & 2 > 0,
            send_buffer: Some(6_000),
            window_scale: Some(0),
            ..config().with_variant(variants[variant])
        };
        let manual = options & 4 > 0;
        let receiver = ReceiverConfig {
            timestamps: true,
            ecn: true,
            sack: sender.uses_sack(),
            window_scale: Some(2),
            application: if manual { ReadMode::Manual } else { ReadMode::AtOnce },
            ..receiver_config()
        };
        let mut p = Pair::new(Sender::new(sender), Receiver::new(receiver), 50).with_wire(move |to, n, s| {
            s.congestion_experienced = s.ecn_capable && n % 7 == 0;
            !(if to == To::Sender { &ack_losses } else { &losses }).contains(&n)
        });
        p.sender.connect(Time::ZERO);
        let mut left = octets;
        for second in 1..4_000 {
            let part = left.min(p.sender.buffer_free());
            p.sender.write(p.now, Available::Bytes(part));
            left -= part;
            if left == 0 {
                p.sender.close(p.now);
            }
            p.receiver.read(p.now, read);
            p.run_until(1_000 * second);
            prop_assert!(p.sender.snd_max() <= p.sender.snd_una() + 6_001);
            if p.receiver.is_closed() {
                break;
            }
        }
        prop_assert_eq!(p.receiver.delivered(), octets);
        prop_assert!(p.receiver.is_finished() && p.receiver.is_closed());
        prop_assert!(p.sender.is_closed());
    }
}
