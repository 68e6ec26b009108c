//! The tables of nodes.

use serde_json::{Value, json};

use super::graph::{Graph, Kind, Line};
use super::lines;
use super::pen::Pen;
use super::taste::Wish;
use super::units::{self, MS, SECOND, Table, US, put};

/// The sections of nodes; LANs become lines of the graph.
pub(super) fn sections(pen: &mut Pen, graph: &mut Graph) -> Vec<(&'static str, Table)> {
    let mut hosts = Table::new();
    let mut switches = Table::new();
    let mut routers = Table::new();
    let mut lans = Table::new();
    for number in 0..graph.nodes.len() {
        let node = graph.nodes[number].clone();
        let table = match node.kind {
            Kind::Host => &mut hosts,
            Kind::Switch => &mut switches,
            Kind::Router => &mut routers,
            Kind::Lan => &mut lans,
        };
        let entry = match node.kind {
            Kind::Host => host(pen, node.count),
            Kind::Switch => switch(pen),
            Kind::Router => router(pen),
            Kind::Lan => lan(pen, graph, number),
        };
        table.insert(node.name, Value::Object(entry));
    }
    let all = [
        ("hosts", hosts),
        ("switches", switches),
        ("routers", routers),
        ("lans", lans),
    ];
    all.into_iter()
        .filter(|(name, table)| *name == "hosts" || !table.is_empty())
        .collect()
}

fn host(pen: &mut Pen, count: Option<u64>) -> Table {
    let mut host = Table::new();
    if let Some(count) = count {
        put(&mut host, "count", count);
    }
    if pen.wants(Wish::HostLan) {
        let rate = units::rate(pen.bps());
        match pen.dice.below(4) {
            0 => put(&mut host, "ethernet", rate),
            1 => put(&mut host, "lan", json!({"kind": "ethernet", "rate": rate})),
            2 => put(
                &mut host,
                "lan",
                json!({"kind": "ieee-802.3", "rate": rate}),
            ),
            _ => put(&mut host, "lan", ring(pen)),
        }
    }
    if pen.wants(Wish::Processing) {
        let from = if pen.chance(0.5) { 0 } else { pen.span(10, 1) };
        // Processing takes a second at most.
        let from = from.min(SECOND / 2);
        let to = (from + pen.span(100, 1)).min(SECOND);
        put(
            &mut host,
            "processing",
            json!({"uniform": [units::time(from), units::time(to)]}),
        );
    }
    // The VCs of groups must obey commands.
    if pen.taste.likes(Wish::GfcGroups) == 0.0 && pen.wants(Wish::Uncontrolled) {
        put(&mut host, "gfc", pen.pick(&["uncontrolled", "controlled"]));
    }
    host
}

fn ring(pen: &mut Pen) -> Value {
    let mut ring = Table::new();
    put(&mut ring, "kind", "token-ring");
    put(&mut ring, "rate", pen.pick(&["4 Mbit/s", "16 Mbit/s"]));
    if pen.chance(0.4) {
        put(&mut ring, "idle_stations", pen.pick(&[0, 1, 17, 260, 1000]));
    }
    if pen.chance(0.4) {
        let around = pen.span(1000, 1).min(10 * MS);
        put(&mut ring, "propagation", units::time(around));
    }
    if pen.chance(0.4) {
        let held = pen.pick(&[0, US, 500 * US, 8900 * US, 1000 * MS]);
        put(&mut ring, "holding_time", units::time(held));
    }
    if pen.chance(0.4) {
        put(&mut ring, "early_release", pen.chance(0.5));
    }
    Value::Object(ring)
}

fn router(pen: &mut Pen) -> Table {
    let mut router = Table::new();
    if pen.wants(Wish::Mtu) {
        put(&mut router, "mtu", units::octets(lines::mtu(pen)));
    }
    router
}

fn switch(pen: &mut Pen) -> Table {
    let mut switch = Table::new();
    for key in ["input_delay", "output_delay"] {
        if pen.wants(Wish::SwitchDelays) {
            put(&mut switch, key, units::time(pen.delay()));
        }
    }
    switch
}

fn lan(pen: &mut Pen, graph: &mut Graph, number: usize) -> Table {
    let mut lan = Table::new();
    let rated = lines::rate(pen);
    put(&mut lan, "rate", rated.value);
    if pen.chance(0.5) {
        put(&mut lan, "delay", units::time(pen.delay()));
    }
    if pen.chance(0.7) {
        put(&mut lan, "buffer", units::cells(pen.buffer()));
    }
    let mut mtu = u64::MAX;
    if pen.wants(Wish::Mtu) {
        mtu = lines::mtu(pen);
        put(&mut lan, "mtu", units::octets(mtu));
    }
    let line = Line {
        name: graph.name(number).to_owned(),
        link: graph.name(number).to_owned(),
        rate: Some(rated.usual),
        floor: rated.floor,
        booked: 0,
        mtu,
        credit: false,
        frames: false,
        framing: None,
    };
    graph.lines.push(line);
    let line = graph.lines.len() - 1;
    for edge in graph.edges.clone() {
        if edge.contains(&number) {
            graph.line.insert((edge[0], edge[1]), line);
            graph.line.insert((edge[1], edge[0]), line);
        }
    }
    lan
}
