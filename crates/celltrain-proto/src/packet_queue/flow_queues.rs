//! A queue for each flow, served by DRR++ (RFC 8290, 4.2), with a `CoDel` for each flow if wanted.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::packet::{Leaving, Packet};
use crate::aqm::{CoDel, CoDelParameters, Verdict};
use crate::random::{SplitMix64, Stream};
use crate::units::{Bytes, Time};

/// The most packets that are dropped together from the longest queue (RFC 8290, 4.1; `drop_batch` of Linux).
const DROPPED_TOGETHER: usize = 64;

/// In which queue the packets of a flow are.
#[derive(Clone, Debug)]
pub(super) struct Hashing {
    queues: u32,
    perturbation: u64,
}

impl Hashing {
    /// Hashes flows into so many queues.
    pub(super) fn new(queues: u32, mut stream: Stream) -> Self {
        Self {
            queues,
            perturbation: stream.uniform().to_bits(),
        }
    }

    fn queue_of(&self, flow: u64) -> usize {
        let hash = SplitMix64(flow ^ self.perturbation).word();
        // The high bits, scaled: no division.
        (((hash >> 32) * u64::from(self.queues)) >> 32) as usize
    }
}

/// The queue of the flows that are hashed into it.
#[derive(Clone, Debug)]
struct Queue<T> {
    packets: VecDeque<Packet<T>>,
    octets: u64,
    /// What is left of its turn, in octets; negative after a packet that was longer.
    deficit: i64,
    /// Whether it is in one of the lists.
    is_listed: bool,
    codel: Option<CoDel>,
}

impl<T> Queue<T> {
    fn pop(&mut self) -> Option<Packet<T>> {
        let packet = self.packets.pop_front()?;
        self.octets -= packet.octets.0;
        Some(packet)
    }
}

/// Queues of flows. Times never decrease from one call to the next.
#[derive(Clone, Debug)]
pub struct FlowQueues<T> {
    hashing: Hashing,
    quantum: i64,
    /// The octets of the longest packet: with at most so many waiting, a queue does not stand.
    longest: Bytes,
    queues: Vec<Queue<T>>,
    /// The queues that have just become active, and the others that are, in the order of their turns.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

impl<T> FlowQueues<T> {
    pub(super) fn new(hashing: Hashing, quantum: Bytes) -> Self {
        let queue = |_| Queue {
            packets: VecDeque::new(),
            octets: 0,
            deficit: 0,
            is_listed: false,
            codel: None,
        };
        Self {
            queues: (0..hashing.queues).map(queue).collect(),
            hashing,
            quantum: quantum.0.cast_signed(),
            longest: Bytes(0),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// These queues, each with a `CoDel`.
    pub(super) fn with_codel(mut self, codel: CoDelParameters, longest: Bytes) -> Self {
        self.longest = longest;
        for queue in &mut self.queues {
            queue.codel = Some(CoDel::new(codel));
        }
        self
    }

    /// Takes the next packet out of a queue, after those that its `CoDel` drops.
    fn take(
        &mut self,
        number: u32,
        now: Time,
        drop: &mut impl FnMut(Packet<T>),
    ) -> Option<Leaving<T>> {
        let queue = &mut self.queues[number as usize];
        loop {
            let packet = queue.pop()?;
            let verdict = queue.codel.as_mut().map_or(Verdict::Pass, |codel| {
                let sojourn = now - packet.arrived;
                let backlog = Bytes(queue.octets);
                codel.judge(now, sojourn, backlog > self.longest, packet.ecn_capable)
            });
            if verdict != Verdict::Drop {
                let is_marked = verdict == Verdict::Mark;
                return Some(Leaving { packet, is_marked });
            }
            drop(packet);
        }
    }
}

impl<T> FlowQueues<T> {
    /// Takes a packet that comes now.
    pub fn enqueue(&mut self, packet: Packet<T>) {
        let number = self.hashing.queue_of(packet.flow);
        let queue = &mut self.queues[number];
        queue.octets += packet.octets.0;
        queue.packets.push_back(packet);
        if !queue.is_listed {
            queue.is_listed = true;
            queue.deficit = self.quantum;
            self.new.push_back(number as u32);
        }
    }

    /// Takes out the packet that goes next at `now`; `drop` is called with each one that is dropped before it.
    pub fn dequeue(&mut self, now: Time, mut drop: impl FnMut(Packet<T>)) -> Option<Leaving<T>> {
        loop {
            let is_new = !self.new.is_empty();
            let turns = if is_new { &self.new } else { &self.old };
            let number = *turns.front()?;
            let next = &mut self.queues[number as usize];
            if next.deficit <= 0 {
                next.deficit += self.quantum;
                self.end_turn(is_new);
                self.old.push_back(number);
                continue;
            }
            if let Some(leaving) = self.take(number, now, &mut drop) {
                let served = &mut self.queues[number as usize];
                served.deficit -= leaving.packet.octets.0.cast_signed();
                return Some(leaving);
            }
            self.end_turn(is_new);
            // A flow of single packets would otherwise be new again and again, and starve the others.
            if is_new && !self.old.is_empty() {
                self.old.push_back(number);
            } else {
                self.queues[number as usize].is_listed = false;
            }
        }
    }

    /// Drops at least one packet, if there are any, because there are too many; `drop` is called with each.
    pub fn drop_some(&mut self, mut drop: impl FnMut(Packet<T>)) {
        let longest = self.queues.iter_mut().max_by_key(|queue| queue.octets);
        let Some(queue) = longest.filter(|queue| queue.octets > 0) else {
            return;
        };
        let enough = queue.octets / 2;
        let mut dropped = 0;
        for _ in 0..DROPPED_TOGETHER {
            let Some(packet) = queue.pop() else { break };
            dropped += packet.octets.0;
            drop(packet);
            if dropped >= enough {
                break;
            }
        }
    }

    /// All packets, in arbitrary order.
    pub fn packets(&self) -> impl Iterator<Item = &Packet<T>> {
        self.queues.iter().flat_map(|queue| &queue.packets)
    }

    /// Takes the first queue off its list.
    fn end_turn(&mut self, is_new: bool) {
        if is_new {
            self.new.pop_front();
        } else {
            self.old.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
