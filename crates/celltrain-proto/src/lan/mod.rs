//! LANs between a host and the network: what an IP packet occupies of them.
//!
//! A LAN is one file with its parameters, which implement [`Framing`], and a row in the registry below, as which a
//! scenario is read.

mod ethernet;
mod framing;
mod ieee_802_3;
#[macro_use]
mod registry;
mod ring;
mod token_ring;

pub use framing::Framing;
pub use ring::{RingRules, TokenRing};
pub use token_ring::RingRate;

use crate::units::Span;

lans! {
    /// Ethernet with the type of the packet in the header (Ethernet II, RFC 894), full duplex.
    "ethernet", "Ethernet" => ethernet::Ethernet(EthernetParameters);
    /// IEEE 802.3 with LLC and SNAP headers before the packet (RFC 1042), full duplex.
    "ieee-802.3", "IEEE 802.3" => ieee_802_3::Ieee8023(Ieee8023Parameters);
    /// Token ring (IEEE 802.5) with LLC and SNAP headers (RFC 1042), shared by the hosts of a group and their router.
    "token-ring", "token ring" => token_ring::TokenRing(TokenRingParameters);
}
