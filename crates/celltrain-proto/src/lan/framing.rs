//! What all LANs have in common.

use super::ring::RingRules;
use crate::units::{Rate, Span};

/// The frames of a LAN.
pub trait Framing {
    /// The longest IP packet in one frame, in octets.
    fn mtu(&self) -> u32;

    /// The octets that the frame of an IP packet of `octets` octets occupies, with everything that must follow it before
    /// the next.
    fn frame(octets: u64) -> u64;

    /// The ring that all hosts of a group share, if it is one.
    fn ring(&self) -> Option<RingRules> {
        None
    }

    /// The rate at which its octets leave.
    fn rate(&self) -> Rate;

    /// The time that the frame of an IP packet of `octets` octets takes.
    fn frame_time(&self, octets: u64) -> Span {
        self.rate().span_of_bits((8 * Self::frame(octets)) as f64)
    }
}
