//! Switches that generate backward RM cells.

use celltrain_proto::abr::BecnPort;
use celltrain_proto::schedule::{Class, Queues};

use crate::engine::link::{Becn, Link, ToSource};
use crate::engine::state::hop::Hop;
use crate::engine::state::ways::Ways;
use crate::network::Network;
use crate::scenario::Service;

/// Adds them to the links whose queues make them.
pub(super) fn add(network: &Network, ways: &Ways, hops: &[Hop], links: &mut [Link]) {
    let has_becn = |link: &crate::network::Link| {
        let line = link.line.as_ref();
        line.is_some_and(|line| line.becn.is_some())
    };
    if !network.links.iter().any(has_becn) {
        return;
    }
    let to_sources = to_sources(network, ways, hops);
    for ((described, link), to_sources) in network.links.iter().zip(links).zip(to_sources) {
        if let Some(line) = &described.line
            && let Some(written) = line.becn
            && let Some(rated) = &mut link.line
        {
            let port = BecnPort::new(written.above.0, written.mark.mark(), to_sources.len());
            let queue = (line.scheduling.queues() == Queues::PerClass).then_some(Class::Abr as u32);
            rated.becn = Some(Box::new(Becn::new(port, queue, to_sources)));
        }
    }
}

/// By link, and by the number of a direction there: how the switch upstream of the link reaches the ABR source of the
/// direction. A local loop ends at the switch that turns it around; what is downstream of it belongs to no loop.
fn to_sources(network: &Network, ways: &Ways, hops: &[Hop]) -> Vec<Vec<Option<ToSource>>> {
    let mut to_sources = vec![Vec::new(); network.links.len()];
    for hop in hops {
        let known = &mut to_sources[hop.link as usize];
        known.resize(known.len().max(hop.port_vc as usize + 1), None);
    }
    for number in 0..ways.len() {
        let direction = network.direction(number);
        if !matches!(*direction.service, Service::Abr(_)) || direction.links.is_empty() {
            continue;
        }
        let (first, back) = (ways.of(number).start, ways.of(number ^ 1));
        let last = direction.loop_links.min(direction.links.len() - 1);
        // The first link leads from the source itself.
        for at in 1..=last {
            let hop = &hops[first + at];
            let to = match hops[first + at - 1].virtual_end() {
                Some(end) => ToSource::VirtualEnd(end),
                None => ToSource::Hop((back.end - at) as u32),
            };
            to_sources[hop.link as usize][hop.port_vc as usize] = Some(to);
        }
    }
    to_sources
}
