//! SFQ: flows that are hashed into buckets take turns of a quantum, and the one with the most packets loses where there are too many.
//!
//! ```text
//! a packet comes:  the last turn, if its bucket was empty;  dropped if its bucket holds `depth` packets, or if `flows` buckets
//!                  have packets and its own has none
//! too many wait:   the bucket with the most packets loses its last one, with `headdrop` its first
//! a turn:          packets while some of the quantum is left; a packet longer than that is owed
//! ```
//!
//! Source: P. `McKenney`, *Stochastic fairness queueing* (IEEE INFOCOM 1990), with the turns in octets of Shreedhar and Varghese
//! (SIGCOMM 1995), as `sfq` of Linux; keys and defaults are those of `tc-sfq(8)`. Of several buckets with the most packets
//! the one that came to that number last loses; if each has one, that whose turn it is. With `perturb` flows are hashed anew from
//! time to time, with the packets that wait: those that find no room in their new bucket are dropped. `limit` is the buffer of
//! the link. Left out: `redflowlimit` and what belongs to it.

use alloc::vec;
use alloc::vec::Vec;

use super::chain::{Chain, List, NONE};
use super::discipline::{Build, Discipline, Port};
use super::hashing::Hashing;
use super::packet::Packet;
use super::store::Store;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, Span, Time};

/// The most packets of a bucket (`tc-sfq(8)`).
const DEEPEST: u32 = 127;

parameters! {
    /// The parameters of SFQ.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct SfqParameters {
        /// The number of buckets into which flows are hashed.
        pub divisor: u32 = 1024, in Bounds::within(1, 65_536);
        /// The most buckets that can hold packets at once.
        pub flows: u32 = 127, in Bounds::within(1, 65_408);
        /// The most packets of a bucket.
        pub depth: u32 = DEEPEST, in Bounds::within(1, DEEPEST);
        /// Octets on the line in a turn.
        pub quantum: Bytes = Bytes(1_514), in Bounds::within(Bytes(1), Bytes(1 << 20));
        /// Whether the first packet of a bucket is dropped rather than its last.
        pub headdrop: bool = false;
        /// Time after which flows are hashed anew; zero: never.
        pub perturb: Span = Span::ZERO;
    }
}

impl Build for SfqParameters {
    type Queue<T> = Sfq<T>;

    fn queues(&self) -> u32 {
        self.flows + self.divisor / 16
    }

    fn build<T>(&self, mut port: Port) -> Sfq<T> {
        let hashing = Hashing::new(self.divisor, &mut port.stream);
        Sfq::new(self, hashing, port.stream)
    }
}

/// The packets of a bucket that has some.
#[derive(Clone, Copy, Debug)]
struct Slot {
    bucket: u32,
    packets: List,
    count: u32,
    /// What is left of its turn, in octets.
    allotment: i64,
}

/// SFQ.
#[derive(Clone, Debug)]
pub struct Sfq<T> {
    hashing: Hashing,
    stream: Stream,
    /// How often flows are hashed anew, and when next.
    perturb: Span,
    next_perturbation: Time,
    depth: u32,
    quantum: i64,
    drops_first: bool,
    store: Store<T>,
    /// By bucket: its slot, or none.
    buckets: Vec<u32>,
    slots: Vec<Slot>,
    turns: Chain,
    free: List,
    /// The slots with packets, in the order of their turns.
    active: List,
    by_count: Chain,
    /// By number of packets: the slots that have so many, the one that came to it last first.
    having: Vec<List>,
    /// The most packets of a slot.
    most: u32,
}

impl<T> Sfq<T> {
    fn new(parameters: &SfqParameters, hashing: Hashing, stream: Stream) -> Self {
        let slot = Slot {
            bucket: NONE,
            packets: List::EMPTY,
            count: 0,
            allotment: 0,
        };
        let mut turns = Chain::new(parameters.flows);
        Self {
            hashing,
            stream,
            perturb: parameters.perturb,
            next_perturbation: match parameters.perturb {
                Span::ZERO => Time::NEVER,
                every => Time::ZERO.saturating_add(every),
            },
            depth: parameters.depth,
            quantum: parameters.quantum.0.cast_signed(),
            drops_first: parameters.headdrop,
            store: Store::default(),
            buckets: vec![NONE; parameters.divisor as usize],
            slots: vec![slot; parameters.flows as usize],
            free: turns.all(),
            turns,
            active: List::EMPTY,
            by_count: Chain::new(parameters.flows),
            having: vec![List::EMPTY; parameters.depth as usize + 1],
            most: 0,
        }
    }

    /// Hashes flows anew, if that is due.
    #[inline]
    fn perturb_if_due(&mut self, now: Time, drop: &mut impl FnMut(Packet<T>)) {
        if now >= self.next_perturbation {
            let times = 1 + (now - self.next_perturbation).div_floor(self.perturb);
            self.next_perturbation += self.perturb * times;
            self.perturb(drop);
        }
    }

    fn perturb(&mut self, drop: &mut impl FnMut(Packet<T>)) {
        self.hashing = Hashing::new(self.hashing.queues(), &mut self.stream);
        let mut waiting = Vec::new();
        for slot in 0..self.slots.len() as u32 {
            while self.slots[slot as usize].count > 0 {
                waiting.extend(self.take(slot, true));
            }
        }
        for packet in waiting {
            if let Some(lost) = self.put(packet) {
                drop(lost);
            }
        }
    }

    /// Puts a packet into its bucket; gives it back if it finds no room there.
    fn put(&mut self, packet: Packet<T>) -> Option<Packet<T>> {
        let bucket = self.hashing.queue_of(packet.label.flow);
        let Some(slot) = self.slot_of(bucket) else {
            return Some(packet);
        };
        let to = &mut self.slots[slot as usize];
        if to.count == self.depth {
            return Some(packet);
        }
        self.store.push(&mut to.packets, packet);
        let count = to.count + 1;
        self.count(slot, count);
        None
    }

    /// The slot of a bucket, a new one if the bucket is empty; none if all are taken.
    fn slot_of(&mut self, bucket: u32) -> Option<u32> {
        let slot = self.buckets[bucket as usize];
        if slot != NONE {
            return Some(slot);
        }
        let slot = self.turns.pop_front(&mut self.free)?;
        self.buckets[bucket as usize] = slot;
        let taken = &mut self.slots[slot as usize];
        taken.bucket = bucket;
        taken.allotment = self.quantum;
        self.turns.push_back(&mut self.active, slot);
        Some(slot)
    }

    /// What is dropped when this packet finds no room: itself, or the first of its bucket in its place.
    fn replace(&mut self, packet: Packet<T>) -> Packet<T> {
        let bucket = self.hashing.queue_of(packet.label.flow);
        let slot = self.buckets[bucket as usize];
        if !self.drops_first || slot == NONE {
            return packet;
        }
        let of = &mut self.slots[slot as usize].packets;
        match self.store.pop(of) {
            Some(first) => {
                self.store.push(of, packet);
                first
            }
            None => packet,
        }
    }

    /// Notes that a slot has another number of packets.
    fn count(&mut self, slot: u32, count: u32) {
        let before = core::mem::replace(&mut self.slots[slot as usize].count, count);
        if before > 0 {
            self.by_count
                .remove(&mut self.having[before as usize], slot);
        }
        if count > 0 {
            self.by_count
                .push_front(&mut self.having[count as usize], slot);
        }
        self.most = self.most.max(count);
        // It changes by one at a time.
        if self.having[self.most as usize].is_empty() {
            self.most = self.most.saturating_sub(1);
        }
    }

    /// Takes a packet out of a slot; the slot is free afterwards if that was the last one.
    fn take(&mut self, slot: u32, is_first: bool) -> Option<Packet<T>> {
        let from = &mut self.slots[slot as usize];
        let (bucket, left) = (from.bucket, from.count - 1);
        let packet = if is_first {
            self.store.pop(&mut from.packets)
        } else {
            self.store.pop_last(&mut from.packets)
        };
        self.count(slot, left);
        if left == 0 {
            self.buckets[bucket as usize] = NONE;
            self.turns.remove(&mut self.active, slot);
            self.turns.push_front(&mut self.free, slot);
        }
        packet
    }
}

impl<T> Discipline<T> for Sfq<T> {
    fn enqueue(&mut self, packet: Packet<T>, _: bool, mut drop: impl FnMut(Packet<T>)) {
        self.perturb_if_due(packet.arrived, &mut drop);
        if let Some(lost) = self.put(packet) {
            drop(self.replace(lost));
        }
    }

    fn dequeue(&mut self, now: Time, mut drop: impl FnMut(Packet<T>)) -> Option<Packet<T>> {
        self.perturb_if_due(now, &mut drop);
        loop {
            let slot = self.active.first()?;
            let next = &mut self.slots[slot as usize];
            if next.allotment <= 0 {
                next.allotment += self.quantum;
                self.turns.rotate(&mut self.active);
                continue;
            }
            let packet = self.take(slot, true)?;
            self.slots[slot as usize].allotment -= packet.octets.0.cast_signed();
            return Some(packet);
        }
    }

    fn drop_some(&mut self, _: Time, drop: impl FnMut(Packet<T>)) {
        let longest = if self.most > 1 {
            self.having[self.most as usize].first()
        } else {
            self.active.first()
        };
        let dropped = longest.and_then(|slot| self.take(slot, self.drops_first));
        dropped.into_iter().for_each(drop);
    }

    fn store(&self) -> &Store<T> {
        &self.store
    }
}

#[cfg(test)]
mod tests;
