//! Virtual paths.

use serde_json::Value;

use super::circuit::{Circuit, Role};
use super::graph::{Graph, Kind};
use super::pen::Pen;
use super::policing;
use super::services;
use super::taste::Wish;
use super::units::{Table, put};

/// The section of virtual paths.
pub(super) fn section(pen: &mut Pen, graph: &mut Graph, circuits: &[Circuit]) -> Table {
    let mut vps = Table::new();
    let mut taken: Vec<[usize; 2]> = Vec::new();
    for (number, circuit) in circuits.iter().enumerate() {
        let is_fit = |it: &Circuit| {
            !it.is_paced
                && !it.is_framed
                && it.role == Role::Alone
                && !it.is_abr()
                && !it.crosses(graph, |it| it.credit)
        };
        if !is_fit(circuit) || !pen.wants(Wish::Paths) {
            continue;
        }
        let Some(segment) = segment(pen, graph, circuit) else {
            continue;
        };
        // A VC belongs to one path at a time.
        let pairs = |way: &[usize]| -> Vec<[usize; 2]> {
            way.windows(2)
                .map(|it| [it[0].min(it[1]), it[0].max(it[1])])
                .collect()
        };
        if pairs(&segment).iter().any(|it| taken.contains(it)) {
            continue;
        }
        taken.extend(pairs(&segment));
        let name = format!("p{number}x");
        let has = |it: &&Circuit| is_fit(it) && passes(&it.way, &segment);
        let mut within: Vec<&str> = Vec::new();
        for other in circuits.iter().filter(has) {
            if other.name == circuit.name || pen.chance(0.6) {
                within.push(&other.name);
            }
        }
        let route: Vec<String> = segment
            .iter()
            .map(|&node| graph.name(node).to_owned())
            .collect();
        let mut vp = Table::new();
        put(&mut vp, "route", route.clone());
        put(&mut vp, "vcs", within);
        if pen.chance(0.3) {
            put(&mut vp, "vpi", pen.dice.between(1, 255));
        }
        services::path(pen, graph, &mut vp, &segment);
        policing::path(pen, &mut vp, &route);
        vps.insert(name, Value::Object(vp));
    }
    vps
}

/// A part of the way of a VC that a virtual path can take.
fn segment(pen: &mut Pen, graph: &Graph, circuit: &Circuit) -> Option<Vec<usize>> {
    let is_node = |node: usize| graph.is(node, Kind::Switch) || graph.is(node, Kind::Router);
    let way = &circuit.way;
    let starts: Vec<usize> = (0..way.len() - 1)
        .filter(|&at| {
            is_node(way[at])
                && is_node(way[at + 1])
                && graph.line.contains_key(&(way[at], way[at + 1]))
        })
        .collect();
    if starts.is_empty() {
        return None;
    }
    let start = pen.pick(&starts);
    let mut end = start + 1;
    while end + 1 < way.len()
        && is_node(way[end + 1])
        && graph.line.contains_key(&(way[end], way[end + 1]))
        && pen.chance(0.6)
    {
        end += 1;
    }
    let mut segment = way[start..=end].to_vec();
    if pen.chance(0.3) {
        segment.reverse();
    }
    Some(segment)
}

/// Whether a way passes these nodes one after the other, in this order or the other.
fn passes(way: &[usize], segment: &[usize]) -> bool {
    way.windows(segment.len())
        .any(|part| part == segment || part.iter().rev().eq(segment))
}
