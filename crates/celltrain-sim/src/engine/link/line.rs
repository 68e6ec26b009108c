//! The line of a link: its rate, the queue that it serves, and what observes both.

use celltrain_proto::flow::gfc;
use celltrain_proto::line::{RateChanges, RateProcess};
use celltrain_proto::switch::{Algorithm, SwitchAlgorithm};
use celltrain_proto::units::{Rate, Span, Time, Unit};

use crate::engine::link::becn::Becn;
use crate::engine::queue::Queue;
use crate::engine::queue::discipline::Admission;
use crate::engine::queue::fifo::{Fifo, Outcome};
use crate::engine::queue::gauge::Gauge;
use crate::engine::queue::managed::Managed;
use crate::engine::queue::priority::PriorityQueue;
use crate::engine::queue::varying::Varying;
use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;
use crate::scenario::OnRateChange;

mod service;

/// What a link with a rate has in addition to a pure delay.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Line {
    pub(super) rate: Rate,
    process: RateProcess,
    pub(super) next_rate: Time,
    /// The next change other than a departure: a new rate, or an update of the queue.
    pub(super) next_change: Time,
    /// The unit of transmission, and its duration at the present rate.
    unit: Unit,
    pub(super) cell_time: Span,
    on_change: OnRateChange,
    /// When the transmission of the present cell ends at the present rate.
    pub(super) finish: Time,
    /// The bits of that cell or frame still to be sent while the rate is zero; otherwise all of them.
    stalled_bits: f64,
    /// Whether a departure involves more than removing the cell: the queue is managed or observed.
    pub(super) has_extras: bool,
    pub(super) buffer: u32,
    pub(in crate::engine) queue: Queue,
    /// On a link that grants credits: the hops whose cells have left since the last call.
    pub(super) notes_departures: bool,
    pub(super) left: Vec<u32>,
    pub(in crate::engine) control: Option<Control>,
    pub(in crate::engine) gfc: Option<gfc::Controlling>,
    pub(in crate::engine) becn: Option<Box<Becn>>,
    pub(in crate::engine) meter: Meter,
    /// Statistics by batch, of the queue of the algorithm or of the whole queue.
    pub(super) gauge: Option<Box<Gauge>>,
    /// Whether the gauge or the algorithm is told of each change of the queue.
    is_followed: bool,
}

/// A switch algorithm, and what it is told.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Control {
    pub(in crate::engine) algorithm: Algorithm,
    /// The queue that it observes, if there are several.
    pub(in crate::engine) queue: Option<u32>,
    /// Whether cells of higher priority are counted when they leave, not when they arrive.
    pub(in crate::engine) counts_departures: bool,
    /// Whether the algorithm is told of each change of its queue.
    pub(in crate::engine) is_followed: bool,
}

/// Running sums of a queue and its line. Differences between two readings give the means over the time between.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Meter {
    /// Cells that left.
    pub(in crate::engine) departed: u64,
    /// The largest queue since the last reset.
    pub(in crate::engine) queue_max: u32,
    /// The sum of the departure times minus the sum of the arrival times, in ps: the area under the queue, without the
    /// cells still in it.
    pub(super) area: i128,
    /// The integral of the rate up to its last change, in bits.
    pub(super) capacity: f64,
    /// When the present rate began.
    pub(super) rate_since: Time,
}

/// A reading of a link's meter.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Reading {
    /// Cells that left since the start.
    pub(in crate::engine) departed: u64,
    /// The integral of the queue since the start, in cell picoseconds.
    pub(in crate::engine) area: i128,
    /// The integral of the rate since the start, in bits.
    pub(in crate::engine) capacity: f64,
}

impl Line {
    pub(in crate::engine) fn new(
        mut process: RateProcess,
        buffer: u32,
        on_change: OnRateChange,
        mut control: Option<Control>,
        gfc: Option<gfc::Controlling>,
        managed: Option<Managed>,
        gauge: Option<Gauge>,
    ) -> Self {
        let rate = process.first();
        if let Some(control) = &mut control {
            control.algorithm.on_rate_change(Time::ZERO, rate);
        }
        let next_rate = process.next_change(Time::ZERO);
        let next_update = managed.as_ref().map_or(Time::NEVER, Managed::next_update);
        Self {
            rate,
            next_rate,
            next_change: next_rate.min(next_update),
            process,
            unit: Unit::CELL,
            cell_time: rate.cell_time(),
            on_change,
            finish: Time::NEVER,
            stalled_bits: Unit::CELL.bits() as f64,
            has_extras: managed.is_some() || control.is_some() || gfc.is_some() || gauge.is_some(),
            is_followed: gauge.is_some()
                || control.as_ref().is_some_and(|control| control.is_followed),
            gauge: gauge.map(Box::new),
            buffer,
            queue: managed.map_or(Queue::Ring, |managed| Queue::Managed(Box::new(managed))),
            notes_departures: false,
            left: Vec::new(),
            control,
            gfc,
            becn: None,
            meter: Meter::default(),
        }
    }

    /// This line, sending frames from this queue.
    pub(in crate::engine) fn with_frames(self, mut queue: Queue) -> Self {
        if let Some(flows) = queue.flows_mut() {
            flows.on_rate(self.rate);
        }
        Self {
            queue,
            has_extras: true,
            ..self
        }
    }

    /// This line, sending units other than cells.
    pub(in crate::engine) fn in_units(self, unit: Unit) -> Self {
        Self {
            unit,
            cell_time: self.rate.time_of(unit),
            stalled_bits: unit.bits() as f64,
            ..self
        }
    }

    pub(in crate::engine) fn rate(&self) -> Rate {
        self.rate
    }

    /// The transmission time of a cell at the present rate.
    pub(in crate::engine) fn cell_time(&self) -> Span {
        self.cell_time
    }

    /// Whether cells leave at a constant rate, observed by nothing but an algorithm.
    pub(in crate::engine) fn is_constant(&self) -> bool {
        let is_constant = self.next_rate == Time::NEVER && self.rate > Rate::ZERO;
        is_constant && self.gauge.is_none() && self.gfc.is_none()
    }

    /// Whether it carries frames.
    pub(in crate::engine) fn carries_frames(&self) -> bool {
        self.queue.carries_frames()
    }

    /// Whether cells are served first come, first served, observed by nothing but an algorithm.
    pub(in crate::engine) fn is_plain(&self) -> bool {
        matches!(self.queue, Queue::Ring) && self.gauge.is_none() && self.gfc.is_none()
    }

    /// Makes the queue a FIFO whose rate changes.
    pub(in crate::engine) fn be_varying(&mut self) {
        let varying = Varying::new(self.cell_time, self.buffer, self.next_change);
        self.queue = Queue::Varying(Box::new(varying));
    }

    /// When the rate changes next, or the queue is updated.
    pub(in crate::engine) fn next_change(&self) -> Time {
        self.next_change
    }

    /// Makes all changes of rate up to `time`; appends the cells whose departure becomes certain to `left`.
    #[inline]
    pub(in crate::engine) fn advance_rate(&mut self, time: Time, left: &mut Vec<Train>) {
        while self.next_change <= time {
            self.pass_change(left);
        }
    }

    #[inline(never)]
    fn pass_change(&mut self, left: &mut Vec<Train>) {
        let varying = self.queue.varying();
        let first = varying.filter(|varying| varying.waits());
        self.finish = first.map_or(Time::NEVER, Varying::first_departure);
        self.change(first.is_some());
        if let Some(varying) = self.queue.varying_mut() {
            varying.change(self.finish, self.cell_time, self.next_change, left);
        }
    }

    /// Whether it is a FIFO queue, with or without a discard policy that decides at the start of a frame.
    pub(in crate::engine) fn is_first_come(&self) -> bool {
        match &self.queue {
            Queue::Managed(managed) => managed.single(self.controlled_queue()).is_some(),
            Queue::Flows(_) => false,
            _ => true,
        }
    }

    /// The queue that an algorithm observes, if there are several.
    fn controlled_queue(&self) -> Option<u32> {
        self.control.as_ref()?.queue
    }

    /// Makes the queue a FIFO of constant rate.
    pub(in crate::engine) fn be_first_come(&mut self) {
        if let Queue::Frames(frames) = &self.queue {
            let foreseen = frames.foreseen(self.rate, self.buffer);
            self.queue = Queue::ForeseenFrames(Box::new(foreseen));
            return;
        }
        let controlled = self.controlled_queue();
        let managed = self.queue.managed();
        let single = managed.and_then(|managed| managed.single(controlled));
        let (buffer, frames) = single.unwrap_or((self.buffer, None));
        let fifo = Fifo::new(self.cell_time, buffer);
        self.queue = Queue::Fifo(fifo, frames.map(Box::new));
    }

    /// Whether a FIFO queue takes every cell for which there is room, without examining it.
    pub(in crate::engine) fn takes_all(&self) -> bool {
        let takes_all = |managed: &Managed| {
            let single = managed.single(self.controlled_queue());
            single.is_some_and(|(_, frames)| frames.is_none())
        };
        self.control.is_none() && self.queue.managed().is_none_or(takes_all)
    }

    /// When a cell of VC number `vc` that arrives at `at` leaves a FIFO queue; `None` if it is refused.
    #[inline]
    pub(in crate::engine) fn accept(&mut self, cell: Cell, at: Time, vc: u32) -> Option<Time> {
        match &mut self.queue {
            Queue::Fifo(fifo, None) => fifo.accept(at),
            Queue::Fifo(fifo, Some(frames)) => frames.accept(fifo, cell, at, vc),
            _ => None,
        }
    }

    /// Offers a cell of VC number `vc` that arrives at its `at` to a queue that knows departures in advance.
    pub(in crate::engine) fn offer(&mut self, cell: Cell, vc: u32, is_event: bool) -> Admission {
        match &mut self.queue {
            Queue::Priority(priority) => priority.accept(cell, vc, is_event),
            Queue::Varying(varying) => varying.accept(cell, is_event),
            _ => self
                .accept(cell, cell.at, vc)
                .map_or(Admission::Refused, Admission::Leaves),
        }
    }

    /// The FIFO queue, if nothing examines the cells that arrive.
    #[inline]
    pub(in crate::engine) fn plain_fifo(&mut self) -> Option<&mut Fifo> {
        match &mut self.queue {
            Queue::Fifo(fifo, None) if self.control.is_none() => Some(fifo),
            _ => None,
        }
    }

    /// The outcome for the first cells of a train that arrives at a FIFO queue.
    #[inline]
    pub(in crate::engine) fn accept_train(&mut self, train: &Train, vc: u32) -> Option<Outcome> {
        let Queue::Fifo(fifo, frames) = &mut self.queue else {
            return None;
        };
        let first = train.first;
        Some(match frames {
            None => fifo.accept_train(first.at, train.gap, train.count),
            Some(frames) if train.is_event => match frames.accept(fifo, first, first.at, vc) {
                Some(first) => Outcome::Leave {
                    first,
                    gap: train.gap,
                    count: 1,
                },
                None => Outcome::Lost(1),
            },
            Some(frames) => frames.accept_train(fifo, train, vc),
        })
    }

    /// The managed queue as a strict-priority queue, if it does no more than serve classes.
    pub(in crate::engine) fn priority_queue(&self) -> Option<PriorityQueue> {
        self.queue.managed()?.priority(self.cell_time)
    }

    /// Makes the queue a strict-priority queue.
    pub(in crate::engine) fn be_priority(&mut self) {
        let mut priority = self.priority_queue();
        if let (Some(priority), Some(control)) = (&mut priority, &self.control)
            && control.counts_departures
        {
            priority.note_departures(control.queue.unwrap_or(0));
        }
        if let Some(priority) = priority {
            self.queue = Queue::Priority(Box::new(priority));
        }
    }

    /// Makes the change that is due at `next_change`.
    #[cold]
    pub(super) fn change(&mut self, is_serving: bool) {
        let now = self.next_change;
        if self.next_rate <= now {
            self.change_rate(is_serving);
        }
        let mut next_update = Time::NEVER;
        if let Some(managed) = self.queue.managed_mut() {
            managed.update(now, self.rate);
            next_update = managed.next_update();
            if !managed.is_serving() {
                self.start_service(now);
            }
        }
        self.next_change = self.next_rate.min(next_update);
    }

    fn change_rate(&mut self, is_serving: bool) {
        let now = self.next_rate;
        let old = self.rate;
        self.meter.capacity += old.bits_in(now - self.meter.rate_since);
        self.meter.rate_since = now;
        self.rate = self.process.change();
        self.cell_time = self.rate.time_of(self.unit);
        self.next_rate = self.process.next_change(now);
        let was_stalled = old == Rate::ZERO;
        if is_serving && (was_stalled || self.on_change == OnRateChange::ResumeAtNewRate) {
            if !was_stalled {
                self.stalled_bits = old.bits_in(self.finish - now);
            }
            self.finish = now.saturating_add(self.rate.span_of_bits(self.stalled_bits));
        }
        // The bits of a frame are noted as its transmission starts.
        if self.rate > Rate::ZERO && !self.carries_frames() {
            self.stalled_bits = self.unit.bits() as f64;
        }
        if let Some(control) = &mut self.control {
            control.algorithm.on_rate_change(now, self.rate);
        }
        if let Some(flows) = self.queue.flows_mut() {
            flows.on_rate(self.rate);
        }
    }
}
