//! What TCP alone costs: both state machines of connections with segments of 512 octets, as in `abr-erica`, in a loop
//! that hands segments and acknowledgments from one to the other and does nothing else. Prints CPU ns a segment.
//!
//! ```text
//! cargo run --release -p celltrain-benches --example tcp_alone
//! ```

use std::collections::VecDeque;
use std::hint::black_box;

use celltrain_proto::tcp::{
    AckPolicy, Available, Receiver, ReceiverConfig, Segment, Sender, SenderConfig, TickClock,
};
use celltrain_proto::units::{Span, Time};

#[path = "../src/cost.rs"]
#[expect(dead_code, reason = "only time is measured here")]
mod cost;

use cost::Clock;

const CONNECTIONS: usize = 15;
const MSS: u32 = 512;
const WINDOW: u32 = 1 << 20;
/// Segments of each connection on their way.
const ON_THE_WAY: usize = 300;
/// Rounds in which each connection sends a segment and receives one; the first ones fill the way.
const ROUNDS: usize = 20_000;
/// From a segment of one connection to that of the next.
const STEP: Span = Span::from_us(25);

struct Connection {
    sender: Sender,
    receiver: Receiver,
    on_the_way: VecDeque<Segment>,
}

impl Connection {
    fn new() -> Self {
        let slow = TickClock::new(Span::from_ms(100), Span::from_ms(33));
        let fast = TickClock::new(Span::from_ms(200), Span::from_ms(70));
        let mut sender = Sender::new(SenderConfig {
            max_window: WINDOW,
            peer_window: WINDOW,
            initial_ssthresh: WINDOW,
            ..SenderConfig::new(MSS, slow)
        });
        sender.write(Time::ZERO, Available::Unlimited);
        Self {
            sender,
            receiver: Receiver::new(ReceiverConfig {
                ack: AckPolicy::EachSegment,
                ..ReceiverConfig::new(MSS, WINDOW, fast)
            }),
            on_the_way: VecDeque::new(),
        }
    }

    /// A segment leaves if the window lets it, and the first of those on their way arrives if there are as many as go there,
    /// or none leaves; its acknowledgment comes at once.
    fn step(&mut self, now: Time) -> u32 {
        let leaves = self.sender.poll_transmit(now);
        let is_full = leaves.is_none() || self.on_the_way.len() == ON_THE_WAY;
        self.on_the_way.extend(leaves);
        let Some(segment) = is_full.then(|| self.on_the_way.pop_front()).flatten() else {
            return 0;
        };
        self.receiver.on_segment(now, &segment);
        if let Some(ack) = self.receiver.poll_transmit(now) {
            self.sender.on_segment(now, &ack);
        }
        black_box((self.sender.next_timeout(), self.receiver.next_timeout()));
        1
    }
}

fn main() {
    let mut connections: Vec<_> = (0..CONNECTIONS).map(|_| Connection::new()).collect();
    let mut now = Time::ZERO;
    let mut clock = Clock::start();
    let mut segments = 0;
    for round in 0..ROUNDS {
        if round == ROUNDS / 4 {
            (clock, segments) = (Clock::start(), 0);
        }
        for connection in &mut connections {
            now += STEP;
            segments += connection.step(now);
        }
    }
    let (cpu, _) = clock.seconds();
    let ns = cpu / f64::from(segments) * 1e9;
    #[expect(clippy::print_stdout, reason = "the result of the program")]
    {
        println!("{ns:.0} ns a segment, of {segments}");
    }
}
