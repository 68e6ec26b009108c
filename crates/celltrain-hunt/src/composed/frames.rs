//! Lines that carry frames, and the VCs on them.

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::framing::{ALL, Framing};
use super::graph::{Graph, Kind, Line};
use super::packet_queues;
use super::pen::Pen;
use super::units::{Table, octets, put};

/// The keys `frames`, `mtu` and `buffer` of a line.
pub(super) fn line(pen: &mut Pen, link: &mut Table, hop: &mut Line) {
    let framed = pen.taste.framed;
    let framing = if pen.chance(framed.share) {
        framed.framing
    } else {
        pen.pick(&ALL)
    };
    put(link, "frames", framing.name);
    if hop.mtu == u64::MAX {
        hop.mtu = framing.longest;
    }
    hop.framing = Some(framing);
    if pen.chance(framed.by_flow) {
        put(link, "queue", packet_queues::draw(pen));
    }
    put(link, "buffer", buffer(pen, framing, hop.mtu));
}

/// A buffer of packets, or of octets: as many as some frames have, or one more or less.
fn buffer(pen: &mut Pen, framing: Framing, mtu: u64) -> Value {
    if pen.chance(0.4) {
        let unit = if pen.chance(0.1) { "packet" } else { "packets" };
        return Value::from(format!("{} {unit}", pen.buffer()));
    }
    if pen.chance(0.1) {
        return Value::from(pen.pick(&["64 KiB", "100 kB", "1 MiB"]));
    }
    let packet = match pen.dice.below(6) {
        0 => 40,
        1 => mtu,
        2 => pen.dice.between(20, mtu),
        _ => pen.taste.framed.packet,
    };
    let frames = match pen.dice.below(3) {
        0 => 1,
        1 => pen.dice.between(2, 4),
        _ => pen.buffer().min(1000),
    };
    let room = framing.frame(packet) * frames + pen.pick(&[0, 0, 1, 2, 5]);
    let least = framing.frame(20);
    octets((room - pen.pick(&[0, 0, 1, 2])).max(least))
}

/// What a direction is written as, if at all.
pub(super) fn service(pen: &mut Pen, vc: &mut Table) {
    for key in ["forward", "backward"] {
        if pen.chance(0.1) {
            put(vc, key, json!({"service": "ubr"}));
        }
    }
    if pen.chance(0.05) {
        put(vc, "encapsulation", "llc-snap");
    }
}

/// Whether all lines on a way carry the same: frames, with hosts at the ends and no tunnels, or cells.
pub(super) fn is_of_one_kind(graph: &Graph, way: &[usize], lines: &[Vec<usize>; 2]) -> bool {
    let all = || lines.iter().flatten().map(|&line| &graph.lines[line]);
    if !all().any(|line| line.framing.is_some()) {
        return true;
    }
    let ends = [way.first(), way.last()].into_iter().flatten();
    ends.into_iter().all(|&end| graph.is(end, Kind::Host))
        && way
            .windows(2)
            .all(|pair| graph.line.contains_key(&(pair[0], pair[1])))
        && all().all(|line| line.rate.is_none() || line.framing.is_some())
}

/// The length of a packet on a VC.
pub(super) fn packet(pen: &mut Pen, circuit: &Circuit) -> u64 {
    let mtu = circuit.mtu.min(16_383);
    let packet = match pen.dice.below(8) {
        0 => pen.pick(&[28, 29, 38, 39, 46, 47]),
        1 => pen.dice.between(28, mtu),
        2 => mtu + pen.dice.below(3) - 1,
        3 => mtu * pen.dice.between(1, 3) + pen.dice.below(20),
        4 => pen.pick(&[84, 576, 1500, 1501]),
        _ => pen.taste.framed.packet,
    };
    packet.clamp(28, 65_535)
}

/// The rate of packets that come as often as a line of `limit` bit/s sends their frames.
pub(super) fn in_step(
    pen: &mut Pen,
    graph: &Graph,
    lines: &[usize],
    limit: u64,
    packet: u64,
) -> u64 {
    let framing = lines.iter().find_map(|&line| graph.lines[line].framing);
    match framing {
        Some(framing) if pen.chance(0.6) => (limit * packet / framing.frame(packet)).max(1),
        _ => limit,
    }
}
