//! The results of a run, as tables.

use super::digest::digest;
use super::interval::{Interval, Names};
use super::{
    Column, QueuePart, Snapshot, Table, Values, admission, cell_delays, cell_errors, fairness,
    flows, frames, link_parts, link_vcs, links, responses, shapers, vcs,
};
use crate::network::{Network, Probe, TIME_FIELD};

/// The results of one run over its measured interval.
#[derive(Clone, Debug)]
pub struct Results {
    /// The seed of the run.
    pub seed: u64,
    /// The length of the measured interval in s.
    pub measured_s: f64,
    /// `flows`, `fairness`, `vcs`, `links` and `link_vcs`, `link_parts` if the measured interval has parts, `cell_delays` if
    /// cells are timed, `cell_errors` if a link has errors, `frames` if links carry frames, `responses` if a flow has a telnet
    /// application, `admission` if the scenario runs without refused VCs, and `shapers` if there are shapers within the
    /// network.
    pub tables: Vec<Table>,
    /// One table for each probe.
    pub traces: Vec<Table>,
    /// Cells that entered a link, summed over all links and the whole run.
    pub cell_hops: u64,
    /// Events that the engine handled.
    pub events: u64,
    /// SHA-256 of all tables but `fairness`, which follows from `flows`.
    pub digest: String,
}

impl Results {
    pub(crate) fn new(
        network: &Network,
        seed: u64,
        before: &Snapshot,
        after: &Snapshot,
        parts: &[Vec<Option<QueuePart>>],
        traces: Vec<Vec<Vec<f64>>>,
        events: u64,
    ) -> Self {
        let seconds = (network.end - network.warm_up).as_secs();
        let interval = Interval {
            network,
            before,
            after,
            seconds,
            names: Names::new(network),
        };
        let mut tables = tables(&interval, parts);
        let traces: Vec<Table> = network
            .probes
            .iter()
            .zip(traces)
            .map(|(probe, columns)| trace(probe, columns))
            .collect();
        let cell_hops = after.hops.iter().flat_map(|hop| hop.offered).sum();
        let digest = digest(tables.iter().chain(&traces));
        // After the digest, as it follows from the table of flows.
        tables.insert(1, fairness::fairness(&interval));
        Self {
            seed,
            measured_s: seconds,
            tables,
            traces,
            cell_hops,
            events,
            digest,
        }
    }

    /// The table with this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables
            .iter()
            .chain(&self.traces)
            .find(|table| table.name == name)
    }
}

/// All tables that the digest covers but the traces.
fn tables(interval: &Interval<'_>, parts: &[Vec<Option<QueuePart>>]) -> Vec<Table> {
    let mut tables = vec![
        flows::flows(interval),
        vcs::vcs(interval),
        links::links(interval),
        link_vcs::link_vcs(interval),
    ];
    if !parts.is_empty() {
        tables.push(link_parts::link_parts(interval, parts));
    }
    if !interval.network.timed_vcs.is_empty() {
        tables.push(cell_delays::cell_delays(interval));
    }
    if !interval.after.errors.is_empty() {
        tables.push(cell_errors::cell_errors(interval));
    }
    if interval
        .after
        .links
        .iter()
        .any(|link| link.octets.is_some())
    {
        tables.push(frames::frames(interval));
    }
    if !interval.after.responses.is_empty() {
        tables.push(responses::responses(interval));
    }
    if interval.network.runs_without_refused {
        tables.push(admission::admission(interval));
    }
    if !interval.after.shapers.is_empty() {
        tables.push(shapers::shapers(interval));
    }
    tables
}

fn trace(probe: &Probe, columns: Vec<Vec<f64>>) -> Table {
    let fields = std::iter::once((TIME_FIELD.name, &TIME_FIELD)).chain(probe.table_columns());
    let columns = fields.zip(columns).map(|((name, field), values)| Column {
        name: name.to_owned(),
        ..field.column(Values::Numbers(values.into_iter().collect()))
    });
    Table {
        name: probe.name.clone(),
        columns: columns.collect(),
    }
}
