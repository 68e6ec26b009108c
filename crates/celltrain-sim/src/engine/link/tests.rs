use celltrain_proto::line::RateProcess;
use celltrain_proto::units::Rate;
use proptest::prelude::*;

use super::*;
use crate::scenario::OnRateChange;

/// A link of 1 Mbit/s with room for `buffer` cells and 100 us of delay.
fn link(buffer: u32) -> Link {
    let path = Path {
        delay: Span::from_us(100),
        varying: None,
    };
    let process = RateProcess::Constant(Rate::bps(1e6));
    let on_change = OnRateChange::ResumeAtNewRate;
    let line = Line::new(process, buffer, on_change, None, None, None, None);
    Link::new(path, Some(line), None)
}

/// Whether the cell found room.
fn take(link: &mut Link, now: Time, cell: Cell) -> bool {
    if link.mode == Mode::PerCell {
        return link.enqueue(now, cell, 0);
    }
    let at = link.foreseen_arrival(now, cell);
    if let Some(at) = at {
        link.ring.launch(cell.leaving(at));
    }
    at.is_some()
}

proptest! {
    #[test]
    fn foreseen_arrivals_are_those_that_time_shows(
        buffer in 1_u32..6,
        // A cell takes 424 us.
        steps in prop::collection::vec((0_u64..800, 0_u8..8), 1..100),
    ) {
        let (mut open, mut foreseen) = (link(buffer), link(buffer));
        prop_assert!(foreseen.can_be_foreseen());
        foreseen.evaluate(Mode::Foreseen);
        let mut now = Time::ZERO;
        for (number, (pause, action)) in (0..).zip(steps) {
            now += Span::from_us(pause);
            let arrived = |link: &mut Link| {
                let arrived = std::iter::from_fn(|| link.arrived(now));
                arrived.map(|cell| (cell.at, cell.load())).collect::<Vec<_>>()
            };
            prop_assert_eq!(arrived(&mut open), arrived(&mut foreseen));
            if action > 0 {
                let cell = Cell::data(0, number, false);
                prop_assert_eq!(take(&mut open, now, cell), take(&mut foreseen, now, cell));
                continue;
            }
            let read = |link: &mut Link| {
                link.advance(now);
                let read = link.read(now);
                let cells: Vec<_> = link.trains().map(|(train, waits)| (train.first.load(), waits)).collect();
                (read.departed, read.area, link.queued(), link.take_maximum(), cells)
            };
            prop_assert_eq!(read(&mut open), read(&mut foreseen));
        }
    }
}
