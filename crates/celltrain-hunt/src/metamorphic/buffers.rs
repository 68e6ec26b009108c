//! Buffers that are longer than necessary.

use celltrain_language::Quantity;
use celltrain_proto::units::BufferSize;
use celltrain_sim::measure::Results;
use celltrain_sim::network::{Line, Network};
use celltrain_sim::scenario::Scheduling;
use serde_json::{Value, json};

use super::edit::{entries, measured, table};
use super::outcome::{self, Found, same_tables};

/// Whether the buffer does nothing but refuse cells that find it full.
fn is_plain(line: &Line) -> bool {
    line.scheduling == Scheduling::default()
        && line.discard.is_none()
        && line.clp_threshold.is_none()
        && line.queue_management.is_none()
        && line.control.is_none()
        && line.gfc.is_none()
        && line.credit.is_none()
        && line.packet_queue.is_none()
}

/// What a buffer is a number of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Cells,
    Packets,
    Octets,
}

impl Unit {
    fn of(size: &str) -> Self {
        match BufferSize::parse(size) {
            Ok(BufferSize::Octets(_)) => Self::Octets,
            Ok(BufferSize::Packets(_)) => Self::Packets,
            _ => Self::Cells,
        }
    }

    /// A buffer of this size; where cells are counted, octets are whole cells.
    fn buffer(self, size: f64, is_framed: bool) -> String {
        match self {
            Self::Packets => format!("{size} packets"),
            Self::Octets if is_framed => format!("{size} bytes"),
            _ => format!("{size} cells"),
        }
    }
}

/// The most octets in the queue of each link that carries frames.
fn most_octets(network: &Network, results: &Results) -> Vec<f64> {
    let frames = results.table("frames");
    let shown = frames.map_or_else(Vec::new, |table| table.numbers_of("queue_max_bytes"));
    let mut shown = shown.into_iter();
    let lines = network.links.iter().map(|link| link.line.as_ref());
    let of = |line: Option<&Line>| line.and_then(|line| line.frames).and_then(|_| shown.next());
    lines.map(of).map(Option::unwrap_or_default).collect()
}

/// Claimed for FIFO queues whose buffer matters only to a cell that finds it full, not to admission, and that have lost
/// nothing since the start of the run.
pub(super) fn tight(scenario: &Value, network: &Network, seed: u64) -> Found {
    if scenario["admission"]["rule"] == "effective-bandwidth" {
        return Ok(false);
    }
    let from_start = measured(scenario, [0, network.end.as_ps()]);
    let Some(network) = outcome::network(&from_start) else {
        return Ok(false);
    };
    let results = outcome::run(&network, seed)?;
    let Some(links) = results.table("links") else {
        return Ok(false);
    };
    let [most, lost] = ["queue_max_cells", "cells_lost"].map(|column| links.numbers_of(column));
    let octets = most_octets(&network, &results);
    let mut changed = from_start.clone();
    let mut has_changed = false;
    for (name, written) in entries(&from_start, "links") {
        // The links of a group are NAME1, NAME2 and so on.
        let is_of = |link: &str| {
            let number = link.strip_prefix(name.as_str());
            number.is_some_and(|it| it.chars().all(|it| it.is_ascii_digit()))
        };
        let of = network
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| is_of(&link.name));
        let mut of = of.map(|(row, link)| (row, link.line.as_ref().filter(|line| is_plain(line))));
        let size = written.get("buffer").and_then(Value::as_str);
        let unit = size.map_or(Unit::Cells, Unit::of);
        let most = of.try_fold(0.0, |longest, (row, line)| {
            let line = line.filter(|_| lost[row] == 0.0)?;
            let (most, least) = match (line.frames, unit) {
                (Some(frames), Unit::Octets) => (octets[row], frames.framing.shortest().into()),
                _ => (most[row], 1.0),
            };
            Some(f64::max(longest, most).max(least))
        });
        if let (Some(most), true) = (most, size.is_some()) {
            let is_framed = written.get("frames").is_some();
            let buffer = json!(unit.buffer(most.max(1.0), is_framed));
            if let Some(link) = table(&mut changed, "links")[name].as_object_mut() {
                link.insert("buffer".into(), buffer);
                has_changed = true;
            }
        }
    }
    match outcome::network(&changed) {
        Some(changed) if has_changed => {
            same_tables(&results, &outcome::run(&changed, seed)?)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}
