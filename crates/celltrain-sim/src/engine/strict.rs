//! A line of constant rate that serves classes by strict priority, each first come, first served: what most
//! queues with classes or discard are, without anything that the others need.
//!
//! A cell's departure is known as soon as its transmission is certain to follow on what goes before: for a cell of
//! the first class when it comes, by Lindley's recursion, since only the cell in transmission and its own class go
//! before it; for one of the others when its transmission starts. Only those that wait till then are kept.

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

/// The cells of a class behind the first.
#[derive(Debug)]
struct Class {
    /// Those whose transmission has not started.
    waiting: VecDeque<Cell>,
    /// The most of them, the one in transmission included.
    buffer: u32,
    /// Cells that found room, and those of them whose transmission has started.
    came: u64,
    started: u64,
    /// The marked cells that wait, by number.
    marked: VecDeque<u64>,
}

/// What becomes of a cell that comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// It leaves at this instant.
    Leaves(Time),
    /// It waits for its transmission.
    Waits,
    /// It finds no room.
    Refused,
}

/// The queues in front of a line, and their meter.
#[derive(Debug)]
pub(super) struct Strict {
    cell_time: Span,
    /// When all cells will have left whose departure is known.
    free: Time,
    /// When the last of them that is not of the first class will have left, and its class.
    lower_free: Time,
    lower_class: u32,
    /// The longest that the first class can take to empty when another cell of it finds room.
    limit: Span,
    /// The classes behind the first, and those of them of which cells wait, a bit each.
    lower: Box<[Class]>,
    waits: u64,
    /// Cells that wait.
    waiting: u32,
    vcs: Box<[StrictVc]>,
    /// What refuses cells that find room, if anything does.
    discard: Option<Discard>,
    /// Whether it knows that the queues are empty.
    knows_empty: bool,
    /// The departures of cells of the first so many classes are noted, until they are told.
    noted_classes: u32,
    noted: VecDeque<Time>,
    /// The most cells in all classes since the last reset.
    most: u32,
    /// Cells whose departure is known.
    leaving: u64,
    /// Sum of their departure times less the sum of the arrival times of all cells, in ps.
    area: i128,
    /// The instant that readings are about.
    now: Time,
}

/// Most classes of a queue.
pub(super) const MOST_CLASSES: usize = u64::BITS as usize;

impl Strict {
    /// Empty queues of so many cells each, no more than [`MOST_CLASSES`] and at least one.
    pub(super) fn new(
        cell_time: Span,
        buffers: &[u32],
        vcs: Box<[StrictVc]>,
        discard: Option<Discard>,
    ) -> Self {
        let class = |&buffer: &u32| Class {
            waiting: VecDeque::new(),
            buffer,
            came: 0,
            started: 0,
            marked: VecDeque::new(),
        };
        Self {
            cell_time,
            free: Time::ZERO,
            lower_free: Time::ZERO,
            lower_class: 0,
            limit: cell_time * u64::from(buffers[0] - 1),
            lower: buffers[1..].iter().map(class).collect(),
            waits: 0,
            waiting: 0,
            vcs,
            discard,
            knows_empty: true,
            noted_classes: 0,
            noted: VecDeque::new(),
            most: 0,
            leaving: 0,
            area: 0,
            now: Time::ZERO,
        }
    }

    /// From now on the departures of cells of the first `classes` classes are noted.
    pub(super) fn note_departures(&mut self, classes: u32) {
        self.noted_classes = classes;
    }

    /// The next noted departure, if it is at or before `until`.
    #[inline]
    pub(super) fn take_noted(&mut self, until: Time) -> Option<Time> {
        let first = *self.noted.front().filter(|&&at| at <= until)?;
        self.noted.pop_front();
        Some(first)
    }

    /// The next cell whose transmission starts at or before `until`; it leaves at its `at`. All that comes before
    /// must have been taken.
    #[inline]
    pub(super) fn start(&mut self, until: Time) -> Option<Cell> {
        if self.waits == 0 || self.free > until {
            return None;
        }
        let first = self.waits.trailing_zeros();
        let class = &mut self.lower[first as usize];
        let cell = class.waiting.pop_front()?;
        class.started += 1;
        if class.marked.front() == Some(&class.started) {
            class.marked.pop_front();
        }
        if class.waiting.is_empty() {
            self.waits &= self.waits - 1;
        }
        self.waiting -= 1;
        Some(cell.leaving(self.transmit(self.free, first + 1)))
    }

    /// When a cell of class number `class` leaves whose transmission starts at `start`.
    #[inline]
    fn transmit(&mut self, start: Time, class: u32) -> Time {
        let end = start.saturating_add(self.cell_time);
        self.free = end;
        if class > 0 {
            (self.lower_free, self.lower_class) = (end, class);
        }
        if class < self.noted_classes {
            self.noted.push_back(end);
        }
        self.leaving += 1;
        self.area += i128::from(end.as_ps());
        end
    }

    /// Takes a cell of VC number `vc` that comes at its `at`, by which all have started that do so.
    #[inline]
    pub(super) fn accept(&mut self, cell: Cell, vc: u32, is_marked: bool) -> Taken {
        let class = self.vcs[vc as usize].class;
        let is_admitted = if self.discard.is_some() {
            self.admits(cell, vc)
        } else {
            self.has_room(cell.at, class)
        };
        if !is_admitted {
            return Taken::Refused;
        }
        self.area -= i128::from(cell.at.as_ps());
        let taken = if class == 0 || self.free <= cell.at {
            if class > 0 {
                let class = &mut self.lower[class as usize - 1];
                class.came += 1;
                class.started += 1;
            }
            Taken::Leaves(self.transmit(self.free.max(cell.at), class))
        } else {
            self.wait(cell, class, is_marked);
            Taken::Waits
        };
        if self.exceeds_most(cell.at) {
            self.most = self.queued_at(cell.at);
        }
        taken
    }

    #[inline]
    fn wait(&mut self, cell: Cell, class: u32, is_marked: bool) {
        let lower = &mut self.lower[class as usize - 1];
        lower.came += 1;
        if is_marked {
            lower.marked.push_back(lower.came);
        }
        lower.waiting.push_back(cell);
        self.waits |= 1 << (class - 1);
        self.waiting += 1;
    }

    /// Whether one more cell of a class finds room at `at`.
    #[inline]
    fn has_room(&self, at: Time, class: u32) -> bool {
        if class == 0 {
            // Cells of the first class leave one right behind the other once the one in transmission has left.
            return self.free.saturating_since(self.lower_free.max(at)) <= self.limit;
        }
        self.queued_at_in(at, class) < self.lower[class as usize - 1].buffer
    }

    /// Whether there are more cells at `at` than there have been.
    #[inline]
    fn exceeds_most(&self, at: Time) -> bool {
        self.waiting > self.most
            || self.free.saturating_since(at) > self.cell_time * u64::from(self.most - self.waiting)
    }

    #[inline(never)]
    fn admits(&mut self, cell: Cell, vc: u32) -> bool {
        let StrictVc { class, is_framed } = self.vcs[vc as usize];
        let is_empty = self.waiting == 0 && self.free <= cell.at;
        let queued = self.queued_at_in(cell.at, class);
        let buffer = match class {
            0 => self.limit.div_floor(self.cell_time) as u32 + 1,
            class => self.lower[class as usize - 1].buffer,
        };
        let Some(discard) = &mut self.discard else {
            return true;
        };
        if is_empty && !self.knows_empty {
            discard.on_empty(self.free);
        }
        let view = QueueView {
            queued,
            buffer,
            of_vc: 0,
            active_vcs: 0,
        };
        let arriving = Arriving {
            is_data: is_framed && cell.kind() == Kind::Data,
            is_end: cell.is_end(),
            clp: cell.clp(),
        };
        let is_admitted = discard.admits(cell.at, vc, arriving, &view);
        self.knows_empty = is_empty && !is_admitted;
        is_admitted
    }

    /// Cells in all classes at `at`, up to which all have started that do so.
    fn queued_at(&self, at: Time) -> u32 {
        self.leaving_after(at) + self.waiting
    }

    /// Cells that leave behind `at`, and whose departure is known.
    fn leaving_after(&self, at: Time) -> u32 {
        let left = self.free.saturating_since(at).as_ps();
        left.div_ceil(self.cell_time.as_ps()) as u32
    }

    /// Cells of a class at `at`, the one in transmission included.
    #[inline]
    fn queued_at_in(&self, at: Time, class: u32) -> u32 {
        let is_lower_sent = self.lower_free > at;
        if class == 0 {
            return self.leaving_after(at) - u32::from(is_lower_sent);
        }
        let is_sent = is_lower_sent && self.lower_class == class;
        self.lower[class as usize - 1].waiting.len() as u32 + u32::from(is_sent)
    }

    /// No later than the next departure that is not yet known; [`Time::NEVER`] while nothing waits.
    #[inline]
    pub(super) fn next_departure(&self) -> Time {
        if self.waits == 0 {
            Time::NEVER
        } else {
            self.free.saturating_add(self.cell_time)
        }
    }

    /// No later than the departure of the next marked cell that waits; [`Time::NEVER`] without any.
    pub(super) fn next_marked_departure(&self) -> Time {
        let mut first = Time::NEVER;
        // Cells that wait in the classes before.
        let mut before = 0;
        for class in &self.lower {
            if let Some(&marked) = class.marked.front() {
                let ahead = before + (marked - class.started);
                first = first.min(self.free.saturating_add(self.cell_time * ahead));
            }
            before += class.waiting.len() as u64;
        }
        first
    }

    /// From now on readings are about `now`, by which all have started that do so.
    #[inline]
    pub(super) fn look(&mut self, now: Time) {
        self.now = now;
    }

    /// Cells in all classes, the one in transmission included.
    pub(super) fn queued(&self) -> u32 {
        self.queued_at(self.now)
    }

    /// Cells in class number `class`, the one in transmission included.
    pub(super) fn queued_in(&self, class: u32) -> u32 {
        if class as usize > self.lower.len() {
            return 0;
        }
        self.queued_at_in(self.now, class)
    }

    /// The cells that wait and whose departure is not yet known, in no particular order.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let waiting = self.lower.iter().flat_map(|class| &class.waiting);
        waiting.copied()
    }

    /// Cells that have left.
    pub(super) fn departed(&self) -> u64 {
        self.leaving - u64::from(self.leaving_after(self.now))
    }

    /// Integral of the queue since the start, in cell picoseconds.
    pub(super) fn area(&self) -> i128 {
        let ps = |span: Span| i128::from(span.as_ps());
        let leaving = i128::from(self.leaving_after(self.now));
        let last = ps(self.free.saturating_since(self.now));
        let to_come = leaving * last - ps(self.cell_time) * (leaving * (leaving - 1) / 2);
        let waiting = i128::from(self.waiting) * i128::from(self.now.as_ps());
        self.area + waiting - to_come
    }

    /// The largest queue since the last call.
    pub(super) fn take_maximum(&mut self) -> u32 {
        let queued = self.queued();
        std::mem::replace(&mut self.most, queued)
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

    /// The numbers of the cells whose departure becomes known up to `until`, and when they leave.
    fn started(queues: &mut Strict, until: u64) -> Vec<(u32, u64)> {
        let until = Time::from_ps(until);
        let started = std::iter::from_fn(|| queues.start(until));
        started.map(|cell| (cell.load, cell.at.as_ps())).collect()
    }

    fn at(ps: u64) -> Taken {
        Taken::Leaves(Time::from_ps(ps))
    }

    #[test]
    fn the_first_class_goes_first_but_interrupts_nothing() {
        let mut queues = queues([9, 9]);
        assert_eq!(queues.accept(cell(1, 0), 1, false), at(10));
        assert_eq!(queues.accept(cell(2, 1), 1, false), Taken::Waits);
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
            (0, Taken::Refused),
            (1, Taken::Waits),
            (1, Taken::Waits),
            (1, Taken::Refused),
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
        assert_eq!(queues.accept(cell(2, 9), 0, false), Taken::Refused);
        assert_eq!(queues.accept(cell(3, 10), 0, false), Taken::Refused);
        assert_eq!(queues.accept(cell(4, 20), 0, false), at(30));
        queues.look(Time::from_ps(5));
    }

    #[test]
    fn a_marked_cell_leaves_no_earlier_than_was_said() {
        let mut queues = queues([9, 9]);
        queues.accept(cell(1, 0), 1, false);
        queues.accept(cell(2, 0), 1, true);
        assert_eq!(queues.next_marked_departure(), Time::from_ps(20));
        queues.accept(cell(3, 5), 0, false);
        assert_eq!(queues.next_marked_departure(), Time::from_ps(30));
        assert_eq!(started(&mut queues, 20), [(2, 30)]);
        assert_eq!(queues.next_marked_departure(), Time::NEVER);
    }

    #[test]
    fn departures_of_the_first_classes_are_told_when_they_happen() {
        let mut queues = queues([9, 9]);
        queues.note_departures(1);
        queues.accept(cell(1, 0), 1, false);
        queues.accept(cell(2, 1), 0, false);
        queues.accept(cell(3, 2), 0, false);
        assert_eq!(queues.take_noted(Time::from_ps(19)), None);
        assert_eq!(
            queues.take_noted(Time::from_ps(20)),
            Some(Time::from_ps(20))
        );
        assert_eq!(queues.take_noted(Time::from_ps(29)), None);
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
}
