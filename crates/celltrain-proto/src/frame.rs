//! Frames: what an IP packet occupies on a line that does not cut it into cells.
//!
//! The names are those of `tc-cake(8)` where it has one. As there, the octets of a line are those that its rate counts.

choice! {
    /// The framing of IP packets on a line that carries frames.
    pub enum Framing {
        /// Ethernet II (IEEE 802.3): header 14, packet of at least 46, FCS 4, and on the wire preamble 8 and gap 12: 38 octets
        /// more than the packet, at least 84. MTU 1500.
        #[default]
        Ethernet,
        /// Ethernet with a tag of IEEE 802.1Q of 4 octets: 42 octets more, at least 88. MTU 1500.
        EthernetVlan,
        /// Ethernet frames in PTM-TC, as on VDSL2 and bonded lines (ITU-T G.993.2; IEEE 802.3, 61.3): header 14, FCS 4, start
        /// and end 1 each, TC-CRC 2, and 65 octets for each 64. MTU 1500.
        PtmBridged,
        /// `PPPoE` (RFC 2516) in the same: 8 octets more. MTU 1492.
        PtmPppoe,
        /// As the rate of a DOCSIS modem counts it (MULPI 3.1, C.2.2.7): from the Ethernet header to its FCS, 18 octets more, at
        /// least 64. MTU 1500.
        Docsis,
        /// Ethernet frames in GEM, as on a G.984 or G.987 PON (ITU-T G.984.3, 8.3): GEM header 5, header 14, FCS 4. MTU 1500.
        Gpon,
        /// PPP in frames of HDLC (RFC 1662): flag, address and control 1 each, protocol 2, FCS 2; no octet is stuffed. MTU 1500.
        Ppp,
        /// The IP packet alone, as `raw` of `tc-cake(8)`, and as the rate of a mobile line counts it.
        RawIp,
    }
}

/// The longest IP packet that a frame can have, in octets.
pub const LONGEST_PACKET: u32 = (1 << 14) - 1;
/// The shortest IP packet (RFC 791), in octets.
const SHORTEST_PACKET: u32 = 20;
/// The shortest payload of an Ethernet frame (IEEE 802.3, 3.2.8), to which a packet is padded.
const SHORTEST_PAYLOAD: u32 = 46;
/// Header and FCS of an Ethernet frame, and the octets before and after it on the wire.
const ETHERNET: u32 = 14 + 4;
const WIRE: u32 = 8 + 12;
/// What PTM-TC and `PPPoE` add.
const PTM: u32 = 1 + 1 + 2;
const PPPOE: u32 = 6 + 2;

impl Framing {
    /// All framings.
    pub const ALL: [Self; 8] = [
        Self::Ethernet,
        Self::EthernetVlan,
        Self::PtmBridged,
        Self::PtmPppoe,
        Self::Docsis,
        Self::Gpon,
        Self::Ppp,
        Self::RawIp,
    ];

    /// The octets that the frame of an IP packet of `packet` octets occupies on the line.
    #[must_use]
    pub const fn octets(self, packet: u32) -> u32 {
        match self {
            Self::Ethernet => padded(packet) + ETHERNET + WIRE,
            Self::EthernetVlan => padded(packet) + 4 + ETHERNET + WIRE,
            Self::PtmBridged => in_64_65(padded(packet) + ETHERNET + PTM),
            // The headers of PPPoE are part of the payload that is padded.
            Self::PtmPppoe => in_64_65(padded(packet + PPPOE) + ETHERNET + PTM),
            Self::Docsis => padded(packet) + ETHERNET,
            Self::Gpon => 5 + padded(packet) + ETHERNET,
            Self::Ppp => 1 + 1 + 1 + 2 + packet + 2,
            Self::RawIp => packet,
        }
    }

    /// The longest IP packet of a line with this framing unless the line says otherwise, in octets.
    #[must_use]
    pub const fn mtu(self) -> u32 {
        match self {
            Self::PtmPppoe => 1_500 - PPPOE,
            Self::RawIp => LONGEST_PACKET,
            _ => 1_500,
        }
    }

    /// The octets on the line of the shortest frame.
    #[must_use]
    pub const fn shortest(self) -> u32 {
        self.octets(SHORTEST_PACKET)
    }
}

/// The payload of an Ethernet frame.
const fn padded(octets: u32) -> u32 {
    if octets < SHORTEST_PAYLOAD {
        SHORTEST_PAYLOAD
    } else {
        octets
    }
}

/// Octets in blocks of 64, each with one more (64/65-octet encapsulation, IEEE 802.3, 61.3.3).
const fn in_64_65(octets: u32) -> u32 {
    octets + octets.div_ceil(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_packet_takes_what_tc_cake_counts() {
        // overhead 38 mpu 84; ether-vlan 4 more; overhead 22 ptm; overhead 30 ptm; overhead 18 mpu 64.
        let octets = |framing: Framing| framing.octets(1_500);
        assert_eq!(octets(Framing::Ethernet), 1_538);
        assert_eq!(octets(Framing::EthernetVlan), 1_542);
        assert_eq!(octets(Framing::PtmBridged), 1_522 + 24);
        assert_eq!(Framing::PtmPppoe.octets(1_492), 1_522 + 24);
        assert_eq!(octets(Framing::Docsis), 1_518);
        assert_eq!(octets(Framing::RawIp), 1_500);
        assert_eq!(octets(Framing::Gpon), 1_523);
        assert_eq!(octets(Framing::Ppp), 1_507);
    }

    #[test]
    fn a_short_packet_is_padded_where_ethernet_is() {
        assert_eq!(Framing::Ethernet.octets(40), 84);
        assert_eq!(Framing::Ethernet.octets(46), 84);
        assert_eq!(Framing::Ethernet.octets(47), 85);
        assert_eq!(Framing::Docsis.octets(40), 64);
        assert_eq!(Framing::PtmBridged.octets(40), 68 + 2);
        // 8 octets of PPPoE and 38 of the packet fill the payload.
        assert_eq!(Framing::PtmPppoe.octets(38), Framing::PtmPppoe.octets(20));
        assert_eq!(Framing::RawIp.octets(40), 40);
    }

    #[test]
    fn no_frame_is_shorter_than_that_of_a_shorter_packet() {
        for framing in Framing::ALL {
            assert!(framing.mtu() <= LONGEST_PACKET);
            for packet in SHORTEST_PACKET..framing.mtu() {
                assert!(framing.octets(packet) <= framing.octets(packet + 1));
            }
            assert_eq!(framing.shortest(), framing.octets(SHORTEST_PACKET));
        }
    }
}
