//! Packets that tests know by their numbers.

use alloc::vec::Vec;

use super::{Label, Packet, PacketQueue, Parameters, Port};
use crate::random::Stream;
use crate::units::{Bytes, Rate, Span, Time};

/// A queue, and what it has dropped and marked.
pub(super) struct Bench {
    pub(super) queue: PacketQueue<u32>,
    next: u32,
    pub(super) dropped: Vec<u32>,
    pub(super) marked: Vec<u32>,
}

impl Bench {
    /// An empty queue in front of a line of 10 Mbit/s of Ethernet frames.
    pub(super) fn new(parameters: &Parameters) -> Self {
        parameters.check().expect("the parameters are valid");
        let port = Port {
            longest: Bytes(1_538),
            rate: Rate::kbps(10_000),
            stream: Stream::named(1, "queue"),
        };
        Self {
            queue: parameters.build(port),
            next: 0,
            dropped: Vec::new(),
            marked: Vec::new(),
        }
    }

    /// A packet of a flow comes and finds room; returns its number.
    pub(super) fn comes(&mut self, flow: u64, octets: u64, arrived: Time) -> u32 {
        let label = Label {
            flow,
            ..Label::default()
        };
        self.takes(label, octets, false, arrived, true)
    }

    /// A packet comes; returns its number.
    pub(super) fn takes(
        &mut self,
        label: Label,
        octets: u64,
        ecn_capable: bool,
        arrived: Time,
        has_room: bool,
    ) -> u32 {
        let item = self.next;
        self.next += 1;
        let packet = Packet {
            item,
            octets: Bytes(octets),
            label,
            ecn_capable,
            is_marked: false,
            arrived,
        };
        let dropped = &mut self.dropped;
        let drop = |packet: Packet<u32>| dropped.push(packet.item);
        self.queue.enqueue(packet, has_room, drop);
        item
    }

    /// The number of the next packet.
    pub(super) fn leaves(&mut self, now: Time) -> Option<u32> {
        let dropped = &mut self.dropped;
        let packet = self
            .queue
            .dequeue(now, |packet| dropped.push(packet.item))?;
        if packet.is_marked {
            self.marked.push(packet.item);
        }
        Some(packet.item)
    }

    /// The numbers of all packets that are left, as they leave at `now`.
    pub(super) fn all(&mut self, now: Time) -> Vec<u32> {
        core::iter::from_fn(|| self.leaves(now)).collect()
    }

    /// How many are dropped because there are too many.
    pub(super) fn drops_some(&mut self, now: Time) -> usize {
        let before = self.dropped.len();
        let dropped = &mut self.dropped;
        self.queue
            .drop_some(now, |packet| dropped.push(packet.item));
        self.dropped.len() - before
    }
}

/// Checks of a queue that is empty at 0 that a flow which becomes active goes before one that has packets already.
pub(super) fn a_call_goes_before_a_transfer(mut port: Bench) {
    const START: Time = Time::ZERO;
    for _ in 0..4 {
        port.comes(1, 1_500, START);
    }
    assert_eq!(port.leaves(START), Some(0));
    assert_eq!(port.leaves(START), Some(1));
    let call = port.comes(2, 200, START);
    assert_eq!(port.leaves(START), Some(call));
    assert_eq!(port.leaves(START), Some(2));
}

/// An instant.
pub(super) fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}
