//! Cells of processes, and cells that are taken before they arrive.

use celltrain_proto::units::Time;

use crate::engine::queue::priority::{PriorityQueue, leave};
use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;

impl PriorityQueue {
    /// Takes a cell of the first class that arrives at `at`, in plain queues; returns its departure, or `None` if it
    /// finds no room.
    #[inline]
    pub(in crate::engine) fn take_first(
        &mut self,
        at: Time,
        started: &mut Vec<Train>,
    ) -> Option<Time> {
        self.start_with(at, self.yields, started);
        if !self.has_room_first(at) {
            return None;
        }
        self.area -= i128::from(at.as_ps());
        let departure = self.transmit(self.free.max(at), 0);
        self.note_most(at);
        Some(departure)
    }

    /// Takes a cell of VC number `vc`, of the lower class of plain queues, that [needs only
    /// room](PriorityQueue::needs_only_room); false if there is none.
    #[inline]
    pub(in crate::engine) fn take_lower(
        &mut self,
        cell: Cell,
        vc: u32,
        started: &mut Vec<Train>,
    ) -> bool {
        self.start(cell.at, started);
        if !self.has_room_in_lower(cell.at, 1) {
            // The rest of its frame may have to be refused, too.
            return self.discard.is_some() && self.admits(cell, vc);
        }
        self.area -= i128::from(cell.at.as_ps());
        if self.free <= cell.at {
            let departure = self.transmit_at_once(cell.at, 1);
            leave(cell, departure, false, self.cell_time, started);
        } else {
            self.wait(Train::single(cell, false), 1);
        }
        self.note_most(cell.at);
        true
    }

    /// How many of the next `count` cells of the lower class of plain queues can be taken before they arrive, if `others`
    /// of the first class arrive before the last of them. These are as many as find room in any case, and with which the
    /// queues do not exceed their maximum so far. The first of all these cells arrives at `at`.
    #[inline]
    pub(in crate::engine) fn room_ahead(&self, at: Time, count: u32, others: u64) -> u32 {
        let class = &self.lower[0];
        let room = class.buffer.saturating_sub(class.waiting + 1);
        let known = u64::from(self.queued_at(at)) + others;
        let short = u64::from(self.most).saturating_sub(known);
        count.min(room).min(short as u32)
    }

    /// Takes mid-PDU cells, of the lower class of plain queues, before they arrive. All of them must [need only
    /// room](PriorityQueue::needs_only_room) and [have it](PriorityQueue::room_ahead). `yields` is whether a cell of the
    /// first class that arrives at the same instant as one of them goes first.
    #[inline]
    pub(in crate::engine) fn take_ahead(&mut self, train: Train, yields: bool) {
        self.yields = yields;
        let sum = u128::from(train.first.at.as_ps()) + u128::from(train.last().as_ps());
        self.area -= (sum * u128::from(train.count) / 2).cast_signed();
        self.wait(train, 1);
    }
}
