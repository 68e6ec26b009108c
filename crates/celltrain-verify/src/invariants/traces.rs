//! Invariants of probes: their instants, and their agreement with the other tables.

use celltrain_sim::network::{
    FlowQuantity, Link, LinkQuantity, Probe, Record, SampleTimes, VcQuantity,
};

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Sheet, Tables};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "a probe has a row at the end of the warm-up and at each interval after it, up to the end",
        check: instants,
    },
    Invariant {
        name: "what a probe counts never falls, and what it counts from the warm-up on begins at zero",
        check: counts,
    },
    Invariant {
        name: "a probe at the end shows what the other tables have counted",
        check: ends,
    },
    Invariant {
        name: "no probe shows a queue longer than the longest",
        check: queues,
    },
    Invariant {
        name: "cells that came to a probed queue have left, were dropped, or wait there, in each row",
        check: conservation,
    },
    Invariant {
        name: "events of a timer are its time-outs and its samples",
        check: events,
    },
];

/// A probe and its table.
struct Trace<'a> {
    probe: &'a Probe,
    sheet: Sheet<'a>,
}

fn traces<'a>(tables: &Tables<'a>) -> Vec<Trace<'a>> {
    let probes = tables.network.probes.iter().zip(&tables.results.traces);
    let traces = probes.map(|(probe, table)| Trace {
        probe,
        sheet: Sheet::new(&probe.name, Some(table)),
    });
    traces.collect()
}

impl Trace<'_> {
    fn every_ps(&self) -> Option<u64> {
        match self.probe.at {
            SampleTimes::Every(every) => Some(every.as_ps()),
            SampleTimes::EventsOf(_) => None,
        }
    }

    /// The last row, if it is at the end of the run.
    fn end(&self, tables: &Tables) -> Option<usize> {
        let (start, end) = (tables.network.warm_up.as_ps(), tables.network.end.as_ps());
        let every = self.every_ps()?;
        (end - start)
            .is_multiple_of(every)
            .then(|| ((end - start) / every) as usize)
    }

    /// The column that records this quantity.
    fn of(&self, record: Record) -> Option<Vec<f64>> {
        let mut columns = self.probe.columns.iter();
        let (text, _) = columns.find(|(_, it)| *it == record)?;
        Some(self.sheet.get(text))
    }
}

fn instants(tables: &Tables, report: &mut Report) {
    let (start, end) = (tables.network.warm_up.as_ps(), tables.network.end.as_ps());
    for trace in traces(tables) {
        let times = trace.sheet.get("time_s");
        let Some(every) = trace.every_ps() else {
            for (row, pair) in times.windows(2).enumerate() {
                report.at_least(
                    trace.sheet.at(row + 1, "time_s"),
                    pair[1],
                    pair[0],
                    "the previous instant",
                );
            }
            continue;
        };
        let rows = (end - start) / every + 1;
        let at = trace.sheet.at(0, "time_s");
        report.equal(at, times.len() as f64, rows as f64, "rows of it");
        for (row, &time) in times.iter().enumerate() {
            let expected = (start + row as u64 * every) as f64 / 1e12;
            report.equal(trace.sheet.at(row, "time_s"), time, expected, "its instant");
        }
    }
}

/// Whether it is a count, and if so, whether it starts with the measured interval.
fn is_count(record: Record) -> Option<bool> {
    match record {
        Record::Link(_, LinkQuantity::Lost | LinkQuantity::Arrived | LinkQuantity::Sent) => {
            Some(true)
        }
        Record::Link(_, LinkQuantity::LostInAll)
        | Record::Vc(_, _, VcQuantity::BackwardRm | VcQuantity::Offered | VcQuantity::Dropped)
        | Record::Flow(_, FlowQuantity::Delivered | FlowQuantity::Retransmitted) => Some(false),
        _ => None,
    }
}

fn counts(tables: &Tables, report: &mut Report) {
    for trace in traces(tables) {
        for (column, record) in &trace.probe.columns {
            let Some(from_warm_up) = is_count(*record) else {
                continue;
            };
            let values = trace.sheet.get(column);
            // Packets without TCP have no segments.
            if values.iter().all(|it| it.is_nan()) {
                continue;
            }
            let is_sampled = trace.every_ps().is_some();
            if let Some(&first) = values.first()
                && (tables.is_from_start() || from_warm_up)
                && is_sampled
            {
                report.equal(
                    trace.sheet.at(0, column),
                    first,
                    0.0,
                    "nothing has been counted yet",
                );
            }
            for (row, pair) in values.windows(2).enumerate() {
                report.at_least(
                    trace.sheet.at(row + 1, column),
                    pair[1],
                    pair[0],
                    "the previous value",
                );
            }
        }
    }
}

/// The column and row that show the same quantity at the end of the run.
fn shown_as(record: Record) -> Option<(&'static str, usize, &'static str)> {
    Some(match record {
        Record::Link(link, LinkQuantity::Lost | LinkQuantity::LostInAll) => {
            ("links", link, "cells_lost")
        }
        Record::Link(link, LinkQuantity::Arrived) => ("links", link, "cells_offered"),
        Record::Link(link, LinkQuantity::Sent) => ("links", link, "cells_sent"),
        Record::Vc(vc, direction, quantity) => {
            let row = 2 * vc + direction.index();
            match quantity {
                VcQuantity::Acr => ("vcs", row, "acr_bps"),
                VcQuantity::Offered => ("vcs", row, "source_cells_offered"),
                VcQuantity::Dropped => ("vcs", row, "source_cells_dropped"),
                _ => return None,
            }
        }
        Record::Flow(flow, FlowQuantity::Delivered) => ("flows", flow, "delivered_bytes"),
        Record::Flow(flow, FlowQuantity::Retransmitted) => {
            ("flows", flow, "segments_retransmitted")
        }
        _ => return None,
    })
}

/// Whether cells cross a link without delay.
fn is_transparent(link: &Link) -> bool {
    link.line.is_none()
        && link.delay.as_ps() == 0
        && !link.is_impaired()
        && !link.has_varying_delay()
}

/// Cells that left each link, including those without a rate, for which `links` has no value.
fn left_links(tables: &Tables) -> Vec<f64> {
    let mut left = vec![0.0; tables.network.links.len()];
    for kind in ["data_sent", "forward_rm_sent", "backward_rm_sent"] {
        for (hop, cells) in tables.hops().zip(tables.link_vcs.get(kind)) {
            left[hop.link] += cells;
        }
    }
    left
}

fn ends(tables: &Tables, report: &mut Report) {
    let left = left_links(tables);
    for trace in traces(tables) {
        let Some(end) = trace.end(tables) else {
            continue;
        };
        for (column, record) in &trace.probe.columns {
            let Some((table, row, shown)) = shown_as(*record) else {
                continue;
            };
            let values = trace.sheet.get(column);
            let (Some(first), Some(&last)) = (values.first(), values.get(end)) else {
                continue;
            };
            let counted = if is_count(*record) == Some(false) {
                last - first
            } else {
                last
            };
            let other = tables
                .results
                .table(table)
                .map_or_else(Vec::new, |table| table.numbers_of(shown));
            // Cells that cross a link without delay are not counted.
            if matches!(*record, Record::Link(link, _) if is_transparent(&tables.network.links[link]))
            {
                continue;
            }
            let is_sent = matches!(record, Record::Link(_, LinkQuantity::Sent));
            let other = if is_sent { left[row] } else { other[row] };
            // Packets without TCP have no retransmitted segments.
            if !counted.is_nan() {
                let what = format!("{shown} of row {row} of {table}");
                report.equal(trace.sheet.at(end, column), counted, other, &what);
            }
        }
    }
}

fn queues(tables: &Tables, report: &mut Report) {
    let most = tables.links.get("queue_max_cells");
    let sources = tables.vcs.get("source_queue_max_cells");
    for trace in traces(tables) {
        for (column, record) in &trace.probe.columns {
            let longest = match *record {
                Record::Link(link, LinkQuantity::Queue | LinkQuantity::ControlledQueue) => {
                    most[link]
                }
                Record::Vc(vc, direction, VcQuantity::HostCells) => {
                    sources[2 * vc + direction.index()]
                }
                _ => continue,
            };
            for (row, value) in trace.sheet.get(column).into_iter().enumerate() {
                if !longest.is_nan() {
                    report.at_most(trace.sheet.at(row, column), value, longest, "the longest");
                }
            }
        }
    }
}

fn conservation(tables: &Tables, report: &mut Report) {
    for trace in traces(tables) {
        for (link, described) in tables.network.links.iter().enumerate() {
            let of = |quantity| trace.of(Record::Link(link, quantity));
            let quantities = [
                LinkQuantity::Queue,
                LinkQuantity::Arrived,
                LinkQuantity::Lost,
                LinkQuantity::Sent,
            ];
            let [Some(queue), Some(arrived), Some(lost), Some(sent)] = quantities.map(of) else {
                continue;
            };
            if described.line.is_none() {
                continue;
            }
            for row in 0..queue.len() {
                let expected = queue[0] + arrived[row] - lost[row] - sent[row];
                let at = trace.sheet.at(row, "queue_cells");
                report.equal(
                    at,
                    queue[row],
                    expected,
                    &format!("what waits at link {}", described.unique_name()),
                );
            }
        }
    }
}

fn events(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let [timeouts, samples] = ["timeouts", "rtt_timed_samples"].map(|column| flows.get(column));
    for trace in traces(tables) {
        let SampleTimes::EventsOf(flow) = trace.probe.at else {
            continue;
        };
        let is_timeout = trace.sheet.get("is_timeout");
        let expired = is_timeout.iter().filter(|&&it| it == 1.0).count() as f64;
        let learned = is_timeout.iter().filter(|&&it| it == 0.0).count() as f64;
        report.equal(
            flows.at(flow, "timeouts"),
            timeouts[flow],
            expired,
            "time-outs among the events",
        );
        report.equal(
            flows.at(flow, "rtt_timed_samples"),
            samples[flow],
            learned,
            "round trips among the events",
        );
    }
}
