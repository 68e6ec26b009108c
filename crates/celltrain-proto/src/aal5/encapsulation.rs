//! What stands before and after an IP packet in the payload of an AAL5 PDU.
//!
//! Sources: RFC 2684 §5 (LLC/SNAP), §6 (VC multiplexing); RFC 2364 (PPP over AAL5); RFC 2516 (PPP over
//! Ethernet). Only lengths are modelled; they are the same for IPv4 and IPv6.

use super::pdu;
use crate::units::{Bytes, Cells};

const LLC_SNAP: u64 = 8;
/// PPP's protocol number.
const PPP: u64 = 2;
/// LLC header and network layer protocol identifier of PPP.
const PPP_LLC: u64 = 4;
/// Two octets that align the frame, and the MAC header.
const BRIDGE: u64 = 2 + 14;
const FCS: u64 = 4;
const PPPOE: u64 = 6;
/// The least payload of an Ethernet frame; shorter ones are padded.
const ETHERNET_MIN: u64 = 46;

/// How the protocol of a PDU is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Multiplexing {
    /// By the VC: one protocol on each.
    Vc,
    /// By an LLC header in each PDU.
    Llc,
}

/// How an IP packet is carried in AAL5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encapsulation {
    /// Routed: the packet itself (RFC 2684).
    Routed(Multiplexing),
    /// PPP over AAL5 (RFC 2364).
    Pppoa(Multiplexing),
    /// In a bridged Ethernet frame (RFC 2684).
    Bridged {
        /// How the frame is told from other protocols.
        multiplexing: Multiplexing,
        /// Whether the frame check sequence is carried too.
        fcs: bool,
    },
    /// PPP over Ethernet (RFC 2516), in a bridged Ethernet frame.
    Pppoe {
        /// How the frame is told from other protocols.
        multiplexing: Multiplexing,
        /// Whether the frame check sequence is carried too.
        fcs: bool,
    },
}

impl Default for Encapsulation {
    /// Routed with LLC/SNAP, the default of IP over ATM (RFC 2225).
    fn default() -> Self {
        Self::Routed(Multiplexing::Llc)
    }
}

impl Encapsulation {
    /// Octets before the IP packet.
    pub const fn header(self) -> Bytes {
        Bytes(match self {
            Self::Routed(multiplexing) => llc_snap(multiplexing),
            Self::Pppoa(Multiplexing::Vc) => PPP,
            Self::Pppoa(Multiplexing::Llc) => PPP_LLC + PPP,
            Self::Bridged { multiplexing, .. } => llc_snap(multiplexing) + BRIDGE,
            Self::Pppoe { multiplexing, .. } => llc_snap(multiplexing) + BRIDGE + PPPOE + PPP,
        })
    }

    /// Octets after the IP packet and its padding.
    pub const fn trailer(self) -> Bytes {
        match self {
            Self::Bridged { fcs: true, .. } | Self::Pppoe { fcs: true, .. } => Bytes(FCS),
            _ => Bytes(0),
        }
    }

    /// Octets that bring the Ethernet frame of an IP packet of `ip` octets to its least length.
    pub const fn padding(self, ip: Bytes) -> Bytes {
        match self {
            Self::Routed(_) | Self::Pppoa(_) => Bytes(0),
            Self::Bridged { .. } => Bytes(ETHERNET_MIN.saturating_sub(ip.0)),
            Self::Pppoe { .. } => Bytes(ETHERNET_MIN.saturating_sub(ip.0 + PPPOE + PPP)),
        }
    }

    /// Payload of the PDU that carries an IP packet of `ip` octets.
    pub const fn payload(self, ip: Bytes) -> Bytes {
        Bytes(self.header().0 + ip.0 + self.padding(ip).0 + self.trailer().0)
    }

    /// Cells that carry an IP packet of `ip` octets.
    ///
    /// ```
    /// use celltrain_proto::aal5::{Encapsulation, Multiplexing};
    /// use celltrain_proto::units::{Bytes, Cells};
    /// let ack = Bytes(40);
    /// assert_eq!(Encapsulation::Routed(Multiplexing::Vc).cells(ack), Cells(1));
    /// assert_eq!(Encapsulation::Routed(Multiplexing::Llc).cells(ack), Cells(2));
    /// ```
    pub const fn cells(self, ip: Bytes) -> Cells {
        Cells(pdu::cells(self.payload(ip).0))
    }
}

/// The octets that tell one of RFC 2684's protocols from another.
const fn llc_snap(multiplexing: Multiplexing) -> u64 {
    match multiplexing {
        Multiplexing::Vc => 0,
        Multiplexing::Llc => LLC_SNAP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::CELL_OCTETS;
    use Multiplexing::{Llc, Vc};
    use std::format;

    const fn bridged(multiplexing: Multiplexing, fcs: bool) -> Encapsulation {
        Encapsulation::Bridged { multiplexing, fcs }
    }

    const fn pppoe(multiplexing: Multiplexing) -> Encapsulation {
        Encapsulation::Pppoe {
            multiplexing,
            fcs: false,
        }
    }

    const ALL: [Encapsulation; 9] = [
        Encapsulation::Routed(Vc),
        Encapsulation::Routed(Llc),
        Encapsulation::Pppoa(Vc),
        Encapsulation::Pppoa(Llc),
        bridged(Vc, false),
        bridged(Llc, false),
        bridged(Llc, true),
        pppoe(Vc),
        pppoe(Llc),
    ];

    #[test]
    fn headers_and_trailers_have_their_lengths() {
        let expected = [
            (0, 0),
            (8, 0),
            (2, 0),
            (6, 0),
            (16, 0),
            (24, 0),
            (24, 4),
            (24, 0),
            (32, 0),
        ];
        let found = ALL.map(|it| (it.header().0, it.trailer().0));
        assert_eq!(found, expected);
        assert_eq!(bridged(Vc, true).trailer(), Bytes(4));
    }

    #[test]
    fn routed_llc_is_the_default() {
        assert_eq!(Encapsulation::default(), Encapsulation::Routed(Llc));
    }

    #[test]
    fn short_ethernet_frames_are_padded_and_no_others() {
        for (encapsulation, ip, padding) in [
            (bridged(Llc, false), 40, 6),
            (bridged(Llc, true), 45, 1),
            (bridged(Vc, false), 46, 0),
            (pppoe(Vc), 28, 10),
            (pppoe(Vc), 38, 0),
            (Encapsulation::Routed(Llc), 20, 0),
            (Encapsulation::Pppoa(Vc), 20, 0),
        ] {
            assert_eq!(encapsulation.padding(Bytes(ip)), Bytes(padding));
        }
    }

    /// Octets of the IP packet, then cells and efficiency in percent (those octets over the octets of the
    /// cells) in the order of `ALL`. PPP over Ethernet carries at most 1492 octets.
    const TABLE: &str = "\
  40 |   1 75.5 |   2 37.7 |   2 37.7 |   2 37.7 |   2 37.7 |   2 37.7 |   2 37.7 |   2 37.7 |   2 37.7
  52 |   2 49.1 |   2 49.1 |   2 49.1 |   2 49.1 |   2 49.1 |   2 49.1 |   2 49.1 |   2 49.1 |   2 49.1
  64 |   2 60.4 |   2 60.4 |   2 60.4 |   2 60.4 |   2 60.4 |   2 60.4 |   3 40.3 |   2 60.4 |   3 40.3
 128 |   3 80.5 |   3 80.5 |   3 80.5 |   3 80.5 |   4 60.4 |   4 60.4 |   4 60.4 |   4 60.4 |   4 60.4
 256 |   6 80.5 |   6 80.5 |   6 80.5 |   6 80.5 |   6 80.5 |   6 80.5 |   7 69.0 |   6 80.5 |   7 69.0
 552 |  12 86.8 |  12 86.8 |  12 86.8 |  12 86.8 |  12 86.8 |  13 80.1 |  13 80.1 |  13 80.1 |  13 80.1
 576 |  13 83.6 |  13 83.6 |  13 83.6 |  13 83.6 |  13 83.6 |  13 83.6 |  13 83.6 |  13 83.6 |  13 83.6
1024 |  22 87.8 |  22 87.8 |  22 87.8 |  22 87.8 |  22 87.8 |  22 87.8 |  23 84.0 |  22 87.8 |  23 84.0
1478 |  31 90.0 |  32 87.1 |  31 90.0 |  32 87.1 |  32 87.1 |  32 87.1 |  32 87.1 |  32 87.1 |  32 87.1
1492 |  32 88.0 |  32 88.0 |  32 88.0 |  32 88.0 |  32 88.0 |  32 88.0 |  32 88.0 |  32 88.0 |  32 88.0
1500 |  32 88.4 |  32 88.4 |  32 88.4 |  32 88.4 |  32 88.4 |  32 88.4 |  32 88.4 |      n/a |      n/a
4352 |  91 90.2 |  91 90.2 |  91 90.2 |  91 90.2 |  92 89.3 |  92 89.3 |  92 89.3 |      n/a |      n/a
9180 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 |      n/a |      n/a
";

    #[test]
    fn packets_take_the_cells_and_have_the_efficiency_of_the_table() {
        for row in TABLE.lines() {
            let mut columns = row.split('|').map(str::trim);
            let ip: u64 = columns.next().unwrap().parse().unwrap();
            for (encapsulation, expected) in ALL.iter().zip(columns) {
                let cells = encapsulation.cells(Bytes(ip)).0;
                let percent = 100.0 * ip as f64 / (CELL_OCTETS * cells) as f64;
                let found = format!("{cells} {percent:.1}");
                if expected != "n/a" {
                    assert_eq!(found, expected, "{ip} octets in {encapsulation:?}");
                }
            }
        }
        assert_eq!(TABLE.lines().count(), 13);
    }

    #[test]
    fn a_packet_of_9180_octets_with_llc_leaves_20_octets_of_padding() {
        let payload = Encapsulation::default().payload(Bytes(9_180));
        assert_eq!(payload, Bytes(9_188));
        assert_eq!(pdu::padding(payload.0), 20);
    }
}
