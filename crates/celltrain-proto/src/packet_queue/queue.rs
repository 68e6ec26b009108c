//! What all queues of packets do.

use super::packet::{Leaving, Packet};
use crate::units::Time;

/// Queues of packets in front of a line. Times never decrease from one call to the next.
pub trait PacketQueue<T> {
    /// Takes a packet that comes now.
    fn enqueue(&mut self, packet: Packet<T>);

    /// Takes out the packet that goes next at `now`; `drop` is called with each one that is dropped before it.
    fn dequeue(&mut self, now: Time, drop: impl FnMut(Packet<T>)) -> Option<Leaving<T>>;

    /// Drops at least one packet, if there are any, because there are too many; `drop` is called with each.
    fn drop_some(&mut self, drop: impl FnMut(Packet<T>));

    /// All packets, in arbitrary order.
    fn packets<'a>(&'a self) -> impl Iterator<Item = &'a Packet<T>>
    where
        T: 'a;
}
