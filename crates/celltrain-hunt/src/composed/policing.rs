//! Policers and shapers within the network.

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::graph::{Graph, Kind};
use super::pen::Pen;
use super::services::cell_time;
use super::taste::Wish;
use super::units::{self, Table, cells, put};

/// The keys `police` and `shape` of a VC.
pub(super) fn keys(pen: &mut Pen, graph: &Graph, vc: &mut Table, circuit: &Circuit) {
    let inner = &circuit.way[1..circuit.way.len() - 1];
    let is_node = |node: usize| graph.is(node, Kind::Switch) || graph.is(node, Kind::Router);
    let nodes: Vec<&str> = inner
        .iter()
        .filter(|&&it| is_node(it))
        .map(|&it| graph.name(it))
        .collect();
    if nodes.is_empty() {
        return;
    }
    if pen.wants(Wish::Police) {
        put(vc, "police", police(pen, circuit, &nodes));
    }
    // A shaper cannot stand at a virtual end.
    if vc.contains_key("virtual_ends")
        || circuit.carries()
        || circuit.crosses(graph, |it| it.credit)
        || !pen.wants(Wish::Shape)
    {
        return;
    }
    let mut shapers = Vec::new();
    // Where a tunnel takes up the cells, that paces them.
    let inner_switches = inner
        .iter()
        .filter(|&&it| graph.is(it, Kind::Switch) || !circuit.is_carried());
    let nodes: Vec<&str> = inner_switches
        .filter(|&&it| is_node(it))
        .map(|&it| graph.name(it))
        .collect();
    for at in &nodes {
        for direction in ["forward", "backward"] {
            if pen.chance(0.4) {
                shapers.push(shaper(pen, at, direction));
            }
        }
    }
    if !shapers.is_empty() {
        put(vc, "shape", shapers);
    }
}

fn police(pen: &mut Pen, circuit: &Circuit, nodes: &[&str]) -> Value {
    let mut table = Table::new();
    let direction = pen.dice.below(2) as usize;
    if direction == 1 || pen.chance(0.2) {
        put(&mut table, "direction", ["forward", "backward"][direction]);
    }
    if pen.chance(0.5) {
        put(&mut table, "at", pen.pick(nodes));
    }
    let service = &circuit.services[direction];
    let pcr = service
        .pcr
        .filter(|_| pen.chance(0.5))
        .unwrap_or_else(|| pen.bps());
    put(&mut table, "pcr", units::rate(pcr));
    if pen.chance(0.7) {
        put(&mut table, "cdvt", units::time(tolerance(pen, pcr)));
    }
    if service.name == "abr"
        && service.turns_at.is_none()
        && !circuit.carries()
        && pen.wants(Wish::Dynamic)
    {
        let late = pen.span(100, 1).min(10 * units::SECOND);
        let early = pen.pick(&[0, late / 2, late]);
        // It follows RM cells where they enter the network.
        table.remove("at");
        put(
            &mut table,
            "dynamic",
            json!({"tau_2": units::time(late), "tau_3": units::time(early)}),
        );
    } else if pen.chance(0.4) {
        put(
            &mut table,
            "scr",
            units::rate((pcr / pen.dice.between(1, 8)).max(1)),
        );
        put(&mut table, "mbs", cells(pen.dice.spread(1, 200)));
        if pen.chance(0.4) {
            put(&mut table, "sustained", pen.pick(&["all", "high-priority"]));
        }
    }
    if pen.chance(0.4) {
        put(&mut table, "action", pen.pick(&["discard", "tag", "tag"]));
    }
    if !circuit.carries() && !table.contains_key("dynamic") && !circuit.is_aal34 && pen.chance(0.3)
    {
        put(&mut table, "frames", pen.chance(0.9));
    }
    Value::Object(table)
}

/// How much earlier than the contract says a cell may come.
fn tolerance(pen: &mut Pen, pcr: u64) -> u64 {
    let cell = cell_time(pcr);
    pen.pick(&[0, 1, cell / 2, cell, cell * 3, cell * 100])
}

fn shaper(pen: &mut Pen, at: &str, direction: &str) -> Value {
    let pcr = pen.bps();
    let mut table = Table::new();
    put(&mut table, "at", at);
    put(&mut table, "pcr", units::rate(pcr));
    put(&mut table, "buffer", cells(pen.buffer()));
    if direction == "backward" || pen.chance(0.2) {
        put(&mut table, "direction", direction);
    }
    if pen.chance(0.4) {
        put(&mut table, "cdvt", units::time(tolerance(pen, pcr)));
    }
    if pen.chance(0.4) {
        put(
            &mut table,
            "scr",
            units::rate((pcr / pen.dice.between(1, 8)).max(1)),
        );
        put(&mut table, "mbs", cells(pen.dice.spread(1, 100)));
    }
    Value::Object(table)
}

/// The policer of a virtual path over these nodes.
pub(super) fn path(pen: &mut Pen, vp: &mut Table, route: &[String]) {
    let directions = ["forward", "backward"];
    let direction = pen.dice.below(2) as usize;
    let has_pcr = vp
        .get(directions[direction])
        .is_some_and(|it| it.get("pcr").is_some());
    if !has_pcr || !pen.wants(Wish::Police) {
        return;
    }
    let mut table = Table::new();
    if direction == 1 || pen.chance(0.3) {
        put(&mut table, "direction", directions[direction]);
    }
    let others = if direction == 0 {
        &route[1..]
    } else {
        &route[..route.len() - 1]
    };
    if pen.chance(0.5) {
        put(&mut table, "at", pen.pick(others));
    }
    if pen.chance(0.6) {
        put(&mut table, "cdvt", units::time(pen.delay()));
    }
    if pen.chance(0.5) {
        put(&mut table, "action", pen.pick(&["discard", "tag"]));
    }
    if vp
        .get(directions[direction])
        .is_some_and(|it| it.get("scr").is_some())
        && pen.chance(0.5)
    {
        put(&mut table, "sustained", pen.pick(&["all", "high-priority"]));
    }
    put(vp, "police", Value::Object(table));
}
