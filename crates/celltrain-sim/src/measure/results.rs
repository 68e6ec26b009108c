//! The tables of a run.

use std::sync::Arc;

use celltrain_proto::schedule::Class;
use celltrain_proto::units::CELL_BITS;

use super::digest::digest;
use super::{
    FlowReading, HopReading, KINDS, LinkReading, QueuePart, SinkReading, Snapshot, SourceReading,
    Table,
};
use crate::network::{Flow, Network};
use crate::scenario::Direction;

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

/// The difference of two readings, with the network's names.
struct Interval<'a> {
    network: &'a Network,
    before: &'a Snapshot,
    after: &'a Snapshot,
    seconds: f64,
    names: Names,
}

/// The names that columns are made of, by index.
struct Names {
    nodes: Arc<[String]>,
    links: Arc<[String]>,
    vcs: Arc<[String]>,
    directions: Arc<[String]>,
    classes: Arc<[String]>,
}

impl Names {
    fn new(network: &Network) -> Self {
        let owned = str::to_owned;
        Self {
            nodes: network.nodes.iter().map(|it| it.name.clone()).collect(),
            links: network.links.iter().map(|it| it.name.clone()).collect(),
            vcs: network.vcs.iter().map(|it| it.name.to_string()).collect(),
            directions: DIRECTIONS.map(Direction::as_str).map(owned).into(),
            classes: Class::ALL.map(Class::as_str).map(owned).into(),
        }
    }
}

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];
const KIND_NAMES: [&str; KINDS] = ["data", "forward_rm", "backward_rm"];

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
            interval.flows(),
            interval.vcs(),
            interval.links(),
            interval.link_vcs(),
        ];
        if !parts.is_empty() {
            tables.push(interval.link_parts(parts));
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

fn trace(probe: &crate::network::Probe, mut columns: Vec<Vec<f64>>) -> Table {
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

/// `a / b`, or NaN where nothing was counted.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { f64::NAN }
}

/// The standard deviation of values with this mean and this mean of squares.
fn deviation(mean_square: f64, mean: f64) -> f64 {
    // Rounding may leave less than nothing; NaN stays.
    let variance = mean_square - mean * mean;
    if variance < 0.0 { 0.0 } else { variance.sqrt() }
}

impl Interval<'_> {
    /// Index of the node where a direction of a VC starts, and of that where it ends.
    fn ends(&self, vc: usize, direction: Direction) -> [usize; 2] {
        let nodes = &self.network.vcs[vc].nodes;
        let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
        match direction {
            Direction::Forward => [first, last],
            Direction::Backward => [last, first],
        }
    }

    /// By hop: its link and its direction, which is 2 x VC + (0 forward, 1 backward).
    fn hops(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let directions = self.network.vcs.iter().flat_map(|vc| &vc.directions);
        let hops = directions.enumerate().map(|(number, direction)| {
            let links = direction.links.iter();
            links.map(move |&link| (link, number))
        });
        hops.flatten()
    }

    /// What hops counted before and after, in their order.
    fn hop_pairs(&self) -> impl Iterator<Item = (HopReading, HopReading)> + '_ {
        self.before.hops.iter().zip(self.after.hops.iter())
    }

    /// What each flow is.
    fn flow_names(&self) -> Table {
        let flows = &self.network.flows;
        let end = |end: usize| {
            let ends = flows.iter().map(|flow| self.ends(flow.vc, flow.direction));
            ends.map(move |ends| ends[end])
        };
        let variant = |flow: &Flow| match &flow.udp {
            Some(_) => "udp",
            None => flow.tcp.variant.as_str(),
        };
        let variants: Arc<[String]> = flows.iter().map(variant).map(str::to_owned).collect();
        let flow_names: Arc<[String]> = flows.iter().map(|flow| flow.name.clone()).collect();
        let names = &self.names;
        Table::new("flows")
            .names("flow", &flow_names, 0..flows.len())
            .names("vc", &names.vcs, flows.iter().map(|flow| flow.vc))
            .names(
                "direction",
                &names.directions,
                flows.iter().map(|flow| flow.direction.index()),
            )
            .names("from", &names.nodes, end(0))
            .names("to", &names.nodes, end(1))
            .names("variant", &variants, 0..flows.len())
    }

    fn flows(&self) -> Table {
        let pairs = || self.before.flows.iter().zip(&self.after.flows);
        let counts = |of: fn(&FlowReading) -> u64| {
            pairs()
                .map(move |(before, after)| (of(after) - of(before)) as f64)
                .collect::<Vec<_>>()
        };
        let delivered = counts(|flow| flow.delivered);
        let rtt_samples = counts(|flow| flow.rtt_samples);
        let means = |sum: fn(&FlowReading) -> f64, counts: &[f64]| {
            let sums = pairs().map(|(before, after)| sum(after) - sum(before));
            let means = sums.zip(counts).map(|(sum, &count)| ratio(sum, count));
            means.collect::<Vec<_>>()
        };
        let rtt_means = means(|flow| flow.rtt_sum_s, &rtt_samples);
        let delays = counts(|flow| flow.delays);
        let delay_means = means(|flow| flow.delay_sum_s, &delays);
        let rtt_once_samples = counts(|flow| flow.rtt_once_samples);
        let rtt_once_means = means(|flow| flow.rtt_once_sum_s, &rtt_once_samples);
        let rtt_once_squares = means(|flow| flow.rtt_once_sum_sq_s2, &rtt_once_samples);
        let rtt_once_stds = rtt_once_squares
            .iter()
            .zip(&rtt_once_means)
            .map(|(square, mean)| deviation(*square, *mean))
            .collect::<Vec<_>>();
        let rtt_timed_samples = counts(|flow| flow.rtt_timed_samples);
        let rtt_timed_means = means(|flow| flow.rtt_timed_sum_s, &rtt_timed_samples);
        let transfers = counts(|flow| flow.transfers);
        let transfer_means = means(|flow| flow.transfer_sum_s, &transfers);
        let transfer_octets = means(|flow| flow.transfer_octets as f64, &transfers);
        let thinks = counts(|flow| flow.thinks);
        let think_means = means(|flow| flow.think_sum_s, &thinks);
        self.flow_names()
            .numbers(
                "throughput_bps",
                "bit/s",
                delivered.iter().map(|octets| octets * 8.0 / self.seconds),
            )
            .numbers("delivered_bytes", "bytes", delivered.iter().copied())
            .numbers(
                "segments_sent",
                "1",
                counts(|flow| flow.segments).into_iter(),
            )
            .numbers(
                "segments_retransmitted",
                "1",
                counts(|flow| flow.retransmitted).into_iter(),
            )
            .numbers("timeouts", "1", counts(|flow| flow.timeouts).into_iter())
            .numbers(
                "fast_retransmits",
                "1",
                counts(|flow| flow.fast_retransmits).into_iter(),
            )
            .numbers("rtt_mean_s", "s", rtt_means.into_iter())
            .numbers("rtt_samples", "1", rtt_samples.into_iter())
            .numbers("delay_mean_s", "s", delay_means.into_iter())
            .numbers("delay_samples", "1", delays.into_iter())
            .numbers(
                "ecn_reductions",
                "1",
                counts(|flow| flow.ecn_reductions).into_iter(),
            )
            .numbers("transfers", "1", transfers.into_iter())
            .numbers(
                "transfers_failed",
                "1",
                counts(|flow| flow.transfers_failed).into_iter(),
            )
            .numbers("transfer_mean_s", "s", transfer_means.into_iter())
            .numbers("transfer_mean_bytes", "bytes", transfer_octets.into_iter())
            .numbers("think_mean_s", "s", think_means.into_iter())
            .numbers(
                "spurious_timeouts",
                "1",
                counts(|flow| flow.spurious_timeouts).into_iter(),
            )
            .numbers("longest_idle_s", "s", self.longest_idle_s().into_iter())
            .numbers("rtt_once_mean_s", "s", rtt_once_means.into_iter())
            .numbers("rtt_once_std_s", "s", rtt_once_stds.into_iter())
            .numbers("rtt_once_samples", "1", rtt_once_samples.into_iter())
            .numbers("rtt_timed_mean_s", "s", rtt_timed_means.into_iter())
            .numbers("rtt_timed_samples", "1", rtt_timed_samples.into_iter())
            .numbers(
                "tail_probes",
                "1",
                counts(|flow| flow.tail_probes).into_iter(),
            )
            .numbers(
                "reductions_undone",
                "1",
                counts(|flow| flow.reductions_undone).into_iter(),
            )
    }

    /// The longest time without new data of each flow; packets without TCP have no order.
    fn longest_idle_s(&self) -> Vec<f64> {
        let flows = self.network.flows.iter().zip(&self.after.flows);
        let idle = flows.map(|(flow, reading)| match flow.udp {
            Some(_) => f64::NAN,
            None => reading.longest_idle_s,
        });
        idle.collect()
    }

    /// What each direction of a VC is.
    fn vc_names(&self, rows: &[(usize, Direction)]) -> Table {
        let class = |&(vc, direction): &(usize, Direction)| {
            let direction = &self.network.vcs[vc].directions[direction.index()];
            direction.service.class() as usize
        };
        let end = |end: usize| {
            let ends = rows.iter().map(|&(vc, direction)| self.ends(vc, direction));
            ends.map(move |ends| ends[end])
        };
        let names = &self.names;
        let directions = rows.iter().map(|(_, direction)| direction.index());
        Table::new("vcs")
            .names("vc", &names.vcs, rows.iter().map(|&(vc, _)| vc))
            .names("direction", &names.directions, directions)
            .names("from", &names.nodes, end(0))
            .names("to", &names.nodes, end(1))
            .names("service", &names.classes, rows.iter().map(class))
    }

    fn vcs(&self) -> Table {
        let rows: Vec<(usize, Direction)> = (0..self.network.vcs.len())
            .flat_map(|vc| DIRECTIONS.map(|direction| (vc, direction)))
            .collect();
        let sources = |of: fn(&SourceReading) -> u64| {
            let pairs = self.before.sources.iter().zip(self.after.sources.iter());
            pairs.map(move |(before, after)| (of(&after) - of(&before)) as f64)
        };
        let sinks = |of: fn(&SinkReading) -> u64| {
            let pairs = self.before.sinks.iter().zip(self.after.sinks.iter());
            pairs.map(move |(before, after)| (of(&after) - of(&before)) as f64)
        };
        let hops = |of: fn(&HopReading) -> u64| {
            let mut sums = vec![0.0; rows.len()];
            for ((_, direction), (before, after)) in self.hops().zip(self.hop_pairs()) {
                sums[direction] += (of(&after) - of(&before)) as f64;
            }
            sums.into_iter()
        };
        let lost = hops(|hop| hop.lost.iter().sum::<u64>() + hop.lost_behind);
        self.vc_names(&rows)
            .numbers("cells_sent", "cells", sources(|source| source.cells))
            .numbers("cells_delivered", "cells", sinks(|sink| sink.cells))
            .numbers("cells_lost", "cells", lost)
            .numbers("pdus_sent", "1", sources(|source| source.pdus))
            .numbers("pdus_delivered", "1", sinks(|sink| sink.pdus))
            .numbers("pdus_damaged", "1", sinks(|sink| sink.damaged))
            .numbers("pdus_cut", "1", sources(|source| source.damaged))
            .numbers(
                "forward_rm_sent",
                "cells",
                sources(|source| source.forward_rm),
            )
            .numbers(
                "backward_rm_sent",
                "cells",
                sources(|source| source.backward_rm),
            )
            .numbers(
                "backward_rm_overwritten",
                "cells",
                sources(|source| source.backward_rm_overwritten),
            )
            .numbers(
                "acr_bps",
                "bit/s",
                self.after.sources.iter().map(|source| source.rate_bps),
            )
            .numbers("cells_errored", "cells", hops(|hop| hop.errored))
            .numbers("cells_policed", "cells", hops(|hop| hop.policed))
            .numbers("cells_tagged", "cells", hops(|hop| hop.tagged))
            .numbers(
                "source_cells_offered",
                "cells",
                sources(|source| source.offered),
            )
            .numbers(
                "source_cells_dropped",
                "cells",
                sources(|source| source.dropped),
            )
            .numbers(
                "source_queue_max_cells",
                "cells",
                self.after
                    .sources
                    .iter()
                    .map(|source| source.waiting_max as f64),
            )
            .numbers("cell_delay_mean_s", "s", self.cell_delays().into_iter())
    }

    /// The mean time that data cells of each direction are on their way, by Little's law.
    fn cell_delays(&self) -> Vec<f64> {
        let pairs = self.before.sources.iter().zip(self.after.sources.iter());
        let mut delays: Vec<f64> = pairs
            .map(|(before, after)| {
                let ended = (after.data_ended - before.data_ended) as f64;
                ratio(after.transit_s - before.transit_s, ended)
            })
            .collect();
        // When cells are dropped that have waited, nobody looks: their time has no end.
        for ((_, direction), hop) in self.hops().zip(self.after.hops.iter()) {
            if hop.dropped_unseen > 0 {
                delays[direction] = f64::NAN;
            }
        }
        delays
    }

    fn links(&self) -> Table {
        let links = &self.network.links;
        let mut offered = vec![0.0; links.len()];
        let mut lost = vec![0.0; links.len()];
        for ((link, _), (before, after)) in self.hops().zip(self.hop_pairs()) {
            let total = |of: fn(&HopReading) -> [u64; KINDS]| {
                (of(&after).iter().sum::<u64>() - of(&before).iter().sum::<u64>()) as f64
            };
            offered[link] += total(|hop| hop.offered);
            lost[link] += total(|hop| hop.lost);
        }
        let difference = |of: fn(&LinkReading) -> f64| {
            let pairs = self.before.links.iter().zip(&self.after.links);
            pairs
                .map(move |(before, after)| of(after) - of(before))
                .collect::<Vec<_>>()
        };
        let has_line = |index: usize| links[index].line.is_some();
        let only_lines = |values: Vec<f64>| {
            let values = values.into_iter().enumerate();
            values
                .map(|(index, value)| if has_line(index) { value } else { f64::NAN })
                .collect::<Vec<_>>()
        };
        let capacity = only_lines(difference(|link| link.capacity_bits));
        let sent = only_lines(difference(|link| link.departed as f64));
        // Differences of the two integrals are exact; only their quotient is rounded.
        let pairs = self.before.links.iter().zip(&self.after.links);
        let areas =
            pairs.map(|(before, after)| (after.queue_area_ps - before.queue_area_ps) as f64);
        let queue_mean = only_lines(areas.map(|area| area / 1e12 / self.seconds).collect());
        let queue_max = only_lines(
            self.after
                .links
                .iter()
                .map(|link| f64::from(link.queue_max))
                .collect(),
        );
        let utilization = sent
            .iter()
            .zip(&capacity)
            .map(|(cells, bits)| ratio(cells * CELL_BITS as f64, *bits));
        let nodes = &self.names.nodes;
        Table::new("links")
            .names("link", &self.names.links, 0..links.len())
            .names("from", nodes, links.iter().map(|link| link.from))
            .names("to", nodes, links.iter().map(|link| link.to))
            .numbers(
                "mean_rate_bps",
                "bit/s",
                capacity.iter().map(|bits| bits / self.seconds),
            )
            .numbers("utilization", "1", utilization)
            .numbers("cells_offered", "cells", offered.iter().copied())
            .numbers("cells_sent", "cells", sent.iter().copied())
            .numbers("cells_lost", "cells", lost.iter().copied())
            .numbers(
                "cell_loss_ratio",
                "1",
                lost.iter()
                    .zip(&offered)
                    .map(|(lost, offered)| ratio(*lost, *offered)),
            )
            .numbers("queue_mean_cells", "cells", queue_mean.into_iter())
            .numbers("queue_max_cells", "cells", queue_max.into_iter())
            .numbers(
                "active_vcs_mean",
                "1",
                self.after
                    .links
                    .iter()
                    .map(|link| link.active_vcs.unwrap_or(f64::NAN)),
            )
            .numbers(
                "load_factor",
                "1",
                self.after
                    .links
                    .iter()
                    .map(|link| link.load_factor.unwrap_or(f64::NAN)),
            )
    }

    fn link_parts(&self, parts: &[Vec<Option<QueuePart>>]) -> Table {
        let starts = std::iter::once(self.network.warm_up).chain(self.network.part_ends());
        let spans: Vec<_> = starts.zip(self.network.part_ends()).collect();
        let rows: Vec<_> = (0..self.network.links.len())
            .flat_map(|link| (0..parts.len()).map(move |part| (link, part)))
            .filter_map(|(link, part)| Some((link, part, parts[part][link]?)))
            .collect();
        Table::new("link_parts")
            .names("link", &self.names.links, rows.iter().map(|row| row.0))
            .numbers("part", "1", rows.iter().map(|row| row.1 as f64 + 1.0))
            .numbers(
                "from_s",
                "s",
                rows.iter().map(|row| spans[row.1].0.as_secs()),
            )
            .numbers("to_s", "s", rows.iter().map(|row| spans[row.1].1.as_secs()))
            .numbers(
                "controlled_queue_min_cells",
                "cells",
                rows.iter().map(|row| f64::from(row.2.min)),
            )
            .numbers(
                "controlled_queue_mean_cells",
                "cells",
                rows.iter().map(|row| row.2.mean),
            )
            .numbers(
                "controlled_queue_max_cells",
                "cells",
                rows.iter().map(|row| f64::from(row.2.max)),
            )
    }

    fn link_vcs(&self) -> Table {
        let names = &self.names;
        let links = || self.hops().map(|(link, _)| &self.network.links[link]);
        let directions = || self.hops().map(|(_, direction)| direction);
        let mut table = Table::new("link_vcs")
            .names("link", &names.links, self.hops().map(|(link, _)| link))
            .names("from", &names.nodes, links().map(|link| link.from))
            .names("to", &names.nodes, links().map(|link| link.to))
            .names("vc", &names.vcs, directions().map(|number| number / 2))
            .names(
                "direction",
                &names.directions,
                directions().map(|number| number % 2),
            );
        for (kind, name) in KIND_NAMES.iter().enumerate() {
            let counted = |of: fn(&HopReading, usize) -> u64| {
                let pairs = self.hop_pairs();
                pairs.map(move |(before, after)| (of(&after, kind) - of(&before, kind)) as f64)
            };
            let offered = counted(|hop, kind| hop.offered[kind]);
            let lost = counted(|hop, kind| hop.lost[kind]);
            let sent = counted(|hop, kind| hop.offered[kind] - hop.lost[kind] - hop.queued[kind]);
            table = table
                .numbers(&format!("{name}_offered"), "cells", offered)
                .numbers(&format!("{name}_lost"), "cells", lost)
                .numbers(&format!("{name}_sent"), "cells", sent);
        }
        table
    }
}
