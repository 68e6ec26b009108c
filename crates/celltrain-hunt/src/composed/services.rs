//! Services of VCs and virtual paths.

use serde_json::Value;

use super::circuit::{Circuit, Service, inner_switches};
use super::graph::{Graph, Kind};
use super::pen::Pen;
use super::taste::Wish;
use super::units::{self, CELL, MS, SECOND, Table, cells, put};
use super::words::SERVICES;

/// The keys `forward` and `backward` of a VC.
pub(super) fn keys(pen: &mut Pen, graph: &mut Graph, vc: &mut Table, circuit: &mut Circuit) {
    let name = if pen.chance(0.7) {
        pen.taste.service
    } else {
        pen.pick(&SERVICES)
    };
    let mut names = [
        name,
        if pen.chance(0.4) {
            name
        } else {
            pen.pick(&["ubr", "shaped", "cbr", "nrt-vbr"])
        },
    ];
    // Loops of ABR have two directions, unless they are local; carried VCs have none.
    let mut turns = None;
    if names.contains(&"abr") {
        let switches = inner_switches(graph, circuit);
        let on_lans = circuit.way.iter().any(|&node| graph.is(node, Kind::Lan));
        if circuit.is_carried() {
            names = ["shaped", "ubr"];
        } else if !circuit.crosses(graph, |it| it.credit)
            && !switches.is_empty()
            && !on_lans
            && pen.wants(Wish::LocalLoop)
        {
            turns = Some(pen.pick(&switches).to_owned());
            // Each direction may have a loop of its own.
            if pen.chance(0.7) {
                names = names.map(|it| if it == "abr" { "ubr" } else { it });
                names[usize::from(pen.chance(0.3))] = "abr";
            }
        } else {
            names = ["abr", "abr"];
        }
    }
    // Something must limit data; acknowledgments are limited by these.
    if names[0] == "ubr" && circuit.limit(graph, 0).is_none() && !circuit.is_carried() {
        names[0] = "shaped";
    }
    for (direction, key) in ["forward", "backward"].into_iter().enumerate() {
        let turns = turns.clone().filter(|_| names[direction] == "abr");
        let lines = circuit.lines[direction].clone();
        let members = circuit.count.unwrap_or(1);
        let (service, table) = service(pen, graph, names[direction], &lines, members, turns);
        if table.len() > 1 || pen.chance(0.2) {
            put(vc, key, Value::Object(table));
        }
        circuit.services[direction] = service;
    }
}

/// What the lines can still guarantee to each of `members`.
fn room(pen: &Pen, graph: &Graph, lines: &[usize], members: u64) -> u64 {
    if pen.taste.likes(Wish::Admission) > 0.0 {
        return u64::MAX;
    }
    let free = lines.iter().map(|&line| {
        let line = &graph.lines[line];
        line.floor.saturating_sub(line.booked)
    });
    free.min().unwrap_or(u64::MAX) / members
}

fn book(graph: &mut Graph, lines: &[usize], rate: u64) {
    for &line in lines {
        let booked = &mut graph.lines[line].booked;
        *booked = booked.saturating_add(rate);
    }
}

/// Draws a service for a direction over `lines`.
fn service(
    pen: &mut Pen,
    graph: &mut Graph,
    name: &'static str,
    lines: &[usize],
    members: u64,
    turns: Option<String>,
) -> (Service, Table) {
    let mut table = Table::new();
    let free = room(pen, graph, lines, members);
    let mut pcr = pen.bps();
    let mut name = name;
    if name.ends_with("vbr") && free == 0 {
        name = "shaped";
    }
    if name == "cbr" {
        pcr = pcr.min(if pen.chance(0.5) { free } else { free / 2 });
        if pcr == 0 {
            name = "shaped";
            pcr = pen.bps();
        } else {
            book(graph, lines, pcr.saturating_mul(members));
        }
    }
    let written = if name == "shaped" { "ubr" } else { name };
    put(&mut table, "service", written);
    if name != "ubr" {
        put(&mut table, "pcr", units::rate(pcr));
    }
    match name {
        "rt-vbr" | "nrt-vbr" => {
            let scr = vbr(pen, &mut table, pcr, free);
            book(graph, lines, scr.saturating_mul(members));
        }
        "abr" => {
            if let Some(at) = &turns {
                put(&mut table, "turn_around_at", at.clone());
            }
            let mcr = abr(pen, &mut table, pcr, free);
            book(graph, lines, mcr.saturating_mul(members));
        }
        _ => {}
    }
    let service = Service {
        name: written,
        pcr: (name != "ubr").then_some(pcr),
        turns_at: turns,
    };
    (service, table)
}

/// The keys of VBR besides PCR; returns SCR.
fn vbr(pen: &mut Pen, table: &mut Table, pcr: u64, free: u64) -> u64 {
    let part = if pen.chance(0.3) {
        1
    } else {
        pen.dice.between(2, 10)
    };
    let scr = (pcr / part).min(free).max(1);
    put(table, "scr", units::rate(scr));
    if pen.chance(0.8) {
        put(table, "mbs", cells(pen.dice.spread(1, 300)));
    }
    scr
}

/// The keys of ABR besides PCR; returns MCR.
fn abr(pen: &mut Pen, table: &mut Table, pcr: u64, free: u64) -> u64 {
    let mut mcr = 0;
    if pen.chance(0.3) {
        mcr = (pcr / pen.dice.between(1, 50)).min(free / 2);
        put(table, "mcr", units::rate(mcr));
    }
    if pen.chance(0.5) {
        let icr = (pcr / pen.dice.spread(1, 100)).max(mcr).max(1);
        put(table, "icr", units::rate(icr));
    }
    if pen.chance(0.4) {
        put(table, "rif", pen.fraction());
        put(table, "rdf", pen.fraction());
    }
    if pen.wants(Wish::AbrOptions) {
        options(pen, table);
    }
    mcr
}

fn options(pen: &mut Pen, table: &mut Table) {
    if pen.chance(0.5) {
        put(table, "nrm", pen.pick(&[2, 4, 8, 32, 256]));
    }
    if pen.chance(0.05) {
        put(table, "standard_ranges", pen.chance(0.3));
    }
    if pen.chance(0.2) {
        put(table, "mrm", pen.pick(&[1, 2, 5]));
    }
    if pen.chance(0.3) {
        let trm = pen.span(300, 1).min(SECOND);
        put(table, "trm", units::time(trm));
    }
    if pen.chance(0.3) {
        let tbe = pen.dice.spread(1, 10_000);
        put(table, "tbe", cells(tbe));
        if pen.chance(0.5) {
            put(table, "frtt", units::time(pen.span(100, 1)));
        }
    }
    if pen.chance(0.3) {
        put(table, "cdf", pen.pick(&[0.0, 0.0625, 1.0]));
    }
    if pen.chance(0.3) {
        put(table, "adtf", units::time(pen.span(300, 10 * MS)));
    }
    for key in ["idle_forward_rm", "use_it_or_lose_it", "rm_quantise"] {
        if pen.chance(0.3) {
            put(table, key, pen.chance(0.5));
        }
    }
    for (key, names) in [
        ("starved", &["floor", "out-of-rate"][..]),
        ("backward_rm", &["in-rate", "priority", "out-of-rate"][..]),
        (
            "older_backward_rm",
            &["overwrite", "overwrite-keep-ci", "out-of-rate"][..],
        ),
    ] {
        if pen.chance(0.4) {
            put(table, key, pen.pick(names));
        }
    }
}

/// The contract of a virtual path.
pub(super) fn path(pen: &mut Pen, graph: &mut Graph, vp: &mut Table, segment: &[usize]) {
    let back: Vec<usize> = segment.iter().rev().copied().collect();
    for (key, way) in [("forward", segment), ("backward", &back)] {
        if !pen.wants(Wish::Contract) && pen.chance(0.3) {
            continue;
        }
        let lines = graph.lines_of(way);
        let name = pen.pick(&["ubr", "shaped", "shaped", "cbr", "rt-vbr", "nrt-vbr"]);
        let (_, table) = service(pen, graph, name, &lines, 1, None);
        put(vp, key, Value::Object(table));
    }
    let has_pcr = ["forward", "backward"]
        .iter()
        .any(|key| vp.get(*key).is_some_and(|it| it.get("pcr").is_some()));
    if has_pcr && pen.chance(0.6) {
        let mut shape = Table::new();
        put(&mut shape, "buffer", cells(pen.buffer()));
        if pen.chance(0.4) {
            put(&mut shape, "cdvt", units::time(pen.delay()));
        }
        put(vp, "shape", Value::Object(shape));
    }
}

/// The cell time at a rate, in ps.
pub(super) fn cell_time(bps: u64) -> u64 {
    SECOND * CELL / bps.max(1)
}
