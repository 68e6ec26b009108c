//! The octets of an IP packet's PDU: encapsulation (RFC 2684, 2364, 2516), and what AAL5 or AAL3/4 adds.

use celltrain_proto::aal5::{self, Encapsulation};
use celltrain_proto::aal34;
use celltrain_proto::adaptation::{Aal, Adaptation};

/// LLC and SNAP of IP, and of bridged Ethernet without and with FCS.
const LLC_IP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0];
const LLC_BRIDGED: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0x80, 0xC2, 0, 7];
const LLC_BRIDGED_FCS: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0x80, 0xC2, 0, 1];
/// LLC and NLPID of PPP.
const LLC_PPP: [u8; 4] = [0xFE, 0xFE, 0x03, 0xCF];
/// The protocol field of PPP for IP.
pub(super) const PPP_IP: [u8; 2] = [0, 0x21];
/// Addresses of the two stations of a bridged VC, locally administered, and the Ethertypes of IP and PPP over Ethernet.
pub(super) const STATIONS: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
pub(super) const TYPE_IP: [u8; 2] = [0x08, 0];
const TYPE_PPPOE: [u8; 2] = [0x88, 0x64];

/// The PDU of an IP packet: the payloads of its cells. One of AAL3/4 has this tag.
pub(super) fn pdu(adaptation: Adaptation, tag: u8, ip: &[u8]) -> Vec<u8> {
    let payload = payload(adaptation.encapsulation, ip);
    match adaptation.aal {
        Aal::Aal5 => aal5::encode(&payload),
        Aal::Aal34 => aal34::encode(&payload, tag),
        // A frame has no PDU: `frame.rs` has its octets.
        Aal::Frame => payload,
    }
}

/// The payload of the PDU of an IP packet.
fn payload(encapsulation: Encapsulation, ip: &[u8]) -> Vec<u8> {
    use Encapsulation as E;
    let mut payload = Vec::with_capacity(ip.len() + 64);
    match encapsulation {
        E::LlcSnap => payload.extend(LLC_IP),
        E::PppoaVcMux => payload.extend(PPP_IP),
        E::PppoaLlc => payload.extend(LLC_PPP.into_iter().chain(PPP_IP)),
        E::VcMux | E::BridgedVcMux | E::BridgedVcMuxFcs | E::PppoeVcMux | E::PppoeVcMuxFcs => {}
        E::BridgedLlc | E::PppoeLlc => payload.extend(LLC_BRIDGED),
        E::BridgedLlcFcs | E::PppoeLlcFcs => payload.extend(LLC_BRIDGED_FCS),
    }
    let (bridged, in_session) = match encapsulation {
        E::VcMux | E::LlcSnap | E::PppoaVcMux | E::PppoaLlc => (false, false),
        E::BridgedVcMux | E::BridgedVcMuxFcs | E::BridgedLlc | E::BridgedLlcFcs => (true, false),
        E::PppoeVcMux | E::PppoeVcMuxFcs | E::PppoeLlc | E::PppoeLlcFcs => (true, true),
    };
    let mut frame_at = payload.len();
    if bridged {
        payload.extend([0, 0]);
        frame_at += 2;
        payload.extend(STATIONS);
    }
    if in_session {
        payload.extend(pppoe(ip));
    } else {
        if bridged {
            payload.extend(TYPE_IP);
        }
        payload.extend_from_slice(ip);
    }
    let length = encapsulation.payload_for_ip(ip.len() as u64) as usize;
    if has_fcs(encapsulation) {
        payload.resize(length - 4, 0);
        let fcs = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&payload[frame_at..]);
        payload.extend(fcs.to_le_bytes());
    } else {
        payload.resize(length, 0);
    }
    payload
}

/// What follows the addresses of an Ethernet frame with `PPPoE` (RFC 2516): Ethertype, headers, and an IP packet.
pub(super) fn pppoe(ip: &[u8]) -> Vec<u8> {
    // Version and type 1, session data, session 1; the length covers the PPP field and the packet.
    let length = (ip.len() as u16 + 2).to_be_bytes();
    [
        &TYPE_PPPOE,
        [0x11, 0, 0, 1].as_slice(),
        &length,
        &PPP_IP,
        ip,
    ]
    .concat()
}

fn has_fcs(encapsulation: Encapsulation) -> bool {
    use Encapsulation as E;
    matches!(
        encapsulation,
        E::BridgedVcMuxFcs | E::BridgedLlcFcs | E::PppoeVcMuxFcs | E::PppoeLlcFcs
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_payload_has_the_length_that_the_models_count_with() {
        for encapsulation in Encapsulation::ALL {
            for octets in [20, 38, 39, 46, 47, 1_492] {
                let payload = payload(encapsulation, &vec![0x45; octets]);
                let expected = encapsulation.payload_for_ip(octets as u64);
                assert_eq!(payload.len() as u64, expected, "{encapsulation:?} {octets}");
            }
        }
    }

    #[test]
    fn a_pdu_has_as_many_cells_as_the_models_count_with() {
        for encapsulation in Encapsulation::ALL {
            for aal in Aal::ALL {
                let adaptation = Adaptation { aal, encapsulation };
                let pdu = pdu(adaptation, 0, &[0x45; 1_000]);
                assert_eq!(pdu.len() as u64, 48 * adaptation.cells_for_ip(1_000));
            }
        }
    }

    #[test]
    fn a_pppoe_frame_is_that_of_its_rfc() {
        // RFC 2516 §4: Ethernet type 0x8864, VER 1, TYPE 1, CODE 0, session, length; then PPP.
        let payload = payload(Encapsulation::PppoeVcMux, &[0x45; 100]);
        assert_eq!(
            payload[14..24],
            [0x88, 0x64, 0x11, 0, 0, 1, 0, 102, 0, 0x21]
        );
    }
}
