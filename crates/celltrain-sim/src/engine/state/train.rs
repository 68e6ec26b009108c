//! Trains: cells of one direction of a VC that follow one another at one gap.

use celltrain_proto::units::{Span, Time};

use crate::engine::state::cell::Cell;

/// Cells of one direction with consecutive numbers, one gap apart.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Train {
    /// The first cell; its `at` is its arrival, its hop the one at which the train arrives.
    pub(in crate::engine) first: Cell,
    /// The time from one arrival to the next; meaningless for a single cell.
    pub(in crate::engine) gap: Span,
    /// The number of cells, at least one.
    pub(in crate::engine) count: u32,
    /// Whether it is a single cell whose arrival is an event.
    pub(in crate::engine) is_event: bool,
}

impl Train {
    /// A single cell.
    pub(in crate::engine) fn single(cell: Cell, is_event: bool) -> Self {
        Self {
            first: cell,
            gap: Span::ZERO,
            count: 1,
            is_event,
        }
    }

    /// Its first `count` cells as they leave a queue, the first at `first` and each a `gap` after the one before.
    #[inline]
    pub(in crate::engine) fn leaving(&self, first: Time, gap: Span, count: u32) -> Self {
        Self {
            first: self.first.leaving(first),
            gap,
            count,
            is_event: self.is_event,
        }
    }

    /// How many of its cells arrive at or before `until`, which must not be before the first.
    #[inline]
    pub(in crate::engine) fn count_until(&self, until: Time) -> u32 {
        let span = until - self.first.at;
        if self.count == 1 || span < self.gap {
            return 1;
        }
        if self.gap == Span::ZERO || span >= self.gap * u64::from(self.count - 1) {
            return self.count;
        }
        span.div_floor(self.gap) as u32 + 1
    }

    /// How many of its cells arrive before `end`.
    pub(in crate::engine) fn count_before(&self, end: Time) -> u64 {
        if self.first.at >= end {
            0
        } else {
            u64::from(self.count_until(end - Span::from_ps(1)))
        }
    }

    /// Removes its first `n` cells, which must not be all.
    #[inline]
    pub(in crate::engine) fn cut(&mut self, n: u32) {
        self.count -= n;
        self.first = self.first.after(self.gap * u64::from(n), n);
    }

    /// Removes its cells that arrive at or before `until`, which must not be before the first. Returns whether these are
    /// all of its cells; the train then stays unchanged, and the caller must remove it.
    #[inline]
    pub(in crate::engine) fn take_until(&mut self, until: Time) -> (Self, bool) {
        let count = self.count_until(until);
        let taken = Self { count, ..*self };
        let are_all = count == self.count;
        if !are_all {
            self.cut(count);
        }
        (taken, are_all)
    }

    /// Its cells, each with its arrival time.
    pub(in crate::engine) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (first, gap) = (self.first, self.gap);
        (0..self.count).map(move |number| first.after(gap * u64::from(number), number))
    }

    /// When its last cell arrives.
    #[inline]
    pub(in crate::engine) fn last(&self) -> Time {
        self.first.at + self.gap * u64::from(self.count - 1)
    }

    /// Appends the single cell `next` if it continues the train at `gap` and neither is an event cell.
    #[inline]
    pub(in crate::engine) fn goes_on_with(&mut self, next: &Self, gap: Span) -> bool {
        let goes_on = self.first.is_followed_by(next.first, self.count)
            && self.first.at + gap * u64::from(self.count) == next.first.at
            && !(self.is_event || next.is_event)
            && (self.count == 1 || self.gap == gap);
        if goes_on {
            self.gap = gap;
            self.count += 1;
        }
        goes_on
    }

    /// Appends `next` if both form one train.
    #[inline]
    pub(in crate::engine) fn join(&mut self, next: &Self) -> bool {
        if self.is_event
            || next.is_event
            || !self.first.is_followed_by(next.first, self.count)
            || next.first.at < self.last()
        {
            return false;
        }
        let gap = next.first.at - self.last();
        if self.count > 1 && self.gap != gap || next.count > 1 && next.gap != gap {
            return false;
        }
        self.gap = gap;
        self.count += next.count;
        true
    }
}
