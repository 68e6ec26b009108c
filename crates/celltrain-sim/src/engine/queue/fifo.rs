//! A queue served first come, first served at a constant rate: by Lindley's recursion every cell's
//! departure is known when it arrives, and a train's by a few products.

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::discipline::Discipline;
use crate::engine::state::transit::sum_of_instants;

/// The queue, the line that serves it, and their meter.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Fifo {
    cell_time: Span,
    /// The longest wait at which a cell still finds room.
    limit: Span,
    /// When the last cell will have left.
    free: Time,
    /// Cells that found room.
    accepted: u64,
    /// Sum of the times that they stay, in ps.
    stays: i128,
    /// The longest stay since the last reset.
    longest: Span,
    /// The instant that readings are about.
    now: Time,
}

/// What becomes of the first cells of a train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Outcome {
    /// `count` cells leave, the first at `first`, one `gap` apart.
    Leave { first: Time, gap: Span, count: u32 },
    /// So many cells find the queue full.
    Lost(u32),
}

impl Fifo {
    /// An empty queue of `buffer` cells, at least one.
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

    /// When the cell that comes `at` leaves; `None` if it finds the queue full.
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

    /// What becomes of the first of `count` cells that come from `at` on, one `gap` apart.
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
        if wait > self.limit {
            return Outcome::Lost(self.lost(wait, gap, count));
        }
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

    /// How many cells find the queue full, the first of which would wait for `wait`.
    fn lost(&self, wait: Span, gap: Span, count: u32) -> u32 {
        if gap == Span::ZERO {
            return count;
        }
        let over = (wait - self.limit).as_ps().div_ceil(gap.as_ps());
        over.min(u64::from(count)) as u32
    }

    /// Cells that find the line free.
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

    /// Cells that come no slower than they leave, as many of them as find room.
    fn grow(&mut self, wait: Span, gap: Span, count: u32) -> u32 {
        let growth = self.cell_time - gap;
        let room = self.limit - wait;
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

    /// Cells that come slower than they leave, as many of them as find the line busy, or free just now.
    fn shrink(&mut self, wait: Span, gap: Span, count: u32) -> u32 {
        let relief = gap - self.cell_time;
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

    /// `n` cells stay, the first for `first`, the last for `last`, those between at even steps.
    fn note_all(&mut self, n: u64, first: Span, last: Span) {
        self.accepted += n;
        self.stays += (i128::from(first.as_ps()) + i128::from(last.as_ps())) * i128::from(n) / 2;
    }

    /// The same as [`Fifo::accept`], for a cell that comes before `even`, from when on what is left of the queue goes in
    /// cell times.
    pub(in crate::engine) fn accept_before(&mut self, even: Time, at: Time) -> Option<Time> {
        if self.free - even > self.limit {
            return None;
        }
        self.free += self.cell_time;
        self.note(self.free - even);
        self.stays += i128::from((even - at).as_ps());
        Some(self.free)
    }

    /// The cells have left that had come, and from now on one takes `cell_time`.
    pub(in crate::engine) fn change(&mut self, cell_time: Span, buffer: u32) {
        self.cell_time = cell_time;
        self.limit = longest_wait(cell_time, buffer);
    }

    /// From now on only cells that come make the queue large.
    pub(in crate::engine) fn forget_maximum(&mut self) {
        self.longest = Span::ZERO;
    }

    /// `n` cells come, the first `at` and each a `gap` behind the one before, whose departures are noted later.
    pub(in crate::engine) fn note_arrivals(&mut self, at: Time, gap: Span, n: u32) {
        self.stays -= sum_of_instants(at, gap, n).cast_signed();
    }

    /// `n` cells leave whose arrivals have been noted, the first at `first` and each a cell time behind the one before.
    pub(in crate::engine) fn note_departures(&mut self, first: Time, n: u32) {
        self.accepted += u64::from(n);
        self.stays += sum_of_instants(first, self.cell_time, n).cast_signed();
        self.free = first + self.cell_time * u64::from(n - 1);
    }

    /// When the last cell will have left.
    #[inline]
    pub(in crate::engine) fn free(&self) -> Time {
        self.free
    }

    /// No later than a cell leaves that comes behind so many `cells`, the first of them `at` and no two closer to each
    /// other than a `gap`.
    #[inline]
    pub(in crate::engine) fn departure_behind(&self, at: Time, gap: Span, cells: u32) -> Time {
        let cells = u64::from(cells);
        let arrival = at.saturating_add(gap * cells);
        let ahead = self.free.max(at).saturating_add(self.cell_time * cells);
        // Where not all find room, the others wait for fewer.
        let have_room = ahead.saturating_since(at) <= self.limit;
        let start = arrival.max(if have_room { ahead } else { self.free });
        start.saturating_add(self.cell_time)
    }

    /// Cells that found room.
    pub(in crate::engine) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// The instant that readings are about.
    pub(in crate::engine) fn now(&self) -> Time {
        self.now
    }

    fn cells_in(&self, stay: Span) -> u32 {
        stay.as_ps().div_ceil(self.cell_time.as_ps()) as u32
    }

    /// Cells in the queue at `at`, for a cell that comes then.
    pub(in crate::engine) fn queued_at(&self, at: Time) -> u32 {
        self.cells_in(self.free.saturating_since(at))
    }

    /// Integral of the queue since the start, in cell picoseconds, where it holds `queued` cells now.
    pub(in crate::engine) fn area_with(&self, queued: u32) -> i128 {
        let queued = i128::from(queued);
        let left = i128::from(self.free.saturating_since(self.now).as_ps());
        let cell_time = i128::from(self.cell_time.as_ps());
        self.stays - (queued * left - cell_time * queued * (queued - 1) / 2)
    }

    /// The largest queue since the maximum was taken last.
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

/// The longest wait at which a cell finds room among `buffer` cells; for ever while a cell takes for ever.
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
                let no_earlier = single.departure_behind(at, gap, count - 1);
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
        // The first stayed from 0 to 10, the second is there since 4.
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
