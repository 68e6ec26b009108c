//! Cells of processes, and cells that are taken before they arrive.

use celltrain_proto::units::Time;

use crate::engine::queue::priority::PriorityQueue;
use crate::engine::queue::served::Served;
use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;

impl PriorityQueue {
    /// [`PriorityQueue::offer`] for a cell of the first class that needs only room, in plain queues.
    #[inline]
    pub(in crate::engine) fn offer_first(
        &mut self,
        cell: Cell,
        served: &mut Served,
    ) -> Option<Time> {
        let at = cell.at;
        self.start_with(at, self.yields, served);
        if !self.has_room_first(at) {
            served.refuses(cell);
            return None;
        }
        self.area -= i128::from(at.as_ps());
        let departure = self.transmit(self.free.max(at), 0);
        self.note_most(at);
        Some(departure)
    }

    /// Whether the next cells of VC number `vc` are of the lower class of plain queues and need only room.
    #[inline]
    pub(in crate::engine) fn may_go_ahead(&self, vc: u32) -> bool {
        self.is_plain() && !self.is_of_first(vc) && self.needs_only_room(vc)
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

    /// Takes mid-PDU cells, of the lower class of plain queues, before they arrive. They must
    /// [need only room](PriorityQueue::may_go_ahead) and [have it](PriorityQueue::room_ahead). `yields` is whether a cell
    /// of the first class that arrives at the same instant as one of them goes first.
    #[inline]
    pub(in crate::engine) fn take_ahead(&mut self, train: Train, yields: bool) {
        self.yields = yields;
        let sum = u128::from(train.first.at.as_ps()) + u128::from(train.last().as_ps());
        self.area -= (sum * u128::from(train.count) / 2).cast_signed();
        self.wait(train, 1);
    }
}
