use proptest::prelude::*;

use super::*;
use crate::engine::queue::discipline::Admission;
use crate::engine::queue::served::Served;
use crate::engine::state::cell::Cell;

const CELL: u64 = 10;

/// Two classes, joined by VC 0 and VC 1.
fn queues(buffers: [u32; 2]) -> PriorityQueue {
    let vc = |class| PriorityVc {
        class,
        is_framed: true,
    };
    let vcs = [vc(0), vc(1)].into();
    PriorityQueue::new(Span::from_ps(CELL), &buffers, vcs, None)
}

fn cell(number: u32, at: u64) -> Cell {
    let mut cell = Cell::data(0, number, false);
    cell.at = Time::from_ps(at);
    cell
}

/// The numbers of the cells whose departure becomes known up to `until`, with their departures.
fn started(queues: &mut PriorityQueue, until: u64) -> Vec<(u32, u64)> {
    let until = Time::from_ps(until);
    let mut served = Served::default();
    queues.start(until, &mut served);
    let cells = served.left.iter().flat_map(Train::cells);
    cells.map(|cell| (cell.load(), cell.at.as_ps())).collect()
}

fn at(ps: u64) -> Admission {
    Admission::Leaves(Time::from_ps(ps))
}

#[test]
fn the_first_class_goes_first_but_interrupts_nothing() {
    let mut queues = queues([9, 9]);
    assert_eq!(queues.accept(cell(1, 0), 1, false), at(10));
    assert_eq!(queues.accept(cell(2, 1), 1, false), Admission::Waits);
    assert_eq!(queues.accept(cell(3, 2), 0, false), at(20));
    assert_eq!(queues.accept(cell(4, 3), 0, false), at(30));
    assert_eq!(queues.next_departure(), Time::from_ps(40));
    assert_eq!(started(&mut queues, 29), []);
    assert_eq!(started(&mut queues, 30), [(2, 40)]);
    assert_eq!(queues.next_departure(), Time::NEVER);
}

#[test]
fn what_comes_as_a_transmission_ends_is_too_late_for_the_next() {
    let mut queues = queues([9, 9]);
    queues.accept(cell(1, 0), 1, false);
    queues.accept(cell(2, 1), 1, false);
    assert_eq!(started(&mut queues, 10), [(2, 20)]);
    assert_eq!(queues.accept(cell(3, 10), 0, false), at(30));
}

#[test]
fn each_class_has_a_buffer_of_its_own() {
    let mut queues = queues([1, 2]);
    let taken = [
        (0, at(10)),
        (0, Admission::Refused),
        (1, Admission::Waits),
        (1, Admission::Waits),
        (1, Admission::Refused),
    ];
    for (vc, expected) in taken {
        assert_eq!(queues.accept(cell(0, 0), vc, false), expected);
    }
    assert_eq!((queues.queued(), queues.queued_in(1)), (3, 2));
    assert_eq!(queues.take_maximum(), 3);
}

#[test]
fn the_cell_in_transmission_takes_no_place_of_the_first_class() {
    let mut queues = queues([1, 2]);
    assert_eq!(queues.accept(cell(0, 0), 1, false), at(10));
    assert_eq!(queues.accept(cell(1, 5), 0, false), at(20));
    assert_eq!(queues.accept(cell(2, 9), 0, false), Admission::Refused);
    assert_eq!(queues.accept(cell(3, 10), 0, false), Admission::Refused);
    assert_eq!(queues.accept(cell(4, 20), 0, false), at(30));
    queues.look(Time::from_ps(5));
}

#[test]
fn an_event_cell_leaves_no_earlier_than_was_said() {
    let mut queues = queues([9, 9]);
    queues.accept(cell(1, 0), 1, false);
    queues.accept(cell(2, 0), 1, true);
    assert_eq!(queues.next_event_departure(), Time::from_ps(20));
    queues.accept(cell(3, 5), 0, false);
    assert_eq!(queues.next_event_departure(), Time::from_ps(30));
    assert_eq!(started(&mut queues, 20), [(2, 30)]);
    assert_eq!(queues.next_event_departure(), Time::NEVER);
}

#[test]
fn classes_that_no_vc_joins_make_no_difference() {
    let vc = |class| PriorityVc {
        class,
        is_framed: true,
    };
    let vcs = [vc(1), vc(3)].into();
    let buffers = [5, 1, 5, 2, 5];
    let mut queues = PriorityQueue::new(Span::from_ps(CELL), &buffers, vcs, None);
    queues.note_departures(2);
    assert_eq!(queues.accept(cell(1, 0), 1, false), at(10));
    assert_eq!(queues.accept(cell(2, 0), 0, false), at(20));
    assert_eq!(queues.accept(cell(3, 0), 0, false), Admission::Refused);
    let in_each = [0, 1, 2, 3, 4, 9].map(|class| queues.queued_in(class));
    assert_eq!(in_each, [0, 1, 0, 1, 0, 0]);
    let told = queues.take_noted(Time::NEVER, Time::NEVER);
    assert_eq!(told, Some((Time::from_ps(20), 1)));
}

#[test]
fn departures_of_the_first_classes_are_told_when_they_happen() {
    let mut queues = queues([9, 9]);
    queues.note_departures(1);
    queues.accept(cell(1, 0), 1, false);
    queues.accept(cell(2, 1), 0, false);
    queues.accept(cell(3, 2), 0, false);
    let mut told = |until, together| {
        let told = queues.take_noted(Time::from_ps(until), Time::from_ps(together));
        told.map(|(last, count)| (last.as_ps(), count))
    };
    assert_eq!(told(19, 99), None);
    assert_eq!(told(30, 30), Some((20, 1)));
    assert_eq!(told(30, 30), Some((30, 1)));
    assert_eq!(told(99, 99), None);
}

proptest! {
    #[test]
    fn cells_that_are_taken_before_they_come_fare_as_those_that_have_come(
        before in 15_u32..49,
        (start, gap, count) in (0_u64..200, 0_u64..25, 1_u32..20),
        first_class in prop::collection::vec(0_u64..300, 0..12),
        yields: bool,
    ) {
        // After that, the queues of both are shorter.
        let longer = || {
            let mut queues = queues([50, 50]);
            for number in 0..before {
                queues.accept(cell(number, 900), 1, false);
            }
            queues
        };
        let (mut single, mut ahead) = (longer(), longer());
        let first = first_class.iter().copied().min().unwrap_or(start).min(start);
        for queues in [&mut single, &mut ahead] {
            started(queues, 1_000 + first - 1);
        }
        let others = first_class.len() as u64;
        let count = ahead.room_ahead(Time::from_ps(1_000 + first), count, others);
        if count == 0 {
            return Ok(());
        }
        let train = Train {
            gap: Span::from_ps(gap),
            count,
            ..Train::single(cell(100, 1_000 + start), false)
        };
        let mut arrivals: Vec<_> = first_class.iter().map(|at| (1_000 + at, yields, None)).collect();
        arrivals.extend(train.cells().map(|cell| (cell.at.as_ps(), !yields, Some(cell))));
        // At one instant, arrivals with `true` come first.
        arrivals.sort_by_key(|&(at, goes_before, _)| (at, !goes_before));

        ahead.take_ahead(train, yields);
        let (mut one_by_one, mut together) = (Served::default(), Served::default());
        for (at, _, lower) in arrivals {
            if let Some(lower) = lower {
                single.take(lower, 1, &mut one_by_one);
            } else {
                let departure = single.offer_first(cell(0, at), &mut one_by_one);
                prop_assert_eq!(departure, ahead.offer_first(cell(0, at), &mut together));
            }
        }
        prop_assert!(one_by_one.refused.is_empty());
        let end = Time::from_ps(9_999);
        single.start(end, &mut one_by_one);
        ahead.start(end, &mut together);
        let cells = |served: &Served| -> Vec<_> {
            let cells = served.left.iter().flat_map(Train::cells);
            cells.map(|cell| (cell.load(), cell.at)).collect()
        };
        prop_assert_eq!(cells(&one_by_one), cells(&together));
        single.look(end);
        ahead.look(end);
        prop_assert_eq!(single.area(), ahead.area());
        prop_assert_eq!(single.departed(), ahead.departed());
        prop_assert_eq!(single.take_maximum(), ahead.take_maximum());
    }
}

#[test]
fn what_may_find_no_room_or_make_the_queues_longer_than_ever_is_not_taken_before_it_comes() {
    let mut queues = queues([9, 4]);
    let now = Time::ZERO;
    assert_eq!(queues.room_ahead(now, 9, 0), 0);
    for _ in 0..4 {
        queues.accept(cell(0, 0), 1, false);
    }
    started(&mut queues, 99);
    let now = Time::from_ps(99);
    // One place is reserved for the cell in transmission.
    assert_eq!(queues.room_ahead(now, 9, 0), 3);
    assert_eq!(queues.room_ahead(now, 2, 0), 2);
    assert_eq!(queues.room_ahead(now, 9, 2), 2);
}

#[test]
fn the_area_is_the_sum_of_the_stays() {
    let mut queues = queues([9, 9]);
    queues.accept(cell(1, 0), 1, false);
    queues.accept(cell(2, 4), 1, false);
    queues.look(Time::from_ps(8));
    // 8 ps, and 4 of the 16 ps.
    assert_eq!((queues.area(), queues.departed()), (12, 0));
    started(&mut queues, 12);
    queues.look(Time::from_ps(12));
    // 10 ps, and 8 of the 16 ps.
    assert_eq!((queues.area(), queues.departed()), (18, 1));
}
