use super::*;
use crate::packet_queue::testing::Bench;
use crate::packet_queue::{Parameters, SfqParameters};

const START: Time = Time::ZERO;

fn defaults() -> SfqParameters {
    SfqParameters::defaults().expect("each has a default")
}

fn sfq(parameters: SfqParameters) -> Bench {
    Bench::new(&Parameters::Sfq(parameters))
}

#[test]
fn flows_take_turns_and_one_that_becomes_active_goes_last() {
    let mut port = sfq(defaults());
    for flow in [1, 2] {
        for _ in 0..3 {
            port.comes(flow, 1_514, START);
        }
    }
    assert_eq!(port.leaves(START), Some(0));
    // DRR++ would send it next; here flow 2, whose turn it is, comes first.
    let late = port.comes(3, 100, START);
    assert_eq!(port.all(START), [3, late, 1, 4, 2, 5]);
}

#[test]
fn what_a_long_packet_takes_too_much_is_owed() {
    let mut port = sfq(SfqParameters {
        quantum: Bytes(1_000),
        ..defaults()
    });
    for _ in 0..3 {
        port.comes(1, 1_500, START);
    }
    for _ in 0..9 {
        port.comes(2, 500, START);
    }
    // 1000: 0 leaves -500. 1000: 3, 4. Then 500: 1 leaves -1000; 1000: 5, 6. Then 0: no turn; 7, 8. Then 1000: 2.
    assert_eq!(port.all(START), [0, 3, 4, 1, 5, 6, 7, 8, 2, 9, 10, 11]);
}

#[test]
fn the_bucket_with_the_most_packets_loses_its_last_or_with_headdrop_its_first() {
    for (headdrop, expected) in [(false, [4, 3, 2, 7]), (true, [0, 1, 2, 5])] {
        let mut port = sfq(SfqParameters {
            headdrop,
            ..defaults()
        });
        for _ in 0..5 {
            port.comes(1, 100, START);
        }
        // More octets, but fewer packets.
        for _ in 0..3 {
            port.comes(2, 1_500, START);
        }
        // Of 5 and 3 packets, two go from the first bucket; then both have 3, and the first came to it last. Then only the
        // other has 3.
        for _ in 0..4 {
            assert_eq!(port.drops_some(START), 1);
        }
        assert_eq!(port.dropped, expected);
    }
}

#[test]
fn where_each_bucket_has_one_packet_that_whose_turn_it_is_loses_it() {
    let mut port = sfq(defaults());
    for flow in 1..=3 {
        port.comes(flow, 1_000, START);
    }
    assert_eq!(port.drops_some(START), 1);
    assert_eq!(port.dropped, [0]);
    assert_eq!(port.all(START), [1, 2]);
    assert_eq!(port.drops_some(START), 0);
}

#[test]
fn a_bucket_has_at_most_depth_packets() {
    for (headdrop, left) in [(false, 0..127), (true, 3..130)] {
        let mut port = sfq(SfqParameters {
            headdrop,
            ..defaults()
        });
        for _ in 0..130 {
            port.comes(1, 100, START);
        }
        assert_eq!(port.dropped.len(), 3);
        assert_eq!(port.all(START), left.collect::<Vec<u32>>());
    }
}

#[test]
fn only_so_many_buckets_have_packets_at_once() {
    let mut port = sfq(SfqParameters {
        flows: 2,
        divisor: 65_536,
        ..defaults()
    });
    for flow in 1..=3 {
        port.comes(flow, 100, START);
    }
    assert_eq!(port.dropped, [2]);
    assert_eq!(port.leaves(START), Some(0));
    // A bucket is free again.
    let next = port.comes(3, 100, START);
    assert_eq!(port.all(START), [1, next]);
}

#[test]
fn flows_that_share_a_bucket_are_told_apart_after_a_perturbation() {
    // Of two buckets: flows 0 to 7 in one or the other, until all are hashed anew after 10 s.
    let mut port = sfq(SfqParameters {
        divisor: 2,
        perturb: Span::from_secs(10),
        ..defaults()
    });
    let waiting_with = |port: &mut Bench, from| {
        let now = START + Span::from_secs(from);
        for flow in 0..8 {
            port.comes(flow, 1_514, now);
        }
        port.all(now)
            .iter()
            .map(|number| number % 8)
            .collect::<Vec<_>>()
    };
    let before = waiting_with(&mut port, 1);
    assert_eq!(waiting_with(&mut port, 9), before);
    let orders: Vec<_> = (0..20)
        .map(|n| waiting_with(&mut port, 10 + 10 * n))
        .collect();
    assert!(orders.iter().any(|order| *order != before));
    assert!(orders.windows(2).any(|pair| pair[0] != pair[1]));
    // Packets that wait are hashed, too.
    let late = START + Span::from_secs(209);
    for flow in 0..8 {
        port.comes(flow, 1_514, late);
    }
    let left = port.all(START + Span::from_secs(210));
    assert_eq!(left.len(), 8);
    assert!(port.dropped.is_empty());
}

#[test]
fn packets_that_find_no_room_in_their_new_bucket_are_dropped() {
    let mut port = sfq(SfqParameters {
        divisor: 2,
        depth: 4,
        perturb: Span::from_secs(1),
        ..defaults()
    });
    for _ in 0..4 {
        for flow in 0..8 {
            port.comes(flow, 100, START);
        }
    }
    // Two buckets of 4, whichever flows are in them.
    assert_eq!(port.queue.packets().count(), 8);
    for second in 1..100 {
        if port.queue.packets().count() < 8 {
            break;
        }
        port.comes(0, 100, START + Span::from_secs(second));
    }
    let waiting = port.queue.packets().count();
    assert!((4..8).contains(&waiting), "{waiting}");
}
