use alloc::vec::Vec;

use super::*;
use crate::packet_queue::testing::{Bench, a_call_goes_before_a_transfer, at};
use crate::packet_queue::{CakeParameters, Label, Parameters};

const START: Time = Time::ZERO;
/// Code points.
const EF: u8 = 46;
const LE: u8 = 1;

fn cake(change: impl Fn(&mut CakeParameters)) -> Bench {
    let mut parameters = CakeParameters::defaults().expect("each has a default");
    change(&mut parameters);
    Bench::new(&Parameters::Cake(parameters))
}

/// A line of 10 Mbit/s sends a packet of 1538 octets in 1230.4 us: those that leave if there are packets of both of these
/// code points all the time, as letters.
fn mix(codes: [u8; 2], packets: u64) -> Vec<u8> {
    let mut port = cake(|_| ());
    let mut code_of = Vec::new();
    for _ in 0..packets {
        for dscp in codes {
            let label = Label {
                flow: dscp.into(),
                dscp,
                ..Label::default()
            };
            port.takes(label, 1_538, true, START, true);
            code_of.push(dscp);
        }
    }
    let leaves = |n: u64| port.leaves(START + Span::from_ps(1_230_400_000 * n));
    let left = (0..packets).filter_map(leaves);
    left.map(|number| code_of[number as usize]).collect()
}

#[test]
fn voice_goes_first_up_to_a_quarter_of_the_rate_and_bulk_up_to_a_sixteenth() {
    let voice = mix([0, EF], 12);
    assert_eq!(voice, [EF, 0, 0, 0].repeat(3));
    let bulk = mix([0, LE], 32);
    let mut expected = [0; 32];
    (expected[0], expected[16]) = (LE, LE);
    assert_eq!(bulk, expected);
}

#[test]
fn a_tin_beyond_its_share_has_what_others_leave() {
    // Alone, voice has the whole line.
    let mut port = cake(|_| ());
    let label = Label {
        dscp: EF,
        ..Label::default()
    };
    let sent: [u32; 9] = core::array::from_fn(|_| port.takes(label, 1_538, true, START, true));
    assert_eq!(port.all(START), sent);
}

/// The share of the one flow of one host, while another host has three, to different hosts. All have packets all the time.
fn share_of_single_flow(isolation: Isolation) -> f64 {
    let mut port = cake(|it| it.isolation = isolation);
    for _ in 0..400 {
        for flow in 0..4 {
            let from = if flow == 0 { 10 } else { 20 };
            let label = Label {
                flow,
                hosts: [from, 30 + flow as u32],
                dscp: 0,
            };
            port.takes(label, 100, true, START, true);
        }
    }
    let left: Vec<u32> = (0..600).filter_map(|_| port.leaves(START)).collect();
    left.iter().filter(|&number| number % 4 == 0).count() as f64 / 600.0
}

#[test]
fn the_line_is_shared_between_those_that_isolation_says() {
    use Isolation::*;
    let half = [TripleIsolate, DualSrchost, Srchost];
    let quarter = [Flows, DualDsthost, Hosts, Dsthost, Flowblind];
    for (isolations, expected) in [(&half[..], 0.5), (&quarter[..], 0.25)] {
        for &isolation in isolations {
            let share = share_of_single_flow(isolation);
            // A turn of 305 octets of 100 in a packet, in 600 packets.
            assert!((share - expected).abs() < 0.02, "{isolation:?}: {share}");
        }
    }
}

#[test]
fn a_flow_that_becomes_active_goes_first() {
    a_call_goes_before_a_transfer(cake(|_| ()));
}

#[test]
fn where_there_are_too_many_the_longest_queue_of_all_tins_loses_its_first() {
    let mut port = cake(|_| ());
    let voice = Label {
        dscp: EF,
        ..Label::default()
    };
    let first = port.takes(voice, 900, true, START, true);
    port.comes(1, 1_000, START);
    port.takes(voice, 900, true, START, true);
    assert_eq!(port.drops_some(START), 1);
    assert_eq!(port.dropped, [first]);
    assert_eq!(port.drops_some(START), 1);
    assert_eq!(port.dropped, [first, 1]);
}

#[test]
fn cobalt_drops_from_the_flow_that_stands_but_not_its_last_packet() {
    let mut port = cake(|_| ());
    for _ in 0..500 {
        port.comes(1, 1_500, START);
    }
    let mut sparse = Vec::new();
    for ms in 0..300 {
        if ms % 10 == 0 {
            sparse.push(port.comes(2, 200, at(ms)));
        }
        port.leaves(at(ms));
    }
    assert!(port.dropped.iter().all(|number| !sparse.contains(number)));
    // At 10 Mbit/s and 1538 octets, four packets take 4.9 ms and the target is 5 ms. Too long from the packet at 6 ms on; then
    // after 100, 70.7, 57.7 ms, at 106, 177 and 235, and at 285 ms.
    assert_eq!(port.dropped.len(), 4);
    // However late, the last one leaves.
    let mut alone = cake(|_| ());
    for _ in 0..20 {
        alone.comes(1, 1_500, START);
    }
    let left = (0..20).filter_map(|n| alone.leaves(at(200 * n))).count();
    assert_eq!(left + alone.dropped.len(), 20);
    assert!(!alone.dropped.contains(&19), "{:?}", alone.dropped);
}

#[test]
fn a_flow_without_packets_decays_and_its_place_is_free_again() {
    let mut port = cake(|it| it.isolation = Isolation::Flowblind);
    // All flows share one queue: whether it can be used again after it has been at rest shows in that all leave.
    for round in 0..3 {
        let now = at(1_000 * round);
        let number = port.comes(round, 100, now);
        assert_eq!(port.all(now), [number]);
    }
    assert_eq!(port.queue.packets().count(), 0);
}
