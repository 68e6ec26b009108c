//! VCs: their ways, and what they share with the sources that use them.

use serde_json::{Value, json};

use super::circuit::{Circuit, Role, Service, inner_switches};
use super::frames;
use super::graph::{Graph, Kind};
use super::lines;
use super::pen::Pen;
use super::policing;
use super::services;
use super::taste::Wish;
use super::units::{Table, cells, octets, put};

/// The section of VCs.
pub(super) fn section(pen: &mut Pen, graph: &mut Graph) -> (Table, Vec<Circuit>) {
    let mut vcs = Table::new();
    let mut circuits = Vec::new();
    tunnels(pen, graph, &mut vcs, &mut circuits);
    let most = pen.taste.vcs;
    for number in 0..most {
        let before = circuits.last().map(|it: &Circuit| it.way.clone());
        let Some(way) = way(pen, graph, before) else {
            continue;
        };
        let way = through(pen, &circuits, way);
        add(
            pen,
            graph,
            &mut vcs,
            &mut circuits,
            (format!("v{number}x"), way),
        );
    }
    if pen.chance(0.2) {
        // Carried VCs may also be written before those that carry them.
        let mut entries: Vec<_> = vcs.into_iter().collect();
        pen.dice.shuffle(&mut entries);
        vcs = entries.into_iter().collect();
    }
    (vcs, circuits)
}

/// A way between two ends, often that of the VC before, in its direction or against it.
fn way(pen: &mut Pen, graph: &Graph, before: Option<Vec<usize>>) -> Option<Vec<usize>> {
    if let Some(mut before) = before.filter(|it| graph.is(it[0], Kind::Host))
        && pen.chance(0.35)
    {
        if pen.chance(0.4) {
            before.reverse();
        }
        return Some(before);
    }
    let mut ends = graph.all(Kind::Host);
    // Between two routers VCs carry others.
    if pen.taste.likes(Wish::Tunnels) == 0.0 && pen.chance(0.1) {
        ends.extend(graph.all(Kind::Router));
    }
    pen.dice.shuffle(&mut ends);
    let [from, to, ..] = ends.as_slice() else {
        return None;
    };
    let way = graph.way(pen, *from, *to)?;
    (way.len() >= 2).then_some(way)
}

/// VCs from router to router, which carry others.
fn tunnels(pen: &mut Pen, graph: &mut Graph, vcs: &mut Table, circuits: &mut Vec<Circuit>) {
    let routers = graph.all(Kind::Router);
    let mut pairs = Vec::new();
    for (number, &a) in routers.iter().enumerate() {
        for &b in &routers[number + 1..] {
            if pen.wants(Wish::Tunnels) {
                let (a, b) = if pen.chance(0.5) { (a, b) } else { (b, a) };
                pairs.push((a, b));
                // A tunnel VC for each direction.
                if pen.chance(0.2) {
                    pairs.push((b, a));
                }
            }
        }
    }
    for (number, (a, b)) in pairs.into_iter().enumerate() {
        let Some(way) = graph.way(pen, a, b) else {
            continue;
        };
        let inner = &way[1..way.len() - 1];
        if inner.iter().all(|&node| graph.is(node, Kind::Switch)) {
            add(pen, graph, vcs, circuits, (format!("t{number}x"), way));
        }
    }
}

/// `way` with the tunnels that it can take: the routers at their ends are neighbours in it.
fn through(pen: &mut Pen, circuits: &[Circuit], way: Vec<usize>) -> Vec<usize> {
    let mut way = way;
    for tunnel in circuits.iter().filter(|it| it.carries()) {
        let (Some(&a), Some(&b)) = (tunnel.way.first(), tunnel.way.last()) else {
            continue;
        };
        let at = |node| way.iter().position(|&it| it == node);
        let (Some(one), Some(other)) = (at(a), at(b)) else {
            continue;
        };
        let (one, other) = (one.min(other), one.max(other));
        if pen.chance(0.9) {
            way.drain(one + 1..other);
        }
    }
    way
}

fn add(
    pen: &mut Pen,
    graph: &mut Graph,
    vcs: &mut Table,
    circuits: &mut Vec<Circuit>,
    named: (String, Vec<usize>),
) {
    let (name, way) = named;
    let carries = name.starts_with('t');
    let tunnel = |pair: &[usize]| {
        let joins = |it: &&Circuit| {
            it.carries()
                && it.way.first().is_some_and(|end| pair.contains(end))
                && it.way.last().is_some_and(|end| pair.contains(end))
        };
        circuits.iter().any(|it| joins(&it))
    };
    let role = if carries {
        Role::Carries
    } else if way.windows(2).any(tunnel) {
        Role::Carried
    } else {
        Role::Alone
    };
    let count = way.iter().find_map(|&node| graph.nodes[node].count);
    let back: Vec<usize> = way.iter().rev().copied().collect();
    let lines = [graph.lines_of(&way), graph.lines_of(&back)];
    if !frames::is_of_one_kind(graph, &way, &lines) {
        return;
    }
    let mut circuit = Circuit {
        name,
        way,
        count,
        lines,
        services: [Service::ubr(), Service::ubr()],
        role,
        mtu: u64::MAX,
        is_framed: false,
        is_aal34: false,
        is_paced: false,
    };
    let mut vc = Table::new();
    let route: Vec<&str> = circuit.way.iter().map(|&node| graph.name(node)).collect();
    put(&mut vc, "route", route);
    circuit.is_framed = circuit.crosses(graph, |it| it.framing.is_some());
    if circuit.is_framed {
        frames::service(pen, &mut vc);
    } else {
        services::keys(pen, graph, &mut vc, &mut circuit);
        adaptation(pen, graph, &mut vc, &mut circuit);
        virtual_ends(pen, graph, &mut vc, &circuit);
        policing::keys(pen, graph, &mut vc, &circuit);
    }
    circuit.is_paced = vc.contains_key("police") || vc.contains_key("shape");
    packets(pen, graph, &mut vc, &mut circuit);
    vcs.insert(circuit.name.clone(), Value::Object(vc));
    circuits.push(circuit);
}

/// How packets cross a VC, and how cells wait for it.
fn packets(pen: &mut Pen, graph: &Graph, vc: &mut Table, circuit: &mut Circuit) {
    let crossed = circuit
        .lines
        .iter()
        .flatten()
        .map(|&line| graph.lines[line].mtu);
    circuit.mtu = crossed.min().unwrap_or(u64::MAX);
    if pen.wants(Wish::Mtu) && pen.chance(0.5) {
        let mtu = lines::mtu(pen);
        put(vc, "mtu", octets(mtu));
        circuit.mtu = circuit.mtu.min(mtu);
    }
    if !circuit.is_framed && pen.wants(Wish::SourceBuffer) {
        let room = if pen.chance(0.6) {
            pen.buffer()
        } else {
            pen.dice.spread(1, 400)
        };
        put(vc, "source_buffer", cells(room));
        if pen.chance(0.4) {
            put(vc, "source_drop", pen.pick(&["segment", "cell"]));
        }
    }
    if pen.wants(Wish::Weights) {
        put(
            vc,
            "weight",
            pen.pick(&[
                json!(0.1),
                json!(0.5),
                json!(1),
                json!(2),
                json!("1/3"),
                json!(100),
            ]),
        );
    }
}

/// The layer that cuts packets into cells, and their headers.
fn adaptation(pen: &mut Pen, graph: &Graph, vc: &mut Table, circuit: &mut Circuit) {
    if !pen.wants(Wish::Aal34) {
        if pen.chance(0.02) {
            put(vc, "aal", "5");
        }
    } else if !circuit.crosses(graph, |it| it.frames) {
        put(vc, "aal", "3/4");
        circuit.is_aal34 = true;
        if pen.chance(0.5) {
            put(vc, "encapsulation", pen.pick(&["llc-snap", "vc-mux"]));
        }
        return;
    }
    if pen.wants(Wish::Encapsulation) {
        let all = [
            "llc-snap",
            "vc-mux",
            "pppoa-vc-mux",
            "pppoa-llc",
            "bridged-vc-mux",
            "bridged-vc-mux-fcs",
            "bridged-llc",
            "bridged-llc-fcs",
            "pppoe-vc-mux",
            "pppoe-vc-mux-fcs",
            "pppoe-llc",
            "pppoe-llc-fcs",
        ];
        put(vc, "encapsulation", pen.pick(&all));
    }
}

/// The switches that end the loops of both directions.
fn virtual_ends(pen: &mut Pen, graph: &Graph, vc: &mut Table, circuit: &Circuit) {
    let nodes = &circuit.way[1..circuit.way.len() - 1];
    if nodes.iter().any(|&node| !graph.is(node, Kind::Switch)) {
        return;
    }
    let switches = inner_switches(graph, circuit);
    let are_loops = circuit
        .services
        .iter()
        .all(|it| it.name == "abr" && it.turns_at.is_none());
    let has_credit = circuit.crosses(graph, |it| it.credit);
    if !are_loops || has_credit || switches.is_empty() || !pen.wants(Wish::VirtualEnds) {
        return;
    }
    let most = switches.len() as u64;
    let mut ends = json!({"at": pen.dice.some(&switches, most)});
    if pen.chance(0.5) {
        ends["queue_target"] = cells(pen.dice.spread(1, 100));
    }
    if pen.chance(0.5) {
        ends["buffer"] = cells(pen.buffer());
    }
    put(vc, "virtual_ends", ends);
}

/// The section of admission, if there is one.
pub(super) fn admission(pen: &mut Pen) -> Option<Value> {
    if pen.taste.likes(Wish::Admission) == 0.0 {
        return None;
    }
    let mut table = Table::new();
    put(&mut table, "on_refusal", "run");
    if pen.chance(0.2) {
        put(&mut table, "rule", "guaranteed-rate");
    } else if pen.chance(0.6) {
        put(&mut table, "rule", "effective-bandwidth");
        put(&mut table, "loss_ratio", pen.pick(&[1e-9, 1e-6, 0.1]));
    }
    Some(Value::Object(table))
}
