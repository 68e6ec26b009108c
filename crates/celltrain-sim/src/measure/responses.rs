//! The table of responses: the messages of each flow with a telnet application.

use celltrain_language::entry::{Entry, count, number, table, text};
use celltrain_proto::units::Span;

use super::interval::{Interval, ratio};
use super::{Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// The flow of the row.
    Flow,
    /// A value of the row.
    Value(fn(&Row) -> f64),
}

use Reading::{Flow, Value};

/// The messages of a flow in the measured interval.
pub(super) struct Row {
    flow: usize,
    typed: u64,
    answered: u64,
    sum_ps: u128,
    longest: Span,
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text("flow", "", "flow", "the flow", Flow),
    count(
        "messages",
        "1",
        "messages",
        "messages typed",
        Value(|row| row.typed as f64),
    ),
    count(
        "responses",
        "1",
        "responses",
        "messages whose last octet was acknowledged, including those typed before the measured interval",
        Value(|row| row.answered as f64),
    ),
    number(
        "response_mean_s",
        "s",
        "mean response",
        "mean time from typing a message to the acknowledgment of its last octet, including waiting at the host",
        Value(|row| ratio(row.sum_ps as f64 / 1e12, row.answered as f64)),
    ),
    number(
        "response_max_s",
        "s",
        "longest response",
        "longest of these times",
        Value(|row| {
            if row.answered == 0 {
                f64::NAN
            } else {
                row.longest.as_secs()
            }
        }),
    ),
];

/// A row for each flow with a telnet application, in the order of flows.
pub(super) fn responses(interval: &Interval<'_>) -> Table {
    let pairs = interval.before.responses.iter();
    let rows = pairs
        .zip(&interval.after.responses)
        .map(|(&(_, before), &(flow, after))| Row {
            flow,
            typed: after.typed - before.typed,
            answered: after.answered - before.answered,
            sum_ps: after.sum_ps - before.sum_ps,
            longest: after.longest,
        });
    let rows: Vec<Row> = rows.collect();
    table("responses", COLUMNS, |reading| match *reading {
        Flow => {
            let flows = &interval.network.flows;
            Values::Names(
                rows.iter()
                    .map(|row| flows[row.flow].name.clone())
                    .collect(),
            )
        }
        Value(value) => Values::Numbers(rows.iter().map(value).collect()),
    })
}
