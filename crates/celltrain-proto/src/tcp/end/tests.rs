//! Data in both directions of one connection (RFC 1122 4.2.3.2; RFC 9293 3.5, 3.8.6).

use super::*;
use crate::tcp::{
    AckPolicy, Available, CloseMode, ControlOptions, NewRenoParameters, NoParameters,
    ReceiverConfig, SenderConfig, TickClock, Variant,
};
use crate::units::Span;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

const MSS: u32 = 1_000;

/// Two ends, 50 ms apart.
struct Two {
    senders: [Sender; 2],
    receivers: [Receiver; 2],
    now: Time,
    /// All segments sent: the time in milliseconds, the sending end, the segment.
    log: Vec<(u64, usize, Segment)>,
    /// Which segments are lost, by end and number.
    lost: Vec<(usize, usize)>,
    flying: VecDeque<(Time, usize, Segment)>,
}

impl Two {
    fn new(change: impl Fn(&mut SenderConfig, &mut ReceiverConfig)) -> Self {
        let clock = TickClock::new(Span::from_ms(500), Span::from_ms(100));
        let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
        let mut sender = SenderConfig::new(MSS, clock);
        let mut receiver = ReceiverConfig {
            close: CloseMode::Manual,
            ack: AckPolicy::EverySecondSegment,
            slow_timer: clock,
            ..ReceiverConfig::new(MSS, 8_000, fast)
        };
        (sender.max_window, sender.peer_window) = (8_000, 8_000);
        change(&mut sender, &mut receiver);
        Self {
            senders: [sender, sender].map(Sender::new),
            receivers: [receiver, receiver].map(Receiver::new),
            now: Time::ZERO,
            log: Vec::new(),
            lost: Vec::new(),
            flying: VecDeque::new(),
        }
    }

    fn end(&mut self, at: usize) -> End<'_> {
        End {
            sender: &mut self.senders[at],
            receiver: &mut self.receivers[at],
        }
    }

    fn drain(&mut self) {
        for at in 0..2 {
            let now = self.now;
            while let Some(segment) = self.end(at).poll_transmit(now) {
                let number = self.sent(at).count();
                self.log.push((now.as_ps() / 1_000_000_000, at, segment));
                if !self.lost.contains(&(at, number)) {
                    let arrives = now + Span::from_ms(50);
                    self.flying.push_back((arrives, 1 - at, segment));
                }
            }
        }
    }

    fn run_until(&mut self, ms: u64) {
        let end = Time::ZERO + Span::from_ms(ms);
        loop {
            self.drain();
            let timers = [0, 1].map(|at| self.end(at).next_timeout());
            let timer = timers.into_iter().flatten().min().unwrap_or(Time::NEVER);
            let arrival = self.flying.front().map_or(Time::NEVER, |front| front.0);
            let next = timer.min(arrival);
            if next > end {
                self.now = end;
                return;
            }
            self.now = next;
            if timer <= arrival {
                for at in 0..2 {
                    self.end(at).on_timer(next);
                }
            } else if let Some((_, to, segment)) = self.flying.pop_front() {
                self.end(to).on_segment(next, &segment);
            }
        }
    }

    /// The times and segments that an end has sent.
    fn sent(&self, by: usize) -> impl Iterator<Item = (u64, Segment)> + '_ {
        let own = self.log.iter().filter(move |it| it.1 == by);
        own.map(|&(ms, _, segment)| (ms, segment))
    }

    /// The number of pure acknowledgments of an end.
    fn bare(&self, by: usize) -> usize {
        let bare = |it: &(u64, Segment)| it.1.len == 0 && it.1.flags == Flags::default();
        self.sent(by).filter(bare).count()
    }
}

#[test]
fn rfc_1122_4_2_3_2_a_delayed_acknowledgment_goes_with_data() {
    let mut two = Two::new(|_, _| ());
    two.senders[0].write(Time::ZERO, Available::Bytes(1_000));
    two.run_until(60);
    assert_eq!(
        two.sent(1).count(),
        0,
        "the acknowledgment is delayed until 230 ms"
    );
    two.senders[1].write(two.now, Available::Bytes(1_000));
    two.run_until(120);
    let answers: Vec<_> = two.sent(1).map(|(ms, it)| (ms, it.len, it.ack)).collect();
    assert_eq!(answers, [(60, 1_000, 1_000)]);
    assert_eq!(two.senders[0].snd_una(), 1_000);
    two.run_until(1_000);
    assert_eq!(two.bare(1), 0, "nothing remains to be acknowledged");
    assert_eq!(two.bare(0), 1, "the last data are acknowledged alone");
}

#[test]
fn both_directions_deliver_all_their_data_in_order() {
    for variant in [
        Variant::default(),
        Variant::NewReno(NewRenoParameters::default()),
        Variant::Sack(NoParameters {}),
    ] {
        let mut two = Two::new(|sender, receiver| {
            *sender = sender.with_variant(variant);
            receiver.sack = variant.uses_sack(&ControlOptions::default());
        });
        two.lost = [(0, 4), (0, 9), (1, 7), (1, 8), (0, 30)].into();
        for at in 0..2 {
            two.senders[at].write(Time::ZERO, Available::Bytes(60_000));
        }
        two.run_until(120_000);
        for at in 0..2 {
            assert_eq!(two.receivers[at].delivered(), 60_000, "{variant:?}");
            assert_eq!(two.senders[at].snd_una(), 60_000);
        }
    }
}

#[test]
fn data_that_carry_acknowledgments_save_most_of_the_bare_ones() {
    let bare = |both: bool| {
        let mut two = Two::new(|_, _| ());
        two.senders[0].write(Time::ZERO, Available::Bytes(100_000));
        if both {
            two.senders[1].write(Time::ZERO, Available::Bytes(100_000));
        }
        two.run_until(60_000);
        assert_eq!(two.receivers[1].delivered(), 100_000);
        two.bare(1)
    };
    assert!(
        4 * bare(true) < bare(false),
        "{} {}",
        bare(true),
        bare(false)
    );
}

#[test]
fn tcp_section_4_data_with_an_old_acknowledgment_are_no_duplicate() {
    let mut two = Two::new(|_, _| ());
    two.senders[0].write(Time::ZERO, Available::Unlimited);
    two.run_until(400);
    // Five data segments acknowledge nothing new.
    let ack = two.senders[0].snd_una();
    let now = two.now;
    for number in 0..5 {
        let segment = Segment {
            seq: 1_000 * number,
            len: 1_000,
            ack,
            window: 8_000,
            ..Segment::default()
        };
        two.end(0).on_segment(now, &segment);
    }
    assert_eq!(two.senders[0].stats().fast_retransmits, 0);
    assert_eq!(two.receivers[0].delivered(), 5_000);
}

#[test]
fn rfc_2018_3_selective_acknowledgments_that_full_segments_have_no_room_for_go_alone() {
    let mut two = Two::new(|sender, receiver| {
        *sender = sender.with_variant(Variant::Sack(NoParameters {}));
        receiver.sack = true;
    });
    // A hole at the second end, which has data to send.
    let now = two.now;
    let late = Segment {
        seq: 1_000,
        len: 1_000,
        window: 8_000,
        ..Segment::default()
    };
    two.senders[1].write(now, Available::Bytes(1_000));
    two.end(1).on_segment(now, &late);
    let data = two.end(1).poll_transmit(now).expect("data");
    assert_eq!((data.len, data.sack_blocks().count()), (1_000, 0));
    let alone = two.end(1).poll_transmit(now).expect("blocks");
    assert_eq!((alone.len, alone.sack_blocks().count()), (0, 1));
    assert_eq!(alone.seq, 1_000, "after the data");
    assert_eq!(two.end(1).poll_transmit(now), None);
    // A short segment has room for the blocks.
    two.senders[1].on_segment(
        now,
        &Segment {
            ack: 1_000,
            window: 8_000,
            ..Segment::default()
        },
    );
    two.senders[1].write(now, Available::Bytes(100));
    two.end(1).on_segment(now, &late);
    let data = two.end(1).poll_transmit(now).expect("data");
    assert_eq!((data.len, data.sack_blocks().count()), (100, 1));
    assert_eq!(two.end(1).poll_transmit(now), None);
}

#[test]
fn rfc_9293_3_5_one_opening_opens_both_directions() {
    for timestamps in [false, true] {
        let mut two = Two::new(|sender, receiver| {
            sender.handshake = true;
            (sender.timestamps, receiver.timestamps) = (timestamps, timestamps);
            (sender.window_scale, receiver.window_scale) = (Some(2), Some(2));
        });
        for at in 0..2 {
            two.senders[at].write(Time::ZERO, Available::Bytes(5_000));
        }
        two.run_until(500);
        assert!(two.log.is_empty(), "no end has opened it");
        two.senders[0].connect(two.now);
        two.run_until(20_000);
        let syns = two.log.iter().filter(|it| it.2.flags.has(Flags::SYN));
        assert_eq!(syns.count(), 2);
        for at in 0..2 {
            assert_eq!(two.receivers[at].delivered(), 5_000);
            assert!(two.senders[at].is_established());
        }
        let data = two.log.iter().filter(|it| it.2.len > 0);
        assert!(
            data.clone()
                .all(|it| it.2.timestamp.is_some() == timestamps)
        );
    }
}

#[test]
fn rfc_9293_3_6_each_direction_closes_by_itself() {
    let mut two = Two::new(|sender, _| sender.handshake = true);
    two.senders[0].connect(Time::ZERO);
    two.senders[0].write(Time::ZERO, Available::Bytes(2_000));
    two.senders[0].close(Time::ZERO);
    two.run_until(3_000);
    assert_eq!(two.senders[0].state(), State::FinWait2);
    // The other direction continues.
    two.senders[1].write(two.now, Available::Bytes(3_000));
    two.run_until(6_000);
    assert_eq!(two.receivers[0].delivered(), 3_000);
    two.senders[1].close(two.now);
    two.run_until(9_000);
    assert_eq!(two.senders[0].state(), State::TimeWait);
    assert!(two.senders[1].is_closed());
    let fins = two.log.iter().filter(|it| it.2.flags.has(Flags::FIN));
    assert_eq!(fins.count(), 2);
}

#[test]
fn timestamps_echo_the_other_end_in_data_too() {
    let mut two = Two::new(|sender, receiver| {
        (sender.timestamps, receiver.timestamps) = (true, true);
    });
    for at in 0..2 {
        two.senders[at].write(Time::ZERO, Available::Unlimited);
    }
    two.run_until(5_000);
    for at in 0..2 {
        let (ms, last) = two.sent(at).last().expect("data");
        let stamp = last.timestamp.expect("a timestamp");
        // Ticks at 100 ms, 600 ms and so on; the echo is at most two ticks old.
        assert!(
            last.len > 0 && stamp.value - stamp.echo <= 2,
            "{ms}: {stamp:?}"
        );
    }
    assert!(two.senders[0].srtt().is_some());
}

/// A segment with 1000 octets at sequence number 0 that acknowledges `ack`.
fn data(ack: u64) -> Segment {
    Segment {
        len: MSS,
        ack,
        window: 8_000,
        ..Segment::default()
    }
}

#[test]
fn rfc_9293_3_10_7_4_a_segment_that_acknowledges_what_was_never_sent_is_answered_and_dropped() {
    let mut two = Two::new(|_, _| {});
    two.end(1).on_segment(Time::ZERO, &data(9_999));
    let answer = two.end(1).poll_transmit(Time::ZERO).expect("an answer");
    assert_eq!((answer.seq, answer.len, answer.ack), (0, 0, 0));
    assert_eq!(two.receivers[1].rcv_nxt(), 0);
    assert_eq!(two.senders[1].stats().acks_of_unsent_data, 1);
    two.end(1).on_segment(Time::ZERO, &data(0));
    assert_eq!(two.receivers[1].rcv_nxt(), u64::from(MSS));
}

#[test]
fn rfc_5681_3_1_an_answered_syn_that_left_twice_leaves_a_window_of_one_segment() {
    for (is_lost, window) in [(false, 4_000), (true, 1_000)] {
        let mut two = Two::new(|sender, receiver| {
            sender.handshake = true;
            sender.initial_window = crate::tcp::InitialWindow::Rfc3390;
            receiver.told_mss = Some(MSS as u16);
        });
        two.lost = if is_lost {
            Vec::from([(1, 0)])
        } else {
            Vec::new()
        };
        two.senders[0].connect(Time::ZERO);
        two.run_until(20_000);
        assert_eq!(two.senders[1].cwnd(), window, "{is_lost}");
    }
}
