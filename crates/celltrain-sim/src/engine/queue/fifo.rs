//! A FIFO queue of constant rate. By Lindley's recursion the departure of each cell is known when it arrives, and those
//! of a train follow from a few products.

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::discipline::Discipline;
use crate::engine::state::transit::sum_of_instants;

/// The queue, the line that serves it, and its meter.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Fifo {
    cell_time: Span,
    /// The longest wait with which a cell still finds room.
    limit: Span,
    /// When the last cell leaves.
    free: Time,
    /// Cells admitted so far.
    accepted: u64,
    /// The sum of their stays, in ps.
    stays: i128,
    /// The longest stay since the last reset.
    longest: Span,
    /// The instant of the readings.
    now: Time,
}

/// The outcome for the first cells of a train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Outcome {
    /// `count` cells leave, the first at `first`, one `gap` apart.
    Leave { first: Time, gap: Span, count: u32 },
    /// This many cells find the queue full.
    Lost(u32),
}

impl Fifo {
    /// An empty queue with room for `buffer` cells, at least one.
    pub(in crate::engine) fn new(cell_time: Span, buffer: u32) -> Self {
        Self {
            cell_time,
            limit: longest_wait(cell_time, buffer),
            free: Time::ZERO,
            accepted: 0,
            stays: 0,
            longest: Span::ZERO,
            now: Time::ZERO,
        }
    }

    /// When a cell that arrives at `at` leaves; `None` if it finds the queue full.
    #[inline]
    pub(in crate::engine) fn accept(&mut self, at: Time) -> Option<Time> {
        let start = self.free.max(at);
        if start - at > self.limit {
            return None;
        }
        self.free = start + self.cell_time;
        self.note(self.free - at);
        Some(self.free)
    }

    #[inline]
    fn note(&mut self, stay: Span) {
        self.accepted += 1;
        self.stays += i128::from(stay.as_ps());
        self.longest = self.longest.max(stay);
    }

    /// The outcome for the first of `count` cells that arrive from `at` on, one `gap` apart.
    #[inline]
    pub(in crate::engine) fn accept_train(&mut self, at: Time, gap: Span, count: u32) -> Outcome {
        if count == 1 {
            return match self.accept(at) {
                Some(first) => Outcome::Leave {
                    first,
                    gap: Span::ZERO,
                    count,
                },
                None => Outcome::Lost(1),
            };
        }
        let start = self.free.max(at);
        let wait = start - at;
        // The wait shrinks as time passes, so cells that come later may find room and are offered again.
        if wait > self.limit {
            return Outcome::Lost(self.lost(wait, gap, count));
        }
        // No cell waits for another, and the departures keep the gap of the arrivals instead of a cell time.
        if wait == Span::ZERO && gap >= self.cell_time {
            return self.pass(at, gap, count);
        }
        let count = if gap <= self.cell_time {
            self.grow(wait, gap, count)
        } else {
            self.shrink(wait, gap, count)
        };
        self.free = start + self.cell_time * u64::from(count);
        Outcome::Leave {
            first: start + self.cell_time,
            gap: self.cell_time,
            count,
        }
    }

    /// How many cells find the queue full, if the first of them would wait for `wait`.
    fn lost(&self, wait: Span, gap: Span, count: u32) -> u32 {
        // All come at one instant, at which nothing leaves.
        if gap == Span::ZERO {
            return count;
        }
        let over = (wait - self.limit).as_ps().div_ceil(gap.as_ps());
        over.min(u64::from(count)) as u32
    }

    /// Admits cells that find the line idle.
    fn pass(&mut self, at: Time, gap: Span, count: u32) -> Outcome {
        let n = u64::from(count);
        self.accepted += n;
        self.stays += i128::from(n) * i128::from(self.cell_time.as_ps());
        self.longest = self.longest.max(self.cell_time);
        self.free = at + gap * (n - 1) + self.cell_time;
        Outcome::Leave {
            first: at + self.cell_time,
            gap,
            count,
        }
    }

    /// Admits as many cells as find room, of those that arrive no slower than they leave; returns their number.
    fn grow(&mut self, wait: Span, gap: Span, count: u32) -> u32 {
        let growth = self.cell_time - gap;
        let room = self.limit - wait;
        // The wait grows with each cell; the first that would wait longer than `limit` finds the queue full.
        let count = if growth == Span::ZERO || room >= growth * u64::from(count - 1) {
            count
        } else {
            room.div_floor(growth) as u32 + 1
        };
        let n = u64::from(count);
        let first = wait + self.cell_time;
        let last = first + growth * (n - 1);
        self.note_all(n, first, last);
        self.longest = self.longest.max(last);
        count
    }

    /// Admits as many cells as find the line busy, or becoming idle at that instant, of those that arrive slower than
    /// they leave; returns their number.
    fn shrink(&mut self, wait: Span, gap: Span, count: u32) -> u32 {
        let relief = gap - self.cell_time;
        // A cell that finds the line idle for a while leaves at its own gap, as does the rest: see `pass`.
        let busy = if wait >= relief * u64::from(count - 1) {
            count
        } else {
            wait.div_floor(relief) as u32 + 1
        };
        let n = u64::from(busy);
        let first = wait + self.cell_time;
        self.note_all(n, first, first - relief * (n - 1));
        self.longest = self.longest.max(first);
        busy
    }

    /// Notes the stays of `n` cells, evenly spaced from `first` to `last`.
    fn note_all(&mut self, n: u64, first: Span, last: Span) {
        self.accepted += n;
        self.stays += (i128::from(first.as_ps()) + i128::from(last.as_ps())) * i128::from(n) / 2;
    }

    /// [`Fifo::accept`] for a cell that arrives before `even`. From `even` on, the remaining cells depart one cell time
    /// apart.
    pub(in crate::engine) fn accept_before(&mut self, even: Time, at: Time) -> Option<Time> {
        // Before `even` no cell leaves, so the wait from there on tells how many are in the queue.
        if self.free - even > self.limit {
            return None;
        }
        self.free += self.cell_time;
        self.note(self.free - even);
        self.stays += i128::from((even - at).as_ps());
        Some(self.free)
    }

    /// Sets the cell time from now on; the cells that arrived before must have left.
    pub(in crate::engine) fn change(&mut self, cell_time: Span, buffer: u32) {
        self.cell_time = cell_time;
        self.limit = longest_wait(cell_time, buffer);
    }

    /// Forgets the maximum; only later arrivals count.
    pub(in crate::engine) fn forget_maximum(&mut self) {
        self.longest = Span::ZERO;
    }

    /// Notes the arrivals of `n` cells, one `gap` apart from `at` on, whose departures will be noted later.
    pub(in crate::engine) fn note_arrivals(&mut self, at: Time, gap: Span, n: u32) {
        self.stays -= sum_of_instants(at, gap, n).cast_signed();
    }

    /// Notes the departures of `n` cells whose arrivals have been noted, one cell time apart from `first` on.
    pub(in crate::engine) fn note_departures(&mut self, first: Time, n: u32) {
        self.accepted += u64::from(n);
        self.stays += sum_of_instants(first, self.cell_time, n).cast_signed();
        self.free = first + self.cell_time * u64::from(n - 1);
    }

    /// When the last cell leaves.
    #[inline]
    pub(in crate::engine) fn free(&self) -> Time {
        self.free
    }

    /// A lower bound on the departure of a cell that arrives after `cells` others, the first at `at` and no two closer
    /// than `gap`.
    #[inline]
    pub(in crate::engine) fn departure_after(&self, at: Time, gap: Span, cells: u32) -> Time {
        let cells = u64::from(cells);
        let arrival = at.saturating_add(gap * cells);
        let ahead = self.free.max(at).saturating_add(self.cell_time * cells);
        // If some of them find no room, the cells after them wait for fewer.
        let have_room = ahead.saturating_since(at) <= self.limit;
        let start = arrival.max(if have_room { ahead } else { self.free });
        start.saturating_add(self.cell_time)
    }

    /// The number of cells admitted so far.
    pub(in crate::engine) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// The instant of the readings.
    pub(in crate::engine) fn now(&self) -> Time {
        self.now
    }

    fn cells_in(&self, stay: Span) -> u32 {
        stay.as_ps().div_ceil(self.cell_time.as_ps()) as u32
    }

    /// The number of cells that a cell arriving at `at` finds in the queue.
    pub(in crate::engine) fn queued_at(&self, at: Time) -> u32 {
        self.cells_in(self.free.saturating_since(at))
    }

    /// The integral of the queue since the start, in cell picoseconds, given that it now holds `queued` cells.
    pub(in crate::engine) fn area_with(&self, queued: u32) -> i128 {
        let queued = i128::from(queued);
        let left = i128::from(self.free.saturating_since(self.now).as_ps());
        let cell_time = i128::from(self.cell_time.as_ps());
        self.stays - (queued * left - cell_time * queued * (queued - 1) / 2)
    }

    /// The largest queue since the maximum was last reset.
    pub(in crate::engine) fn queue_max(&self) -> u32 {
        self.cells_in(self.longest)
    }
}

impl Discipline for Fifo {
    #[inline]
    fn look(&mut self, now: Time) {
        self.now = now;
    }

    #[inline]
    fn queued(&self) -> u32 {
        self.queued_at(self.now)
    }

    #[inline]
    fn departed(&self) -> u64 {
        self.accepted - u64::from(self.queued())
    }

    fn area(&self) -> i128 {
        self.area_with(self.queued())
    }

    fn take_maximum(&mut self) -> u32 {
        let most = self.queue_max();
        self.longest = self.free.saturating_since(self.now);
        most
    }
}

/// The longest wait with which a cell finds room among `buffer` cells; unlimited if the cell time is.
fn longest_wait(cell_time: Span, buffer: u32) -> Span {
    let ps = cell_time.as_ps().saturating_mul(u64::from(buffer - 1));
    Span::from_ps(ps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_train_fares_as_its_cells_one_by_one(
            cell_time in 1_u64..20,
            buffer in 1_u32..12,
            trains in prop::collection::vec((0_u64..60, 0_u64..25, 1_u32..30), 1..30),
        ) {
            let mut single = Fifo::new(Span::from_ps(cell_time), buffer);
            let mut whole = single.clone();
            let mut at = Time::ZERO;
            for (pause, gap, count) in trains {
                let gap = Span::from_ps(gap);
                at += Span::from_ps(pause);
                let start = at;
                let no_earlier = single.departure_after(at, gap, count - 1);
                let mut expected = Vec::new();
                for _ in 0..count {
                    expected.push(single.accept(at));
                    at += gap;
                }
                prop_assert!(expected[count as usize - 1].is_none_or(|departure| departure >= no_earlier));
                let mut got = Vec::new();
                while got.len() < count as usize {
                    let done = got.len() as u32;
                    let from = start + gap * u64::from(done);
                    match whole.accept_train(from, gap, count - done) {
                        Outcome::Leave { first, gap, count } => {
                            got.extend((0..count).map(|n| Some(first + gap * u64::from(n))));
                        }
                        Outcome::Lost(n) => got.extend((0..n).map(|_| None)),
                    }
                }
                prop_assert_eq!(got, expected);
                single.look(at);
                whole.look(at);
                prop_assert_eq!(single.area(), whole.area());
                prop_assert_eq!(single.queue_max(), whole.queue_max());
                prop_assert_eq!(single.departed(), whole.departed());
            }
        }
    }

    #[test]
    fn the_area_is_the_time_that_cells_have_been_there_so_far() {
        let mut fifo = Fifo::new(Span::from_ps(10), 9);
        fifo.accept(Time::ZERO);
        fifo.accept(Time::from_ps(4));
        fifo.look(Time::from_ps(12));
        // The first stays from 0 to 10; the second has been there since 4.
        assert_eq!((fifo.area(), fifo.queued(), fifo.departed()), (18, 1, 1));
        assert_eq!(fifo.queue_max(), 2);
    }

    #[test]
    fn a_cell_that_leaves_as_another_comes_makes_room() {
        let mut fifo = Fifo::new(Span::from_ps(10), 1);
        assert!(fifo.accept(Time::ZERO).is_some());
        assert!(fifo.accept(Time::from_ps(9)).is_none());
        assert!(fifo.accept(Time::from_ps(10)).is_some());
    }
}
