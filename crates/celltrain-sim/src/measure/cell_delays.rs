//! The table of cell delays: of each direction of a VC whose cells are timed.
//!
//! The delay of a cell is its transfer delay between the two ends of the VC (I.356): from the instant at which it leaves
//! its source to that at which it reaches the end of the VC. Lost cells have none.

use celltrain_language::entry::{Entry, count, number, table, text};
use celltrain_proto::units::Span;

use super::interval::{Interval, ratio};
use super::{DelayReading, Names, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// The VC of the row.
    Vc,
    /// The direction of the row.
    Direction,
    /// A value of the row.
    Value(fn(&Row) -> f64),
}

use Reading::{Direction, Value, Vc};

/// A direction of a VC.
pub(super) struct Row<'a> {
    /// 2 x VC + (0 forward, 1 backward).
    direction: usize,
    delays: &'a DelayReading,
    /// The fraction of cells left out of the peak-to-peak variation.
    alpha: f64,
}

impl Row<'_> {
    /// A delay in s; NaN without a cell.
    fn seconds(&self, delay: Span) -> f64 {
        self.delays.first.map_or(f64::NAN, |_| delay.as_secs())
    }

    /// The smallest delay in s that at most 1 - `part` of all cells exceed, to within the resolution of the histogram.
    fn quantile(&self, part: f64) -> f64 {
        if self.delays.first.is_none() {
            return f64::NAN;
        }
        let ps = self.delays.histogram.value_at_quantile(part);
        // The histogram gives the upper end of a bin.
        Span::from_ps(ps).min(self.delays.most).as_secs()
    }
}

fn cells(row: &Row) -> f64 {
    row.delays.histogram.len() as f64
}

/// The mean in s.
fn mean(row: &Row) -> f64 {
    ratio(row.delays.sum_ps as f64 / 1e12, cells(row))
}

/// The smallest delay in s.
fn least(row: &Row) -> f64 {
    row.seconds(row.delays.least)
}

/// The largest delay in s.
fn most(row: &Row) -> f64 {
    row.seconds(row.delays.most)
}

/// The delay of the first cell in s, the reference of the 2-point variation.
fn first(row: &Row) -> f64 {
    row.delays.first.map_or(f64::NAN, Span::as_secs)
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text("vc", "", "VC", "the VC", Vc),
    text(
        "direction",
        "",
        "direction",
        "one of its directions",
        Direction,
    ),
    count(
        "cells",
        "cells",
        "cells",
        "data cells that reached the end of the VC in the measured interval",
        Value(cells),
    ),
    number(
        "delay_min_s",
        "s",
        "min delay",
        "smallest delay of a cell, from leaving its source to reaching the end of the VC",
        Value(least),
    ),
    number("delay_mean_s", "s", "mean delay", "mean delay", Value(mean)),
    number(
        "delay_p50_s",
        "s",
        "median delay",
        "delay that half of the cells do not exceed; quantiles are exact to 0.1 %",
        Value(|row| row.quantile(0.5)),
    ),
    number(
        "delay_p90_s",
        "s",
        "90 % delay",
        "delay that 90 % of the cells do not exceed",
        Value(|row| row.quantile(0.9)),
    ),
    number(
        "delay_p99_s",
        "s",
        "99 % delay",
        "delay that 99 % of the cells do not exceed",
        Value(|row| row.quantile(0.99)),
    ),
    number(
        "delay_p999_s",
        "s",
        "99.9 % delay",
        "delay that 99.9 % of the cells do not exceed",
        Value(|row| row.quantile(0.999)),
    ),
    number(
        "delay_max_s",
        "s",
        "max delay",
        "largest delay",
        Value(most),
    ),
    number(
        "peak_to_peak_cdv_s",
        "s",
        "peak-to-peak CDV",
        "peak-to-peak cell delay variation (TM 4.0): the delay that a fraction `alpha` of the cells exceeds, less `delay_min_s`",
        Value(|row| row.quantile(1.0 - row.alpha) - least(row)),
    ),
    number(
        "two_point_cdv_min_s",
        "s",
        "min 2-point CDV",
        "smallest 2-point cell delay variation (I.356): the delay of a cell less that of the first cell of the measured interval",
        Value(|row| least(row) - first(row)),
    ),
    number(
        "two_point_cdv_max_s",
        "s",
        "max 2-point CDV",
        "largest 2-point cell delay variation",
        Value(|row| most(row) - first(row)),
    ),
];

/// A row for each direction whose cells are timed, in the order of VCs.
pub(super) fn cell_delays(interval: &Interval<'_>) -> Table {
    let rows = interval.after.delays.iter().map(|(direction, delays)| Row {
        direction: *direction,
        delays,
        alpha: interval.network.delay_alpha,
    });
    let rows: Vec<Row> = rows.collect();
    table("cell_delays", COLUMNS, |reading| match *reading {
        Vc => {
            let vcs = rows.iter().map(|row| row.direction / 2);
            Values::Names(Names::new(&interval.names.vcs, vcs))
        }
        Direction => {
            let directions = rows.iter().map(|row| row.direction % 2);
            Values::Names(Names::new(&interval.names.directions, directions))
        }
        Value(value) => Values::Numbers(rows.iter().map(value).collect()),
    })
}
