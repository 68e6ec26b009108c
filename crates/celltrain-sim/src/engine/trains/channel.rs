//! Channels: cells on their way from where they leave to where they are looked at next.

use std::collections::VecDeque;
use std::ops::Deref;

use celltrain_proto::units::{Span, Time};

use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;
use crate::engine::trains::ends::EndHops;

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
    /// The node downstream of its last link, which sees each cell by itself.
    Node,
    /// The end of a direction.
    Sink(u32),
    /// The ends of directions of processes, whose cells are but counted there.
    Counters,
}

/// A link without any influence but a delay, which a channel bypasses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Bypassed {
    /// The link.
    pub(in crate::engine) link: u32,
    /// How many hops before the one that the channel leads to.
    pub(in crate::engine) hops_before: u32,
    /// From a cell's arrival at this link to its arrival at the end of the channel.
    pub(in crate::engine) to_end: Span,
    /// From a cell's arrival at this link to its departure: its transmission.
    pub(in crate::engine) transmission: Span,
}

/// From where to where a channel leads, as the plan lays it: nothing in a run changes it.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Course {
    pub(in crate::engine) origin: Origin,
    pub(in crate::engine) destination: Destination,
    /// From the departure to the arrival.
    pub(in crate::engine) delay: Span,
    /// The links on the way, which only delay.
    pub(in crate::engine) bypassed: Box<[Bypassed]>,
    /// Links that cells cross in no time right before the end of the channel.
    pub(in crate::engine) transparent: u32,
    /// The hops that its directions come to at its end.
    pub(in crate::engine) ends: EndHops,
    /// The inputs of the link at its start by which its cells come there, where not all lead to it.
    pub(in crate::engine) feeders: Option<Box<[u32]>>,
    /// Whether it leads to a queue that takes event cells as it does others: none of its cells is an event.
    pub(in crate::engine) is_passed: bool,
    /// The direction whose source fills it, over queues or straight, if event cells, too, leave that when somebody asks.
    pub(in crate::engine) sender: Option<u32>,
}

impl Course {
    /// One that no direction takes yet.
    pub(in crate::engine) fn new(
        origin: Origin,
        destination: Destination,
        delay: Span,
        bypassed: Box<[Bypassed]>,
        transparent: u32,
    ) -> Self {
        Self {
            origin,
            destination,
            delay,
            bypassed,
            transparent,
            ends: EndHops::new(),
            feeders: None,
            is_passed: false,
            sender: None,
        }
    }

    /// The stage to which it leads: a link, or, behind all of these, a tunnel VC.
    pub(in crate::engine) fn stage(&self) -> Option<u32> {
        match self.destination {
            Destination::Link { link, .. } => Some(link),
            _ => None,
        }
    }

    /// Whether its cells come to its end at the instant at which the source sends them.
    pub(in crate::engine) fn is_at_once(&self) -> bool {
        matches!(self.origin, Origin::Source(_)) && self.bypassed.is_empty()
    }
}

/// Cells on their way from a source or a link to where they are looked at next, in their order.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Channel {
    course: Course,
    /// Its number in the calendar; that of its origin for a channel straight from a source.
    pub(in crate::engine) actor: usize,
    /// The event in which its last event cell arrived: those that come behind it at the same instant have their turn later.
    pub(in crate::engine) event_in: u64,
    trains: VecDeque<Train>,
    /// When its event cells arrive.
    event_cells: VecDeque<Time>,
}

/// What is read of a channel is mostly its course, which cannot be changed this way.
impl Deref for Channel {
    type Target = Course;

    #[inline]
    fn deref(&self) -> &Course {
        &self.course
    }
}

impl Channel {
    /// An empty channel, for which nobody acts yet.
    pub(in crate::engine) fn new(course: Course) -> Self {
        Self {
            course,
            actor: usize::MAX,
            event_in: 0,
            trains: VecDeque::new(),
            event_cells: VecDeque::new(),
        }
    }

    /// Cells that leave the channel's origin, as they come to its end, so many hops `ahead`.
    #[inline]
    pub(in crate::engine) fn at_end(&self, mut train: Train, downstream: u32) -> Train {
        let at = train.first.at.saturating_add(self.delay);
        train.first = train.first.at_hop_downstream(downstream, at);
        train
    }

    /// Adds a train; true if the channel was empty.
    #[inline]
    pub(in crate::engine) fn push(&mut self, train: Train) -> bool {
        if train.is_event {
            self.event_cells.push_back(train.first.at);
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

    /// When its first event cell arrives.
    #[inline]
    pub(in crate::engine) fn next_event_cell(&self) -> Time {
        self.event_cells.front().copied().unwrap_or(Time::NEVER)
    }

    /// When its first cell arrives.
    #[inline]
    pub(in crate::engine) fn next_arrival(&self) -> Time {
        self.trains
            .front()
            .map_or(Time::NEVER, |train| train.first.at)
    }

    /// Removes the first event cell, to which no other is the first.
    pub(in crate::engine) fn pop_event_cell(&mut self) -> Option<Cell> {
        let first = self.trains.front().filter(|train| train.is_event)?.first;
        self.trains.pop_front();
        self.event_cells.pop_front();
        Some(first)
    }

    /// The first train, to be cut.
    #[inline]
    pub(in crate::engine) fn first_mut(&mut self) -> Option<&mut Train> {
        self.trains.front_mut()
    }

    /// Removes the first train, which is no event cell; when the next cell arrives.
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
        let course = Course::new(Origin::Link(0), destination, Span::ZERO, Box::default(), 0);
        Channel::new(course)
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
        assert_eq!(channel.next_event_cell(), Time::from_ps(30));
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
