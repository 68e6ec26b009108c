//! The table of links.

use celltrain_language::entry::{Entry, count, count_or_none, number, table, text};
use celltrain_proto::units::Unit;

use super::interval::{Interval, ratio};
use super::{HopReading, LinkReading, Names, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// What the link is.
    Name(fn(&Interval<'_>) -> Names),
    /// What the counters of all VCs at the link counted together in the measured interval.
    Hops(fn(&HopReading) -> u64),
    /// Of a link with a line; NaN without one.
    Line(fn(&OfLine<'_>) -> f64),
    /// Of the link at the end of the measured interval; NaN where there is none.
    Last(fn(&LinkReading) -> Option<f64>),
    /// By row of the interval as a whole.
    Computed(fn(&Interval<'_>) -> Vec<f64>),
}

use Reading::{Computed, Hops, Last, Line, Name};

/// What was read of a link with a line.
pub(super) struct OfLine<'a> {
    before: &'a LinkReading,
    after: &'a LinkReading,
    /// Length of the measured interval.
    seconds: f64,
    /// What the line carries.
    unit: Unit,
}

impl OfLine<'_> {
    /// Integral of the rate, in bits.
    fn capacity(&self) -> f64 {
        self.after.capacity_bits - self.before.capacity_bits
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
        "the link; the two ways of a `between` have one name",
        Name(|it| Names::new(&it.names.links, 0..it.network.links.len())),
    ),
    text(
        "from",
        "",
        "from",
        "the node before it",
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
        "the node behind it",
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
        "bits of the cells that left / integral of the line rate",
        Line(|line| ratio(sent(line) * line.unit.bits() as f64, line.capacity())),
    ),
    count(
        "cells_offered",
        "cells",
        "offered",
        "cells that came to the queue, dropped ones included",
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
        "time average of the queue, the cell in transmission included",
        Line(queue_mean),
    ),
    count_or_none(
        "queue_max_cells",
        "cells",
        "longest queue",
        "longest queue, the cell in transmission included",
        Line(|line| f64::from(line.after.queue_max)),
    ),
    number(
        "active_vcs_mean",
        "1",
        "mean active VCs",
        "mean number of active VCs that the switch algorithm counted, where it counts them",
        Last(|link| link.active_vcs),
    ),
    number(
        "load_factor",
        "1",
        "load factor",
        "cells that came over cells that the target allows, both summed over the algorithm's intervals, where it has a target (ERICA, ERICA+)",
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

/// By link: what was read of it, where it has a line.
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
