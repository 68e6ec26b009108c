//! Which elements of a network are random.

use celltrain_proto::traffic::TrafficSource;
use celltrain_sim::network::{Flow, Line, Link, Network};
use celltrain_sim::scenario::{Discard, Host, QueueManagement, Start};
use serde_json::Value;

use super::outcome::{self, Found, same_results};

/// Whether an instant is random.
pub(super) fn is_random_start(start: &Start) -> bool {
    !matches!(start, Start::At(_))
}

/// Whether anything in a link is random.
pub(super) fn is_random_link(link: &Link) -> bool {
    link.is_impaired() || link.jitter.is_some() || link.line.as_ref().is_some_and(is_random_line)
}

fn is_random_line(line: &Line) -> bool {
    line.rate.is_random()
        || line.discard.as_ref().is_some_and(Discard::is_random)
        || line
            .queue_management
            .as_ref()
            .is_some_and(QueueManagement::is_random)
        // Which flows share a queue is random.
        || line.packet_queue.is_some()
}

/// Whether anything in a flow is random; the phases of TCP's timers always are.
pub(super) fn is_random_flow(flow: &Flow) -> bool {
    let udp = flow.udp.as_ref();
    udp.is_none_or(|udp| udp.traffic.is_random()) || is_random_start(&flow.start)
}

/// Whether a host draws the processing time of each packet.
pub(super) fn is_random_host(host: &Host) -> bool {
    host.processing.is_some()
}

/// Whether anything in a network is random.
pub(super) fn is_random(network: &Network) -> bool {
    let backgrounds = &mut network.backgrounds.iter().map(|it| &it.group);
    network.links.iter().any(is_random_link)
        || network.flows.iter().any(is_random_flow)
        || network.hosts.iter().any(is_random_host)
        || backgrounds.any(|it| it.traffic.is_random() || is_random_start(&it.start))
}

/// Claimed for networks in which nothing is random: without TCP, random processes and random starts.
pub(super) fn seed(_: &Value, network: &Network, seed: u64) -> Found {
    if is_random(network) {
        return Ok(false);
    }
    let other = seed ^ 0x5eed;
    same_results(
        &outcome::run(network, seed)?,
        &outcome::run(network, other)?,
    )?;
    Ok(true)
}
