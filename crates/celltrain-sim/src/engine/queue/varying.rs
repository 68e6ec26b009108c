//! A FIFO queue whose rate changes.
//!
//! Up to the next change it is a queue of constant rate: the departure of a cell that leaves before the change is known
//! when the cell arrives, and those of a train follow from a few products. Cells that would leave later are kept until
//! the rate has changed.

use std::collections::VecDeque;

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::discipline::{Admission, Discipline};
use crate::engine::queue::fifo::{Fifo, Outcome};
use crate::engine::queue::served::Served;
use crate::engine::state::cell::Cell;
use crate::engine::state::room::{Exhausted, Room};
use crate::engine::state::train::Train;

/// The outcome for the first cells of a train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VaryingAdmission {
    /// It is known.
    Known(Outcome),
    /// This many cells find room and leave after the next change.
    Waits(u32),
}

/// The queue and its meter.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Varying {
    /// The cells whose departure is known.
    known: Fifo,
    /// After this instant the known cells depart one cell time apart; before, the first one takes longer.
    even_from: Time,
    buffer: u32,
    /// The transmission time of a cell at the present rate.
    cell_time: Span,
    /// When the rate changes next. No later departure is known.
    until: Time,
    /// The cells whose departure is not known, as they arrived; their number, and how many are event cells.
    trains: VecDeque<Train>,
    waiting: u32,
    event_cells: u32,
    /// When the first of them would leave if the rate stayed the same.
    first: Time,
    /// The most cells since the last reset, not counting times when only known cells were in the queue.
    most: u32,
}

impl Varying {
    /// An empty queue with room for `buffer` cells, at least one, whose rate changes at `until`.
    pub(in crate::engine) fn new(cell_time: Span, buffer: u32, until: Time) -> Self {
        Self {
            known: Fifo::new(cell_time, buffer),
            even_from: Time::ZERO,
            buffer,
            cell_time,
            until,
            trains: VecDeque::new(),
            waiting: 0,
            event_cells: 0,
            first: Time::NEVER,
            most: 0,
        }
    }

    /// Offers a cell that arrives at its `at`, before the next change.
    pub(in crate::engine) fn accept(&mut self, cell: Cell, is_event: bool) -> Admission {
        match self.accept_train(&Train::single(cell, is_event)) {
            VaryingAdmission::Known(Outcome::Leave { first, .. }) => Admission::Leaves(first),
            VaryingAdmission::Known(Outcome::Lost(_)) => Admission::Refused,
            VaryingAdmission::Waits(_) => Admission::Waits,
        }
    }

    /// Takes a train that arrives entirely before the next change.
    pub(in crate::engine) fn take_train(&mut self, mut train: Train, served: &mut Served) {
        loop {
            let count = match self.accept_train(&train) {
                VaryingAdmission::Waits(count) => count,
                VaryingAdmission::Known(Outcome::Leave { first, gap, count }) => {
                    served.left.push(train.leaving(first, gap, count));
                    count
                }
                VaryingAdmission::Known(Outcome::Lost(count)) => {
                    served.refused.push(Train { count, ..train });
                    count
                }
            };
            if count == train.count {
                return;
            }
            train.cut(count);
        }
    }

    /// The outcome for the first cells of a train that arrives entirely before the next change.
    #[inline]
    fn accept_train(&mut self, train: &Train) -> VaryingAdmission {
        let at = train.first.at;
        // After a waiting cell nothing leaves before the change, either.
        if self.waiting == 0 {
            let known = self.known_of(at, train.gap, train.count);
            if known > 0 {
                return VaryingAdmission::Known(self.leave(at, train.gap, known));
            }
        }
        self.wait(train)
    }

    /// The outcome for the first of `count` cells that leave before the next change.
    #[inline]
    fn leave(&mut self, at: Time, gap: Span, count: u32) -> Outcome {
        // Before, the first known cell takes longer than a cell time, so the waits of a train form no series.
        if at >= self.even_from {
            return self.known.accept_train(at, gap, count);
        }
        match self.known.accept_before(self.even_from, at) {
            Some(first) => Outcome::Leave {
                first,
                gap,
                count: 1,
            },
            None => Outcome::Lost(1),
        }
    }

    /// How many of `count` cells that arrive from `at` on, one `gap` apart, would leave by the next change.
    #[inline]
    fn known_of(&self, at: Time, gap: Span, count: u32) -> u32 {
        let start = self.known.free().max(at);
        let left = self.until.saturating_since(start);
        // The new rate decides when a transmission ends that lasts until the change.
        if left < self.cell_time {
            return 0;
        }
        let is_idle = start == at && gap >= self.cell_time;
        let cells = if count == 1 {
            return 1;
        } else if is_idle {
            let more = (left - self.cell_time).as_ps().checked_div(gap.as_ps());
            more.map_or(u64::MAX, |more| more + 1)
        } else {
            let cells = left.as_ps().checked_div(self.cell_time.as_ps());
            cells.unwrap_or(u64::MAX)
        };
        cells.min(u64::from(count)) as u32
    }

    /// Keeps the first cells of a train until the next change, as many as find room.
    fn wait(&mut self, train: &Train) -> VaryingAdmission {
        let at = train.first.at;
        let known = self.known_at(at);
        let room = self.buffer - (self.waiting + known).min(self.buffer);
        if room == 0 {
            // No other cell leaves before the change.
            let lost = if known == 0 { train.count } else { 1 };
            return VaryingAdmission::Known(Outcome::Lost(lost));
        }
        // While known cells leave evenly, the queue either grows until the last cell, or shrinks until they have left and
        // then grows: its maximum is at one of the two ends.
        let most = if at >= self.even_from { room } else { 1 };
        let taken = Train {
            count: train.count.min(most),
            ..*train
        };
        let count = taken.count;
        if self.waiting == 0 {
            let start = self.known.free().max(at);
            self.first = start.saturating_add(self.cell_time);
        }
        let before = self.waiting;
        self.waiting += count;
        let after = self.waiting + self.known_at(taken.last());
        self.most = self.most.max(before + 1 + known).max(after);
        self.event_cells += u32::from(taken.is_event);
        self.known.note_arrivals(at, taken.gap, count);
        self.trains.push_back(taken);
        VaryingAdmission::Waits(count)
    }

    /// The number of known cells still in the queue at `at`.
    fn known_at(&self, at: Time) -> u32 {
        self.known.queued_at(at.max(self.even_from))
    }

    /// Whether cells wait for a change of the rate.
    #[inline]
    pub(in crate::engine) fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// Whether event cells wait for a change of the rate.
    #[inline]
    pub(in crate::engine) fn waits_with_event_cell(&self) -> bool {
        self.event_cells > 0
    }

    /// When the first waiting cell would leave if the rate stayed the same.
    pub(in crate::engine) fn first_departure(&self) -> Time {
        self.first
    }

    /// Changes the rate: from now on a cell takes `cell_time`, except that the first waiting cell leaves at `first`. The
    /// next change is at `until`. Appends the cells whose departure is now certain to `left`.
    pub(in crate::engine) fn change(
        &mut self,
        first: Time,
        cell_time: Span,
        until: Time,
        left: &mut Vec<Train>,
    ) {
        self.most = self.most.max(self.known.queue_max());
        (self.cell_time, self.until) = (cell_time, until);
        self.known.forget_maximum();
        self.known.change(cell_time, self.buffer);
        self.even_from = Time::ZERO;
        // All known cells have left by the change, so none is in transmission.
        if self.waiting == 0 {
            return;
        }
        self.even_from += first.saturating_since(Time::ZERO + cell_time);
        self.first = first;
        // At rate zero the first cell never leaves, and there may be no further change.
        while self.first <= until
            && self.first < Time::NEVER
            && let Some(train) = self.trains.front_mut()
        {
            let more = (until - self.first).as_ps().checked_div(cell_time.as_ps());
            let more = more.unwrap_or(u64::MAX).min(u64::from(train.count - 1));
            let count = more as u32 + 1;
            left.push(train.leaving(self.first, cell_time, count));
            self.waiting -= count;
            self.event_cells -= u32::from(train.is_event);
            if count == train.count {
                self.trains.pop_front();
            } else {
                train.cut(count);
            }
            self.known.note_departures(self.first, count);
            self.first = self.known.free().saturating_add(cell_time);
        }
    }

    /// The waiting cells.
    pub(in crate::engine) fn trains(&self) -> impl Iterator<Item = Train> {
        self.trains.iter().copied()
    }
}

impl Discipline for Varying {
    #[inline]
    fn look(&mut self, now: Time) {
        self.known.look(now);
    }

    #[inline]
    fn queued(&self) -> u32 {
        self.waiting + self.known_at(self.known.now())
    }

    fn departed(&self) -> u64 {
        self.known.accepted() - u64::from(self.known_at(self.known.now()))
    }

    fn area(&self) -> i128 {
        let now = self.known.now();
        let known = self.known.area_with(self.known_at(now));
        known + i128::from(self.waiting) * i128::from(now.as_ps())
    }

    fn take_maximum(&mut self) -> u32 {
        let most = self.most.max(self.known.queue_max());
        self.known.forget_maximum();
        self.most = self.queued();
        most
    }
}

impl Room for Varying {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        self.trains.make_room()
    }
}

#[cfg(test)]
mod tests;
