//! What is measured.

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::flows::Loads;
use super::graph::Graph;
use super::pen::Pen;
use super::taste::{Wish, on};
use super::units::{self, Table, put};

/// The most samples of a probe.
const MOST: u64 = 300;

const OF_LINKS: [&str; 8] = [
    "queue_cells",
    "queue_bytes",
    "controlled_queue_cells",
    "rate_bps",
    "lost_cells",
    "lost_cells_total",
    "arrived_cells",
    "sent_cells",
];
const OF_VCS: [&str; 7] = [
    "acr_bps",
    "backward_rm_received",
    "host_queue_pdus",
    "host_queue_cells",
    "requested_rate_bps",
    "offered_cells",
    "dropped_cells",
];
const OF_FLOWS: [&str; 8] = [
    "cwnd_bytes",
    "ssthresh_bytes",
    "rtt_s",
    "rto_s",
    "srtt_s",
    "delivered_bytes",
    "open_connections",
    "segments_retransmitted",
];

/// The section `measure`.
pub(super) fn measure(pen: &mut Pen, circuits: &[Circuit]) -> Value {
    let mut table = Table::new();
    let (warm_up, end) = (pen.taste.warm_up, pen.taste.end);
    put(&mut table, "duration", units::time(end));
    if warm_up > 0 && warm_up < end {
        put(&mut table, "warm_up", units::time(warm_up));
    }
    if pen.wants(Wish::Parts) {
        put(&mut table, "parts", pen.pick(&[1, 2, 3, 10, 100]));
    }
    // A VC that carries others has no cells of its own to time, and one with frames has none at all.
    let own = circuits.iter().filter(|it| !it.carries() && !it.is_framed);
    let names: Vec<&str> = own.map(|it| it.name.as_str()).collect();
    if !names.is_empty() && pen.wants(Wish::CellDelays) {
        let most = names.len() as u64;
        put(
            &mut table,
            "cell_delays",
            json!({"vcs": pen.dice.some(&names, most), "alpha": pen.pick(&[0.001, 0.5])}),
        );
    }
    Value::Object(table)
}

/// The section of probes.
pub(super) fn section(pen: &mut Pen, graph: &Graph, circuits: &[Circuit], loads: &Loads) -> Table {
    let mut probes = Table::new();
    for number in 0..pen.pick(&[0, 1, 1, 2, 3]) {
        if !pen.wants(Wish::Probes) {
            continue;
        }
        let mut record = Vec::new();
        for _ in 0..pen.dice.between(1, 5) {
            record.extend(quantity(pen, graph, circuits, loads));
        }
        record.sort_unstable();
        record.dedup();
        if record.is_empty() {
            continue;
        }
        let mut probe = Table::new();
        let with_tcp: Vec<&str> = loads
            .names
            .iter()
            .filter(|it| it.1)
            .map(|it| it.0.as_str())
            .collect();
        if !with_tcp.is_empty() && pen.chance(0.2) {
            put(&mut probe, "events_of", pen.pick(&with_tcp));
        } else {
            let least = pen.taste.end / MOST;
            let every = on(pen.taste.grid, pen.span(500, 1).max(least));
            put(&mut probe, "every", units::time(every));
        }
        put(&mut probe, "record", record);
        probes.insert(format!("q{number}"), Value::Object(probe));
    }
    probes
}

fn quantity(pen: &mut Pen, graph: &Graph, circuits: &[Circuit], loads: &Loads) -> Option<String> {
    match pen.dice.below(4) {
        0 | 1 => {
            if graph.lines.is_empty() {
                return None;
            }
            let line = pen.dice.below(graph.lines.len() as u64) as usize;
            let line = &graph.lines[line];
            // Mere delays have no queue.
            let of = if line.rate.is_some() {
                pen.pick(&OF_LINKS)
            } else {
                pen.pick(&["arrived_cells", "sent_cells"])
            };
            Some(format!("links.{}.{of}", line.name))
        }
        2 => {
            let singles: Vec<&Circuit> = circuits.iter().collect();
            let circuit = singles.get(pen.dice.below(singles.len().max(1) as u64) as usize)?;
            let member = if circuit.count.is_some() { "1" } else { "" };
            let direction = pen.pick(&["forward", "backward"]);
            Some(format!(
                "vcs.{}{member}.{direction}.{}",
                circuit.name,
                pen.pick(&OF_VCS)
            ))
        }
        _ => {
            if loads.names.is_empty() {
                return None;
            }
            let (name, has_tcp) = pen.pick(&loads.names);
            let of = if has_tcp {
                pen.pick(&OF_FLOWS)
            } else {
                "delivered_bytes"
            };
            Some(format!("flows.{name}.{of}"))
        }
    }
}
