//! What a run keeps in memory, as bounds from the scenario alone: cells in queues and in flight, PDUs that wait at hosts,
//! and samples of probes.
//!
//! Queues of connections are not counted, because a connection has no more than its window in the network.

use celltrain_proto::line::DelayDistribution;
use celltrain_proto::traffic::TrafficSource;
use celltrain_proto::units::{CELL_BITS, Rate};

use super::model::{Link, Network, UNLIMITED, VcDirection};
use crate::scenario::Service;

/// Octets of memory for a cell in a queue or in flight.
const CELL: f64 = 16.0;
/// Octets of memory for a PDU that waits or is in flight: its record, in a queue that doubles when it is full.
const PDU: f64 = 400.0;
/// Octets of memory for a sample: a number, in a column that doubles when it is full.
const SAMPLE: f64 = 16.0;

/// Memory that one part of a network could need.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Demand {
    /// The part, as in "the queue of link l".
    pub(super) of: String,
    /// The section of the scenario that describes it.
    pub(super) section: &'static str,
    /// The octets.
    pub(super) octets: f64,
}

/// The memory that each part of `network` could need; `cells_per_s` is the highest sustained number of cells per second
/// by link, and `rows` the number of rows by probe.
pub(super) fn demands(
    network: &Network,
    offered: &Offered,
    cells_per_s: &[f64],
    rows: &[f64],
) -> Vec<Demand> {
    let cells = cells_at_links(network, offered, cells_per_s);
    let links = network.links.iter().zip(&cells);
    let mut demands: Vec<_> = links
        .map(|(link, cells)| Demand {
            of: format!("cells in the queue and in flight on link {}", link.name),
            section: "links",
            octets: CELL * cells,
        })
        .collect();
    demands.extend(at_hosts(network, offered, &cells));
    demands.extend(in_tunnels(network, offered));
    demands.extend(network.probes.iter().zip(rows).map(|(probe, rows)| Demand {
        of: format!("the samples of probe {}", probe.name),
        section: "probes",
        octets: SAMPLE * rows * (1 + probe.table_columns().count()) as f64,
    }));
    demands
}

/// What sources without flow control offer to each direction of a VC during a run.
pub(super) struct Offered {
    /// Cells of packets and of processes of cells; infinite for a greedy source.
    cells: Vec<f64>,
    /// Cells of packets only, and their PDUs.
    packets: Vec<(f64, f64)>,
    /// Cells of packets that come at one instant: they are in the host together, however fast they leave.
    at_once: Vec<f64>,
}

impl Offered {
    pub(super) fn of(network: &Network) -> Self {
        let directions = 2 * network.vcs.len();
        let seconds = network.end.as_secs();
        let (mut cells, mut packets) = (vec![0.0; directions], vec![(0.0, 0.0); directions]);
        let mut at_once = vec![0.0; directions];
        for background in &network.backgrounds {
            cells[background.feeds()] += background.group.traffic.most(seconds, CELL_BITS);
        }
        for flow in &network.flows {
            let Some(udp) = &flow.udp else { continue };
            let direction = 2 * flow.vc + flow.direction.index();
            let octets = udp.packet.0.0;
            let active = flow
                .duration
                .map_or(seconds, |it| seconds.min(it.as_secs()));
            let most = udp.traffic.most(active, 8 * octets);
            let each = network.packet_cells(direction, octets, true) as f64;
            cells[direction] += most * each;
            at_once[direction] += udp.traffic.most_at_once().min(most) * each;
            packets[direction].0 += most * each;
            packets[direction].1 += most * network.mtus(direction).pieces(octets as u32) as f64;
        }
        Self {
            cells,
            packets,
            at_once,
        }
    }

    /// Cells that come to the sources during the run, greedy sources not counted: they send only what can leave.
    pub(super) fn total(&self) -> f64 {
        self.cells.iter().filter(|cells| cells.is_finite()).sum()
    }

    /// Cells that leave the source of a direction during the run.
    fn leaving(&self, network: &Network, direction: usize) -> f64 {
        let pcr = network.direction(direction).service.pcr();
        let most = pcr.map_or(f64::INFINITY, |pcr| sent(pcr, network));
        self.cells[direction].min(most)
    }
}

/// The cells that a rate sends during a run.
fn sent(rate: Rate, network: &Network) -> f64 {
    rate.as_cells_per_s() * network.end.as_secs()
}

/// By link, the most cells in its queue and in flight.
fn cells_at_links(network: &Network, offered: &Offered, cells_per_s: &[f64]) -> Vec<f64> {
    let mut arriving = vec![0.0; network.links.len()];
    for number in 0..offered.cells.len() {
        for &link in network.direction(number).links.iter() {
            arriving[link] += offered.leaving(network, number);
        }
    }
    let links = network.links.iter().zip(arriving).zip(cells_per_s);
    links
        .map(|((link, arriving), cells_per_s)| {
            let jitter = link.jitter.as_ref().map_or(0.0, |it| it.max().as_secs());
            queue(network, link, arriving) + cells_per_s * (link.delay.as_secs() + jitter)
        })
        .collect()
}

/// The most cells in the queue of a link: its buffer, or what its line leaves behind of `arriving` cells.
fn queue(network: &Network, link: &Link, arriving: f64) -> f64 {
    let Some(served) = &link.line else { return 0.0 };
    if served.buffer != UNLIMITED {
        return f64::from(served.buffer);
    }
    let excess = arriving - sent(served.rate.range().low, network);
    // A greedy source without a limit is refused for that reason, not for its memory.
    if excess.is_finite() {
        excess.max(0.0)
    } else {
        0.0
    }
}

/// The PDUs that wait at hosts, and those whose cells are on their way.
fn at_hosts(network: &Network, offered: &Offered, cells_at_links: &[f64]) -> Vec<Demand> {
    let packets = offered.packets.iter().enumerate();
    packets
        .filter(|(number, (cells, _))| *cells > 0.0 && network.vcs[number / 2].is_admitted())
        .map(|(number, &(cells, pdus))| {
            let vc = &network.vcs[number / 2];
            let kept = network.direction(number);
            let excess = (cells - shaped(network, number, kept)).max(offered.at_once[number]);
            let waiting = excess.clamp(0.0, vc.source_buffer as f64);
            let on_their_way: f64 = kept.links.iter().map(|&link| cells_at_links[link]).sum();
            let most = (waiting + on_their_way).min(cells);
            Demand {
                of: format!(
                    "the packets of VC {} that wait or are on their way",
                    vc.name
                ),
                section: "vcs",
                octets: PDU * most * pdus / cells,
            }
        })
        .collect()
}

/// The cells that shaping lets leave the source of direction `number` during a run, whatever the network does.
fn shaped(network: &Network, number: usize, direction: &VcDirection) -> f64 {
    if network.vcs[number / 2].gfc_group.is_some() {
        return 0.0;
    }
    let rate = match &*direction.service {
        Service::Ubr(ubr) => match ubr.pcr {
            Some(pcr) => pcr.0,
            None => return f64::INFINITY,
        },
        other => other.guaranteed(),
    };
    sent(rate, network)
}

/// The cells of other VCs that wait at the sources of tunnel VCs.
fn in_tunnels(network: &Network, offered: &Offered) -> Vec<Demand> {
    let mut arriving = vec![0.0; offered.cells.len()];
    for number in 0..offered.cells.len() {
        for carried in network.direction(number).carried() {
            arriving[carried.by] += offered.leaving(network, number);
        }
    }
    let tunnels = arriving.into_iter().enumerate();
    tunnels
        .filter(|(_, arriving)| *arriving > 0.0 && arriving.is_finite())
        .map(|(number, arriving)| {
            let vc = &network.vcs[number / 2];
            let excess = arriving - shaped(network, number, network.direction(number));
            Demand {
                of: format!("the cells that wait at the ends of VC {}", vc.name),
                section: "vcs",
                octets: CELL * excess.clamp(0.0, vc.source_buffer as f64),
            }
        })
        .collect()
}
