//! A queue that does more than FIFO service and tail drop: classes and fair shares, frame discard, active queue
//! management, credits.
//!
//! The next cell is chosen when its transmission starts, which is never interrupted; until then it waits in the queue of
//! its class or VC. While cells wait, their `at` is their arrival.

use std::collections::VecDeque;

use celltrain_proto::aqm::{Aqm, QueueManager, Verdict};
use celltrain_proto::discard::{Arriving, Discard, QueueView};
use celltrain_proto::flow::credit;
use celltrain_proto::schedule::{Scheduler, ServiceOrder};
use celltrain_proto::units::{Bytes, CELL_OCTETS, Cells, Span, Time};

use crate::engine::queue::frames::Frames;
use crate::engine::queue::priority::{MOST_CLASSES, PriorityQueue, PriorityVc};
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::loss_cause::LossCause;

mod push_out;
mod service;
mod updates;

/// The backlog, one packet of 1500 octets, below which queue management never drops.
pub(in crate::engine) const ONE_PACKET: Cells = Cells(32);
/// Its octets on the line.
const ONE_PACKET_OCTETS: Bytes = octets_of(ONE_PACKET.0);

/// The octets on the line of so many cells.
const fn octets_of(cells: u64) -> Bytes {
    Bytes(cells * CELL_OCTETS)
}

/// A direction of a VC at this queue.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about two frames, the one arriving and the one leaving"
)]
pub(in crate::engine) struct PortVc {
    /// The queue that its cells join.
    pub(in crate::engine) queue: u32,
    /// Whether its cells form AAL5 frames.
    pub(in crate::engine) is_framed: bool,
    /// Its credits, on a link with credit flow control.
    pub(in crate::engine) credit: Option<credit::Sender>,
    /// Cells in the queue, the one in transmission included.
    cells: u32,
    /// Whether the next cell to arrive starts a frame, and the verdict of queue management on the present frame.
    comes_at_start: bool,
    verdict: Verdict,
    /// Whether the next cell to be served starts a frame.
    at_start: bool,
    /// Whether the rest of the frame being served is dropped.
    drops_frame: bool,
    /// The number of data cells dropped after they were admitted.
    pub(in crate::engine) dropped: u64,
}

impl PortVc {
    pub(in crate::engine) fn new(
        queue: u32,
        is_framed: bool,
        credit: Option<credit::Sender>,
    ) -> Self {
        Self {
            queue,
            is_framed,
            credit,
            cells: 0,
            comes_at_start: true,
            verdict: Verdict::Pass,
            at_start: true,
            drops_frame: false,
            dropped: 0,
        }
    }

    fn may_send(&self) -> bool {
        self.credit.as_ref().is_none_or(credit::Sender::may_send)
    }
}

/// A waiting cell and the VC's number at this port.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    cell: Cell,
    vc: u32,
}

/// One of the queues in front of a line.
#[derive(Clone, Debug, Default)]
struct ClassQueue {
    waiting: VecDeque<Waiting>,
    /// The number of cells, the one in transmission included.
    cells: u32,
    /// The number of VCs that have cells in it.
    active_vcs: u32,
}

/// The queues in front of a line.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Managed {
    order: Scheduler,
    queues: Vec<ClassQueue>,
    /// The most cells in each queue, or in all together if the VCs share the buffer.
    buffers: Buffers,
    vcs: Vec<PortVc>,
    discard: Discard,
    aqm: Option<Aqm>,
    /// Whether a data cell that finds no room pushes out a waiting frame.
    pushes_out: bool,
    /// Whether every cell that finds room is admitted.
    takes_all: bool,
    /// Whether every waiting cell may be sent, in the order of the queues.
    sends_all: bool,
    /// A bit for each queue with waiting cells; used only with at most 64 queues.
    waiting: u64,
    in_service: Option<Waiting>,
    /// The number of cells in all queues, the one in transmission included; then the number of VCs with cells there.
    cells: u32,
    active_vcs: u32,
    /// Credits on their way to this queue, in order of arrival.
    credits: VecDeque<(Time, u32, u32)>,
}

/// How the buffer is divided.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Buffers {
    /// The most cells for each queue.
    Each(Vec<u32>),
    /// The most cells in all queues together.
    Shared(u32),
}

/// A cell that has left a queue, and its VC.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Departing {
    pub(in crate::engine) cell: Cell,
    pub(in crate::engine) vc: u32,
}

impl Managed {
    pub(in crate::engine) fn new(
        order: Scheduler,
        buffers: Buffers,
        vcs: Vec<PortVc>,
        discard: Discard,
        aqm: Option<Aqm>,
    ) -> Self {
        let queues = vcs.iter().map(|vc| vc.queue as usize + 1).max();
        let pushes_out = discard.pushes_out();
        let sends_all = aqm.is_none()
            && !pushes_out
            && order.is_by_number()
            && vcs
                .iter()
                .all(|vc| vc.credit.is_none() && vc.queue < u64::BITS);
        Self {
            takes_all: discard.takes_all() && aqm.is_none(),
            sends_all,
            pushes_out,
            waiting: 0,
            order,
            queues: (0..queues.unwrap_or(1))
                .map(|_| ClassQueue::default())
                .collect(),
            buffers,
            vcs,
            discard,
            aqm,
            in_service: None,
            cells: 0,
            active_vcs: 0,
            credits: VecDeque::new(),
        }
    }

    /// The buffer and the discard policy, if the queue is a FIFO: all VCs join one queue, the one that the algorithm
    /// observes, and the policy decides at the start of a frame. The policy is `None` if every cell that finds room is
    /// admitted. The queue must be empty.
    pub(in crate::engine) fn single(
        &self,
        controlled: Option<u32>,
    ) -> Option<(u32, Option<Frames>)> {
        let joined = self.vcs.first().map_or(0, |vc| vc.queue);
        // Queue management may drop a cell after its wait, and a policy may push one out: their departures would have been
        // known, wrongly.
        let is_more = self.aqm.is_some()
            || self.pushes_out
            // When a credit arrives is not known here.
            || self.takes_credits()
            // Under fair shares, and between several queues, a later cell may go first.
            || !self.order.is_by_number()
            || self.vcs.iter().any(|vc| vc.queue != joined)
            // The algorithm observes an empty queue, and would be shown this one.
            || controlled.is_some_and(|controlled| controlled != joined);
        if is_more {
            return None;
        }
        let buffer = match &self.buffers {
            Buffers::Each(buffers) => buffers[joined as usize],
            Buffers::Shared(buffer) => *buffer,
        };
        if self.takes_all {
            return Some((buffer, None));
        }
        let is_framed = self.vcs.iter().map(|vc| vc.is_framed).collect();
        let frames = Frames::new(&self.discard, buffer, is_framed)?;
        Some((buffer, Some(frames)))
    }

    /// The strict-priority queue for a line of constant rate that transmits a cell in `cell_time`, if this queue only
    /// serves classes. It must be empty.
    pub(in crate::engine) fn priority(&self, cell_time: Span) -> Option<PriorityQueue> {
        // As for a FIFO, the departure of a cell of the first class must be certain when it arrives.
        let is_more = self.aqm.is_some()
            || self.takes_credits()
            || self.pushes_out
            || !self.order.is_by_number()
            // It counts cells by class, not by VC, and has a bit for each class.
            || self.discard.needs_vc_counts()
            || self.queues.len() > MOST_CLASSES;
        let buffers = match &self.buffers {
            Buffers::Each(buffers) => buffers.clone(),
            Buffers::Shared(buffer) if self.queues.len() == 1 => vec![*buffer],
            // Room in one class would depend on the cells of others, which leave later than is known.
            Buffers::Shared(_) => return None,
        };
        let vc = |vc: &PortVc| PriorityVc {
            class: vc.queue,
            is_framed: vc.is_framed,
        };
        let discard = (!self.takes_all).then(|| self.discard.clone());
        let vcs = self.vcs.iter().map(vc).collect();
        (!is_more).then(|| PriorityQueue::new(cell_time, &buffers, vcs, discard))
    }

    /// The number of cells in all queues, the one in transmission included.
    pub(in crate::engine) fn queued(&self) -> u32 {
        self.cells
    }

    /// The queue that `vc` joins.
    pub(in crate::engine) fn queue_of(&self, vc: u32) -> u32 {
        self.vcs[vc as usize].queue
    }

    /// The number of cells in queue number `queue`, the one in transmission included; zero if there is no such queue.
    pub(in crate::engine) fn queued_in(&self, queue: u32) -> u32 {
        self.queues
            .get(queue as usize)
            .map_or(0, |queue| queue.cells)
    }

    /// Whether a cell is being transmitted.
    pub(in crate::engine) fn is_serving(&self) -> bool {
        self.in_service.is_some()
    }

    /// Whether cells can be dropped after they were admitted.
    pub(in crate::engine) fn drops_late(&self) -> bool {
        self.aqm.is_some() || self.pushes_out
    }

    /// Whether its VCs need credits to send.
    pub(in crate::engine) fn takes_credits(&self) -> bool {
        self.vcs.iter().any(|vc| vc.credit.is_some())
    }

    /// The number of data cells of `vc` dropped after they were admitted.
    pub(in crate::engine) fn dropped(&self, vc: u32) -> u64 {
        self.vcs[vc as usize].dropped
    }

    /// All cells in the queues, in arbitrary order.
    pub(in crate::engine) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let waiting = self.queues.iter().flat_map(|queue| &queue.waiting);
        waiting.chain(&self.in_service).map(|waiting| waiting.cell)
    }

    /// Takes a cell of `vc` that arrives at `now`; false if it is dropped. `forgotten` is called with each cell that is
    /// dropped in its place.
    #[inline]
    pub(in crate::engine) fn enqueue(
        &mut self,
        now: Time,
        mut cell: Cell,
        vc: u32,
        forgotten: impl FnMut(Cell),
    ) -> bool {
        let mut victim = None;
        let is_admitted = if self.takes_all {
            self.has_room(vc)
        } else {
            if self.pushes_out && self.is_data(&cell, vc) && !self.has_room(vc) {
                victim = self.first_frame(vc);
            }
            self.admits(now, &mut cell, vc, victim.is_some())
        };
        if !is_admitted {
            return false;
        }
        cell.at = now;
        let port_vc = &mut self.vcs[vc as usize];
        let queue = &mut self.queues[port_vc.queue as usize];
        if port_vc.cells == 0 {
            queue.active_vcs += 1;
            self.active_vcs += 1;
        }
        if queue.waiting.is_empty() {
            self.order.on_arrival(port_vc.queue);
        }
        port_vc.cells += 1;
        queue.cells += 1;
        self.cells += 1;
        queue.waiting.push_back(Waiting { cell, vc });
        self.waiting |= 1_u64.checked_shl(port_vc.queue).unwrap_or(0);
        // Only now, because a queue that becomes empty loses its turn in fair queueing.
        if let Some(victim) = victim {
            self.push_out(&victim, forgotten);
        }
        true
    }

    /// Whether a cell of `vc` carries part of an AAL5 frame.
    fn is_data(&self, cell: &Cell, vc: u32) -> bool {
        self.vcs[vc as usize].is_framed && cell.kind() == Kind::Data
    }

    /// Whether there is room for a cell of `vc`.
    #[inline]
    fn has_room(&self, vc: u32) -> bool {
        let queue = self.vcs[vc as usize].queue as usize;
        match &self.buffers {
            Buffers::Each(buffers) => self.queues[queue].cells < buffers[queue],
            Buffers::Shared(buffer) => self.cells < *buffer,
        }
    }

    /// Why a cell of `vc` has just been refused.
    pub(in crate::engine) fn refusal(&self, vc: u32) -> LossCause {
        if !self.has_room(vc) {
            LossCause::QueueFull
        } else if self.aqm.is_some() {
            LossCause::QueueManagement
        } else {
            LossCause::EarlyDiscard
        }
    }

    /// `makes_room`: a frame leaves if the cell is admitted.
    #[inline(never)]
    fn admits(&mut self, now: Time, cell: &mut Cell, vc: u32, makes_room: bool) -> bool {
        let port_vc = &self.vcs[vc as usize];
        let queue = &self.queues[port_vc.queue as usize];
        let (queued, buffer) = match &self.buffers {
            Buffers::Each(buffers) => (queue.cells, buffers[port_vc.queue as usize]),
            Buffers::Shared(buffer) => (self.cells, *buffer),
        };
        let active_vcs = match &self.buffers {
            Buffers::Each(_) => queue.active_vcs,
            Buffers::Shared(_) => self.active_vcs,
        };
        let is_data = self.is_data(cell, vc);
        let arriving = Arriving {
            is_data,
            is_end: cell.is_end(),
            clp: cell.clp(),
        };
        let view = QueueView {
            queued: queued - u32::from(makes_room),
            buffer,
            of_vc: port_vc.cells,
            active_vcs,
        };
        if let Some(aqm) = self.aqm.as_mut().filter(|_| is_data) {
            // BLUE raises its probability for losses that it did not decide.
            if queued >= buffer {
                aqm.on_overflow(now);
            }
            let vc = &mut self.vcs[vc as usize];
            // Packets are judged, not cells: a verdict at each cell would damage most packets at a small probability.
            if vc.comes_at_start {
                vc.verdict = aqm.on_arrival(now, octets_of(queued.into()), ONE_PACKET_OCTETS);
            }
            vc.comes_at_start = cell.is_end();
            match vc.verdict {
                Verdict::Pass => {}
                Verdict::Mark if cell.ecn_capable() => cell.set_congestion_experienced(),
                Verdict::Mark | Verdict::Drop => return false,
            }
        }
        self.discard.admits(now, vc, arriving, &view)
    }
}
