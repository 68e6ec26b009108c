use super::*;
use crate::packet_queue::testing::{Bench, a_call_goes_before_a_transfer, at};
use crate::packet_queue::{DrrPlusPlusParameters, FqCodelParameters, Label, Parameters};

/// DRR++ with turns of so many octets.
fn drr(quantum: u64) -> Bench {
    Bench::new(&Parameters::DrrPlusPlus(DrrPlusPlusParameters {
        flows: 1_024,
        quantum: Bytes(quantum),
    }))
}

fn fq_codel() -> Bench {
    let defaults = FqCodelParameters::defaults().expect("each has a default");
    Bench::new(&Parameters::FqCodel(defaults))
}

const START: Time = Time::ZERO;

#[test]
fn flows_take_turns_of_a_quantum_and_keep_what_they_overdraw() {
    let mut port = drr(1_500);
    // Packets 0 to 5 of flow 1 have 1000 octets, 6 to 11 of flow 2 have 500.
    for _ in 0..6 {
        port.comes(1, 1_000, START);
    }
    for _ in 0..6 {
        port.comes(2, 500, START);
    }
    let order = port.all(START);
    // 1500: 0, 1 leave -500. 1500: 6, 7, 8 leave 0. Then 1000: 2; 1500: 9, 10, 11; 1500: 3, 4 leave -500; 1000: 5.
    assert_eq!(order, [0, 1, 6, 7, 8, 2, 9, 10, 11, 3, 4, 5]);
}

#[test]
fn a_flow_that_becomes_active_goes_first() {
    a_call_goes_before_a_transfer(drr(1_500));
}

#[test]
fn a_flow_of_single_packets_does_not_stay_new() {
    // RFC 8290 4.2: a new queue that is empty becomes old if there are old ones, and only then inactive.
    let mut port = drr(1_500);
    for _ in 0..9 {
        port.comes(1, 1_500, START);
    }
    assert_eq!(port.leaves(START), Some(0));
    let mut order = Vec::new();
    for _ in 0..3 {
        port.comes(2, 1_500, START);
        order.extend(port.leaves(START));
        order.extend(port.leaves(START));
    }
    let of_first = order.iter().filter(|&&number| number < 9).count();
    assert_eq!(of_first, 3, "{order:?}");
}

#[test]
fn what_is_too_much_is_dropped_from_the_head_of_the_longest_queue() {
    let mut port = drr(1_500);
    for _ in 0..10 {
        port.comes(1, 1_000, START);
    }
    for _ in 0..10 {
        port.comes(2, 900, START);
    }
    // Half of 10,000 octets.
    assert_eq!(port.drops_some(START), 5);
    assert_eq!(port.dropped, [0, 1, 2, 3, 4]);
    // Half of 9000.
    assert_eq!(port.drops_some(START), 5);
    assert_eq!(port.dropped[5..], [10, 11, 12, 13, 14]);
    assert_eq!(port.queue.packets().count(), 10);
    for _ in 0..200 {
        port.comes(3, 100, START);
    }
    // No more than 64 at a time.
    assert_eq!(port.drops_some(START), 64);
}

#[test]
fn an_empty_port_drops_and_sends_nothing() {
    let mut port = drr(1_500);
    assert_eq!(port.drops_some(START), 0);
    assert_eq!(port.leaves(START), None);
    port.comes(1, 40, START);
    assert!(port.leaves(START).is_some());
    assert_eq!(port.leaves(START), None);
}

#[test]
fn codel_drops_from_the_flow_that_stands_and_not_from_others() {
    let mut port = fq_codel();
    // Flow 1 has 500 packets at once, one of which leaves each ms; flow 2 a packet each 10 ms.
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
    assert!(!port.dropped.is_empty());
    assert!(
        port.dropped.iter().all(|number| !sparse.contains(number)),
        "{:?}",
        port.dropped
    );
    // The first is dropped after an interval of 100 ms above 5 ms, the others 100 ms / sqrt(n) apart: at 105, 205 and 276 ms.
    assert_eq!(port.dropped.len(), 3);
}

#[test]
fn a_packet_that_can_be_marked_is_marked_and_another_is_dropped() {
    for (ecn_capable, expected) in [(true, (1, 0)), (false, (0, 1))] {
        let mut port = fq_codel();
        for _ in 0..300 {
            port.takes(Label::default(), 1_500, ecn_capable, START, true);
        }
        for ms in 0..150 {
            port.leaves(at(ms));
        }
        assert_eq!((port.marked.len(), port.dropped.len()), expected);
    }
}
