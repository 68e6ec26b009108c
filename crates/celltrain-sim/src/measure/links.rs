//! The table of links.

use celltrain_language::entry::{Entry, count, count_or_none, number, table, text};
use celltrain_proto::units::Unit;

use super::interval::{Interval, ratio};
use super::{HopReading, LinkReading, Names, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// A property of the link.
    Name(fn(&Interval<'_>) -> Names),
    /// The growth of a counter in the measured interval, summed over all VCs at the link.
    Hops(fn(&HopReading) -> u64),
    /// A value for a link with a line; NaN without one.
    Line(fn(&OfLine<'_>) -> f64),
    /// The last value in the measured interval, or NaN.
    Last(fn(&LinkReading) -> Option<f64>),
    /// Computed from the whole interval, with a value for each row.
    Computed(fn(&Interval<'_>) -> Vec<f64>),
}

use Reading::{Computed, Hops, Last, Line, Name};

/// The readings of a link with a line.
pub(super) struct OfLine<'a> {
    before: &'a LinkReading,
    after: &'a LinkReading,
    /// The length of the measured interval.
    seconds: f64,
    /// The unit of transmission.
    unit: Unit,
}

impl OfLine<'_> {
    /// The integral of the rate, in bits.
    fn capacity(&self) -> f64 {
        self.after.capacity_bits - self.before.capacity_bits
    }
}

/// The bits of what left.
fn bits_sent(line: &OfLine<'_>) -> f64 {
    match (&line.before.octets, &line.after.octets) {
        (Some(before), Some(after)) => 8.0 * (after.departed - before.departed) as f64,
        _ => sent(line) * line.unit.bits() as f64,
    }
}

fn sent(line: &OfLine<'_>) -> f64 {
    line.after.departed as f64 - line.before.departed as f64
}

fn queue_mean(line: &OfLine<'_>) -> f64 {
    // The difference of the two integrals is exact; only the quotient is rounded.
    let area = (line.after.queue_area_ps - line.before.queue_area_ps) as f64;
    area / 1e12 / line.seconds
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "link",
        "",
        "link",
        "the link; the two directions of a `between` share a name",
        Name(|it| Names::new(&it.names.links, 0..it.network.links.len())),
    ),
    text(
        "from",
        "",
        "from",
        "the node upstream of it",
        Name(|it| {
            Names::new(
                &it.names.nodes,
                it.network.links.iter().map(|link| link.from),
            )
        }),
    ),
    text(
        "to",
        "",
        "to",
        "the node downstream of it",
        Name(|it| Names::new(&it.names.nodes, it.network.links.iter().map(|link| link.to))),
    ),
    number(
        "mean_rate_bps",
        "bit/s",
        "mean rate",
        "time average of the line rate",
        Line(|line| line.capacity() / line.seconds),
    ),
    number(
        "utilization",
        "1",
        "utilization",
        "bits of the cells or frames that left / integral of the line rate",
        Line(|line| ratio(bits_sent(line), line.capacity())),
    ),
    count(
        "cells_offered",
        "cells",
        "offered",
        "cells that arrived at the queue, including dropped ones",
        Hops(offered),
    ),
    count_or_none("cells_sent", "cells", "sent", "cells that left", Line(sent)),
    count("cells_lost", "cells", "lost", "cells dropped", Hops(lost)),
    number(
        "cell_loss_ratio",
        "1",
        "cell loss ratio",
        "`cells_lost` / `cells_offered`",
        Computed(loss_ratios),
    ),
    number(
        "queue_mean_cells",
        "cells",
        "mean queue",
        "time average of the queue, including the cell in transmission",
        Line(queue_mean),
    ),
    count_or_none(
        "queue_max_cells",
        "cells",
        "longest queue",
        "longest queue, including the cell in transmission",
        Line(|line| f64::from(line.after.queue_max)),
    ),
    number(
        "active_vcs_mean",
        "1",
        "mean active VCs",
        "mean number of active VCs, if the switch algorithm counts them",
        Last(|link| link.active_vcs),
    ),
    number(
        "load_factor",
        "1",
        "load factor",
        "cells that arrived divided by cells that the target allows, both summed over the algorithm's intervals, if it has a target (ERICA, ERICA+)",
        Last(|link| link.load_factor),
    ),
];

/// A row for each link.
pub(super) fn links(interval: &Interval<'_>) -> Table {
    table("links", COLUMNS, |reading| {
        let numbers = match *reading {
            Name(names) => return Values::Names(names(interval)),
            Hops(counter) => by_link(interval, counter).into_iter().collect(),
            Line(value) => {
                let lines = of_lines(interval);
                lines
                    .map(|line| line.map_or(f64::NAN, |line| value(&line)))
                    .collect()
            }
            Last(value) => {
                let links = interval.after.links.iter();
                links.map(|link| value(link).unwrap_or(f64::NAN)).collect()
            }
            Computed(values) => values(interval).into_iter().collect(),
        };
        Values::Numbers(numbers)
    })
}

/// By link: the readings of its line, if it has one.
fn of_lines<'a>(interval: &'a Interval<'_>) -> impl Iterator<Item = Option<OfLine<'a>>> {
    let pairs = interval.before.links.iter().zip(&interval.after.links);
    let links = interval.network.links.iter().zip(pairs);
    links.map(|(link, (before, after))| {
        link.line.as_ref().map(|line| OfLine {
            before,
            after,
            seconds: interval.seconds,
            unit: line.unit,
        })
    })
}

fn by_link(interval: &Interval<'_>, counter: fn(&HopReading) -> u64) -> Vec<f64> {
    interval.hop_sums(interval.network.links.len(), counter, |hop| hop.0)
}

fn offered(hop: &HopReading) -> u64 {
    hop.offered.iter().sum()
}

fn lost(hop: &HopReading) -> u64 {
    hop.lost.iter().sum()
}

fn loss_ratios(interval: &Interval<'_>) -> Vec<f64> {
    let lost = by_link(interval, lost).into_iter();
    lost.zip(by_link(interval, offered))
        .map(|(lost, offered)| ratio(lost, offered))
        .collect()
}
