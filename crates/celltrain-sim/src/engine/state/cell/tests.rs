use super::*;

#[test]
fn a_cell_is_sixteen_octets() {
    assert_eq!(size_of::<Cell>(), 16);
}

#[test]
fn flags_do_not_disturb_the_hop() {
    let mut cell = Cell::rm(HOP_MASK as u32 - 1, Kind::BackwardRm, 7);
    cell.set_efci();
    cell.set_command(Command::Halt);
    let next = cell.at_next_hop();
    assert_eq!(next.hop(), HOP_MASK as usize);
    assert_eq!(
        (next.kind(), next.efci(), next.command(), next.is_end()),
        (Kind::BackwardRm, true, Command::Halt, false)
    );
}

#[test]
fn the_last_cell_of_a_pdu_is_data_and_an_event_and_rm_cells_are_only_events() {
    let cells = [
        (Cell::data(1, 7, false), Kind::Data, false, false),
        (Cell::data(1, 7, true), Kind::Data, true, true),
        (
            Cell::rm(1, Kind::ForwardRm, 7),
            Kind::ForwardRm,
            false,
            true,
        ),
        (
            Cell::rm(1, Kind::BackwardRm, 7),
            Kind::BackwardRm,
            false,
            true,
        ),
    ];
    for (cell, kind, is_end, is_event) in cells {
        assert_eq!(
            (cell.kind(), cell.is_end(), cell.is_event()),
            (kind, is_end, is_event)
        );
    }
}

#[test]
fn a_new_command_replaces_the_old_one_and_changes_nothing_else() {
    let mut cell = Cell::data(3, u32::MAX, true);
    cell.set_ecn_capable();
    let before = cell.word;
    for command in [
        Command::Halt,
        Command::SetA,
        Command::SetBoth,
        Command::Null,
    ] {
        cell.set_command(command);
        assert_eq!(cell.command(), command);
    }
    assert_eq!(cell.word, before);
}

#[test]
fn the_ring_keeps_the_order_while_it_grows() {
    let mut ring = Ring::new();
    let mut next = 0;
    for number in 0..100 {
        ring.push(Cell::data(0, number, false));
        if number % 3 == 0 {
            ring.serve(Time::from_ps(u64::from(number)));
            assert_eq!(ring.pop_arrived(Time::NEVER).map(Cell::load), Some(next));
            next += 1;
        }
    }
    assert_eq!(ring.queued(), 100 - next);
    assert!(ring.iter().map(|(cell, _)| cell.load()).eq(next..100));
}

#[test]
fn a_cell_in_flight_stays_until_it_arrives() {
    let mut ring = Ring::new();
    ring.push(Cell::data(0, 0, true));
    assert!(ring.first_in_flight().is_none());
    ring.serve(Time::from_ps(5));
    assert!(ring.pop_arrived(Time::from_ps(4)).is_none());
    assert!(ring.pop_arrived(Time::from_ps(5)).is_some());
    assert!(ring.is_empty());
}

#[test]
fn one_in_flight_overtakes_those_that_arrive_later_and_no_others() {
    let mut ring = Ring::new();
    for (number, at) in [(0, 10), (1, 30), (2, 40), (3, 20), (4, 30)] {
        ring.push(Cell::data(0, number, true));
        ring.serve(Time::from_ps(at));
        ring.overtake();
    }
    ring.push(Cell::data(0, 5, true));
    let order: Vec<_> = ring.iter().map(|(cell, _)| cell.load()).collect();
    // What arrives at one instant keeps its order.
    assert_eq!(order, [0, 3, 1, 4, 2, 5]);
    assert_eq!(ring.queued(), 1);
}
