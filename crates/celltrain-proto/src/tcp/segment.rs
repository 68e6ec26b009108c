//! Segments, as sender and receiver exchange them.

use core::ops::{BitOr, BitOrAssign};

use super::SackBlocks;

/// The modelled bits of the TCP header; every segment except the first SYN carries an acknowledgment.
///
/// Source: RFC 9293 3.1; RFC 3168 6.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(u8);

impl Flags {
    /// Opens one direction.
    pub const SYN: Self = Self(1);
    /// Ends one direction after the data of its segment.
    pub const FIN: Self = Self(2);
    /// The receiver has received a congestion mark.
    pub const ECE: Self = Self(4);
    /// The sender has reduced its window.
    pub const CWR: Self = Self(8);
    /// The connection does not exist, or no longer exists.
    pub const RST: Self = Self(16);
    /// The last of the segments that its sender gave to the network at once.
    pub const PSH: Self = Self(32);

    /// Whether all bits of `flags` are set.
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Whether any of the bits of `flags` is set.
    pub const fn has_any(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }

    /// These bits if `condition` holds, otherwise none.
    #[must_use]
    pub const fn only_if(self, condition: bool) -> Self {
        if condition { self } else { Self(0) }
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The timestamps option: clock values of both ends, modulo 2^32 (RFC 1323 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timestamps {
    /// The sender's clock when the segment was sent.
    pub value: u32,
    /// The latest clock value of the peer that the segment's sender has recorded.
    pub echo: u32,
}

/// A TCP segment without its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Sequence number of the first octet of data.
    pub seq: u64,
    /// Octets of data; zero in a pure ACK.
    pub len: u32,
    /// The next octet that the segment's sender expects.
    pub ack: u64,
    /// Octets from `ack` on that the segment's sender will accept, unscaled.
    pub window: u32,
    /// Data that the segment's sender holds beyond `ack`.
    pub sack: SackBlocks,
    /// Bits of the header.
    pub flags: Flags,
    /// The timestamps option.
    pub timestamp: Option<Timestamps>,
    /// The MSS option of a SYN: the largest segment, including TCP options, that its sender accepts.
    pub mss: Option<u16>,
    /// The window-scale option of a SYN.
    pub window_scale: Option<u8>,
    /// Whether queues may mark the packet instead of discarding it: ECT(0) of the IP header.
    pub ecn_capable: bool,
    /// Whether a queue has marked it: CE of the IP header.
    pub congestion_experienced: bool,
}

impl Segment {
    /// The sequence number after the last octet of data.
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }

    /// Start and end of each block of data held beyond `ack`, the most recent first, preceded by a duplicate if one is
    /// reported.
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sack.from(self.ack)
    }

    /// Data that the segment's sender has received twice, if reported (D-SACK).
    pub fn duplicate_block(&self) -> Option<(u64, u64)> {
        self.sack.duplicate(self.ack)
    }

    /// Octets of TCP options, each padded to whole words: MSS (4) and window scale (4) on a SYN, timestamps (12) and
    /// selective acknowledgments (RFC 9293 3.2; RFC 7323; RFC 2018 3). SACK-permitted on a SYN fits into the padding of
    /// the others and is not counted.
    pub fn options_len(&self) -> u32 {
        let blocks = self.sack_blocks().count() as u32;
        let sack = if blocks == 0 { 0 } else { 4 + 8 * blocks };
        let mss = self.mss.map_or(0, |_| 4);
        let scale = self.window_scale.map_or(0, |_| 4);
        sack + mss + scale + self.timestamp.map_or(0, |_| 12)
    }
}
