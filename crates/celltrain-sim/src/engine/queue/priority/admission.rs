//! Whether an arriving cell is admitted, and when it leaves.

use celltrain_proto::discard::{Arriving, QueueView};
use celltrain_proto::units::Time;

use crate::engine::queue::discipline::Admission;
use crate::engine::queue::priority::{PriorityQueue, PriorityVc};
use crate::engine::queue::served::Served;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::train::Train;

impl PriorityQueue {
    /// Takes a mid-PDU cell of VC number `vc` that arrives at its `at`.
    #[inline]
    pub(in crate::engine) fn take(&mut self, cell: Cell, vc: u32, served: &mut Served) {
        self.start(cell.at, served);
        let class = self.vcs[vc as usize].class;
        // The policy need not learn of a cell in the middle of an admitted frame that finds room.
        if class > 0 && self.needs_only_room(vc) && self.has_room_in_lower(cell.at, class) {
            if let Admission::Leaves(departure) = self.admit(cell, class, false) {
                served.leaves(cell, departure, false, self.cell_time);
            }
        } else if let Some(departure) = self.offer(cell, vc, false, served) {
            served.leaves(cell, departure, false, self.cell_time);
        }
    }

    /// Takes an event cell of VC number `vc` that arrives at its `at`.
    pub(in crate::engine) fn take_event_cell(&mut self, cell: Cell, vc: u32, served: &mut Served) {
        if let Some(departure) = self.offer(cell, vc, true, served) {
            served.leaves(cell, departure, true, self.cell_time);
        }
    }

    /// Takes a cell of VC number `vc` that arrives at its `at`; returns its departure instead of reporting it, if that is
    /// known.
    pub(in crate::engine) fn offer(
        &mut self,
        cell: Cell,
        vc: u32,
        is_event: bool,
        served: &mut Served,
    ) -> Option<Time> {
        self.start(cell.at, served);
        match self.accept(cell, vc, is_event) {
            Admission::Leaves(departure) => Some(departure),
            Admission::Waits => None,
            Admission::Refused => {
                served.refuses(cell);
                None
            }
        }
    }

    /// Offers a cell of VC number `vc` that arrives at its `at`. All transmissions that start by then must have been
    /// started.
    #[inline]
    pub(in crate::engine) fn accept(&mut self, cell: Cell, vc: u32, is_event: bool) -> Admission {
        let class = self.vcs[vc as usize].class;
        let is_admitted = if self.discard.is_some() {
            self.admits(cell, vc)
        } else {
            match class {
                0 => self.has_room_first(cell.at),
                class => self.has_room_in_lower(cell.at, class),
            }
        };
        if is_admitted {
            self.admit(cell, class, is_event)
        } else {
            Admission::Refused
        }
    }

    /// Admits a cell to class number `class`.
    #[inline]
    fn admit(&mut self, cell: Cell, class: u32, is_event: bool) -> Admission {
        self.area -= i128::from(cell.at.as_ps());
        // Nothing that arrives later goes before a cell of the first class, nor before one whose transmission starts now.
        let taken = if class == 0 || self.free <= cell.at {
            Admission::Leaves(self.transmit_at_once(self.free.max(cell.at), class))
        } else {
            self.wait(Train::single(cell, is_event), class);
            Admission::Waits
        };
        self.note_most(cell.at);
        taken
    }

    /// Whether cells of VC number `vc` may be refused although there is room.
    pub(super) fn judges(&self, vc: u32) -> bool {
        self.discard.is_some() && self.vcs[vc as usize].is_framed
    }

    /// Whether the next mid-PDU cell of VC number `vc` needs only room.
    #[inline]
    pub(super) fn needs_only_room(&self, vc: u32) -> bool {
        let discard = self.discard.as_ref().filter(|_| self.judges(vc));
        self.judges_frames && discard.is_none_or(|discard| discard.admits_rest(vc))
    }

    /// Whether one more cell of the first class finds room at `at`.
    #[inline]
    pub(super) fn has_room_first(&self, at: Time) -> bool {
        // Its cells leave one cell time apart after the lower-class cell in transmission.
        self.free.saturating_since(self.lower_free.max(at)) <= self.limit
    }

    /// Whether one more cell of a lower class finds room at `at`.
    #[inline]
    fn has_room_in_lower(&self, at: Time, class: u32) -> bool {
        self.queued_in_lower(at, class) < self.lower[class as usize - 1].buffer
    }

    #[inline(never)]
    fn admits(&mut self, cell: Cell, vc: u32) -> bool {
        let PriorityVc { class, is_framed } = self.vcs[vc as usize];
        let is_empty = self.waiting == 0 && self.free <= cell.at;
        let queued = self.queued_at_in(cell.at, class);
        let buffer = match class {
            0 => self.limit.div_floor(self.cell_time) as u32 + 1,
            class => self.lower[class as usize - 1].buffer,
        };
        let Some(discard) = &mut self.discard else {
            return true;
        };
        // No event marks the end of a queue, but RED's mean decays from there on: it is told at the next arrival.
        if is_empty && !self.knows_empty {
            discard.on_empty(self.free);
        }
        let view = QueueView {
            queued,
            buffer,
            of_vc: 0,
            active_vcs: 0,
        };
        let arriving = Arriving {
            is_data: is_framed && cell.kind() == Kind::Data,
            is_end: cell.is_end(),
            clp: cell.clp(),
        };
        let is_admitted = discard.admits(cell.at, vc, arriving, &view);
        self.knows_empty = is_empty && !is_admitted;
        is_admitted
    }
}
