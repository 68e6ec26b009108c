//! Flows and backgrounds on VCs.

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::frames;
use super::graph::{Graph, Kind};
use super::packet_queues;
use super::pen::Pen;
use super::sources;
use super::taste::Wish;
use super::tcp::{self, Tcp};
use super::units::{self, Table, US, octets, put};

/// The names of flows, with the number of members of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Loads {
    pub(super) flows: Table,
    pub(super) backgrounds: Table,
    /// Names of flows in probes, and whether they have TCP.
    pub(super) names: Vec<(String, bool)>,
}

/// The sections of flows and backgrounds.
pub(super) fn sections(pen: &mut Pen, graph: &Graph, circuits: &[Circuit]) -> Loads {
    let mut loads = Loads::default();
    for circuit in circuits {
        if circuit.carries() && pen.chance(0.95) || pen.chance(0.03) {
            continue;
        }
        let mut kind = pen.dice.pick(&pen.taste.kinds);
        if kind == "cells" && circuit.is_framed {
            kind = "udp";
        }
        // Packets need hosts.
        let ends = [circuit.way.first(), circuit.way.last()]
            .into_iter()
            .flatten();
        let has_hosts = ends.into_iter().all(|&end| graph.is(end, Kind::Host));
        if kind == "cells" || !has_hosts {
            cells(pen, graph, circuit, &mut loads);
        } else {
            flow(pen, graph, circuit, kind, &mut loads);
        }
    }
    loads
}

fn cells(pen: &mut Pen, graph: &Graph, circuit: &Circuit, loads: &mut Loads) {
    let directions: &[usize] = pen.pick(&[&[0][..], &[0], &[1], &[0, 1]]);
    for &direction in directions {
        let mut background = sources::background(pen, graph, circuit, direction);
        // Sources that do the same meet at every queue.
        if let Some(Value::Object(before)) = loads.backgrounds.values().next_back()
            && pen.chance(pen.taste.echo)
        {
            echo(&mut background, before);
        }
        loads
            .backgrounds
            .insert(format!("b{}x", loads.backgrounds.len()), background);
    }
}

/// Makes a background send as the one before it.
fn echo(background: &mut Value, before: &Table) {
    let traffic = before.get("traffic").filter(|it| it["process"] != "greedy");
    if let (Some(traffic), Some(table)) = (traffic, background.as_object_mut()) {
        put(table, "traffic", traffic.clone());
        table.remove("start");
        if let Some(start) = before.get("start") {
            put(table, "start", start.clone());
        }
    }
}

fn flow(pen: &mut Pen, graph: &Graph, circuit: &Circuit, kind: &str, loads: &mut Loads) {
    let name = format!("f{}x", loads.flows.len());
    let mut flow = Table::new();
    put(&mut flow, "vc", circuit.name.clone());
    let per_vc = pen.wants(Wish::PerVc).then(|| pen.pick(&[1, 2, 3, 8]));
    if let Some(per_vc) = per_vc {
        put(&mut flow, "per_vc", per_vc);
    }
    let mut direction = usize::from(pen.chance(0.25));
    // Nothing would limit how fast it sends.
    if circuit.limit(graph, direction).is_none() && kind != "udp" {
        direction = 1 - direction;
    }
    if direction == 1 || pen.chance(0.1) {
        put(&mut flow, "direction", ["forward", "backward"][direction]);
    }
    if circuit.is_framed && pen.chance(0.5) {
        put(&mut flow, "dscp", packet_queues::code_point(pen));
    }
    if let Some(start) = pen.start() {
        put(&mut flow, "start", start);
    }
    if pen.wants(Wish::LateStart) && kind != "files" {
        put(
            &mut flow,
            "duration",
            units::time(pen.instant().max(pen.taste.grid)),
        );
    }
    let limit = circuit.limit(graph, direction).unwrap_or_else(|| pen.bps());
    if kind == "udp" {
        let (packet, limit) = if circuit.is_framed {
            let packet = frames::packet(pen, circuit);
            let lines = &circuit.lines[direction];
            (packet, frames::in_step(pen, graph, lines, limit, packet))
        } else {
            let all = [28, 28, 29, 40, 68, 84, 576, 1500, 1501, 9180, 65_535];
            (pen.pick(&all), limit)
        };
        let traffic = sources::packets(pen, limit);
        put(
            &mut flow,
            "udp",
            json!({"packet": octets(packet), "traffic": traffic}),
        );
    } else {
        connection(pen, circuit, kind, &mut flow, limit);
    }
    let is_group = circuit.count.is_some() || per_vc.is_some();
    let member = if is_group {
        format!("{name}1")
    } else {
        name.clone()
    };
    if flow.contains_key("back") {
        loads.names.push((format!("{member}.back"), true));
    }
    loads.names.push((member, kind != "udp"));
    loads.flows.insert(name, Value::Object(flow));
}

fn connection(pen: &mut Pen, circuit: &Circuit, kind: &str, flow: &mut Table, limit: u64) {
    let tcp = tcp::draw(pen, circuit, kind);
    match kind {
        "files" => put(flow, "application", files(pen)),
        "telnet" => put(flow, "application", telnet(pen)),
        _ => {
            if flow.contains_key("duration") && pen.chance(0.4) {
                put(flow, "at_end", pen.pick(&["close", "abort"]));
            }
            if !tcp.has_ack_processing && pen.wants(Wish::BothWays) {
                let mut back = Table::new();
                if let Some(start) = pen.start() {
                    put(&mut back, "start", start);
                }
                if pen.chance(0.3) {
                    put(
                        &mut back,
                        "duration",
                        units::time(pen.instant().max(pen.taste.grid)),
                    );
                }
                if pen.wants(Wish::Sockets) {
                    put(&mut back, "sockets", sockets(pen, &tcp, "greedy", limit));
                }
                put(flow, "back", back);
            }
        }
    }
    if pen.wants(Wish::Sockets) {
        put(flow, "sockets", sockets(pen, &tcp, kind, limit));
    }
    put(flow, "tcp", tcp.value);
}

fn files(pen: &mut Pen) -> Value {
    let mut files = Table::new();
    put(&mut files, "kind", "files");
    put(&mut files, "size", octets(pen.dice.spread(1, 200_000)));
    put(&mut files, "think", units::time(pen.delay()));
    if pen.chance(0.5) {
        put(&mut files, "sizes", pen.pick(&["fixed", "geometric"]));
    }
    if pen.chance(0.5) {
        put(&mut files, "thinks", pen.pick(&["fixed", "exponential"]));
    }
    if pen.chance(0.4) {
        put(&mut files, "first_think", units::time(pen.delay()));
    }
    Value::Object(files)
}

fn telnet(pen: &mut Pen) -> Value {
    let mut telnet = Table::new();
    put(&mut telnet, "kind", "telnet");
    if pen.chance(0.5) {
        put(&mut telnet, "size", octets(pen.dice.spread(1, 3000)));
        put(&mut telnet, "sizes", pen.pick(&["fixed", "geometric"]));
    }
    if pen.chance(0.95) {
        let shortest = pen.span(100, US);
        put(&mut telnet, "shortest_gap", units::time(shortest));
        let longest = shortest + pen.span(3000, US);
        put(&mut telnet, "longest_gap", units::time(longest));
    }
    if pen.chance(0.3) {
        put(&mut telnet, "shape", pen.pick(&[0.1, 0.9, 2.0, 10.0]));
    }
    Value::Object(telnet)
}

fn sockets(pen: &mut Pen, tcp: &Tcp, kind: &str, limit: u64) -> Value {
    let mut sockets = Table::new();
    let may_write = kind != "telnet";
    let buffer = tcp.mss * pen.pick(&[1, 2, 3, 8, 20]);
    let has_buffer = pen.chance(0.6);
    if has_buffer {
        put(&mut sockets, "send_buffer", octets(buffer));
    }
    let has_rate = may_write && pen.chance(0.4);
    if has_rate {
        put(
            &mut sockets,
            "write_rate",
            units::rate((limit / pen.dice.between(1, 4)).max(1)),
        );
    }
    if may_write && (has_buffer || has_rate) && pen.chance(0.5) {
        let most = if has_buffer { buffer } else { 10_000 };
        put(&mut sockets, "write", octets(pen.dice.spread(1, most)));
    }
    if pen.chance(0.4) {
        put(
            &mut sockets,
            "read_rate",
            units::rate((limit / pen.dice.between(1, 4)).max(1)),
        );
        if pen.chance(0.5) {
            put(&mut sockets, "read", octets(pen.dice.spread(1, tcp.window)));
        }
    }
    if may_write
        && tcp.is_linux_1999
        && has_buffer
        && sockets.contains_key("write")
        && pen.chance(0.7)
    {
        put(
            &mut sockets,
            "segment_memory",
            octets(pen.dice.spread(1, buffer)),
        );
        if pen.chance(0.5) {
            let after = units::time(pen.delay());
            put(
                &mut sockets,
                "wake",
                json!({"at": pen.pick(&[0.0, 0.4, 0.5]), "after": after}),
            );
        }
    }
    Value::Object(sockets)
}
