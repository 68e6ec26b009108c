//! What every queue of packets can do, and how its parameters make it.

use super::packet::Packet;
use super::store::Store;
use crate::random::Stream;
use crate::units::{Bytes, Rate, Time};

/// A queue of packets. Times never decrease from one call to the next.
pub trait Discipline<T> {
    /// Takes a packet that comes now, when `has_room` says whether there is room for it; `drop` is called with each packet
    /// that is dropped, which may be this one. If there is none, [`Discipline::drop_some`] may have to follow.
    fn enqueue(&mut self, packet: Packet<T>, has_room: bool, drop: impl FnMut(Packet<T>));

    /// Takes out the packet that goes next at `now`; `drop` is called with each one that is dropped before it.
    fn dequeue(&mut self, now: Time, drop: impl FnMut(Packet<T>)) -> Option<Packet<T>>;

    /// Drops at least one packet at `now`, if there are any, because there are too many; `drop` is called with each. Queues
    /// that drop the packet that finds no room have nothing to drop.
    fn drop_some(&mut self, now: Time, drop: impl FnMut(Packet<T>));

    /// Notes the rate of the line from now on.
    fn on_rate(&mut self, _rate: Rate) {}

    /// The packets that wait.
    fn store(&self) -> &Store<T>;
}

/// The line that a queue serves.
#[derive(Clone, Debug)]
pub struct Port {
    /// The octets of the longest packet.
    pub longest: Bytes,
    /// The rate at the start.
    pub rate: Rate,
    /// For what is random, such as the hash of flows.
    pub stream: Stream,
}

/// How the parameters of a queue make it.
pub trait Build {
    /// The queue.
    type Queue<T>: Discipline<T>;

    /// The number of its queues, each of which takes memory.
    fn queues(&self) -> u32;

    /// An empty queue in front of a line.
    fn build<T>(&self, port: Port) -> Self::Queue<T>;
}
