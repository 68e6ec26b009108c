//! Captures packets and cells in a pcapng file for Wireshark.
//!
//! Each end has an interface with its IP packets (link type RAW). Each line has one with the AAL5 PDUs that arrive over
//! it and one with the single cells, as ERF records of types 4 and 3 (link type ERF); a line of frames has one with its
//! frames (link type ETHERNET, PPP or RAW). PDUs of AAL3/4, for which there is no
//! record, are seen as cells only. A cell is written without its
//! HEC, as in ERF. PDUs are assembled from the arriving cells, as a capture card would: if a cell was lost, the length
//! or the CRC is wrong.
//!
//! Source of the formats: draft-ietf-opsawg-pcapng; Endace, ERF Types Reference Guide.

#[cfg(target_os = "linux")]
mod beside;
mod erf;
mod frame;
mod packets;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::time::Duration;

use celltrain_proto::adaptation::Aal;
use celltrain_proto::cell::{Header, PayloadType};
use celltrain_proto::frame::Framing;
use celltrain_proto::traffic::{TrafficSource, sar_header};
use celltrain_proto::units::Time;
use celltrain_sim::engine::{CaptureRecord, Seen, SeenLoad, SeenPacket};
use celltrain_sim::network::{Background, Network};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, PcapError};

#[cfg(target_os = "linux")]
pub use beside::Beside;
pub use packets::{Given, Packets, Simulated};

/// Octets in the payload of a cell.
const PAYLOAD: usize = 48;
/// Octets in the longest PDU.
const LONGEST_PDU: usize = 1_366 * PAYLOAD;
/// Timestamps in nanoseconds.
const NANOSECONDS: u8 = 9;
/// VCIs are consecutive from 32, the first available to users.
const FIRST_VCI: u16 = 32;

/// A capture file being written.
pub struct Capture<W: Write, P> {
    writer: PcapNgWriter<W>,
    network: Network,
    packets: P,
    /// The wall-clock time of instant zero, since 1970.
    epoch: Duration,
    interfaces: u32,
    /// Interfaces of hosts by node, and those of links.
    hosts: BTreeMap<usize, u32>,
    links: BTreeMap<usize, Interfaces>,
    /// By link and VC direction.
    assemblies: BTreeMap<(usize, usize), Assembly>,
    /// The directions of VCs that carry circuits, by AAL1.
    circuits: BTreeSet<usize>,
    octets: u64,
    limit: u64,
}

/// The interfaces of a link.
#[derive(Clone, Copy)]
enum Interfaces {
    /// Those of its PDUs and of its cells.
    Cells([u32; 2]),
    /// That of its frames.
    Frames(u32, Framing),
}

/// The PDUs of one direction of a VC on one link.
#[derive(Default)]
struct Assembly {
    /// The packet of the current cell, and its PDU.
    packet: Option<SeenPacket>,
    whole: Vec<u8>,
    /// The number of PDUs so far, which tags those of AAL3/4.
    pdus: u8,
    /// The cells of the current PDU that have arrived.
    arrived: Vec<u8>,
}

impl<W: Write, P: Packets> Capture<W, P> {
    /// Writes the headers of a file for the ends of these VCs and these links. Instant zero was `epoch` after 1970.
    /// Nothing more is written after `limit` octets of packets and cells.
    pub fn new(
        writer: W,
        network: &Network,
        packets: P,
        (vcs, links): (&[usize], &[usize]),
        epoch: Duration,
        limit: u64,
    ) -> io::Result<Self> {
        let mut capture = Self {
            writer: PcapNgWriter::new(writer).map_err(io_error)?,
            network: network.clone(),
            packets,
            epoch,
            interfaces: 0,
            hosts: BTreeMap::new(),
            links: BTreeMap::new(),
            assemblies: BTreeMap::new(),
            circuits: circuits(network),
            octets: 0,
            limit,
        };
        for &vc in vcs {
            let nodes = &network.vcs[vc].nodes;
            for node in [nodes[0], nodes[nodes.len() - 1]] {
                if !capture.hosts.contains_key(&node) {
                    let name = format!("{} IP", network.nodes[node].name);
                    let interface = capture.add_interface(DataLink::RAW, name)?;
                    capture.hosts.insert(node, interface);
                }
            }
        }
        for &link in links {
            let name = network.links[link].unique_name();
            let line = network.links[link].line.as_ref();
            let frames = line.and_then(|line| line.frames);
            let interfaces = if let Some(frames) = frames {
                let kind = frame::link_type(frames.framing);
                let interface = capture.add_interface(kind, format!("{name} frames"))?;
                Interfaces::Frames(interface, frames.framing)
            } else {
                let pdus = capture.add_interface(DataLink::ERF, format!("{name} AAL5"))?;
                let cells = capture.add_interface(DataLink::ERF, format!("{name} cells"))?;
                Interfaces::Cells([pdus, cells])
            };
            capture.links.insert(link, interfaces);
        }
        Ok(capture)
    }

    /// The source of packet contents.
    pub fn packets(&mut self) -> &mut P {
        &mut self.packets
    }

    /// Whether the limit was reached, so that the rest is missing.
    pub fn is_full(&self) -> bool {
        self.octets >= self.limit
    }

    /// Writes a record of what was captured.
    pub fn see(&mut self, captured: &CaptureRecord) -> io::Result<()> {
        match captured.what {
            Seen::Sent(packet) => self.write_packet(captured, &packet, 0),
            Seen::Received(packet) => {
                self.write_packet(captured, &packet, 1)?;
                self.packets.forget(captured.direction, &packet);
                Ok(())
            }
            Seen::Cell {
                link,
                gfc,
                efci,
                clp,
                load,
            } => self.write_cell(captured, link, (gfc, efci, clp), load),
        }
    }

    /// Finishes the file and returns the writer.
    pub fn finish(self) -> io::Result<W> {
        let mut writer = self.writer.into_inner();
        writer.flush()?;
        Ok(writer)
    }

    fn add_interface(&mut self, link: DataLink, name: String) -> io::Result<u32> {
        let mut block = InterfaceDescriptionBlock::new(link, 0);
        block.options = vec![
            InterfaceDescriptionOption::IfName(name.into()),
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
        ];
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a packet at the host where its direction starts (`end` 0) or ends (1).
    fn write_packet(
        &mut self,
        captured: &CaptureRecord,
        packet: &SeenPacket,
        end: usize,
    ) -> io::Result<()> {
        let nodes = &self.network.vcs[captured.direction / 2].nodes;
        let is_first = end == captured.direction % 2;
        let node = if is_first {
            nodes[0]
        } else {
            nodes[nodes.len() - 1]
        };
        let Some(&interface) = self.hosts.get(&node) else {
            return Ok(());
        };
        let octets = self.packets.ip(captured.direction, packet);
        self.write(interface, captured.at, &octets)
    }

    fn write_cell(
        &mut self,
        captured: &CaptureRecord,
        link: usize,
        (gfc, efci, clp): (u8, bool, bool),
        load: SeenLoad,
    ) -> io::Result<()> {
        let [pdus, cells] = match self.links.get(&link) {
            None => return Ok(()),
            Some(&Interfaces::Cells(interfaces)) => interfaces,
            Some(&Interfaces::Frames(interface, framing)) => {
                return self.write_frame(captured, interface, framing, load);
            }
        };
        let is_aal5 = self.network.vcs[captured.direction / 2].adaptation.aal == Aal::Aal5;
        let (payload, last) = match load {
            SeenLoad::Rm(rm) => (rm.emit(), None),
            SeenLoad::Unframed { number } => {
                (self.unframed(captured.direction, number), Some(false))
            }
            SeenLoad::Packet {
                packet,
                index,
                cells,
            } => {
                let payload = self.payload(link, captured.direction, &packet, index as usize);
                // Only AAL5 marks the last cell.
                (payload, Some(is_aal5 && index + 1 == cells))
            }
        };
        let vpi = vpi(&self.network, captured.direction, link);
        let header = header(
            captured.direction,
            vpi,
            gfc,
            last.map(|last| (efci, last)),
            clp,
        );
        let at = self.since_epoch(captured.at);
        let record = erf::record(erf::Kind::Cell, at, header, &payload);
        self.write(cells, captured.at, &record)?;
        // ERF has records of PDUs of AAL5 only.
        if let SeenLoad::Packet { .. } = load
            && is_aal5
        {
            let assembly = self
                .assemblies
                .entry((link, captured.direction))
                .or_default();
            assembly.arrived.extend_from_slice(&payload);
            let is_too_long = assembly.arrived.len() > LONGEST_PDU;
            if last == Some(true) || is_too_long {
                let pdu = std::mem::take(&mut assembly.arrived);
                let record = erf::record(erf::Kind::Pdu, at, header, &pdu);
                self.write(pdus, captured.at, &record)?;
            }
        }
        Ok(())
    }

    fn write_frame(
        &mut self,
        captured: &CaptureRecord,
        interface: u32,
        framing: Framing,
        load: SeenLoad,
    ) -> io::Result<()> {
        let SeenLoad::Packet { packet, .. } = load else {
            return Ok(());
        };
        let ip = self.packets.ip(captured.direction, &packet);
        let octets = frame::frame(framing, &ip);
        self.write(interface, captured.at, &octets)
    }

    /// The payload of a cell of a process, whose contents are not simulated: that of a circuit has its header.
    fn unframed(&self, direction: usize, number: u32) -> [u8; PAYLOAD] {
        let mut payload = [0; PAYLOAD];
        if self.circuits.contains(&direction) {
            payload[0] = sar_header(number);
        }
        payload
    }

    /// The payload of cell `index` of a packet.
    fn payload(
        &mut self,
        link: usize,
        direction: usize,
        packet: &SeenPacket,
        index: usize,
    ) -> [u8; PAYLOAD] {
        let assembly = self.assemblies.entry((link, direction)).or_default();
        if assembly.packet.as_ref() != Some(packet) {
            let adaptation = self.network.vcs[direction / 2].adaptation;
            let ip = self.packets.ip(direction, packet);
            assembly.pdus = assembly.pdus.wrapping_add(1);
            assembly.whole = wire::pdu(adaptation, assembly.pdus, &ip);
            assembly.packet = Some(*packet);
        }
        let mut payload = [0; PAYLOAD];
        if let Some(octets) = assembly.whole.chunks_exact(PAYLOAD).nth(index) {
            payload.copy_from_slice(octets);
        }
        payload
    }

    fn since_epoch(&self, at: Time) -> Duration {
        self.epoch + Duration::from_nanos(at.as_ps() / 1_000)
    }

    fn write(&mut self, interface: u32, at: Time, octets: &[u8]) -> io::Result<()> {
        if self.is_full() {
            return Ok(());
        }
        self.octets += octets.len() as u64;
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: self.since_epoch(at),
            original_len: octets.len() as u32,
            data: octets.into(),
            options: Vec::new(),
        };
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        Ok(())
    }
}

/// The directions of VCs that carry circuits.
fn circuits(network: &Network) -> BTreeSet<usize> {
    let all = network.backgrounds.iter();
    let circuits = all.filter(|it| it.group.traffic.is_circuit());
    circuits.map(Background::feeds).collect()
}

/// The VPI of a direction's cells on a link: that of the virtual path to which they belong there, or 0.
fn vpi(network: &Network, direction: usize, link: usize) -> u8 {
    let way = network.direction(direction);
    let at = way.links.iter().position(|&it| it == link);
    let path = at.and_then(|at| way.path_at(at));
    path.map_or(0, |path| network.vps[path.by / 2].vpi)
}

/// The cell header of a direction with this VPI: of user data, with its EFCI and whether it is the last cell, or of an RM
/// cell.
fn header(direction: usize, vpi: u8, gfc: u8, user: Option<(bool, bool)>, clp: bool) -> [u8; 4] {
    let payload_type = match user {
        Some((efci, last)) => PayloadType::User { efci, last },
        None => PayloadType::ResourceManagement,
    };
    let header = Header {
        gfc,
        vpi,
        vci: FIRST_VCI.saturating_add((direction / 2) as u16),
        payload_type,
        clp,
    };
    let [a, b, c, d, _hec] = header.emit();
    [a, b, c, d]
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
