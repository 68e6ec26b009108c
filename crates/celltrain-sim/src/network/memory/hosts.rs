//! The memory of packets in hosts that take time for them, and of the windows of connections.

use celltrain_proto::units::Span;

use crate::network::demand::{Demand, FIRST_WINDOW, PDU};
use crate::network::model::Network;
use crate::network::offered::Offered;
use crate::scenario::Host;

/// Octets of memory for an outstanding segment: what the sender knows of it, its PDU, and that of its acknowledgment.
const SEGMENT: f64 = 100.0 + 2.0 * PDU;

/// The packets without TCP that wait in hosts, or for their LANs.
pub(super) fn in_hosts(
    network: &Network,
    offered: &Offered<'_>,
    coming: &[(usize, f64)],
) -> Vec<Demand> {
    let hosts = network.hosts.iter().enumerate();
    hosts
        .filter(|(_, host)| host.takes_time())
        .map(|(node, host)| {
            let ends_here = |number: usize, end: fn(&[usize]) -> Option<&usize>| {
                end(&network.vcs[number / 2].nodes) == Some(&node)
            };
            let leaves = |number: usize| match number % 2 {
                0 => ends_here(number, <[usize]>::first),
                _ => ends_here(number, <[usize]>::last),
            };
            let has_packets = |number: &usize| offered.packets(*number).0 > 0.0;
            let numbers = (0..offered.directions()).filter(has_packets);
            let (out, into): (Vec<usize>, Vec<usize>) = numbers
                .filter(|&number| leaves(number) || leaves(number ^ 1))
                .partition(|&number| leaves(number));
            let time = |octets: u64| longest(host, octets);
            let all: f64 = out.iter().map(|&number| offered.packets(number).0).sum();
            let leaving = out.iter().map(|&number| {
                let (cells, pdus) = offered.packets(number);
                let served = offered.passing(number, time) * cells / all;
                offered.waiting(number, served) * pdus / cells
            });
            let arriving = into.iter().map(|&number| {
                let (cells, pdus) = offered.packets(number);
                let served = offered.passing(number, time) / into.len() as f64;
                offered.queue(network, &[coming[number]], served) * pdus / cells
            });
            Demand {
                of: format!("the packets in host {}", network.nodes[node].name),
                section: "hosts",
                octets: PDU * (leaving.sum::<f64>() + arriving.sum::<f64>()),
            }
        })
        .collect()
}

/// The longest time that a packet takes in a host or on its LAN, whichever is longer: they work at the same time. On a ring
/// each other station may send before it.
fn longest(host: &Host, octets: u64) -> Span {
    let processing = host.processing.map_or(Span::ZERO, |it| it.uniform[1].0);
    let frame = host.lan().map_or(Span::ZERO, |lan| {
        let stations = lan
            .ring()
            .map_or(1, |_| u64::from(host.count.unwrap_or(1)) + 1);
        lan.frame_time(octets) * stations
    });
    processing.max(frame)
}

/// The outstanding segments of connections, whose windows are filled.
pub(super) fn in_windows(network: &Network) -> Vec<Demand> {
    let flows = network.flows.iter();
    flows
        .filter(|flow| flow.udp.is_none() && network.vcs[flow.vc].is_admitted())
        .map(|flow| {
            // A window grows by no more than what is acknowledged, and each segment takes a cell at least.
            let direction = network.direction(2 * flow.vc + flow.direction.index());
            let lines = direction
                .links
                .iter()
                .filter_map(|&link| network.links[link].line.as_ref());
            let seconds = network.end.as_secs();
            let carried = lines.map(|line| line.units_per_s(line.highest_lasting) * seconds);
            let acknowledged = carried.fold(f64::INFINITY, f64::min);
            Demand {
                of: format!("the window of flow {}", flow.name),
                section: "flows",
                octets: SEGMENT
                    * (flow.most_outstanding() + 1.0).min(2.0 * acknowledged + FIRST_WINDOW),
            }
        })
        .collect()
}
