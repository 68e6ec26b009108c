//! Chooses the next cell of a managed queue to send, and drops cells before it.

use celltrain_proto::aqm::{QueueManager, Verdict};
use celltrain_proto::schedule::ServiceOrder;
use celltrain_proto::units::Time;

use crate::engine::queue::managed::{Departing, Managed, ONE_PACKET_OCTETS, Waiting, octets_of};
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::room::{Exhausted, Room, make_room_in};

impl Managed {
    /// Chooses the cell whose transmission starts at `now`; false if none may be sent. Calls `forgotten` for each cell
    /// dropped instead.
    #[inline]
    pub(in crate::engine) fn start(&mut self, now: Time, mut forgotten: impl FnMut(Cell)) -> bool {
        // Without credits, management and shares the first cell of the first queue goes; nothing need be asked.
        if self.sends_all {
            self.in_service = self.take_first();
            return self.in_service.is_some();
        }
        while let Some(mut next) = self.take_next() {
            if !self.drops_late() || self.passes(now, &mut next) {
                if let Some(credit) = &mut self.vcs[next.vc as usize].credit {
                    credit.on_send();
                }
                self.in_service = Some(next);
                return true;
            }
            self.leave(next.vc);
            forgotten(next.cell);
        }
        false
    }

    /// Takes the first cell of the first queue that holds one.
    #[inline]
    pub(super) fn take_first(&mut self) -> Option<Waiting> {
        let first = self.waiting.trailing_zeros();
        let queue = &mut self.queues.get_mut(first as usize)?.waiting;
        let next = queue.pop_front();
        if queue.is_empty() {
            self.waiting &= self.waiting - 1;
        }
        next
    }

    /// Takes the next cell in the service order out of its queue; it still counts as queued.
    pub(super) fn take_next(&mut self) -> Option<Waiting> {
        let head = |queue: u32| self.queues.get(queue as usize)?.waiting.front();
        let ready = |head: &Waiting| self.vcs[head.vc as usize].may_send();
        let queue = self.order.next(|queue| head(queue).is_some_and(ready))?;
        let waiting = &mut self.queues[queue as usize].waiting;
        let next = waiting.pop_front();
        self.order.on_served(queue, !waiting.is_empty());
        next
    }

    /// Whether queue management lets the next cell pass. Tracks where the departing frame starts.
    pub(super) fn passes(&mut self, now: Time, next: &mut Waiting) -> bool {
        let vc = &mut self.vcs[next.vc as usize];
        if !vc.is_framed || next.cell.kind() != Kind::Data {
            return true;
        }
        // Packets are judged, not cells: what happens to the first one happens to the rest.
        if vc.at_start {
            vc.drops_frame = false;
            if let Some(aqm) = &mut self.aqm {
                let backlog = octets_of(self.cells.into());
                let sojourn = now - next.cell.at;
                match aqm.on_dequeue(now, sojourn, backlog, ONE_PACKET_OCTETS) {
                    Verdict::Pass => {}
                    Verdict::Mark if next.cell.ecn_capable() => {
                        next.cell.set_congestion_experienced();
                    }
                    Verdict::Mark | Verdict::Drop => vc.drops_frame = true,
                }
            }
        }
        vc.at_start = next.cell.is_end();
        vc.dropped += u64::from(vc.drops_frame);
        !vc.drops_frame
    }

    /// Removes a cell of `vc` from the counts of its queue.
    #[inline]
    pub(super) fn leave(&mut self, vc: u32) {
        let port_vc = &mut self.vcs[vc as usize];
        let queue = &mut self.queues[port_vc.queue as usize];
        port_vc.cells -= 1;
        queue.cells -= 1;
        self.cells -= 1;
        if port_vc.cells == 0 {
            queue.active_vcs -= 1;
            self.active_vcs -= 1;
        }
    }

    /// Removes the cell in transmission, which has left.
    #[inline]
    pub(in crate::engine) fn finish(&mut self, now: Time) -> Option<Departing> {
        let Waiting { cell, vc } = self.in_service.take()?;
        self.leave(vc);
        // The means of RED and the timers of queue management depend on how long the queue is empty.
        if self.cells == 0 {
            self.discard.on_empty(now);
            if let Some(aqm) = &mut self.aqm {
                aqm.on_empty(now);
            }
        }
        Some(Departing { cell, vc })
    }
}

impl Room for Managed {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        let waiting = self.queues.iter_mut().map(|queue| &mut queue.waiting);
        Ok(make_room_in(waiting)? + self.credits.make_room()?)
    }
}
