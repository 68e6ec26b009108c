//! The octets of an IP packet's frame as capture cards deliver it: without preamble, padding of the line code, and FCS.

use celltrain_proto::frame::Framing;
use pcap_file::DataLink;

use super::wire::{PPP_IP, STATIONS, TYPE_IP, pppoe};

/// The Ethertype of IEEE 802.1Q, and a tag with VLAN 1.
const VLAN_1: [u8; 4] = [0x81, 0, 0, 1];
/// Address and control field of PPP (RFC 1662 3.1).
const HDLC: [u8; 2] = [0xFF, 0x03];
/// The shortest frame without FCS.
const SHORTEST: usize = 60;

/// The link type of frames with this framing.
pub(super) fn link_type(framing: Framing) -> DataLink {
    match framing {
        Framing::Ppp => DataLink::PPP,
        Framing::RawIp => DataLink::RAW,
        Framing::Ethernet
        | Framing::EthernetVlan
        | Framing::PtmBridged
        | Framing::PtmPppoe
        | Framing::Docsis
        | Framing::Gpon => DataLink::ETHERNET,
    }
}

/// The frame of an IP packet.
pub(super) fn frame(framing: Framing, ip: &[u8]) -> Vec<u8> {
    match framing {
        Framing::RawIp => ip.to_vec(),
        Framing::Ppp => [&HDLC, &PPP_IP, ip].concat(),
        Framing::PtmPppoe => padded([&STATIONS, pppoe(ip).as_slice()].concat()),
        Framing::EthernetVlan => {
            let mut frame = [&STATIONS, VLAN_1.as_slice(), &TYPE_IP, ip].concat();
            frame.resize(frame.len().max(SHORTEST + VLAN_1.len()), 0);
            frame
        }
        Framing::Ethernet | Framing::PtmBridged | Framing::Docsis | Framing::Gpon => {
            padded([&STATIONS, TYPE_IP.as_slice(), ip].concat())
        }
    }
}

/// An Ethernet frame with the padding of a short packet.
fn padded(mut frame: Vec<u8>) -> Vec<u8> {
    frame.resize(frame.len().max(SHORTEST), 0);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_what_its_framing_counts_but_the_fcs_and_what_is_on_the_wire_only() {
        // What a capture lacks: FCS, preamble and gap, and what PTM-TC and GEM add.
        for (framing, lacking) in [
            (Framing::Ethernet, 4 + 8 + 12),
            (Framing::EthernetVlan, 4 + 8 + 12),
            (Framing::Docsis, 4),
            (Framing::Gpon, 4 + 5),
            // One flag, and FCS.
            (Framing::Ppp, 1 + 2),
            (Framing::RawIp, 0),
        ] {
            for octets in [20, 46, 47, 1_500] {
                let frame = frame(framing, &vec![0x45; octets]);
                assert_eq!(
                    frame.len() + lacking,
                    framing.octets(octets as u32) as usize
                );
            }
        }
        // 64/65 octets: 1518 + 4 of PTM-TC in 24 blocks.
        let frame = frame(Framing::PtmPppoe, &[0x45; 1_492]);
        assert_eq!(frame.len(), 1_514);
        assert_eq!(
            frame[12..22],
            [0x88, 0x64, 0x11, 0, 0, 1, 0x05, 0xD6, 0, 0x21]
        );
    }
}
