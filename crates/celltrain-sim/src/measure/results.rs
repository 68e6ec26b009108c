//! What a run measured, as tables.

use super::digest::digest;
use super::interval::{Interval, Names};
use super::{QueuePart, Snapshot, Table, flows, links, vcs};
use crate::network::{Network, Probe};

/// What one run measured over its measured interval.
#[derive(Clone, Debug)]
pub struct Results {
    /// The seed of the run.
    pub seed: u64,
    /// Length of the measured interval in s.
    pub measured_s: f64,
    /// `flows`, `vcs`, `links` and `link_vcs`; `link_parts` where the measured interval has parts.
    pub tables: Vec<Table>,
    /// One table for each probe.
    pub traces: Vec<Table>,
    /// Cells that came to a link, summed over all links and the whole run.
    pub cell_hops: u64,
    /// Events that the engine handled.
    pub events: u64,
    /// SHA-256 of all tables.
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
        let mut tables = vec![
            flows::flows(&interval),
            vcs::vcs(&interval),
            links::links(&interval),
            links::link_vcs(&interval),
        ];
        if !parts.is_empty() {
            tables.push(links::link_parts(&interval, parts));
        }
        let traces: Vec<Table> = network
            .probes
            .iter()
            .zip(traces)
            .map(|(probe, columns)| trace(probe, columns))
            .collect();
        let cell_hops = after.hops.iter().flat_map(|hop| hop.offered).sum();
        let digest = digest(tables.iter().chain(&traces));
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

    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables
            .iter()
            .chain(&self.traces)
            .find(|table| table.name == name)
    }
}

fn trace(probe: &Probe, mut columns: Vec<Vec<f64>>) -> Table {
    let values = columns.split_off(1);
    let times = columns.pop().unwrap_or_default();
    let table = Table::new(&probe.name).numbers("time_s", "s", times.into_iter());
    probe
        .table_columns()
        .zip(values)
        .fold(table, |table, ((name, unit), values)| {
            table.numbers(name, unit, values.into_iter())
        })
}
