//! The sending end of one direction of a VC: waiting PDUs, and the rate at which their cells leave.

use std::collections::VecDeque;

use celltrain_proto::cell::RmCell;
use celltrain_proto::units::{Rate, Time};

use crate::engine::state::cell::{Cell, MOST_FRAMES, frame_number};
use crate::engine::state::mode::EventReach;
use crate::engine::state::room::{Exhausted, Room, make_room_in};
use crate::engine::state::train::Train;
use crate::engine::state::transit::Transit;
use crate::scenario::SourceDrop;
use aggregate::Aggregate;

mod aggregate;
mod control;
mod emit;
mod held;
mod in_flight;
mod pace;
mod pdu;
mod process;
mod trains;

pub(in crate::engine) use held::Held;
pub(in crate::engine) use pace::Pace;
pub(in crate::engine) use pdu::Pdu;
pub(in crate::engine) use process::Process;

/// The source of one direction of a VC.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about what it sends and who looks"
)]
pub(in crate::engine) struct Source {
    pub(in crate::engine) pace: Pace,
    /// The first hop of the direction.
    pub(in crate::engine) first_hop: u32,
    /// Number of the next data cell, wrapping.
    number: u32,
    /// The number of waiting cells; 1 for a process or a greedy source, which always have a next cell.
    waiting: u64,
    /// Earliest instant of the next cell (UBR and processes).
    next: Time,
    /// The earliest instant at which it may send what it was last given.
    not_before: Time,
    /// The event in which it was last woken, or last sent a cell.
    pub(in crate::engine) woken: u64,
    /// The channel into which its cells go and how many hops downstream it leads, if nothing inspects them on the way.
    pub(in crate::engine) way: Option<(u32, u32)>,
    /// The port at which cells of other VCs arrive, for a lazily evaluated tunnel VC.
    pub(in crate::engine) port: Option<u32>,
    /// Whether it is evaluated lazily: its cells leave as trains, on demand, and only event cells are events. Otherwise
    /// it is evaluated per cell.
    pub(in crate::engine) is_lazy: bool,
    /// How far its event cells travel before they become events.
    pub(in crate::engine) event_reach: EventReach,
    /// Whether there is always something to send.
    is_greedy: bool,
    /// Whether each PDU is a frame instead of cells.
    sends_frames: bool,
    /// What GFC lets it do, if its end system obeys GFC commands.
    pub(in crate::engine) gfc: Option<Box<Held>>,
    /// Data cells that left.
    pub(in crate::engine) transit: Transit,
    /// Whether the delays of its data cells are measured, so that its end must know when each left.
    pub(in crate::engine) is_timed: bool,
    /// Cells that left, of all kinds.
    cells: u64,
    /// What it was given to send; `None` until then.
    queue: Option<Box<PduQueue>>,
}

/// What a source was given to send, and what happened to it.
#[derive(Clone, Debug)]
struct PduQueue {
    /// PDUs in flight, then those that wait, entirely or in part.
    pdus: VecDeque<Pdu>,
    /// How many of `pdus` have left entirely.
    left: usize,
    /// The number that the last cell of the next PDU will have.
    next_last: u32,
    /// The frames so far, wrapping.
    frames: u32,
    /// Cells of other VCs, at the hops that brought them here, if the source is that of a tunnel VC.
    aggregate: Option<Aggregate>,
    /// The most cells that can wait, and what is dropped of a segment that finds no room.
    buffer: u64,
    drop: SourceDrop,
    /// The most cells that have waited since the last reset.
    waiting_max: u64,
    /// The rate that it requested in its last forward RM cell.
    requested: Option<Rate>,
    /// All counts except `cells`, which the source counts itself.
    counts: SourceCounts,
}

impl Default for PduQueue {
    fn default() -> Self {
        Self {
            pdus: VecDeque::new(),
            left: 0,
            next_last: u32::MAX,
            frames: 0,
            aggregate: None,
            buffer: u64::MAX,
            drop: SourceDrop::Cell,
            waiting_max: 0,
            requested: None,
            counts: SourceCounts::default(),
        }
    }
}

/// Counts of a source since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct SourceCounts {
    pub(in crate::engine) cells: u64,
    pub(in crate::engine) forward_rm: u64,
    pub(in crate::engine) backward_rm: u64,
    pub(in crate::engine) backward_rm_overwritten: u64,
    pub(in crate::engine) backward_rm_received: u64,
    pub(in crate::engine) pdus: u64,
    /// PDUs that lost a cell, at the host or on the way.
    pub(in crate::engine) damaged: u64,
    /// Cells of PDUs and of other VCs offered, and those that found no room.
    pub(in crate::engine) offered: u64,
    pub(in crate::engine) dropped: u64,
}

/// A cell that leaves.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Emission {
    Data {
        number: u32,
        /// Whether it is the last cell of a PDU.
        end: bool,
        /// Whether no other cell of its PDU waits, though its end may have been dropped.
        completes: bool,
        /// Whether queues may mark its packet.
        ecn_capable: bool,
    },
    ForwardRm(RmCell),
    /// A cell of another VC, at the hop that brought it here.
    Aggregate(Cell),
    /// A forward RM cell with CLP = 1.
    OutOfRate(RmCell),
    BackwardRm(RmCell),
}

impl Source {
    pub(in crate::engine) fn new(pace: Pace, first_hop: u32, start: Time) -> Self {
        let waiting = u64::from(matches!(pace, Pace::Process(_)));
        Self {
            pace,
            first_hop,
            number: 0,
            waiting,
            next: start,
            not_before: Time::ZERO,
            woken: 0,
            way: None,
            port: None,
            is_lazy: false,
            event_reach: EventReach::Departure,
            is_greedy: false,
            sends_frames: false,
            gfc: None,
            transit: Transit::default(),
            is_timed: false,
            cells: 0,
            queue: None,
        }
    }

    /// The queue of what it is given to send; created on first use.
    #[inline]
    fn queue(&mut self) -> &mut PduQueue {
        self.queue.get_or_insert_default()
    }

    /// Makes it the source of a tunnel VC.
    pub(in crate::engine) fn make_tunnel(&mut self) {
        self.queue().aggregate = Some(Aggregate::default());
    }

    /// Makes it send frames.
    pub(in crate::engine) fn send_frames(&mut self) {
        self.sends_frames = true;
    }

    /// Makes it greedy: from `start` on there is always something to send.
    pub(in crate::engine) fn be_greedy(&mut self, start: Time) {
        self.is_greedy = true;
        self.next = start;
        self.waiting = 1;
    }

    /// Queues a cell of another VC, which finds `still` cells in their turn to leave beside the waiting ones; false if
    /// there is no room.
    pub(in crate::engine) fn admit(&mut self, cell: Cell, still: u64) -> bool {
        let waiting = self.waiting + still;
        let queue = self.queue();
        queue.counts.offered += 1;
        if let Some(aggregate) = &mut queue.aggregate
            && waiting < queue.buffer
        {
            aggregate.push(Train::single(cell, cell.is_event()));
            queue.waiting_max = queue.waiting_max.max(waiting + 1);
            self.waiting += 1;
            return true;
        }
        queue.counts.dropped += 1;
        false
    }

    /// The waiting cells of other VCs.
    pub(in crate::engine) fn aggregate(&self) -> impl Iterator<Item = Cell> {
        let queue = self.queue.iter();
        let aggregate = queue.flat_map(|queue| &queue.aggregate);
        aggregate.flat_map(Aggregate::cells)
    }

    /// Limits the number of waiting cells.
    pub(in crate::engine) fn limit(&mut self, buffer: u64, drop: SourceDrop) {
        if buffer < u64::MAX {
            let queue = self.queue();
            (queue.buffer, queue.drop) = (buffer, drop);
        }
    }

    /// Queues as many cells of a PDU as find room; returns whether all did. `octets`, those of its IP packet, are asked for only
    /// where it is a frame.
    pub(in crate::engine) fn push(&mut self, pdu: Pdu, octets: impl FnOnce() -> u64) -> bool {
        let (waiting, sends_frames) = (self.waiting, self.sends_frames);
        let queue = self.queue();
        // Numbers of frames would no longer tell which of two came first.
        let room = if sends_frames && queue.pdus.len() >= MOST_FRAMES {
            0
        } else {
            queue.buffer.saturating_sub(waiting)
        };
        let kept = match queue.drop {
            _ if room >= u64::from(pdu.cells) => pdu.cells,
            SourceDrop::Cell => room as u32,
            SourceDrop::Segment => 0,
        };
        queue.counts.pdus += 1;
        queue.counts.offered += u64::from(pdu.cells);
        queue.counts.dropped += u64::from(pdu.cells - kept);
        queue.counts.damaged += u64::from(kept < pdu.cells);
        if kept == 0 {
            return false;
        }
        queue.next_last = if sends_frames {
            queue.frames = queue.frames.wrapping_add(1);
            frame_number(queue.frames, octets() as u32)
        } else {
            queue.next_last.wrapping_add(pdu.cells)
        };
        let waiting = waiting + u64::from(kept);
        queue.waiting_max = queue.waiting_max.max(waiting);
        queue.pdus.push_back(Pdu {
            last: queue.next_last,
            kept,
            is_damaged: kept < pdu.cells,
            ..pdu
        });
        self.waiting = waiting;
        kept == pdu.cells
    }

    /// Whether the waiting cells were given to it; false for a process or a greedy source.
    fn is_fed(&self) -> bool {
        !self.is_greedy && !matches!(self.pace, Pace::Process(_))
    }

    /// The number of waiting cells that were given to it.
    pub(in crate::engine) fn cells_waiting(&self) -> u64 {
        if self.is_fed() { self.waiting } else { 0 }
    }

    /// The most cells that waited since the last call.
    pub(in crate::engine) fn take_waiting_max(&mut self) -> u64 {
        let (is_fed, waiting) = (self.is_fed(), self.waiting);
        let queue = self.queue.as_mut().filter(|_| is_fed);
        queue.map_or(0, |queue| {
            std::mem::replace(&mut queue.waiting_max, waiting)
        })
    }

    /// Its counts since the start of the run.
    pub(in crate::engine) fn counts(&self) -> SourceCounts {
        let counts = self.queue.as_ref().map(|queue| queue.counts);
        SourceCounts {
            cells: self.cells,
            ..counts.unwrap_or_default()
        }
    }

    /// The number of PDUs that wait, entirely or in part.
    pub(in crate::engine) fn pdus_waiting(&self) -> usize {
        let queue = self.queue.as_ref();
        queue.map_or(0, |queue| queue.pdus.len() - queue.left)
    }

    /// When the next cell can leave; [`Time::NEVER`] while there is no cell.
    #[inline]
    pub(in crate::engine) fn deadline(&self) -> Time {
        let next = self.ready();
        self.gfc.as_ref().map_or(next, |held| next.max(held.until))
    }

    /// When the next cell could leave without GFC; [`Time::NEVER`] while there is no cell.
    #[inline]
    pub(in crate::engine) fn ready(&self) -> Time {
        match &self.pace {
            Pace::Ubr { .. } | Pace::Process(_) | Pace::Shaped(_) if self.waiting == 0 => {
                Time::NEVER
            }
            Pace::Ubr { .. } | Pace::Process(_) | Pace::Shaped(_) => self.next,
            Pace::Abr(source) => match source.next_deadline(self.waiting > 0) {
                // A greedy source does not send before it starts.
                Some(at) => at.max(self.next),
                None => source
                    .next_out_of_rate(self.waiting > 0)
                    .unwrap_or(Time::NEVER),
            },
        }
    }

    /// When the next cell leaves.
    #[inline]
    pub(in crate::engine) fn next_emission(&self) -> Time {
        self.deadline().max(self.not_before)
    }

    /// When the source acts next.
    #[inline]
    pub(in crate::engine) fn next_event(&self) -> Time {
        if self.is_lazy {
            self.next_event_cell()
        } else {
            self.deadline()
        }
    }

    /// Notes that something has changed at `now` that may let it send.
    pub(in crate::engine) fn wake(&mut self, now: Time) {
        self.not_before = self.not_before.max(now);
    }

    /// The number of the end system under generic flow control to which it belongs, if any.
    pub(in crate::engine) fn terminal(&self) -> Option<usize> {
        let held = self.gfc.as_deref()?;
        Some(held.terminal as usize)
    }
}

impl Room for Source {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        let Some(queue) = &mut self.queue else {
            return Ok(0);
        };
        Ok(queue.pdus.make_room()? + make_room_in(&mut queue.aggregate)?)
    }
}

#[cfg(test)]
mod tests;
