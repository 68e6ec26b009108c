//! Hosts with processing times or LANs.

use celltrain_proto::lan::TokenRing;
use celltrain_proto::random::Stream;

use crate::engine::host::hosts::{Access, HostTimes, Hosts, Station};
use crate::network::Network;
use crate::scenario::HostLan;

pub(super) fn hosts(network: &Network, flows: usize, seed: u64) -> Hosts {
    let mut accesses = Vec::new();
    let mut rings = Vec::new();
    let mut numbers = vec![None; network.nodes.len()];
    for (node, written) in network.hosts.iter().enumerate() {
        if !written.takes_time() {
            continue;
        }
        let lan = written.lan();
        let way = |what: &str| {
            let path = format!("hosts.{}.{what}", network.nodes[node].name);
            let processing = written.processing.map(|processing| {
                let bounds = processing.uniform.map(|bound| bound.0);
                (bounds, Stream::named(seed, &path))
            });
            HostTimes::new(processing, lan.clone())
        };
        let station = lan.as_ref().and_then(HostLan::ring).map(|ring| {
            let member = node - network.nodes[node].first;
            if member == 0 {
                // The router is the first station.
                let stations = written.count.unwrap_or(1) as usize + 1;
                rings.push(TokenRing::new(ring, stations));
            }
            Station {
                ring: rings.len() - 1,
                number: member + 1,
            }
        });
        numbers[node] = Some(accesses.len() as u32);
        accesses.push(Access {
            out: way("out"),
            into: way("in"),
            station,
        });
    }
    let ends = network.vcs.iter().flat_map(|vc| {
        let [first, last] =
            [vc.nodes.first(), vc.nodes.last()].map(|node| node.and_then(|&node| numbers[node]));
        [[first, last], [last, first]]
    });
    let ends = match accesses[..] {
        [] => Vec::new(),
        _ => ends.collect(),
    };
    Hosts::new(accesses, rings, ends, flows)
}
