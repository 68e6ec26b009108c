//! A packet in a queue.

use crate::units::{Bytes, Time};

/// A packet in a queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Packet<T> {
    /// What the owner of the queue knows it by.
    pub item: T,
    /// Its octets on the line.
    pub octets: Bytes,
    /// The number of its flow.
    pub flow: u64,
    /// Whether it may be marked instead of dropped (ECT, RFC 3168).
    pub ecn_capable: bool,
    /// When it came.
    pub arrived: Time,
}

/// A packet that leaves its queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leaving<T> {
    /// The packet.
    pub packet: Packet<T>,
    /// Whether the queue marks it (CE, RFC 3168).
    pub is_marked: bool,
}
