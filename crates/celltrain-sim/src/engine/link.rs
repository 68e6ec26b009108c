//! A link: its queue, the line that serves the queue, and the cells in flight.
//!
//! A link is evaluated lazily. [`Link::advance`] lets cells depart up to `now`, and changes the line's rate on the way;
//! all other methods call it first. At one instant departures come first, then a change of rate, then arrivals. So one
//! event for each cell suffices: its arrival at the far end.

use celltrain_proto::flow::gfc::{Command, Controlling};
use celltrain_proto::line::Loss;
use celltrain_proto::packet_queue::Label;
use celltrain_proto::units::{Span, Time};

use crate::engine::queue::Queue;
use crate::engine::queue::flow_queue::FlowQueue;
use crate::engine::queue::managed::Managed;
use crate::engine::queue::varying::Varying;
use crate::engine::state::cell::{Cell, Ring};
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::mode::Mode;

mod becn;
mod errors;
mod line;
mod parts;
mod path;
mod readings;
pub(in crate::engine) mod shown;

pub(in crate::engine) use becn::{Becn, ToSource};
pub(in crate::engine) use errors::{CellErrors, Misinsertion};
pub(in crate::engine) use line::{Control, Line, Reading};
pub(in crate::engine) use path::Path;

/// A one-way link.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Link {
    /// Its number in the calendar; unused for a transparent link.
    pub(in crate::engine) actor: usize,
    pub(in crate::engine) ring: Ring,
    path: Path,
    pub(in crate::engine) line: Option<Line>,
    /// Transmission errors, which lose cells.
    pub(in crate::engine) loss: Option<Box<Loss>>,
    /// Transmission errors, which damage cells that arrive.
    pub(in crate::engine) errors: Option<Box<CellErrors>>,
    /// Whether each departure must be seen at its instant, for the credit that it frees.
    grants_credits: bool,
    /// Whether an arrival can do more than begin a transmission: it can move the deadline even while cells are in flight, or
    /// drop others.
    is_watched: bool,
    /// Whether an observer sees the cells that arrive.
    pub(in crate::engine) is_captured: bool,
    /// Its evaluation mode: cell by cell until a plan sets another.
    pub(in crate::engine) mode: Mode,
}

impl Link {
    pub(in crate::engine) fn new(path: Path, line: Option<Line>, loss: Option<Loss>) -> Self {
        let managed = line.as_ref().and_then(|line| line.queue.managed());
        let has_flows = line.as_ref().is_some_and(|it| it.queue.flows().is_some());
        let is_watched =
            has_flows || path.is_overtaking() || managed.is_some_and(Managed::takes_credits);
        let is_delayed = path.delay > Span::ZERO || path.varying.is_some();
        let is_transparent = line.is_none() && loss.is_none() && !is_delayed;
        Self {
            actor: usize::MAX,
            ring: Ring::new(),
            path,
            line,
            loss: loss.map(Box::new),
            errors: None,
            grants_credits: false,
            is_watched,
            is_captured: false,
            mode: if is_transparent {
                Mode::Transparent
            } else {
                Mode::PerCell
            },
        }
    }

    /// Whether cells cross the link without delay.
    #[inline]
    pub(in crate::engine) fn is_transparent(&self) -> bool {
        self.mode == Mode::Transparent
    }

    /// Whether a cell's arrival at the far end is known as soon as it enters.
    pub(in crate::engine) fn can_be_foreseen(&self) -> bool {
        let is_simple = self.line.as_ref().is_none_or(|line| {
            line.is_constant()
                && matches!(line.queue, Queue::Ring)
                && line.control.is_none()
                && line.becn.is_none()
        });
        is_simple && !self.is_transparent() && !self.is_disturbed() && !self.grants_credits
    }

    /// Sets the evaluation mode and installs the queue for it.
    pub(in crate::engine) fn evaluate(&mut self, mode: Mode) {
        self.mode = mode;
        let Some(line) = &mut self.line else { return };
        match mode {
            Mode::Batched | Mode::Foreseen | Mode::Immediate => line.be_first_come(),
            Mode::Priority => line.be_priority(),
            Mode::Varying => line.be_varying(),
            _ => {}
        }
    }

    /// When a cell or frame that enters at `now` arrives at the far end of a link on which that is known in advance; `None`
    /// if the queue is full.
    #[inline]
    pub(in crate::engine) fn foreseen_arrival(&mut self, now: Time, cell: Cell) -> Option<Time> {
        let departure = match self.line.as_mut().map(|line| &mut line.queue) {
            Some(Queue::Fifo(fifo, _)) => fifo.accept(now)?,
            Some(Queue::ForeseenFrames(frames)) => frames.accept(cell, now)?,
            _ => now,
        };
        Some(departure.saturating_add(self.path.delay))
    }

    /// Makes the link see departures at their instants and note them.
    pub(in crate::engine) fn grant_credits(&mut self) {
        self.grants_credits = true;
        self.is_watched = true;
        if let Some(line) = &mut self.line {
            line.notes_departures = true;
            line.has_extras = true;
        }
    }

    /// Makes the arriving cells visible to an observer.
    pub(in crate::engine) fn capture(&mut self) {
        self.is_captured = true;
        if self.mode == Mode::Immediate {
            self.mode = Mode::Foreseen;
        }
    }

    /// Whether an arrival can do more than begin a transmission: it can move the deadline even while cells are in flight, or
    /// drop others.
    #[inline]
    pub(in crate::engine) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Whether its departures are credits for another link.
    pub(in crate::engine) fn grants_credits(&self) -> bool {
        self.grants_credits
    }

    /// The shortest propagation delay.
    pub(in crate::engine) fn delay(&self) -> Span {
        self.path.delay
    }

    /// Lets cells depart up to `now`. Strict-priority queues, and queues that only wait for a change of rate, let cells
    /// depart when their stage is advanced.
    #[inline]
    pub(in crate::engine) fn advance(&mut self, now: Time) {
        let Some(line) = &mut self.line else { return };
        if line.queue.look(now) {
            return;
        }
        while line.finish.min(line.next_change) <= now {
            if line.finish <= line.next_change {
                line.depart(&mut self.ring, &mut self.path);
            } else {
                let is_serving = match &line.queue {
                    Queue::Managed(managed) => managed.is_serving(),
                    Queue::Flows(flows) => flows.is_serving(),
                    _ => self.ring.queued() > 0,
                };
                line.change(is_serving);
            }
        }
    }

    /// Puts a cell of VC number `vc` into the queue at `now`; false if it is dropped.
    #[inline]
    pub(in crate::engine) fn enqueue(&mut self, now: Time, cell: Cell, vc: u32) -> bool {
        self.advance(now);
        let Some(line) = &mut self.line else {
            self.ring.launch(cell.leaving(self.path.arrival(now)));
            if self.path.is_overtaking() {
                self.ring.overtake();
            }
            return true;
        };
        match line.queue {
            Queue::Managed(_) => return line.enqueue_managed(now, cell, vc),
            Queue::Frames(_) => return line.enqueue_frame(now, cell, &mut self.ring),
            _ => {}
        }
        let queued = self.ring.queued();
        if queued >= line.buffer {
            return false;
        }
        if queued == 0 {
            line.transmit_from(now);
        }
        self.ring.push(cell);
        line.note_arrival(now, queued + 1);
        true
    }

    /// Puts a frame of VC number `vc` with this label into the queue at `now`.
    pub(in crate::engine) fn enqueue_in_flow(&mut self, now: Time, frame: Cell, of: (u32, Label)) {
        self.advance(now);
        if let Some(line) = &mut self.line {
            line.enqueue_in_flow(now, frame, of);
        }
    }

    /// Why a cell of VC number `vc` has just been refused.
    pub(in crate::engine) fn refusal(&self, vc: u32) -> LossCause {
        self.managed()
            .map_or(LossCause::QueueFull, |managed| managed.refusal(vc))
    }

    /// Removes and returns the cell that arrives at the far end at or before `now`, if any.
    #[inline]
    pub(in crate::engine) fn arrived(&mut self, now: Time) -> Option<Cell> {
        self.advance(now);
        self.ring.pop_arrived(now)
    }

    /// The next instant at which a cell can arrive at the far end.
    ///
    /// While none is in flight, the rate may still change before the first cell in the queue departs. The link is then
    /// examined again one delay after the change, before which no cell can arrive.
    #[inline]
    pub(in crate::engine) fn deadline(&self) -> Time {
        if self.is_watched {
            return self.watched_deadline();
        }
        if let Some(cell) = self.ring.first_in_flight() {
            return cell.at;
        }
        match &self.line {
            Some(line) if self.queued() > 0 => {
                let change = line.finish.min(line.next_change);
                change.saturating_add(self.path.delay)
            }
            _ => Time::NEVER,
        }
    }

    /// [`Link::deadline`] where credits are granted or awaited.
    #[inline(never)]
    fn watched_deadline(&self) -> Time {
        let first = self.ring.first_in_flight();
        let arrival = first.map_or(Time::NEVER, |cell| cell.at);
        let Some(line) = &self.line else {
            return arrival;
        };
        let change = match (self.grants_credits, first) {
            _ if self.queued() == 0 => Time::NEVER,
            // Each departure must be seen when it happens.
            (true, _) => line.finish.min(line.next_change),
            // Of frames one that departs later may arrive earlier.
            (false, first) if first.is_none() || self.path.is_overtaking() => {
                let change = line.finish.min(line.next_change);
                change.saturating_add(self.path.delay)
            }
            (false, _) => Time::NEVER,
        };
        let managed = line.queue.managed();
        let credit = managed.map_or(Time::NEVER, Managed::next_credit);
        arrival.min(change).min(credit)
    }

    /// Whether flows have queues of their own.
    #[inline]
    pub(in crate::engine) fn has_flows(&self) -> bool {
        let line = self.line.as_ref().filter(|_| self.is_watched);
        line.is_some_and(|line| line.queue.flows().is_some())
    }

    /// Takes the frames that have been dropped from queues by flow since the last call, each with the instant of its drop.
    pub(in crate::engine) fn take_dropped(&mut self) -> Vec<Cell> {
        let flows = self.line.as_mut().and_then(|line| line.queue.flows_mut());
        flows.map(FlowQueue::take_dropped).unwrap_or_default()
    }

    /// Takes the hops whose cells have left since the last call.
    pub(in crate::engine) fn take_departures(&mut self) -> Vec<u32> {
        let line = self.line.as_mut();
        line.map_or_else(Vec::new, |line| std::mem::take(&mut line.left))
    }

    /// Delivers credits for VC number `vc` that arrive at `at`.
    pub(in crate::engine) fn credit_arrives(&mut self, at: Time, vc: u32, forwarded: u32) {
        if let Some(line) = &mut self.line
            && let Some(managed) = line.queue.managed_mut()
        {
            managed.credit_arrives(at, vc, forwarded);
            line.next_change = line.next_rate.min(managed.next_update());
        }
    }

    /// Cells in the queue, the one in transmission included, as of the last [`Link::advance`].
    #[inline]
    pub(in crate::engine) fn queued(&self) -> u32 {
        let ring = self.ring.queued();
        let line = self.line.as_ref();
        line.map_or(ring, |line| line.queue.queued(ring))
    }

    /// The GFC command to an end system upstream, which depends on the queue.
    pub(in crate::engine) fn command(&mut self, now: Time) -> Command {
        self.advance(now);
        let gfc = self.line.as_ref().and_then(|line| line.gfc.as_ref());
        gfc.map(Controlling::command).unwrap_or_default()
    }

    /// Removes and returns the next cell that has departed; it arrives at its `at`.
    pub(in crate::engine) fn take_departed(&mut self) -> Option<Cell> {
        self.ring.pop_in_flight()
    }

    /// A lower bound on the departure of the cell at position `place` in the queue, counted from one, and on the next
    /// change of the line.
    #[inline]
    pub(in crate::engine) fn departure(&self, place: u64) -> Time {
        self.line.as_ref().map_or(Time::NEVER, |line| {
            // At rate zero the transmission of a cell never ends.
            let ahead = line.cell_time.as_ps().saturating_mul(place - 1);
            let ahead = Span::from_ps(ahead);
            line.finish.saturating_add(ahead).min(line.next_change)
        })
    }

    /// When the rate changes next, if the queue waits for that, according to `waits`: none of its cells departs earlier.
    #[inline]
    pub(in crate::engine) fn change_awaited(&self, waits: impl Fn(&Varying) -> bool) -> Time {
        let line = self.line.as_ref().filter(|line| {
            let varying = line.queue.varying();
            varying.is_some_and(&waits)
        });
        line.map_or(Time::NEVER, |line| line.next_change)
    }

    /// The number of the queue that cells of VC number `vc` join.
    #[inline]
    pub(in crate::engine) fn queue_of(&self, vc: u32) -> u32 {
        self.managed().map_or(0, |managed| managed.queue_of(vc))
    }

    /// Whether the line loses or corrupts cells.
    pub(in crate::engine) fn is_impaired(&self) -> bool {
        self.loss.is_some() || self.errors.is_some()
    }

    /// This link with errors.
    pub(in crate::engine) fn with_errors(mut self, errors: CellErrors) -> Self {
        self.errors = Some(Box::new(errors));
        self.mode = Mode::PerCell;
        self
    }

    /// Whether one that departs later may arrive earlier.
    pub(in crate::engine) fn is_overtaking(&self) -> bool {
        self.path.is_overtaking()
    }

    /// Whether losses, errors or a delay that varies affect cells on the link.
    pub(in crate::engine) fn is_disturbed(&self) -> bool {
        self.is_impaired() || self.path.varying.is_some()
    }
}

#[cfg(test)]
mod tests;
