//! The packets of a flow, and the path that they take.

use celltrain_proto::units::{Bytes, CELL_BITS, CELL_OCTETS, Rate};

use crate::network::{Flow, Network, VcDirection};
use crate::scenario::{Application, Service, Sizes};

/// Octets of IP and TCP headers without options.
const HEADERS: u64 = 40;

/// The flows whose VCs are admitted.
pub(in crate::network) fn admitted(network: &Network) -> impl Iterator<Item = &Flow> + Clone {
    let flows = network.flows.iter();
    flows.filter(|flow| network.vcs[flow.vc].is_admitted())
}

/// The cells of the longest packets that a flow keeps sending: full segments, or shorter ones if its application writes
/// less at a time.
pub(in crate::network) fn segment_cells(network: &Network, flow: &Flow) -> u64 {
    let octets = match &flow.udp {
        Some(udp) => udp.packet.0.0,
        None => segment(flow) + HEADERS,
    };
    let direction = 2 * flow.vc + flow.direction.index();
    network.packet_cells(direction, octets, flow.is_cut())
}

/// The same, as the time of so many cells on a line: that of a frame of the first line that carries frames.
pub(super) fn segment_load(network: &Network, flow: &Flow) -> f64 {
    let [data, _] = ways(network, flow);
    let lines = data
        .links
        .iter()
        .filter_map(|&link| network.links[link].line.as_ref());
    match lines.into_iter().find_map(|line| line.frames) {
        None => segment_cells(network, flow) as f64,
        Some(frames) => {
            let packet = segment(flow) + HEADERS;
            f64::from(frames.framing.octets(packet as u32)) / CELL_OCTETS as f64
        }
    }
}

/// The octets of data in these segments. The segment size includes the timestamps in them.
fn segment(flow: &Flow) -> u64 {
    let octets = |bytes: Bytes| bytes.0;
    let mss = octets(flow.tcp.agreed_mss());
    let file = match &flow.application {
        Application::Files(files) if files.sizes == Sizes::Fixed => octets(files.size.0),
        Application::Telnet(telnet) => octets(telnet.size.0),
        _ => mss,
    };
    let keeps_writes = flow.sockets.segment_memory.is_some();
    let write = flow.sockets.write.filter(|_| keeps_writes);
    mss.min(file)
        .min(write.map_or(mss, |write| octets(write.0)))
}

/// The cells of a pure acknowledgment.
pub(in crate::network) fn ack_cells(network: &Network, flow: &Flow) -> u64 {
    let options = if flow.tcp.timestamps { 12 } else { 0 };
    let adaptation = network.vcs[flow.vc].adaptation;
    adaptation.cells_for_ip(HEADERS + options)
}

/// The direction that carries a flow's data, and the one that carries its acknowledgments.
pub(super) fn ways<'a>(network: &'a Network, flow: &Flow) -> [&'a VcDirection; 2] {
    let data = 2 * flow.vc + flow.direction.index();
    [network.direction(data), network.direction(data ^ 1)]
}

/// The lowest rate in bit/s at which a source sends the cells of a packet; infinite if they all leave at the same
/// instant.
pub(super) fn sure_rate(service: &Service) -> f64 {
    match service {
        Service::Ubr(ubr) => ubr.pcr.map_or(f64::INFINITY, |pcr| pcr.0.as_bps()),
        Service::Cbr(cbr) => cbr.pcr.0.as_bps(),
        Service::Abr(_) | Service::RtVbr(_) | Service::NrtVbr(_) => service.guaranteed().as_bps(),
    }
}

/// The time in s that `cells` cells take at the rate `bps`.
pub(super) fn time_of(cells: f64, bps: f64) -> f64 {
    cells * CELL_BITS as f64 / bps
}

/// A rate in words, to four digits.
pub(super) fn in_words(bps: f64) -> String {
    let digits = 10_f64.powi(3 - bps.max(1.0).log10().floor() as i32);
    Rate::bps((bps * digits).round() / digits).to_string()
}
