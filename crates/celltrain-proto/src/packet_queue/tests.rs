//! All queues on one load.

use alloc::vec::Vec;

use super::testing::{Bench, at};
use super::*;
use crate::random::Stream;

/// What leaves, is marked and is dropped when two greedy flows and a sparse one share a line that sends a packet each ms and has
/// room for 100 packets.
fn outcome(parameters: &Parameters) -> [Vec<u32>; 3] {
    let mut port = Bench::new(parameters);
    let (mut left, mut stream) = (Vec::new(), Stream::named(3, "load"));
    for ms in 0..2_000 {
        for flow in [1, 1, 2, 2, 2, 3] {
            let comes = if flow == 3 {
                ms % 20 == 0
            } else {
                stream.uniform() < 0.3
            };
            if comes {
                let waiting = port.queue.packets().count();
                let label = Label {
                    flow,
                    hosts: [flow as u32 % 2, 7],
                    dscp: if flow == 1 { 8 } else { 0 },
                };
                port.takes(label, 500 * flow, flow == 2, at(ms), waiting < 100);
            }
        }
        while port.queue.packets().count() > 100 {
            assert!(port.drops_some(at(ms)) > 0);
        }
        left.extend(port.leaves(at(ms)));
    }
    [left, port.marked, port.dropped]
}

/// Each algorithm with its defaults.
fn all() -> Vec<Parameters> {
    Vec::from([
        Parameters::FqCodel(FqCodelParameters::defaults().expect("it has defaults")),
        Parameters::FqPie(FqPieParameters::defaults().expect("it has defaults")),
        Parameters::DrrPlusPlus(DrrPlusPlusParameters::defaults().expect("it has defaults")),
        Parameters::Sfq(SfqParameters::defaults().expect("it has defaults")),
        Parameters::Cake(CakeParameters::defaults().expect("it has defaults")),
        Parameters::CoDel(CoDelParameters::defaults().expect("it has defaults")),
        Parameters::Pie(PieParameters::defaults().expect("it has defaults")),
        Parameters::Pi2(Pi2Parameters::defaults().expect("it has defaults")),
        Parameters::Red(PacketRedParameters::defaults().expect("it has defaults")),
        Parameters::Blue(PacketBlueParameters::defaults().expect("it has defaults")),
    ])
}

#[test]
fn no_two_queues_do_the_same() {
    let all = all();
    assert_eq!(all.len(), Parameters::NAMES.len());
    let outcomes: Vec<_> = all.iter().map(outcome).collect();
    for (at, one) in outcomes.iter().enumerate() {
        for (before, other) in outcomes[..at].iter().enumerate() {
            assert_ne!(one, other, "{:?} and {:?}", all[at], all[before]);
        }
    }
}

#[test]
fn each_packet_leaves_is_dropped_or_waits_once() {
    for parameters in all() {
        let mut port = Bench::new(&parameters);
        let mut stream = Stream::named(5, "load");
        let (mut came, mut left) = (0, Vec::new());
        for ms in 0..3_000 {
            for _ in 0..3 {
                let flow = (stream.uniform() * 40.0) as u64;
                if stream.uniform() < 0.45 {
                    came = port.comes(flow, 40 + 30 * flow, at(ms)) + 1;
                }
            }
            while port.queue.packets().count() > 60 && port.drops_some(at(ms)) > 0 {}
            left.extend(port.leaves(at(ms)));
        }
        let waiting = port.queue.packets().map(|packet| packet.item);
        let mut all: Vec<u32> = waiting.chain(left).chain(port.dropped.clone()).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..came), "{parameters:?}");
        // The line is never idle while packets wait.
        let rest = port.queue.packets().count();
        let dropped = port.dropped.len();
        let more = port.all(at(3_000)).len();
        assert_eq!(more + port.dropped.len() - dropped, rest, "{parameters:?}");
    }
}
