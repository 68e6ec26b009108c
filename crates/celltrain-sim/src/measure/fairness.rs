//! The table of fairness: how the flows of each group share what they get together.

use std::collections::HashMap;
use std::sync::Arc;

use celltrain_language::entry::{Entry, count, number, table, text};

use super::flows::throughput;
use super::interval::{Interval, ratio};
use super::{Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// The group.
    Group,
    /// A value of the row.
    Value(fn(&Row) -> f64),
}

use Reading::{Group, Value};

/// A group of flows.
pub(super) struct Row {
    group: Arc<str>,
    /// By flow, in bit/s.
    throughput: Vec<f64>,
}

impl Row {
    fn sum(&self) -> f64 {
        self.throughput.iter().sum()
    }

    fn least(&self) -> f64 {
        self.throughput
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
    }

    fn most(&self) -> f64 {
        self.throughput.iter().copied().fold(0.0, f64::max)
    }

    /// The index of Jain, Chiu and Hawe (DEC-TR-301, 1984).
    fn jain(&self) -> f64 {
        let squares: f64 = self.throughput.iter().map(|x| x * x).sum();
        ratio(self.sum().powi(2), squares * self.throughput.len() as f64)
    }
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "group",
        "",
        "group",
        "the group of flows: an entry of `flows` that stands for two or more; `NAME.back` has the other directions of NAME",
        Group,
    ),
    count(
        "flows",
        "1",
        "flows",
        "flows in the group",
        Value(|row| row.throughput.len() as f64),
    ),
    number(
        "throughput_bps",
        "bit/s",
        "throughput",
        "throughput of all flows together",
        Value(Row::sum),
    ),
    number(
        "least_throughput_bps",
        "bit/s",
        "least",
        "smallest throughput of a flow",
        Value(Row::least),
    ),
    number(
        "most_throughput_bps",
        "bit/s",
        "most",
        "largest throughput of a flow",
        Value(Row::most),
    ),
    number(
        "spread_bps",
        "bit/s",
        "spread",
        "`most_throughput_bps` - `least_throughput_bps`",
        Value(|row| row.most() - row.least()),
    ),
    number(
        "jain_index",
        "1",
        "Jain index",
        "fairness index of Jain, Chiu and Hawe (1984): (sum of x)^2 / (n x sum of x^2) for throughputs x of n flows; 1 if all are equal, 1/n if one flow gets everything",
        Value(Row::jain),
    ),
];

/// A row for each group of two or more flows, in the order of their first flows.
pub(super) fn fairness(interval: &Interval<'_>) -> Table {
    let rows = rows(interval);
    table("fairness", COLUMNS, |reading| match *reading {
        Group => Values::Names(rows.iter().map(|row| row.group.to_string()).collect()),
        Value(value) => Values::Numbers(rows.iter().map(value).collect()),
    })
}

fn rows(interval: &Interval<'_>) -> Vec<Row> {
    let flows = &interval.network.flows;
    let mut rows: Vec<Row> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (flow, bps) in flows.iter().zip(throughput(interval)) {
        let place = *places.entry(&flow.group).or_insert_with(|| {
            rows.push(Row {
                group: Arc::clone(&flow.group),
                throughput: Vec::new(),
            });
            rows.len() - 1
        });
        rows[place].throughput.push(bps);
    }
    rows.retain(|row| row.throughput.len() > 1);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(throughput: &[f64]) -> Row {
        Row {
            group: "g".into(),
            throughput: throughput.to_vec(),
        }
    }

    #[test]
    fn equal_flows_have_an_index_of_one_and_no_spread() {
        let row = row(&[3.0, 3.0, 3.0]);
        assert_eq!((row.jain(), row.most() - row.least()), (1.0, 0.0));
    }

    #[test]
    fn where_k_of_n_flows_share_equally_the_index_is_k_over_n() {
        assert_eq!(row(&[0.0, 8.0, 0.0, 8.0, 0.0]).jain(), 0.4);
        assert_eq!(row(&[8.0, 0.0]).jain(), 0.5);
    }

    #[test]
    fn of_flows_that_get_nothing_there_is_no_index() {
        assert!(row(&[0.0, 0.0]).jain().is_nan());
    }
}
