//! The table of shapers within the network.

use celltrain_language::entry::{Entry, count, number, table, text};

use super::interval::{Interval, ratio};
use super::{Names, ShaperReading, Table, Values};
use crate::network::{Shaped, ShapedCells};

/// How a column is read.
pub(super) enum Reading {
    /// A property of the shaper.
    Name(fn(&Interval<'_>, &[Shaped<'_>]) -> Names),
    /// The growth of a counter in the measured interval.
    Counted(fn(&ShaperReading) -> u64),
    /// Computed from the readings before and after the interval, and its length in s.
    Computed(fn(&ShaperReading, &ShaperReading, f64) -> f64),
}

use Reading::{Computed, Counted, Name};

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "connection",
        "",
        "connection",
        "the VC or virtual path whose cells it shapes",
        Name(|it, all| all.iter().map(|shaped| connection(it, shaped.of)).collect()),
    ),
    text(
        "kind",
        "",
        "kind",
        "`vc` or `vp`",
        Name(|_, all| {
            let kind = |of| {
                if matches!(of, ShapedCells::Vc(_)) {
                    "vc"
                } else {
                    "vp"
                }
            };
            all.iter()
                .map(|shaped| kind(shaped.of).to_owned())
                .collect()
        }),
    ),
    text(
        "direction",
        "",
        "direction",
        "one of its directions",
        Name(|it, all| {
            let directions = all.iter().map(|shaped| match shaped.of {
                ShapedCells::Vc(number) | ShapedCells::Path(number) => number % 2,
            });
            Names::new(&it.names.directions, directions)
        }),
    ),
    text(
        "at",
        "",
        "at",
        "the node where it is",
        Name(|it, all| Names::new(&it.names.nodes, all.iter().map(|shaped| shaped.node))),
    ),
    count(
        "cells_offered",
        "cells",
        "offered",
        "cells of all kinds that came",
        Counted(|shaper| shaper.offered),
    ),
    count(
        "cells_dropped",
        "cells",
        "dropped",
        "cells that found its buffer full; they are among `cells_lost` of their VCs",
        Counted(|shaper| shaper.dropped),
    ),
    number(
        "queue_mean_cells",
        "cells",
        "mean queue",
        "mean number of cells that waited",
        Computed(|before, after, seconds| ratio(cell_seconds(before, after), seconds)),
    ),
    count(
        "queue_max_cells",
        "cells",
        "longest queue",
        "most cells that waited",
        Computed(|_, after, _| after.longest as f64),
    ),
    number(
        "delay_mean_s",
        "s",
        "mean delay",
        "mean time for which cells waited, by Little's law: the integral of their number divided by the number that left",
        Computed(|before, after, _| {
            let left = (after.departed - before.departed) as f64;
            ratio(cell_seconds(before, after), left)
        }),
    ),
];

fn connection(interval: &Interval<'_>, of: ShapedCells) -> String {
    match of {
        ShapedCells::Vc(direction) => interval.names.vcs[direction / 2].clone(),
        ShapedCells::Path(direction) => interval.network.vps[direction / 2].name.clone(),
    }
}

/// The integral of the queue in cell seconds.
fn cell_seconds(before: &ShaperReading, after: &ShaperReading) -> f64 {
    (after.area_ps - before.area_ps) as f64 / 1e12
}

/// A row for each shaper: those of VCs, then those of virtual paths.
pub(super) fn shapers(interval: &Interval<'_>) -> Table {
    let all: Vec<Shaped<'_>> = interval.network.shapers().collect();
    let before = interval.before.shapers.iter();
    let pairs: Vec<_> = before.zip(&interval.after.shapers).collect();
    table("shapers", COLUMNS, |reading| match *reading {
        Name(names) => Values::Names(names(interval, &all)),
        Counted(counter) => {
            let pairs = pairs.iter();
            let grown = pairs.map(|(before, after)| (counter(after) - counter(before)) as f64);
            Values::Numbers(grown.collect())
        }
        Computed(value) => {
            let pairs = pairs.iter();
            let values = pairs.map(|(before, after)| value(before, after, interval.seconds));
            Values::Numbers(values.collect())
        }
    })
}
