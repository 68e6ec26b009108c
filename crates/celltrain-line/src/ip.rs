//! What the line reads and changes in the IP packets that it carries: ECN (RFC 3168 §5), and what tells packets apart.

use celltrain_proto::packet_queue::Label;
use celltrain_proto::random::SplitMix64;

/// Not an IPv4 or IPv6 packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotIp;

const CE: u8 = 3;
/// Protocols whose headers begin with two ports.
const TCP: u8 = 6;
const UDP: u8 = 17;
/// Octets of the shortest headers.
const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;

fn version(packet: &[u8]) -> Result<u8, NotIp> {
    match packet.first().map(|first| first >> 4) {
        Some(4) if packet.len() >= IPV4_HEADER => Ok(4),
        Some(6) if packet.len() >= IPV6_HEADER => Ok(6),
        _ => Err(NotIp),
    }
}

/// Whether queues may mark the packet instead of dropping it.
pub fn is_ecn_capable(packet: &[u8]) -> Result<bool, NotIp> {
    let ecn = match version(packet)? {
        4 => packet[1] & CE,
        _ => packet[1] >> 4 & CE,
    };
    Ok(ecn != 0)
}

/// What tells packets apart in queues: numbers for the flow, from addresses, protocol and ports, and for both hosts, of
/// which different ones seldom have the same; and the code point. Fragments have no ports, since only the first one
/// carries them.
pub fn label(packet: &[u8]) -> Label {
    let (addresses, protocol, payload, class) = match version(packet) {
        Ok(4) => {
            let header = usize::from(packet[0] & 0xF) * 4;
            let is_fragment = packet[6] & 0x3F != 0 || packet[7] != 0;
            let payload = packet.get(header..).filter(|_| !is_fragment);
            (&packet[12..20], packet[9], payload, packet[1])
        }
        Ok(_) => {
            let class = packet[0] << 4 | packet[1] >> 4;
            (&packet[8..40], packet[6], packet.get(IPV6_HEADER..), class)
        }
        Err(NotIp) => return Label::default(),
    };
    let has_ports = matches!(protocol, TCP | UDP);
    let ports = payload
        .and_then(|payload| payload.get(..4))
        .filter(|_| has_ports);
    let words = [addresses, &[protocol], ports.unwrap_or_default()].concat();
    let (from, to) = addresses.split_at(addresses.len() / 2);
    Label {
        flow: number(&words).into(),
        hosts: [number(from), number(to)],
        dscp: class >> 2,
    }
}

/// A number for some octets.
fn number(octets: &[u8]) -> u32 {
    let mix = |hash: u64, octet: &u8| SplitMix64(hash ^ u64::from(*octet)).word();
    (octets.iter().fold(0, mix) >> 32) as u32
}

/// Marks a packet as having experienced congestion. Anything but an IP packet stays unchanged.
pub fn mark(packet: &mut [u8]) {
    match version(packet) {
        Ok(4) => {
            let before = u16::from_be_bytes([packet[0], packet[1]]);
            packet[1] |= CE;
            let after = u16::from_be_bytes([packet[0], packet[1]]);
            let checksum = u16::from_be_bytes([packet[10], packet[11]]);
            packet[10..12].copy_from_slice(&updated(checksum, before, after).to_be_bytes());
        }
        Ok(_) => packet[1] |= CE << 4,
        Err(NotIp) => {}
    }
}

/// The checksum of a header in which one word has changed (RFC 1624, equation 3).
fn updated(checksum: u16, before: u16, after: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let once = (sum & 0xFFFF) + (sum >> 16);
    !((once & 0xFFFF) + (once >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{Ipv4Header, Ipv4HeaderSlice};

    fn ipv4(ecn: u8) -> Vec<u8> {
        let mut header =
            Ipv4Header::new(100, 64, 6.into(), [192, 0, 2, 1], [192, 0, 2, 2]).unwrap();
        header.ecn = ecn.try_into().unwrap();
        header.header_checksum = header.calc_header_checksum();
        let mut packet = Vec::new();
        header.write(&mut packet).unwrap();
        packet
    }

    #[test]
    fn only_packets_that_say_so_may_be_marked() {
        let capable: Vec<_> = (0..4)
            .map(|ecn| is_ecn_capable(&ipv4(ecn)).unwrap())
            .collect();
        assert_eq!(capable, [false, true, true, true]);
    }

    #[test]
    fn a_marked_header_keeps_a_good_checksum() {
        for ecn in 1..4 {
            let mut packet = ipv4(ecn);
            mark(&mut packet);
            let header = Ipv4HeaderSlice::from_slice(&packet).unwrap().to_header();
            assert_eq!(u8::from(header.ecn), 3);
            assert_eq!(header.header_checksum, header.calc_header_checksum());
        }
    }

    #[test]
    fn the_traffic_class_of_ipv6_is_marked() {
        let mut packet = vec![0; 40];
        packet[0] = 0x60;
        packet[1] = 0x20;
        assert_eq!(is_ecn_capable(&packet), Ok(true));
        mark(&mut packet);
        assert_eq!(packet[..2], [0x60, 0x30]);
    }

    /// An IPv4 packet of UDP between these ports.
    fn udp(from: u16, to: u16) -> Vec<u8> {
        let mut packet = ipv4(0);
        packet[9] = UDP;
        packet.extend(from.to_be_bytes());
        packet.extend(to.to_be_bytes());
        packet.extend([0; 4]);
        packet
    }

    fn flow_of(packet: &[u8]) -> u64 {
        label(packet).flow
    }

    #[test]
    fn hosts_and_code_point_are_those_of_the_header() {
        let mut there = udp(4_000, 53);
        there[1] = 0xB9;
        assert_eq!(label(&there).dscp, 46);
        // Other ports and the way back: the same hosts.
        assert_eq!(label(&udp(1, 2)).hosts, label(&there).hosts);
        let mut back = udp(53, 4_000);
        back[12..20].rotate_left(4);
        let [from, to] = label(&there).hosts;
        assert_eq!(label(&back).hosts, [to, from]);
        assert_ne!(from, to);
        let mut six = vec![0; 40];
        (six[0], six[1], six[23]) = (0x6B, 0x90, 1);
        let label = label(&six);
        assert_eq!(label.dscp, 46);
        assert_ne!(label.hosts[0], label.hosts[1]);
    }

    #[test]
    fn a_flow_is_known_by_addresses_protocol_and_ports() {
        let first = udp(4_000, 53);
        assert_eq!(flow_of(&first), flow_of(&udp(4_000, 53)));
        let mut longer = first.clone();
        longer.extend([1; 100]);
        assert_eq!(flow_of(&first), flow_of(&longer));
        let mut tcp = first.clone();
        tcp[9] = TCP;
        let mut elsewhere = first.clone();
        elsewhere[19] += 1;
        for other in [udp(4_001, 53), udp(53, 4_000), tcp, elsewhere] {
            assert_ne!(flow_of(&first), flow_of(&other));
        }
    }

    #[test]
    fn fragments_and_protocols_without_ports_are_of_the_flow_of_their_addresses() {
        let fragment = |from| {
            let mut packet = udp(from, 53);
            packet[6] = 0x20;
            packet
        };
        assert_eq!(flow_of(&fragment(1)), flow_of(&fragment(2)));
        let icmp = |code| {
            let mut packet = udp(code, 0);
            packet[9] = 1;
            packet
        };
        assert_eq!(flow_of(&icmp(1)), flow_of(&icmp(2)));
        assert_eq!(flow_of(&[0x45; 19]), 0);
    }

    #[test]
    fn what_is_cut_short_or_no_ip_is_refused() {
        for packet in [&[][..], &[0x45; 19], &[0x60; 39], &[0x10; 60]] {
            assert_eq!(is_ecn_capable(packet), Err(NotIp));
        }
    }
}
