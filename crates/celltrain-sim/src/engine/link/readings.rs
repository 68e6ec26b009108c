//! Readings of a link: its queue, and what has left it.

use celltrain_proto::switch::PortState;
use celltrain_proto::units::{Cells, Rate, Time};

use crate::engine::link::Link;
use crate::engine::link::line::Reading;
use crate::engine::queue::Queue;
use crate::engine::queue::gauge::GaugeBatch;
use crate::engine::queue::octets::OctetCounts;
use crate::engine::state::room::{Exhausted, Room, make_room_in};
use crate::engine::state::train::Train;

impl Link {
    /// The number of cells in the queue that the algorithm observes.
    pub(in crate::engine) fn controlled(&self) -> u32 {
        let control = self.line.as_ref().and_then(|line| line.control.as_ref());
        self.queued_in(control.and_then(|control| control.queue))
    }

    /// The number of cells in one of several queues, or in all.
    pub(in crate::engine) fn queued_in(&self, queue: Option<u32>) -> u32 {
        match (queue, self.priority(), self.managed()) {
            (_, Some(priority), _) => priority.controlled(queue),
            (Some(queue), None, Some(managed)) => managed.queued_in(queue),
            _ => self.queued(),
        }
    }

    /// The statistics of that queue since the last call, up to `now`.
    pub(in crate::engine) fn take_part(&mut self, now: Time) -> Option<GaugeBatch> {
        Some(self.line.as_mut()?.gauge.as_mut()?.take(now))
    }

    /// The state of the queue and the line, as an algorithm sees it.
    pub(in crate::engine) fn state(&self) -> PortState {
        let rate = self.line.as_ref().map_or(Rate::ZERO, |line| line.rate);
        PortState {
            queue: Cells(u64::from(self.controlled())),
            rate,
        }
    }

    /// All cells, and whether those of each train are still in the queue. Trains are counted as they are, because queues
    /// can be long.
    pub(in crate::engine) fn trains(&self) -> impl Iterator<Item = (Train, bool)> + '_ {
        let queue = self.line.as_ref().map(|line| &line.queue);
        let waiting = queue.into_iter().flat_map(Queue::trains);
        // A cell whose departure is known in advance may still be in the queue.
        let until = queue.and_then(Queue::foreseen_until);
        let departed = until.map_or(Time::NEVER, |now| now.saturating_add(self.path.delay));
        let ring = self.ring.iter();
        let ring = ring.map(move |(cell, is_queued)| {
            let train = Train::single(cell, cell.is_event());
            (train, is_queued || cell.at > departed)
        });
        ring.chain(waiting.map(|train| (train, true)))
    }

    /// Data cells of VC number `vc` that were dropped after they had waited.
    pub(in crate::engine) fn dropped(&self, vc: u32) -> u64 {
        match self.line.as_ref().map(|line| &line.queue) {
            Some(Queue::Managed(managed)) => managed.dropped(vc),
            Some(Queue::Flows(flows)) => flows.dropped(vc),
            _ => 0,
        }
    }

    /// The meter at `now`; the link must have been advanced to `now`.
    pub(in crate::engine) fn read(&self, now: Time) -> Reading {
        let Some(line) = &self.line else {
            return Reading::default();
        };
        let meter = &line.meter;
        let capacity = meter.capacity + line.rate.bits_in(now - meter.rate_since);
        if let Some((departed, area)) = line.queue.counted() {
            return Reading {
                departed,
                area,
                capacity,
            };
        }
        Reading {
            departed: meter.departed,
            area: meter.area + i128::from(self.queued()) * i128::from(now.as_ps()),
            capacity,
        }
    }

    /// The octets on the line in the queue.
    pub(in crate::engine) fn queued_octets(&self) -> u64 {
        let (queued, line) = (self.queued(), self.line.as_ref());
        line.map_or(0, |line| line.queue.queued_octets(queued))
    }

    /// What it has counted in octets up to `now`, to which it must have been advanced, if it carries frames.
    pub(in crate::engine) fn read_octets(&mut self, now: Time) -> Option<OctetCounts> {
        self.line.as_mut()?.queue.read_octets(now)
    }

    /// Whether each octet that came is accounted for, if it carries frames.
    pub(in crate::engine) fn is_balanced(&self) -> bool {
        let Some(line) = &self.line else { return true };
        let waiting = self.ring.iter().filter(|(_, is_queued)| *is_queued);
        line.queue.is_balanced(waiting.map(|(frame, _)| frame))
    }

    /// The largest queue since the last call.
    pub(in crate::engine) fn take_maximum(&mut self) -> u32 {
        let queued = self.queued();
        let Some(line) = &mut self.line else { return 0 };
        if let Some(most) = line.queue.take_maximum() {
            return most;
        }
        std::mem::replace(&mut line.meter.queue_max, queued)
    }
}

impl Room for Link {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        let queue = self.line.as_mut().map(|line| &mut line.queue);
        Ok(self.ring.make_room()? + make_room_in(queue)?)
    }
}
