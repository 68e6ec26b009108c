//! Channels: cells on their way from where they leave to where something inspects them next.

use std::collections::VecDeque;
use std::ops::Deref;

use celltrain_proto::units::{Span, Time};

use crate::engine::state::cell::Cell;
use crate::engine::state::room::{Exhausted, Room};
use crate::engine::state::train::Train;
use crate::engine::trains::ends::EndHops;

/// What fills a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::engine) enum Origin {
    /// The source of a direction.
    Source(u32),
    /// A link.
    Link(u32),
}

/// What empties a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Destination {
    /// The queue of a link.
    Link {
        /// The link.
        link: u32,
        /// The channel's number among the inputs of the link.
        input: u32,
    },
    /// The node downstream of the last link, which sees each cell.
    Node,
    /// The end of a direction.
    Sink(u32),
    /// The ends of directions of processes, where cells are only counted.
    Counters,
}

/// A link that only delays cells, and that a channel bypasses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Bypassed {
    /// The link.
    pub(in crate::engine) link: u32,
    /// How many hops it lies before the hop to which the channel leads.
    pub(in crate::engine) hops_before: u32,
    /// From a cell's arrival at this link to its arrival at the end of the channel.
    pub(in crate::engine) to_end: Span,
    /// From a cell's arrival at this link to its departure: its transmission.
    pub(in crate::engine) transmission: Span,
}

/// The endpoints and the path of a channel, as the plan lays it; constant during a run.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Course {
    pub(in crate::engine) origin: Origin,
    pub(in crate::engine) destination: Destination,
    /// The time from departure to arrival.
    pub(in crate::engine) delay: Span,
    /// The bypassed links on the way, which only delay.
    pub(in crate::engine) bypassed: Box<[Bypassed]>,
    /// The number of links that cells cross without delay, right before the end of the channel.
    pub(in crate::engine) transparent: u32,
    /// The hops at which its directions arrive at its end.
    pub(in crate::engine) ends: EndHops,
    /// The inputs of the stage at its start that feed it, if not all inputs do.
    pub(in crate::engine) feeders: Option<Box<[u32]>>,
    /// Whether it leads to a queue that passes event cells: none of its cells is an event.
    pub(in crate::engine) is_passed: bool,
    /// The direction whose source fills it, directly or through queues, if that source sends its event cells on demand,
    /// too.
    pub(in crate::engine) sender: Option<u32>,
}

impl Course {
    /// A channel that no direction uses yet.
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

    /// The stage to which it leads: a link, or a tunnel VC, whose number follows those of all links.
    pub(in crate::engine) fn stage(&self) -> Option<u32> {
        match self.destination {
            Destination::Link { link, .. } => Some(link),
            _ => None,
        }
    }

    /// Whether its cells arrive at its end at the instant at which the source sends them.
    pub(in crate::engine) fn is_at_once(&self) -> bool {
        matches!(self.origin, Origin::Source(_)) && self.bypassed.is_empty()
    }
}

/// Cells on their way, in order, from a source or a link to where something inspects them next.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Channel {
    course: Course,
    /// Its number in the calendar; if it starts at a source, the number of that source.
    pub(in crate::engine) actor: usize,
    /// The event in which its last event cell arrived: cells after it at the same instant have their turn later.
    pub(in crate::engine) event_in: u64,
    trains: VecDeque<Train>,
    /// The arrivals of its event cells.
    event_cells: VecDeque<Time>,
}

/// Most reads of a channel concern its course, which this access cannot change.
impl Deref for Channel {
    type Target = Course;

    #[inline]
    fn deref(&self) -> &Course {
        &self.course
    }
}

impl Channel {
    /// An empty channel without an actor.
    pub(in crate::engine) fn new(course: Course) -> Self {
        Self {
            course,
            actor: usize::MAX,
            event_in: 0,
            trains: VecDeque::new(),
            event_cells: VecDeque::new(),
        }
    }

    /// A train that leaves the origin, as it arrives at the end, which is `downstream` hops away.
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
                // Many channels never hold more than one train.
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

    /// When its first event cell arrives; [`Time::NEVER`] if there is none.
    #[inline]
    pub(in crate::engine) fn next_event_cell(&self) -> Time {
        self.event_cells.front().copied().unwrap_or(Time::NEVER)
    }

    /// When its first cell arrives; [`Time::NEVER`] if it is empty.
    #[inline]
    pub(in crate::engine) fn next_arrival(&self) -> Time {
        self.trains
            .front()
            .map_or(Time::NEVER, |train| train.first.at)
    }

    /// Removes and returns the first cell if it is an event cell.
    pub(in crate::engine) fn pop_event_cell(&mut self) -> Option<Cell> {
        let first = self.trains.front().filter(|train| train.is_event)?.first;
        self.trains.pop_front();
        self.event_cells.pop_front();
        Some(first)
    }

    /// The first train, mutable.
    #[inline]
    pub(in crate::engine) fn first_mut(&mut self) -> Option<&mut Train> {
        self.trains.front_mut()
    }

    /// Removes the first train, which must not be an event cell; returns when the next cell arrives.
    #[inline]
    pub(in crate::engine) fn drop_first(&mut self) -> Time {
        self.trains.pop_front();
        self.next_arrival()
    }

    /// Removes the first `n` cells of the first train, which must have at least that many.
    pub(in crate::engine) fn consume(&mut self, n: u32) {
        if let Some(train) = self.trains.front_mut() {
            if train.count == n {
                self.trains.pop_front();
            } else {
                train.cut(n);
            }
        }
    }

    /// Takes out all trains, to be put back before the channel is used again.
    #[inline]
    pub(in crate::engine) fn take_trains(&mut self) -> VecDeque<Train> {
        std::mem::take(&mut self.trains)
    }

    /// Puts back the remaining trains.
    #[inline]
    pub(in crate::engine) fn put_back(&mut self, trains: VecDeque<Train>) {
        self.trains = trains;
    }

    /// All trains in order.
    pub(in crate::engine) fn trains(&self) -> impl Iterator<Item = &Train> {
        self.trains.iter()
    }
}

impl Room for Channel {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        Ok(self.trains.make_room()? + self.event_cells.make_room()?)
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
