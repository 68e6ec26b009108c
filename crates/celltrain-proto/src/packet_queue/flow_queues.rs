//! A queue for each flow, served by DRR++ (RFC 8290, 4.2), each with queue management of its own if wanted.

use alloc::vec;
use alloc::vec::Vec;

use super::chain::{Chain, List};
use super::discipline::Discipline;
use super::hashing::Hashing;
use super::management::Management;
use super::packet::Packet;
use super::store::Store;
use crate::aqm::Verdict;
use crate::units::{Bytes, Time};

/// The most packets that are dropped together from the longest queue (RFC 8290, 4.1; `drop_batch` of Linux).
const DROPPED_TOGETHER: usize = 64;

/// What is dropped where there is no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Excess {
    /// Packets at the head of the longest queue.
    Longest,
    /// The packet that comes.
    Arriving,
}

/// The queue of the flows that are hashed into it.
#[derive(Clone, Debug)]
struct Queue<M> {
    packets: List,
    /// What is left of its turn, in octets; negative after a packet that was longer.
    deficit: i64,
    /// Whether it is in one of the lists.
    is_listed: bool,
    management: M,
}

/// Queues of flows.
#[derive(Clone, Debug)]
pub struct FlowQueues<T, M> {
    hashing: Hashing,
    quantum: i64,
    excess: Excess,
    store: Store<T>,
    queues: Vec<Queue<M>>,
    /// By queue: its octets. Beside the queues, because the longest is looked for where there are too many packets.
    octets: Vec<u64>,
    turns: Chain,
    /// The queues that have just become active, and the others that are, in the order of their turns.
    new: List,
    old: List,
}

impl<T, M> FlowQueues<T, M> {
    /// Empty queues, each with management that `manage` makes.
    pub(super) fn new(
        hashing: Hashing,
        quantum: Bytes,
        excess: Excess,
        mut manage: impl FnMut() -> M,
    ) -> Self {
        let count = hashing.queues();
        let queue = |_| Queue {
            packets: List::EMPTY,
            deficit: 0,
            is_listed: false,
            management: manage(),
        };
        Self {
            queues: (0..count).map(queue).collect(),
            octets: vec![0; count as usize],
            turns: Chain::new(count),
            hashing,
            quantum: quantum.0.cast_signed(),
            excess,
            store: Store::default(),
            new: List::EMPTY,
            old: List::EMPTY,
        }
    }

    /// Takes the first packet out of a queue.
    fn pop(&mut self, number: u32) -> Option<Packet<T>> {
        let packet = self.store.pop(&mut self.queues[number as usize].packets)?;
        self.octets[number as usize] -= packet.octets.0;
        Some(packet)
    }
}

impl<T, M: Management> FlowQueues<T, M> {
    /// Takes the next packet out of a queue, after those that its management drops.
    fn take(
        &mut self,
        number: u32,
        now: Time,
        drop: &mut impl FnMut(Packet<T>),
    ) -> Option<Packet<T>> {
        loop {
            let mut packet = self.pop(number)?;
            let backlog = Bytes(self.octets[number as usize]);
            let management = &mut self.queues[number as usize].management;
            let sojourn = now - packet.arrived;
            match management.on_departure(now, sojourn, backlog, packet.ecn_capable) {
                Verdict::Drop => drop(packet),
                verdict => {
                    packet.is_marked |= verdict == Verdict::Mark;
                    return Some(packet);
                }
            }
        }
    }
}

impl<T, M: Management> Discipline<T> for FlowQueues<T, M> {
    fn enqueue(&mut self, mut packet: Packet<T>, has_room: bool, mut drop: impl FnMut(Packet<T>)) {
        if !has_room && self.excess == Excess::Arriving {
            return drop(packet);
        }
        let number = self.hashing.queue_of(packet.label.flow);
        let queue = &mut self.queues[number as usize];
        let octets = &mut self.octets[number as usize];
        match queue.management.on_arrival(packet.arrived, Bytes(*octets)) {
            Verdict::Pass => {}
            Verdict::Mark if packet.ecn_capable => packet.is_marked = true,
            Verdict::Mark | Verdict::Drop => return drop(packet),
        }
        *octets += packet.octets.0;
        self.store.push(&mut queue.packets, packet);
        if !queue.is_listed {
            queue.is_listed = true;
            queue.deficit = self.quantum;
            self.turns.push_back(&mut self.new, number);
        }
    }

    fn dequeue(&mut self, now: Time, mut drop: impl FnMut(Packet<T>)) -> Option<Packet<T>> {
        loop {
            let is_new = !self.new.is_empty();
            let turns = if is_new { self.new } else { self.old };
            let number = turns.first()?;
            let next = &mut self.queues[number as usize];
            if next.deficit <= 0 {
                next.deficit += self.quantum;
                if is_new {
                    self.turns.move_first(&mut self.new, &mut self.old);
                } else {
                    self.turns.rotate(&mut self.old);
                }
                continue;
            }
            if let Some(packet) = self.take(number, now, &mut drop) {
                let served = &mut self.queues[number as usize];
                served.deficit -= packet.octets.0.cast_signed();
                return Some(packet);
            }
            // A flow of single packets would otherwise be new again and again, and starve the others.
            if is_new && !self.old.is_empty() {
                self.turns.move_first(&mut self.new, &mut self.old);
                continue;
            }
            let turns = if is_new { &mut self.new } else { &mut self.old };
            self.turns.pop_front(turns);
            self.queues[number as usize].is_listed = false;
        }
    }

    fn drop_some(&mut self, _: Time, mut drop: impl FnMut(Packet<T>)) {
        if self.excess == Excess::Arriving {
            return;
        }
        let all = self.octets.iter().enumerate();
        let Some((longest, &octets)) = all.max_by_key(|(_, octets)| **octets) else {
            return;
        };
        let enough = octets / 2;
        let mut dropped = 0;
        for _ in 0..DROPPED_TOGETHER {
            let Some(packet) = self.pop(longest as u32) else {
                break;
            };
            dropped += packet.octets.0;
            drop(packet);
            if dropped >= enough {
                break;
            }
        }
    }

    fn store(&self) -> &Store<T> {
        &self.store
    }
}

#[cfg(test)]
mod tests;
