//! What queues of packets alone cost: CPU ns for a packet that comes, waits and leaves, of each algorithm with its defaults,
//! and of a bare FIFO. A line of 1 Gbit/s is loaded by 100 flows with 1500 octets in a packet, so that about 50 or 400
//! packets wait.
//!
//! ```text
//! cargo run --release -p celltrain-benches --example packet_queues
//! ```

use std::collections::VecDeque;
use std::hint::black_box;

use celltrain_proto::packet_queue::{
    CakeParameters, CoDelParameters, DrrPlusPlusParameters, FqCodelParameters, FqPieParameters,
    Label, Packet, PacketBlueParameters, PacketQueue, PacketRedParameters, Parameters,
    Pi2Parameters, PieParameters, Port, SfqParameters,
};
use celltrain_proto::random::{SplitMix64, Stream};
use celltrain_proto::units::{Bytes, Rate, Span, Time};

#[path = "../src/cost.rs"]
#[expect(dead_code, reason = "only time is measured here")]
mod cost;

use cost::Clock;

const FLOWS: u64 = 100;
const PACKETS: u64 = 2_000_000;
/// The best of so many runs counts.
const RUNS: u32 = 5;
/// A packet of 1538 octets on the line at 1 Gbit/s.
const PACKET: Span = Span::from_ps(12_304_000);

/// What the engine knows a frame by takes 24 octets.
type Item = [u64; 3];

fn packet(number: u64, now: Time) -> Packet<Item> {
    let flow = SplitMix64(number).word() % FLOWS;
    Packet {
        item: [number; 3],
        octets: Bytes(1_538),
        label: Label {
            flow,
            hosts: [flow as u32 % 10, flow as u32 % 7],
            dscp: 0,
        },
        ecn_capable: true,
        is_marked: false,
        arrived: now,
    }
}

/// The least ns for a packet, when `step` takes and gives one each time.
fn least(
    waiting: u64,
    mut start: impl FnMut() -> Box<dyn FnMut(Option<Packet<Item>>, Time) -> u64>,
) -> f64 {
    let run = |_| {
        let mut step = start();
        let mut now = Time::ZERO;
        for number in 0..waiting {
            step(Some(packet(number, now)), now);
        }
        let clock = Clock::start();
        let mut sum = 0_u64;
        for number in 0..PACKETS {
            now += PACKET;
            sum = sum.wrapping_add(step(Some(packet(number, now)), now));
            sum = sum.wrapping_add(step(None, now));
        }
        black_box(sum);
        1e9 * clock.seconds().0 / PACKETS as f64
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min)
}

/// The same load on no queue at all: what making the packets costs.
fn nothing() -> Box<dyn FnMut(Option<Packet<Item>>, Time) -> u64> {
    Box::new(|packet, _| packet.map_or(0, |packet| packet.label.flow))
}

fn fifo() -> Box<dyn FnMut(Option<Packet<Item>>, Time) -> u64> {
    let mut queue = VecDeque::new();
    Box::new(move |packet, _| match packet {
        Some(packet) => {
            queue.push_back(packet);
            0
        }
        None => queue.pop_front().map_or(0, |packet| packet.item[0]),
    })
}

fn queue(parameters: &Parameters) -> Box<dyn FnMut(Option<Packet<Item>>, Time) -> u64> {
    let mut queue: PacketQueue<Item> = parameters.build(Port {
        longest: Bytes(1_538),
        rate: Rate::kbps(1_000_000),
        stream: Stream::named(1, "queue"),
    });
    Box::new(move |packet, now| match packet {
        Some(packet) => {
            queue.enqueue(packet, true, |_| ());
            0
        }
        None => queue.dequeue(now, |_| ()).map_or(0, |it| it.item[0]),
    })
}

fn main() {
    macro_rules! defaults {
        ($($variant:ident($parameters:ident)),+) => {
            [$((
                stringify!($variant),
                Parameters::$variant($parameters::defaults().expect("each has a default")),
            )),+]
        };
    }
    let all = defaults![
        FqCodel(FqCodelParameters),
        FqPie(FqPieParameters),
        DrrPlusPlus(DrrPlusPlusParameters),
        Sfq(SfqParameters),
        Cake(CakeParameters),
        CoDel(CoDelParameters),
        Pie(PieParameters),
        Pi2(Pi2Parameters),
        Red(PacketRedParameters),
        Blue(PacketBlueParameters)
    ];
    for waiting in [50, 400] {
        let making = least(waiting, nothing);
        println!("{waiting} packets wait; making one takes {making:.1} ns, not counted");
        println!(
            "{:12} {:6.1} ns",
            "bare FIFO",
            least(waiting, fifo) - making
        );
        for (name, parameters) in &all {
            let ns = least(waiting, || queue(parameters)) - making;
            println!("{name:12} {ns:6.1} ns");
        }
    }
}
