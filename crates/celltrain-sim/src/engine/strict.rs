//! A line of constant rate that serves classes by strict priority, each first come, first served: what most
//! queues with classes or discard are, without anything that the others need.

use std::collections::VecDeque;

use celltrain_proto::discard::{Arriving, Discard, QueueView};
use celltrain_proto::units::{Span, Time};

use super::cell::{Cell, Kind};

/// A direction of a VC at this queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrictVc {
    /// The class that its cells join; the lower number goes first.
    pub(super) class: u32,
    /// Whether its cells make up AAL5 frames.
    pub(super) is_framed: bool,
}

/// The cells of a class.
#[derive(Debug)]
struct Class {
    waiting: VecDeque<Cell>,
    /// Cells, the one in transmission included, and the most of them.
    cells: u32,
    buffer: u32,
    /// Cells that found room, and those of them that have left.
    came: u64,
    left: u64,
    /// The marked cells that have not left, by number.
    marked: VecDeque<u64>,
}

/// The queues in front of a line, and their meter.
#[derive(Debug)]
pub(super) struct Strict {
    cell_time: Span,
    /// When the cell in transmission will have left; [`Time::NEVER`] without one.
    finish: Time,
    in_service: Cell,
    served_class: u32,
    classes: Box<[Class]>,
    /// The classes of which cells wait for their transmission, a bit each.
    waiting: u64,
    vcs: Box<[StrictVc]>,
    /// What refuses cells that find room, if anything does.
    discard: Option<Discard>,
    /// Cells in all classes, the one in transmission included, and the most since the last reset.
    cells: u32,
    most: u32,
    departed: u64,
    /// Sum of departure times less sum of arrival times in ps.
    area: i128,
}

/// Most classes of a queue.
pub(super) const MOST_CLASSES: usize = u64::BITS as usize;

impl Strict {
    /// Empty queues of so many cells each, no more than [`MOST_CLASSES`].
    pub(super) fn new(
        cell_time: Span,
        buffers: &[u32],
        vcs: Box<[StrictVc]>,
        discard: Option<Discard>,
    ) -> Self {
        let class = |&buffer| Class {
            waiting: VecDeque::new(),
            cells: 0,
            buffer,
            came: 0,
            left: 0,
            marked: VecDeque::new(),
        };
        Self {
            cell_time,
            finish: Time::NEVER,
            in_service: Cell::data(0, 0, false),
            served_class: 0,
            classes: buffers.iter().map(class).collect(),
            waiting: 0,
            vcs,
            discard,
            cells: 0,
            most: 0,
            departed: 0,
            area: 0,
        }
    }

    /// The cell that leaves next, at its `at`, and its class, if it does so at or before `until`.
    #[inline]
    pub(super) fn depart(&mut self, until: Time) -> Option<(Cell, u32)> {
        let now = self.finish;
        if now > until {
            return None;
        }
        let (mut cell, served) = (self.in_service, self.served_class);
        cell.at = now;
        let class = &mut self.classes[served as usize];
        class.cells -= 1;
        class.left += 1;
        if class.marked.front() == Some(&class.left) {
            class.marked.pop_front();
        }
        self.cells -= 1;
        self.departed += 1;
        self.area += i128::from(now.as_ps());
        self.start(now);
        Some((cell, served))
    }

    /// Starts to transmit the first cell of the first class of which one waits.
    #[inline]
    fn start(&mut self, now: Time) {
        let first = self.waiting.trailing_zeros();
        let class = self.classes.get_mut(first as usize);
        let Some(next) = class.and_then(|class| class.waiting.pop_front()) else {
            self.finish = Time::NEVER;
            if let Some(discard) = &mut self.discard {
                discard.on_empty(now);
            }
            return;
        };
        if self.classes[first as usize].waiting.is_empty() {
            self.waiting &= self.waiting - 1;
        }
        self.in_service = next;
        self.served_class = first;
        self.finish = now.saturating_add(self.cell_time);
    }

    /// Takes a cell of VC number `vc` that comes at its `at`, up to which all have left that do so; false if it
    /// is dropped.
    #[inline]
    pub(super) fn accept(&mut self, cell: Cell, vc: u32, is_marked: bool) -> bool {
        let number = self.vcs[vc as usize].class;
        let is_admitted = if self.discard.is_some() {
            self.admits(cell, vc)
        } else {
            let class = &self.classes[number as usize];
            class.cells < class.buffer
        };
        if !is_admitted {
            return false;
        }
        let class = &mut self.classes[number as usize];
        class.cells += 1;
        class.came += 1;
        if is_marked {
            class.marked.push_back(class.came);
        }
        self.cells += 1;
        self.most = self.most.max(self.cells);
        self.area -= i128::from(cell.at.as_ps());
        if self.finish == Time::NEVER {
            self.in_service = cell;
            self.served_class = number;
            self.finish = cell.at.saturating_add(self.cell_time);
        } else {
            class.waiting.push_back(cell);
            self.waiting |= 1 << number;
        }
        true
    }

    #[inline(never)]
    fn admits(&mut self, cell: Cell, vc: u32) -> bool {
        let StrictVc { class, is_framed } = self.vcs[vc as usize];
        let class = &self.classes[class as usize];
        let view = QueueView {
            queued: class.cells,
            buffer: class.buffer,
            of_vc: 0,
            active_vcs: 0,
        };
        let arriving = Arriving {
            is_data: is_framed && cell.kind() == Kind::Data,
            is_end: cell.is_end(),
            clp: cell.clp(),
        };
        let discard = self.discard.as_mut();
        discard.is_none_or(|discard| discard.admits(cell.at, vc, arriving, &view))
    }

    /// No later than the next departure; [`Time::NEVER`] while nothing is there.
    #[inline]
    pub(super) fn next_departure(&self) -> Time {
        self.finish
    }

    /// No later than the departure of the next marked cell; [`Time::NEVER`] without any.
    pub(super) fn next_marked_departure(&self) -> Time {
        let mut first = Time::NEVER;
        // Cells that wait in the classes before.
        let mut before = 0;
        for (number, class) in self.classes.iter().enumerate() {
            let waiting = class.waiting.len() as u64;
            if let Some(&marked) = class.marked.front() {
                let is_served = self.served_class as usize == number;
                let place = marked - class.left - u64::from(is_served);
                // The one in transmission waits for nobody.
                let ahead = if place == 0 && is_served {
                    0
                } else {
                    before + place
                };
                first = first.min(self.finish.saturating_add(self.cell_time * ahead));
            }
            before += waiting;
        }
        first
    }

    /// Cells in all classes, the one in transmission included.
    pub(super) fn queued(&self) -> u32 {
        self.cells
    }

    /// Cells in class number `class`, the one in transmission included.
    pub(super) fn queued_in(&self, class: u32) -> u32 {
        let class = self.classes.get(class as usize);
        class.map_or(0, |class| class.cells)
    }

    /// All cells, in no particular order.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let waiting = self.classes.iter().flat_map(|class| &class.waiting);
        let served = (self.finish != Time::NEVER).then_some(&self.in_service);
        waiting.chain(served).copied()
    }

    /// Cells that have left.
    pub(super) fn departed(&self) -> u64 {
        self.departed
    }

    /// Integral of the queue from the start to `now`, in cell picoseconds.
    pub(super) fn area(&self, now: Time) -> i128 {
        self.area + i128::from(self.cells) * i128::from(now.as_ps())
    }

    /// The largest queue since the last call.
    pub(super) fn take_maximum(&mut self) -> u32 {
        std::mem::replace(&mut self.most, self.cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: u64 = 10;

    /// Two classes, of which VCs 0 and 1 are.
    fn queues(buffers: [u32; 2]) -> Strict {
        let vc = |class| StrictVc {
            class,
            is_framed: true,
        };
        let vcs = [vc(0), vc(1)].into();
        Strict::new(Span::from_ps(CELL), &buffers, vcs, None)
    }

    fn cell(number: u32, at: u64) -> Cell {
        let mut cell = Cell::data(0, number, false);
        cell.at = Time::from_ps(at);
        cell
    }

    fn left(queues: &mut Strict, until: u64) -> Vec<(u32, u64)> {
        let mut left = Vec::new();
        while let Some((cell, _)) = queues.depart(Time::from_ps(until)) {
            left.push((cell.load(), cell.at.as_ps()));
        }
        left
    }

    #[test]
    fn the_first_class_goes_first_but_interrupts_nothing() {
        let mut queues = queues([9, 9]);
        for (number, vc, at) in [(1, 1, 0), (2, 1, 1), (3, 0, 2), (4, 0, 3)] {
            assert!(queues.accept(cell(number, at), vc, false));
        }
        assert_eq!(left(&mut queues, 100), [(1, 10), (3, 20), (4, 30), (2, 40)]);
        assert_eq!(queues.next_departure(), Time::NEVER);
    }

    #[test]
    fn each_class_has_a_buffer_of_its_own() {
        let mut queues = queues([1, 2]);
        let taken = [(0, true), (0, false), (1, true), (1, true), (1, false)];
        for (vc, expected) in taken {
            assert_eq!(queues.accept(cell(0, 0), vc, false), expected);
        }
        assert_eq!((queues.queued(), queues.queued_in(1)), (3, 2));
        assert_eq!(queues.take_maximum(), 3);
    }

    #[test]
    fn a_marked_cell_leaves_no_earlier_than_was_said() {
        let mut queues = queues([9, 9]);
        queues.accept(cell(1, 0), 1, false);
        queues.accept(cell(2, 0), 1, true);
        assert_eq!(queues.next_marked_departure(), Time::from_ps(20));
        queues.accept(cell(3, 5), 0, false);
        assert_eq!(queues.next_marked_departure(), Time::from_ps(30));
        assert_eq!(left(&mut queues, 29), [(1, 10), (3, 20)]);
        assert_eq!(queues.next_marked_departure(), Time::from_ps(30));
        assert_eq!(left(&mut queues, 30), [(2, 30)]);
        assert_eq!(queues.next_marked_departure(), Time::NEVER);
    }

    #[test]
    fn the_area_is_the_sum_of_the_stays() {
        let mut queues = queues([9, 9]);
        queues.accept(cell(1, 0), 1, false);
        queues.accept(cell(2, 4), 1, false);
        left(&mut queues, 12);
        // 10 ps, and 8 of the 16 ps.
        assert_eq!(queues.area(Time::from_ps(12)), 18);
        assert_eq!(queues.departed(), 1);
    }
}
