//! Queues of whole packets in front of a line: which packet goes next, and which are dropped or marked.
//!
//! The owner limits packets and octets: it asks for [`PacketQueue::drop_some`] while there are too many. A queue is one file
//! with its parameters, which implement [`Build`], and a row in the registry below.

mod drr;
mod flow_queues;
mod fq_codel;
mod packet;
#[macro_use]
mod registry;

pub use flow_queues::FlowQueues;
pub use packet::{Leaving, Packet};

use crate::random::Stream;
use crate::units::{Bytes, Time};

packet_queues! {
    /// Flow queueing with `CoDel` for each flow (RFC 8290), as `fq_codel` of Linux.
    "fq-codel", "FQ-CoDel" => fq_codel::FqCodel(FqCodelParameters);
    /// Deficit round robin over flows, those that have just become active first (DRR++; RFC 8290, 3.1).
    "drr-plus-plus", "DRR++" => drr::DrrPlusPlus(DrrPlusPlusParameters);
}

/// How the parameters of a queue make it.
pub trait Build {
    /// An empty queue in front of a line whose longest packet has `longest` octets. `stream` perturbs the hash of flows.
    fn build<T>(&self, longest: Bytes, stream: Stream) -> FlowQueues<T>;
}

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
