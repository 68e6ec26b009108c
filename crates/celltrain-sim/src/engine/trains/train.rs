//! Trains: cells of one direction of a VC that follow one another at one gap, and the channels that carry
//! them from where they leave to where they are looked at next.

use std::collections::VecDeque;

use celltrain_proto::units::{Span, Time};

use crate::engine::state::cell::Cell;
use crate::engine::trains::ends::Ends;

/// Cells of one direction with consecutive numbers, one gap apart.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Train {
    /// The first cell; its `at` is when it arrives, its hop the one that the train comes to.
    pub(in crate::engine) first: Cell,
    /// From one arrival to the next; meaningless for a single cell.
    pub(in crate::engine) gap: Span,
    /// How many; at least one.
    pub(in crate::engine) count: u32,
    /// Whether it is a single cell whose arrival is an event.
    pub(in crate::engine) is_marked: bool,
}

impl Train {
    /// A single cell.
    pub(in crate::engine) fn single(cell: Cell, is_marked: bool) -> Self {
        Self {
            first: cell,
            gap: Span::ZERO,
            count: 1,
            is_marked,
        }
    }

    /// Its first `count` cells as they leave a queue, the first at `first` and each a `gap` behind the one before.
    #[inline]
    pub(in crate::engine) fn leaving(&self, first: Time, gap: Span, count: u32) -> Self {
        Self {
            first: self.first.leaving(first),
            gap,
            count,
            is_marked: self.is_marked,
        }
    }

    /// How many of its cells arrive at or before `until`; at least its first does.
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

    /// Takes away its first `n` cells, not all.
    #[inline]
    pub(in crate::engine) fn cut(&mut self, n: u32) {
        self.count -= n;
        self.first = self.first.behind(self.gap * u64::from(n), n);
    }

    /// Takes away its cells that arrive at or before `until`, as its first does, and tells whether they are all: then it
    /// stays as it was, to be removed.
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

    /// Its cells, each with its arrival.
    pub(in crate::engine) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (first, gap) = (self.first, self.gap);
        (0..self.count).map(move |number| first.behind(gap * u64::from(number), number))
    }

    /// When its last cell arrives.
    #[inline]
    pub(in crate::engine) fn last(&self) -> Time {
        self.first.at + self.gap * u64::from(self.count - 1)
    }

    /// Takes a single cell behind its own, if both are unmarked and it is one that follows after `gap`, as all do.
    #[inline]
    pub(in crate::engine) fn goes_on_with(&mut self, next: &Self, gap: Span) -> bool {
        let goes_on = self.first.is_followed_by(next.first, self.count)
            && self.first.at + gap * u64::from(self.count) == next.first.at
            && !(self.is_marked || next.is_marked)
            && (self.count == 1 || self.gap == gap);
        if goes_on {
            self.gap = gap;
            self.count += 1;
        }
        goes_on
    }

    /// Takes the cells of `next` behind its own, if both are one train.
    #[inline]
    fn join(&mut self, next: &Self) -> bool {
        if self.is_marked
            || next.is_marked
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

/// Who fills a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::engine) enum Origin {
    /// The source of a direction.
    Source(u32),
    /// A link.
    Link(u32),
}

/// Who empties it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Destination {
    /// The queue of a link, as its input of this number.
    Link {
        /// The link.
        link: u32,
        /// The channel's number among the inputs of the link.
        input: u32,
    },
    /// The node behind its last link, which sees each cell by itself.
    Node,
    /// The end of a direction.
    Sink(u32),
    /// The ends of directions of processes, whose cells are but counted there.
    Counters,
}

/// A link without any influence but a delay, which a channel leaps over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Leapt {
    /// The link.
    pub(in crate::engine) link: u32,
    /// How many hops before the one that the channel leads to.
    pub(in crate::engine) hops_before: u32,
    /// From a cell's arrival at this link to its arrival at the end of the channel.
    pub(in crate::engine) to_end: Span,
    /// From a cell's arrival at this link to its departure: its transmission.
    pub(in crate::engine) transmission: Span,
}

/// Cells on their way from a source or a link to where they are looked at next, in their order.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Channel {
    pub(in crate::engine) origin: Origin,
    pub(in crate::engine) destination: Destination,
    /// From the departure to the arrival.
    pub(in crate::engine) delay: Span,
    /// The links on the way, which only delay.
    pub(in crate::engine) leapt: Box<[Leapt]>,
    /// Links that cells cross in no time right before the end of the channel.
    pub(in crate::engine) transparent: u32,
    /// The hops that its directions come to at its end.
    pub(in crate::engine) ends: Ends,
    /// Its number in the calendar; that of its origin for a channel straight from a source.
    pub(in crate::engine) actor: usize,
    /// The inputs of the link at its start by which its cells come there, where not all lead to it.
    pub(in crate::engine) feeders: Option<Box<[u32]>>,
    /// Whether it leads to a queue that takes marked cells as it does others: none of its cells is an event.
    pub(in crate::engine) is_passed: bool,
    /// The event in which its last marked cell arrived: those that come behind it at the same instant have their turn later.
    pub(in crate::engine) marked_in: u64,
    trains: VecDeque<Train>,
    /// When its marked cells arrive.
    marks: VecDeque<Time>,
}

impl Channel {
    pub(in crate::engine) fn new(
        origin: Origin,
        destination: Destination,
        delay: Span,
        leapt: Box<[Leapt]>,
        transparent: u32,
    ) -> Self {
        Self {
            origin,
            destination,
            delay,
            leapt,
            transparent,
            ends: Ends::new(),
            actor: usize::MAX,
            feeders: None,
            is_passed: false,
            marked_in: 0,
            trains: VecDeque::new(),
            marks: VecDeque::new(),
        }
    }

    /// Whether its cells come to its end at the instant at which the source sends them.
    pub(in crate::engine) fn is_at_once(&self) -> bool {
        matches!(self.origin, Origin::Source(_)) && self.leapt.is_empty()
    }

    /// Cells that leave the channel's origin, as they come to its end, so many hops `ahead`.
    #[inline]
    pub(in crate::engine) fn at_end(&self, mut train: Train, ahead: u32) -> Train {
        let at = train.first.at.saturating_add(self.delay);
        train.first = train.first.at_hop_ahead(ahead, at);
        train
    }

    /// Adds a train; true if the channel was empty.
    #[inline]
    pub(in crate::engine) fn push(&mut self, train: Train) -> bool {
        if train.is_marked {
            self.marks.push_back(train.first.at);
        }
        let last = self.trains.back_mut();
        let was_empty = last.is_none();
        if !last.is_some_and(|last| last.join(&train)) {
            if self.trains.capacity() == 0 {
                // Many channels never hold more.
                self.trains.reserve_exact(1);
            }
            self.trains.push_back(train);
        }
        was_empty
    }

    /// The first train.
    #[inline]
    pub(in crate::engine) fn first(&self) -> Option<&Train> {
        self.trains.front()
    }

    /// When its first marked cell arrives.
    #[inline]
    pub(in crate::engine) fn next_mark(&self) -> Time {
        self.marks.front().copied().unwrap_or(Time::NEVER)
    }

    /// When its first cell arrives.
    #[inline]
    pub(in crate::engine) fn next_arrival(&self) -> Time {
        self.trains
            .front()
            .map_or(Time::NEVER, |train| train.first.at)
    }

    /// Removes the first marked cell, to which no other is the first.
    pub(in crate::engine) fn pop_marked(&mut self) -> Option<Cell> {
        let first = self.trains.front().filter(|train| train.is_marked)?.first;
        self.trains.pop_front();
        self.marks.pop_front();
        Some(first)
    }

    /// The first train, to be cut.
    #[inline]
    pub(in crate::engine) fn first_mut(&mut self) -> Option<&mut Train> {
        self.trains.front_mut()
    }

    /// Removes the first train, which is not marked; when the next cell arrives.
    #[inline]
    pub(in crate::engine) fn drop_first(&mut self) -> Time {
        self.trains.pop_front();
        self.next_arrival()
    }

    /// Removes the first `n` cells of the first train, which has as many.
    pub(in crate::engine) fn consume(&mut self, n: u32) {
        if let Some(train) = self.trains.front_mut() {
            if train.count == n {
                self.trains.pop_front();
            } else {
                train.cut(n);
            }
        }
    }

    /// Takes its trains out, to be put back before anything else is done with it.
    #[inline]
    pub(in crate::engine) fn take_trains(&mut self) -> VecDeque<Train> {
        std::mem::take(&mut self.trains)
    }

    /// Puts back what is left of its trains.
    #[inline]
    pub(in crate::engine) fn put_back(&mut self, trains: VecDeque<Train>) {
        self.trains = trains;
    }

    /// All trains, first ones first.
    pub(in crate::engine) fn trains(&self) -> impl Iterator<Item = &Train> {
        self.trains.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(number: u32, at: u64) -> Cell {
        let mut cell = Cell::data(7, number, false);
        cell.at = Time::from_ps(at);
        cell
    }

    fn channel() -> Channel {
        let destination = Destination::Sink(0);
        Channel::new(Origin::Link(0), destination, Span::ZERO, Box::default(), 0)
    }

    fn counts(channel: &Channel) -> Vec<u32> {
        channel.trains().map(|train| train.count).collect()
    }

    #[test]
    fn cells_at_one_gap_become_one_train() {
        let mut channel = channel();
        for (number, at) in [(0, 10), (1, 20), (2, 30), (3, 41), (4, 52)] {
            channel.push(Train::single(cell(number, at), false));
        }
        assert_eq!(counts(&channel), [3, 2]);
    }

    #[test]
    fn a_lost_cell_or_a_mark_ends_a_train() {
        let mut channel = channel();
        channel.push(Train::single(cell(0, 10), false));
        channel.push(Train::single(cell(2, 20), false));
        channel.push(Train::single(cell(3, 30), true));
        channel.push(Train::single(cell(4, 40), false));
        assert_eq!(counts(&channel), [1, 1, 1, 1]);
        assert_eq!(channel.next_mark(), Time::from_ps(30));
    }

    #[test]
    fn what_is_left_of_a_train_is_a_train() {
        let mut channel = channel();
        let train = Train {
            count: 5,
            gap: Span::from_ps(3),
            ..Train::single(cell(9, 10), false)
        };
        channel.push(train);
        assert_eq!(train.count_until(Time::from_ps(16)), 3);
        assert_eq!(train.count_before(Time::from_ps(16)), 2);
        channel.consume(2);
        let rest = channel.first().expect("three cells are left");
        assert_eq!(
            (rest.first.at, rest.first.load(), rest.count),
            (Time::from_ps(16), 11, 3)
        );
    }
}
