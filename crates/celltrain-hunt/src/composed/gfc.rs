//! Generic flow control, which stands where all VCs of a queue come from hosts.

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::graph::Graph;
use super::pen::Pen;
use super::taste::Wish;
use super::units::{self, Table, US, cells, put};

/// Adds commands to some queues, and groups to some VCs that obey them.
pub(super) fn add(
    pen: &mut Pen,
    graph: &Graph,
    circuits: &[Circuit],
    links: &mut Table,
    vcs: &mut Table,
) {
    for (name, link) in links.iter_mut() {
        let Value::Object(link) = link else { continue };
        let buffer = buffer(link);
        let of_link = |line: &usize| graph.lines[*line].link == *name;
        // A link is the second one of the VCs that its commands reach, and of all others that cross it.
        let crossing = circuits.iter().flat_map(|it| &it.lines);
        let places: Vec<usize> = crossing
            .filter_map(|lines| lines.iter().position(of_link))
            .collect();
        let is_second = !places.is_empty() && places.iter().all(|&at| at == 1);
        if is_second && buffer > 0 && pen.wants(Wish::Gfc) {
            put(link, "gfc", commands(pen, buffer));
        }
    }
    for circuit in circuits {
        let Some(Value::Object(vc)) = vcs.get_mut(&circuit.name) else {
            continue;
        };
        let second = circuit.lines.iter().filter_map(|lines| lines.get(1));
        let commands: Vec<&Value> = second
            .filter_map(|&line| links.get(&graph.lines[line].link)?.get("gfc"))
            .collect();
        let groups: Vec<&str> = [("group_a", "a"), ("group_b", "b")]
            .into_iter()
            .filter(|(key, _)| {
                !commands.is_empty() && commands.iter().all(|it| it.get(key).is_some())
            })
            .map(|(_, group)| group)
            .collect();
        if !groups.is_empty() && pen.chance(0.7) {
            put(vc, "gfc_group", pen.pick(&groups));
        }
    }
}

/// The cells that a queue holds; none without a rate.
fn buffer(link: &Table) -> u64 {
    let text = link
        .get("buffer")
        .and_then(Value::as_str)
        .unwrap_or_default();
    text.trim_end_matches(" cells").parse().unwrap_or_default()
}

fn commands(pen: &mut Pen, buffer: u64) -> Value {
    let mut gfc = Table::new();
    let high = pen.dice.between(1, buffer.saturating_sub(1).max(1));
    put(&mut gfc, "high", cells(high));
    put(&mut gfc, "low", cells(pen.dice.between(1, high)));
    if pen.chance(0.6) {
        put(&mut gfc, "timeout", units::time(pen.span(500, US)));
    }
    if pen.chance(0.5) {
        put(&mut gfc, "scope", pen.pick(&["host", "vc"]));
    }
    if pen.wants(Wish::GfcGroups) {
        let set = pen.dice.between(1, buffer);
        put(
            &mut gfc,
            "group_a",
            json!({"set_below": cells(set), "go_value": pen.pick(&[1, 1, 2, 5, 50])}),
        );
        if pen.chance(0.6) {
            let below = pen.dice.between(1, set);
            put(
                &mut gfc,
                "group_b",
                json!({"set_below": cells(below), "go_value": pen.pick(&[1, 3, 12])}),
            );
        }
    }
    Value::Object(gfc)
}
