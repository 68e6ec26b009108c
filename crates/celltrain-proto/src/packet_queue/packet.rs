//! A packet in a queue.

use crate::units::{Bytes, Time};

/// Where a packet comes from, where it goes, and how it asks to be treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// The number of its flow.
    pub flow: u64,
    /// The numbers of the hosts that sent it and to which it goes.
    pub hosts: [u32; 2],
    /// Its DSCP (RFC 2474).
    pub dscp: u8,
}

/// A packet in a queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Packet<T> {
    /// What the owner of the queue knows it by.
    pub item: T,
    /// Its octets on the line.
    pub octets: Bytes,
    /// Its flow and hosts.
    pub label: Label,
    /// Whether it may be marked instead of dropped (ECT, RFC 3168).
    pub ecn_capable: bool,
    /// Whether a queue marks it (CE, RFC 3168); false when it comes.
    pub is_marked: bool,
    /// When it came.
    pub arrived: Time,
}
