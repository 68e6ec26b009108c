//! The contents of packets: octets from outside, or headers for simulated segments.

use std::collections::VecDeque;
use std::sync::Arc;

use celltrain_proto::ip::Fragment;
use celltrain_proto::tcp::{Flags, Segment};
use celltrain_sim::engine::SeenPacket;
use celltrain_sim::network::{Flow, Network};
use etherparse::{
    IpDscp, IpFragOffset, IpHeaders, Ipv4Extensions, Ipv4Header, PacketBuilder, TcpHeader,
    TcpOptionElement,
};

use crate::packet::Octets;

/// Provides the octets of captured IP packets.
pub trait Packets {
    /// The octets of a packet in this VC direction.
    fn ip(&mut self, direction: usize, packet: &SeenPacket) -> Octets;
    /// This packet, and earlier ones of its flow and direction, will not be requested again.
    fn forget(&mut self, direction: usize, packet: &SeenPacket);
}

/// Packets of real kernels, in the order in which they were passed in, and those of the other flows.
#[derive(Debug)]
pub struct Given {
    vc: usize,
    /// For each direction, the number of the first packet held, and the packets from it on.
    packets: [(u64, VecDeque<Octets>); 2],
    beside: Simulated,
}

impl Given {
    /// Packets of the VC with this number.
    pub fn new(network: &Network, vc: usize) -> Self {
        Self {
            vc,
            packets: [(0, VecDeque::new()), (0, VecDeque::new())],
            beside: Simulated::new(network),
        }
    }

    /// Adds the next packet in a direction, 0 forward or 1 backward.
    pub fn push(&mut self, way: usize, packet: Octets) {
        self.packets[way].1.push_back(packet);
    }
}

impl Packets for Given {
    fn ip(&mut self, direction: usize, packet: &SeenPacket) -> Octets {
        if direction / 2 != self.vc {
            return self.beside.ip(direction, packet);
        }
        let (first, packets) = &self.packets[direction % 2];
        let index = packet.segment.seq.checked_sub(*first);
        let found = index.and_then(|index| packets.get(index as usize));
        found.map_or_else(|| Arc::from([]), Arc::clone)
    }

    fn forget(&mut self, direction: usize, packet: &SeenPacket) {
        if direction / 2 != self.vc {
            return;
        }
        let (first, packets) = &mut self.packets[direction % 2];
        while *first <= packet.segment.seq && packets.pop_front().is_some() {
            *first += 1;
        }
    }
}

/// Packets of simulated flows: IPv4 and TCP or UDP headers according to the segments, with zeros as data.
#[derive(Clone, Debug)]
pub struct Simulated {
    flows: Vec<Flow>,
}

/// The destination port of data, and the first of their source ports.
const SERVICE: u16 = 5_001;
const FIRST_PORT: u16 = 32_768;
const TTL: u8 = 64;

impl Simulated {
    /// Packets of the flows of a network.
    pub fn new(network: &Network) -> Self {
        Self {
            flows: network.flows.clone(),
        }
    }
}

impl Packets for Simulated {
    fn ip(&mut self, _direction: usize, packet: &SeenPacket) -> Octets {
        let segment = &packet.segment;
        let partner = self.flows.get(packet.flow).and_then(|flow| flow.partner);
        // Both directions of a connection use the addresses and ports of the direction that opens it.
        let (flow, is_forth) = match partner {
            Some(partner) if !partner.opens => (partner.flow, !packet.is_data),
            _ => (packet.flow, packet.is_data),
        };
        let [_, _, high, low] = (flow as u32 + 1).to_be_bytes();
        let (sender, receiver) = ([10, 0, high, low], [10, 128, high, low]);
        let port = FIRST_PORT.wrapping_add(packet.incarnation as u16);
        let (from, to, ports) = if is_forth {
            (sender, receiver, (port, SERVICE))
        } else {
            (receiver, sender, (SERVICE, port))
        };
        let data = vec![0; segment.len as usize];
        let mut octets = Vec::new();
        let flow = self.flows.get(flow);
        let dscp = flow.map(|flow| flow.dscp.code()).unwrap_or_default();
        let header = Ipv4Header {
            dscp: IpDscp::try_new(dscp).unwrap_or_default(),
            source: from,
            destination: to,
            time_to_live: TTL,
            ..Ipv4Header::default()
        };
        let ip = PacketBuilder::ip(IpHeaders::Ipv4(header, Ipv4Extensions::default()));
        let written = if flow.is_some_and(|flow| flow.udp.is_some()) {
            ip.udp(ports.0, ports.1).write(&mut octets, &data)
        } else {
            ip.tcp_header(tcp(ports, packet, partner.is_some()))
                .write(&mut octets, &data)
        };
        // A segment too long for IP has no octets; networks reject such an MSS.
        if written.is_err() {
            octets.clear();
        }
        match packet.fragment {
            Some((identification, it)) => fragment(&octets, identification, it).into(),
            None => octets.into(),
        }
    }

    fn forget(&mut self, _direction: usize, _packet: &SeenPacket) {}
}

/// The octets of a part of an IP packet (RFC 791 3.2); none if the packet has none.
fn fragment(packet: &[u8], identification: u32, part: Fragment) -> Vec<u8> {
    let Ok((mut header, data)) = Ipv4Header::from_slice(packet) else {
        return Vec::new();
    };
    header.identification = identification as u16;
    header.dont_fragment = false;
    header.more_fragments = part.more;
    // Offsets count eight octets; those of a packet that IP can carry fit.
    header.fragment_offset = IpFragOffset::try_new((part.offset / 8) as u16).unwrap_or_default();
    header.total_len = part.octets() as u16;
    header.header_checksum = header.calc_header_checksum();
    let mut octets = header.to_bytes().to_vec();
    octets.extend(
        data.iter()
            .skip(part.offset as usize)
            .take(part.data as usize),
    );
    octets
}

fn tcp((from, to): (u16, u16), packet: &SeenPacket, both_ways: bool) -> TcpHeader {
    let segment = &packet.segment;
    // Sequence numbers on the wire wrap at 32 bits, and windows without scaling are limited to 16. One-way senders
    // receive no data and offer their whole window.
    let window = if packet.is_data && !both_ways {
        u32::MAX
    } else {
        segment.window
    };
    let window = window.min(u32::from(u16::MAX)) as u16;
    let mut header = TcpHeader::new(from, to, segment.seq as u32, window);
    header.syn = segment.flags.has(Flags::SYN);
    header.ack = !header.syn || segment.ack > 0;
    header.acknowledgment_number = segment.ack as u32;
    header.rst = segment.flags.has(Flags::RST);
    header.psh = segment.flags.has(Flags::PSH);
    header.fin = segment.flags.has(Flags::FIN);
    header.ece = segment.flags.has(Flags::ECE);
    header.cwr = segment.flags.has(Flags::CWR);
    // SACK blocks leave room for a timestamp, so the options always fit.
    let fits = header.set_options(&options(segment));
    debug_assert!(fits.is_ok(), "the options of a segment fit");
    header
}

/// The options of a segment, of length [`Segment::options_len`].
fn options(segment: &Segment) -> Vec<TcpOptionElement> {
    use TcpOptionElement as Element;
    let mut options = Vec::new();
    if let Some(mss) = segment.mss {
        options.push(Element::MaximumSegmentSize(mss));
    }
    if let Some(scale) = segment.window_scale {
        options.extend([Element::Noop, Element::WindowScale(scale)]);
    }
    if let Some(times) = segment.timestamp {
        options.extend([
            Element::Noop,
            Element::Noop,
            Element::Timestamp(times.value, times.echo),
        ]);
    }
    let mut blocks = segment
        .sack_blocks()
        .map(|(from, to)| (from as u32, to as u32));
    if let Some(first) = blocks.next() {
        let rest = [blocks.next(), blocks.next(), blocks.next()];
        options.extend([
            Element::Noop,
            Element::Noop,
            Element::SelectiveAcknowledgement(first, rest),
        ]);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use celltrain_sim::scenario::Source;

    /// The addresses, ports and acknowledgment number of a flow's packet.
    fn header(packets: &mut Simulated, flow: usize, is_data: bool) -> ([Octets; 2], [u16; 2], u32) {
        let packet = SeenPacket {
            flow,
            is_data,
            incarnation: 0,
            segment: Segment {
                seq: 700,
                ack: 300,
                window: 5_000,
                ..Segment::default()
            },
            fragment: None,
        };
        let ip = packets.ip(0, &packet);
        let addresses = [ip[12..16].into(), ip[16..20].into()];
        let word = |at: usize| u16::from_be_bytes([ip[at], ip[at + 1]]);
        let acknowledged = u32::from(word(28)) << 16 | u32::from(word(30));
        (addresses, [word(20), word(22)], acknowledged)
    }

    #[test]
    fn both_directions_of_a_connection_have_one_pair_of_addresses_and_ports() {
        let text = r#"
            [measure]
            duration = "1 s"
            [hosts]
            a = {}
            b = {}
            [links.line]
            between = ["a", "b"]
            delay = "1 ms"
            rate = "2 Mbit/s"
            buffer = "200 cells"
            [vcs.vc]
            route = ["a", "b"]
            [flows.f]
            vc = "vc"
            back = {}
        "#;
        let scenario = Source::toml(text, "test.toml").read().expect("it reads");
        let network = Network::new(&scenario).expect("a network");
        let mut packets = Simulated::new(&network);
        let forth = header(&mut packets, 0, true);
        let ([from, to], [source, target], acknowledged) = forth.clone();
        assert_eq!((acknowledged, target), (300, SERVICE));
        // Acknowledgments of the reverse direction leave the same end, and its data leave the other.
        assert_eq!(header(&mut packets, 1, false), forth);
        let back = ([to, from], [target, source], 300);
        assert_eq!(header(&mut packets, 1, true), back);
        assert_eq!(header(&mut packets, 0, false), back);
    }

    #[test]
    fn packets_have_the_code_point_of_their_flow() {
        let text = r#"
            measure.duration = "1 s"
            hosts = { a = {}, b = {} }
            links.line = { between = ["a", "b"], delay = "1 ms", rate = "1 Mbit/s", frames = "ethernet", buffer = "9 packets" }
            vcs.vc.route = ["a", "b"]
            flows.f = { vc = "vc", dscp = "af41", tcp = "linux" }
        "#;
        let scenario = Source::toml(text, "test.toml").read().expect("it reads");
        let network = Network::new(&scenario).expect("a network");
        let packet = SeenPacket {
            flow: 0,
            is_data: true,
            incarnation: 0,
            segment: Segment::default(),
            fragment: None,
        };
        let ip = Simulated::new(&network).ip(0, &packet);
        assert_eq!(ip[1] >> 2, 34);
    }

    #[test]
    fn fragments_are_those_of_their_packet_with_headers_of_their_own() {
        // 20 + 20 + 2000 octets over an MTU of 1500: 1480 octets of data and 540.
        let packet = |fragment| SeenPacket {
            flow: 0,
            is_data: true,
            incarnation: 0,
            segment: Segment {
                len: 2_000,
                ..Segment::default()
            },
            fragment,
        };
        let mut packets = Simulated { flows: Vec::new() };
        let whole = packets.ip(0, &packet(None));
        let parts: Vec<_> = Fragment::whole(2_040)
            .cut(1_500)
            .map(|part| packets.ip(0, &packet(Some((0x1_0007, part)))))
            .collect();
        let headers = parts.iter().map(|it| Ipv4Header::from_slice(it).unwrap());
        let data: Vec<u8> = headers.clone().flat_map(|it| it.1.to_vec()).collect();
        assert_eq!(data, whole[20..]);
        let fields = headers.map(|(header, _)| {
            assert_eq!(header.header_checksum, header.calc_header_checksum());
            let offset = header.fragment_offset.value();
            (
                header.total_len,
                header.identification,
                header.more_fragments,
                offset,
            )
        });
        assert_eq!(
            fields.collect::<Vec<_>>(),
            [(1_500, 7, true, 0), (560, 7, false, 185)]
        );
    }
}
