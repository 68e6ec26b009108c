//! A line of constant rate that serves classes by strict priority, each first come, first served. This is all that most
//! queues with classes or discard need, without the overhead of the managed queue.
//!
//! A cell's departure is known once nothing can go before it any more. For a cell of the first class this is when it
//! arrives, by Lindley's recursion, since only the cell in transmission and its own class go before it. For a cell of
//! another class it is when its transmission starts; only these cells are kept until then.

use std::collections::VecDeque;

use celltrain_proto::discard::Discard;
use celltrain_proto::units::{Span, Time};

use crate::engine::queue::discipline::Discipline;
use crate::engine::state::train::Train;
use class::{Class, Joined};

mod admission;
mod ahead;
mod class;
mod service;

pub(in crate::engine) use class::PriorityVc;

/// The queues in front of a line, and their meter. Classes that no VC joins are omitted, and the others are renumbered.
#[derive(Clone, Debug)]
pub(in crate::engine) struct PriorityQueue {
    cell_time: Span,
    joined: Joined,
    /// When the last cell whose departure is known leaves.
    free: Time,
    /// When the last such cell of a lower class leaves, and its class.
    lower_free: Time,
    lower_class: u32,
    /// The longest remaining time of the first class with which one more of its cells finds room.
    limit: Span,
    /// The lower classes, and a bit for each that has waiting cells.
    lower: Box<[Class]>,
    waits: u64,
    /// The number of waiting cells.
    waiting: u32,
    /// Whether, of cells that arrive at the same instant, those of the first class go before waiting ones taken ahead of
    /// time.
    yields: bool,
    vcs: Box<[PriorityVc]>,
    /// The discard policy, if any.
    discard: Option<Discard>,
    /// Whether a mid-PDU cell is refused only for want of room, or because a cell of its frame has been refused.
    judges_frames: bool,
    /// Whether the discard policy has been told that the queues are empty.
    knows_empty: bool,
    /// The number of highest classes whose departures are noted, until they are taken.
    noted_classes: u32,
    noted: VecDeque<Time>,
    /// The most cells in all classes since the last reset.
    most: u32,
    /// The number of cells whose departure is known.
    leaving: u64,
    /// The sum of their departure times minus the sum of the arrival times of all cells, in ps.
    area: i128,
    /// The instant of the readings.
    now: Time,
}

/// The most classes of a queue.
pub(in crate::engine) const MOST_CLASSES: usize = u64::BITS as usize;

impl PriorityQueue {
    /// Empty queues with these buffers in cells, at least one queue and at most [`MOST_CLASSES`].
    pub(in crate::engine) fn new(
        cell_time: Span,
        buffers: &[u32],
        mut vcs: Box<[PriorityVc]>,
        discard: Option<Discard>,
    ) -> Self {
        let joined = Joined::new(buffers.len(), &vcs);
        for vc in &mut vcs {
            vc.class = joined.before(vc.class);
        }
        let buffers = buffers.iter().zip(0..);
        let buffers = buffers.filter(|&(_, class)| joined.number(class).is_some());
        let mut buffers = buffers.map(|(&buffer, _)| buffer);
        let first = buffers.next().unwrap_or(1);
        let class = |buffer| Class {
            trains: VecDeque::new(),
            waiting: 0,
            buffer,
            came: 0,
            started: 0,
            event_cells: VecDeque::new(),
        };
        Self {
            cell_time,
            free: Time::ZERO,
            lower_free: Time::ZERO,
            lower_class: 0,
            limit: cell_time * u64::from(first - 1),
            lower: buffers.map(class).collect(),
            joined,
            waits: 0,
            waiting: 0,
            yields: false,
            vcs,
            judges_frames: discard.as_ref().is_none_or(Discard::decides_at_start),
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

    /// Starts to note the departures of cells of the first `classes` classes.
    pub(in crate::engine) fn note_departures(&mut self, classes: u32) {
        self.noted_classes = self.joined.before(classes);
    }

    /// Takes the next noted departures at or before `until`: the instant of the last, and how many. Departures before
    /// `together` are taken together.
    #[inline]
    pub(in crate::engine) fn take_noted(
        &mut self,
        until: Time,
        together: Time,
    ) -> Option<(Time, u64)> {
        let first = *self.noted.front().filter(|&&at| at <= until)?;
        let alike = |&&at: &&Time| at <= until && at < together;
        let count = self.noted.iter().take_while(alike).count().max(1);
        let last = self.noted.drain(..count).next_back().unwrap_or(first);
        Some((last, count as u64))
    }

    /// Whether there is at most one lower class, and a mid-frame cell needs only room unless a cell of its frame has been
    /// refused.
    pub(in crate::engine) fn is_plain(&self) -> bool {
        self.lower.len() <= 1 && self.judges_frames
    }

    /// Whether cells of VC number `vc` are of the first class that any VC joins.
    #[inline]
    pub(in crate::engine) fn is_of_first(&self, vc: u32) -> bool {
        self.vcs[vc as usize].class == 0
    }

    /// By VC number: whether its cells are of the first class and no discard policy may refuse them.
    pub(in crate::engine) fn goes_first(&self) -> Box<[bool]> {
        let goes_first = |vc| self.is_of_first(vc) && !self.judges(vc);
        (0..self.vcs.len() as u32).map(goes_first).collect()
    }

    /// When a cell of class number `class` leaves if its transmission starts at `start`, before any waiting cell of its
    /// class or of lower ones.
    #[inline]
    fn transmit_at_once(&mut self, start: Time, class: u32) -> Time {
        // The places of event cells count from the cells that have started.
        if class > 0 {
            let class = &mut self.lower[class as usize - 1];
            class.came += 1;
            class.started += 1;
        }
        self.transmit(start, class)
    }

    /// Adds cells to those that wait in class number `class`, which must not be the first.
    #[inline]
    fn wait(&mut self, train: Train, class: u32) {
        let lower = &mut self.lower[class as usize - 1];
        lower.came += u64::from(train.count);
        if train.is_event {
            lower.event_cells.push_back(lower.came);
        }
        lower.waiting += train.count;
        lower.trains.push_back(train);
        self.waits |= 1 << (class - 1);
        self.waiting += train.count;
    }

    /// Updates the maximum after an arrival at `at`.
    #[inline]
    fn note_most(&mut self, at: Time) {
        let is_more = match self.most.checked_sub(self.waiting) {
            Some(others) => self.free.saturating_since(at) > self.cell_time * u64::from(others),
            None => true,
        };
        if is_more {
            self.most = self.queued_at(at);
        }
    }

    /// The number of cells in all classes at `at`. All transmissions that start by then must have been started.
    fn queued_at(&self, at: Time) -> u32 {
        self.leaving_after(at) + self.waiting
    }

    /// The number of cells that leave after `at`, of those whose departure is known.
    fn leaving_after(&self, at: Time) -> u32 {
        let left = self.free.saturating_since(at).as_ps();
        left.div_ceil(self.cell_time.as_ps()) as u32
    }

    /// The number of cells of a class at `at`, the one in transmission included.
    #[inline]
    fn queued_at_in(&self, at: Time, class: u32) -> u32 {
        match class {
            0 => self.leaving_after(at) - u32::from(self.lower_free > at),
            class => self.queued_in_lower(at, class),
        }
    }

    /// The number of cells of a lower class at `at`, the one in transmission included.
    #[inline]
    fn queued_in_lower(&self, at: Time, class: u32) -> u32 {
        let is_sent = self.lower_free > at && self.lower_class == class;
        self.lower[class as usize - 1].waiting + u32::from(is_sent)
    }

    /// A lower bound on the next departure that is not yet known; [`Time::NEVER`] while nothing waits.
    #[inline]
    pub(in crate::engine) fn next_departure(&self) -> Time {
        if self.waits == 0 {
            Time::NEVER
        } else {
            self.free.saturating_add(self.cell_time)
        }
    }

    /// A lower bound on the departure of the next waiting event cell; [`Time::NEVER`] if there is none.
    pub(in crate::engine) fn next_event_departure(&self) -> Time {
        let mut first = Time::NEVER;
        // The number of cells waiting in higher classes.
        let mut before = 0;
        for class in &self.lower {
            if let Some(&event_cell) = class.event_cells.front() {
                let ahead = before + (event_cell - class.started);
                first = first.min(self.free.saturating_add(self.cell_time * ahead));
            }
            before += u64::from(class.waiting);
        }
        first
    }

    /// The number of cells in the class with this number before renumbering, the one in transmission included.
    pub(in crate::engine) fn queued_in(&self, class: u32) -> u32 {
        let joined = self.joined.number(class);
        joined.map_or(0, |class| self.queued_at_in(self.now, class))
    }

    /// The number of cells in the class that an algorithm observes, given by its number before renumbering, or in all
    /// classes.
    pub(in crate::engine) fn controlled(&self, queue: Option<u32>) -> u32 {
        queue.map_or_else(|| self.queued(), |class| self.queued_in(class))
    }

    /// The waiting cells, whose departure is not yet known, in arbitrary order.
    pub(in crate::engine) fn trains(&self) -> impl Iterator<Item = Train> + '_ {
        let waiting = self.lower.iter().flat_map(|class| &class.trains);
        waiting.copied()
    }
}

impl Discipline for PriorityQueue {
    #[inline]
    fn look(&mut self, now: Time) {
        self.now = now;
    }

    #[inline]
    fn queued(&self) -> u32 {
        self.queued_at(self.now)
    }

    fn departed(&self) -> u64 {
        self.leaving - u64::from(self.leaving_after(self.now))
    }

    fn area(&self) -> i128 {
        let ps = |span: Span| i128::from(span.as_ps());
        let leaving = i128::from(self.leaving_after(self.now));
        let last = ps(self.free.saturating_since(self.now));
        let to_come = leaving * last - ps(self.cell_time) * (leaving * (leaving - 1) / 2);
        let waiting = i128::from(self.waiting) * i128::from(self.now.as_ps());
        self.area + waiting - to_come
    }

    fn take_maximum(&mut self) -> u32 {
        let queued = self.queued();
        std::mem::replace(&mut self.most, queued)
    }
}

#[cfg(test)]
mod tests;
