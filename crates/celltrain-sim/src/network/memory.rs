//! What a run keeps in memory, as bounds from the scenario alone: cells in queues and in flight, PDUs that wait at hosts,
//! and samples of probes.
//!
//! Cells of connections in queues are not counted, because a connection has no more than its window in the network.

mod hosts;

use celltrain_proto::line::DelayDistribution;
use celltrain_proto::units::Rate;

use super::demand::{Demand, PDU};
use super::model::{Link, Network, VcDirection};
use super::offered::Offered;
use crate::scenario::Service;

/// Octets of memory for a cell in a queue or in flight.
const CELL: f64 = 16.0;
/// Octets of memory for the queue of a flow, with its management.
const FLOW_QUEUE: f64 = 200.0;
/// Octets of memory for a sample: a number, in a column that doubles when it is full.
const SAMPLE: f64 = 16.0;

/// Octets of memory of the first elements of queues: for a direction of a VC, for each link that it crosses, and for a flow.
const DIRECTION: f64 = 1_000.0;
const HOP: f64 = 600.0;
const FLOW: f64 = 1_000.0;

/// The memory that each part of `network` could need; `cells_per_s` is the highest sustained number of cells per second
/// by link, and `rows` the number of rows by probe.
pub(super) fn demands(
    network: &Network,
    offered: &Offered<'_>,
    cells_per_s: &[f64],
    rows: &[f64],
) -> Vec<Demand> {
    let cells = cells_at_links(network, offered, cells_per_s);
    let links = network.links.iter().zip(&cells);
    let mut demands: Vec<_> = links
        .map(|(link, cells)| Demand {
            of: format!("cells in the queue and in flight on link {}", link.name),
            section: "links",
            octets: CELL * cells + by_flow(link),
        })
        .collect();
    demands.extend(at_hosts(network, offered, &cells));
    demands.extend(in_tunnels(network, offered));
    demands.extend(hosts::in_hosts(
        network,
        offered,
        &arriving(network, offered),
    ));
    demands.extend(hosts::in_windows(network));
    demands.push(at_first(network));
    demands.extend(network.probes.iter().zip(rows).map(|(probe, rows)| Demand {
        of: format!("the samples of probe {}", probe.name),
        section: "probes",
        octets: SAMPLE * rows * (1 + probe.table_columns().count()) as f64,
    }));
    demands
}

/// What empty queues of packets take.
fn by_flow(link: &Link) -> f64 {
    let queue = link
        .line
        .as_ref()
        .and_then(|line| line.packet_queue.as_ref());
    queue.map_or(0.0, |queue| FLOW_QUEUE * f64::from(queue.queues()))
}

/// What queues take for their first few elements, however short they stay.
fn at_first(network: &Network) -> Demand {
    let directions = network.vcs.iter().flat_map(|vc| &vc.directions);
    let octets = directions.map(|direction| DIRECTION + HOP * direction.links.len() as f64);
    Demand {
        of: "the first cells and packets of all VCs".to_owned(),
        section: "vcs",
        octets: octets.sum::<f64>() + FLOW * network.flows.len() as f64,
    }
}

/// By link, the most cells in its queue and in flight.
fn cells_at_links(network: &Network, offered: &Offered<'_>, cells_per_s: &[f64]) -> Vec<f64> {
    let links = network.links.iter().zip(coming_to_links(network, offered));
    links
        .zip(cells_per_s)
        .map(|((link, coming), cells_per_s)| {
            let queue = match &link.line {
                None => 0.0,
                Some(line) if line.most_queued().is_finite() => line.most_queued(),
                Some(line) => {
                    let served = line.range.low.as_cells_per_s();
                    offered.queue(network, &coming, served)
                }
            };
            let jitter = link.jitter.as_ref().map_or(0.0, |it| it.max().as_secs());
            queue + cells_per_s * (link.longest_delay().as_secs() + jitter)
        })
        .collect()
}

/// By link, the directions whose sources have something to send, and the highest rates, in cells per second, at which
/// shaping and the lines upstream let them come.
fn coming_to_links(network: &Network, offered: &Offered<'_>) -> Vec<Vec<(usize, f64)>> {
    let mut coming = vec![Vec::new(); network.links.len()];
    for number in 0..offered.directions() {
        if offered.leaving(network, number) > 0.0 {
            follow(network, number, |link, rate| {
                coming[link].push((number, rate));
            });
        }
    }
    coming
}

/// Each direction, and the highest rate, in cells per second, at which it comes to its end.
fn arriving(network: &Network, offered: &Offered<'_>) -> Vec<(usize, f64)> {
    let directions = 0..offered.directions();
    directions
        .map(|number| (number, follow(network, number, |_, _| ())))
        .collect()
}

/// Calls `meet` for each link on the way of a direction with the highest rate, in cells per second, at which it comes there;
/// returns that at its end.
fn follow(network: &Network, number: usize, mut meet: impl FnMut(usize, f64)) -> f64 {
    let direction = network.direction(number);
    let pcr = direction.service.pcr();
    let mut rate = pcr.map_or(f64::INFINITY, Rate::as_cells_per_s);
    for &link in direction.links.iter() {
        meet(link, rate);
        if let Some(line) = &network.links[link].line {
            rate = rate.min(line.units_per_s(line.range.high));
        }
    }
    rate
}

/// The PDUs that wait at hosts, and those whose cells are on their way.
fn at_hosts(network: &Network, offered: &Offered<'_>, cells_at_links: &[f64]) -> Vec<Demand> {
    let packets = (0..offered.directions()).map(|number| (number, offered.packets(number)));
    packets
        .filter(|(number, (cells, _))| *cells > 0.0 && network.vcs[number / 2].is_admitted())
        .map(|(number, (cells, pdus))| {
            let vc = &network.vcs[number / 2];
            let kept = network.direction(number);
            let waiting = offered.waiting(number, shaped(network, number, kept));
            let waiting = waiting.min(vc.source_buffer as f64);
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

/// The cells per second that shaping lets leave the source of direction `number`, whatever the network does.
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
    rate.as_cells_per_s()
}

/// The cells of other VCs that wait at the sources of tunnel VCs.
fn in_tunnels(network: &Network, offered: &Offered<'_>) -> Vec<Demand> {
    let mut coming = vec![Vec::new(); offered.directions()];
    for number in 0..offered.directions() {
        let pcr = network.direction(number).service.pcr();
        let rate = pcr.map_or(f64::INFINITY, Rate::as_cells_per_s);
        for carried in network.direction(number).carried() {
            coming[carried.by].push((number, rate));
        }
    }
    let tunnels = coming.iter().enumerate();
    tunnels
        .filter(|(_, coming)| !coming.is_empty())
        .map(|(number, coming)| {
            let vc = &network.vcs[number / 2];
            let served = shaped(network, number, network.direction(number));
            let waiting = offered.queue(network, coming, served);
            Demand {
                of: format!("the cells that wait at the ends of VC {}", vc.name),
                section: "vcs",
                octets: CELL * waiting.min(vc.source_buffer as f64),
            }
        })
        .collect()
}
