//! TCP windows too small to fill the path, whatever congestion control does.
//!
//! A connection sends at most one window per round trip. If all connections that share a bottleneck send less in the
//! shortest round trip than the line can carry in that time, the line is idle for part of it.

use std::collections::HashMap;

use celltrain_proto::units::Rate;

use super::path;
use crate::network::{Flow, Network, VcDirection};
use crate::scenario::Application;

/// What limits the rate of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Bottleneck {
    Link(usize),
    /// The peak cell rate of a direction of a VC.
    Peak(usize),
}

/// The window that an end offers or fills, and the key that sets it.
struct Window {
    octets: u64,
    key: &'static str,
}

pub(super) fn find(network: &Network) -> Vec<(&'static str, String, String)> {
    let tcps = path::admitted(network).filter(|flow| flow.udp.is_none());
    let mut cells: HashMap<Bottleneck, f64> = HashMap::new();
    for flow in tcps.clone() {
        for place in places(network, flow) {
            *cells.entry(place).or_default() += cells_of(network, flow, window(flow).octets as f64);
        }
    }
    let greedy = tcps.filter(|flow| fills_window(flow));
    greedy
        .filter_map(|flow| {
            let (place, bps) = bottleneck(network, flow)?;
            let round_trip = shortest_round_trip(network, flow, bps);
            if path::time_of(cells[&place], bps) >= round_trip {
                return None;
            }
            Some((
                "flow",
                flow.name.clone(),
                message(network, flow, place, bps, round_trip),
            ))
        })
        .collect()
}

/// Whether the flow always sends as much as its window allows.
fn fills_window(flow: &Flow) -> bool {
    let is_long = match &flow.application {
        Application::Greedy(_) => true,
        Application::Files(files) => files.size.0.0 > window(flow).octets,
        Application::Telnet(_) => false,
    };
    is_long && flow.sockets.write_rate.is_none() && flow.sockets.read_rate.is_none()
}

fn window(flow: &Flow) -> Window {
    let tcp = &flow.tcp;
    let opens = tcp.handshake || matches!(flow.application, Application::Files(_));
    let field = match (opens, tcp.window_scale) {
        (false, _) => u64::MAX,
        (true, scale) => 65_535 << scale.unwrap_or(0),
    };
    let send_buffer = flow
        .sockets
        .send_buffer
        .map_or(u64::MAX, |buffer| buffer.0.0);
    let all = [
        (tcp.window.0.0, "tcp.window"),
        (
            field,
            "the 16 bits of the header, scaled by tcp.window_scale",
        ),
        (send_buffer, "sockets.send_buffer"),
    ];
    let least = all.into_iter().min_by_key(|it| it.0).unwrap_or(all[0]);
    let (octets, key) = least;
    Window { octets, key }
}

/// The cells of segments with `octets` octets of data.
fn cells_of(network: &Network, flow: &Flow, octets: f64) -> f64 {
    octets / flow.tcp.agreed_mss().0 as f64 * path::segment_load(network, flow)
}

/// All candidates for the bottleneck of a flow.
fn places<'a>(network: &'a Network, flow: &Flow) -> impl Iterator<Item = Bottleneck> + use<'a> {
    let [data, _] = path::ways(network, flow);
    let own = Bottleneck::Peak(2 * flow.vc + flow.direction.index());
    let links = data.links.iter().map(|&link| Bottleneck::Link(link));
    links.chain([own])
}

/// The bottleneck on a flow's path, and its highest sustained rate in bit/s; `None` if there is no limit.
fn bottleneck(network: &Network, flow: &Flow) -> Option<(Bottleneck, f64)> {
    let [data, _] = path::ways(network, flow);
    if !data.paths().is_empty() {
        // A virtual path has a contract, and other VCs.
        return None;
    }
    let rates = places(network, flow).map(|place| (place, rate_of(network, place)));
    let slowest = rates.min_by(|one, other| one.1.total_cmp(&other.1))?;
    (slowest.1.is_finite() && slowest.1 > 0.0).then_some(slowest)
}

fn rate_of(network: &Network, place: Bottleneck) -> f64 {
    let rate = match place {
        Bottleneck::Link(link) => {
            let rated = network.links[link].line.as_ref();
            rated.map(|rated| rated.highest_lasting)
        }
        Bottleneck::Peak(direction) => network.direction(direction).lasting_rate(),
    };
    rate.map_or(f64::INFINITY, Rate::as_bps)
}

/// The time in s from a full segment to its acknowledgment, on an idle path.
fn shortest_round_trip(network: &Network, flow: &Flow, bps: f64) -> f64 {
    let [data, acks] = path::ways(network, flow);
    let segment = path::segment_load(network, flow);
    let ack = path::ack_cells(network, flow) as f64;
    let slowest_ack = links(network, acks).fold(f64::INFINITY, |least, it| least.min(it.1));
    links(network, data)
        .chain(links(network, acks))
        .map(|it| it.0)
        .sum::<f64>()
        + path::time_of(segment - 1.0, bps)
        + path::time_of(ack - 1.0, slowest_ack)
}

/// For each link on a path: the time of one cell in s, and the rate in bit/s.
fn links<'a>(network: &'a Network, way: &'a VcDirection) -> impl Iterator<Item = (f64, f64)> + 'a {
    way.links.iter().map(|&index| {
        let bps = rate_of(network, Bottleneck::Link(index));
        (
            network.links[index].delay.as_secs() + path::time_of(1.0, bps),
            bps,
        )
    })
}

fn message(network: &Network, flow: &Flow, place: Bottleneck, bps: f64, round_trip: f64) -> String {
    let window = window(flow);
    let product =
        (round_trip / path::time_of(1.0, bps) / cells_of(network, flow, 1.0)).ceil() as u64;
    let of = match place {
        Bottleneck::Link(link) => format!("link {}", network.links[link].unique_name()),
        Bottleneck::Peak(_) => format!("the pcr of VC {}", network.vcs[flow.vc].name),
    };
    let shift = (0..14)
        .find(|&shift| 65_535_u64 << shift >= product)
        .unwrap_or(14);
    let scale = if flow.tcp.handshake && flow.tcp.window_scale.unwrap_or(0) < shift {
        format!(" and tcp.window_scale = {shift}")
    } else {
        String::new()
    };
    let send_buffer = if flow.sockets.send_buffer.is_some() {
        ", sockets.send_buffer no less"
    } else {
        ""
    };
    format!(
        "its window of {} bytes ({}) is below the {product} bytes that its path holds, {} of {of} for {:.4} ms: the line \
         cannot be filled; give it tcp.window = \"{product} bytes\"{scale}{send_buffer}",
        window.octets,
        window.key,
        path::in_words(bps),
        round_trip * 1e3,
    )
}
