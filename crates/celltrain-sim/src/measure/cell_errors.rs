//! The table of cell errors: of each direction of a VC at each link with errors or misinserted cells.

use celltrain_language::entry::{Entry, count, number, table, text};

use super::interval::{Interval, ratio};
use super::{ErrorCounts, Names, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// The link of the row.
    Link,
    /// The VC of the row.
    Vc,
    /// The direction of the row.
    Direction,
    /// A value of the row.
    Value(fn(&Row) -> f64),
}

use Reading::{Direction, Link, Value, Vc};

/// A direction of a VC at a link.
pub(super) struct Row {
    link: usize,
    /// 2 x VC + (0 forward, 1 backward).
    direction: usize,
    counts: ErrorCounts,
    /// The length of the measured interval in s.
    seconds: f64,
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text("link", "", "link", "the link", Link),
    text("vc", "", "VC", "a VC that crosses it", Vc),
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
        "data cells that arrived over the link, without misinserted ones",
        Value(|row| row.counts.crossed as f64),
    ),
    count(
        "cells_corrupted",
        "cells",
        "corrupted",
        "those of them with a corrupted payload",
        Value(|row| row.counts.corrupted as f64),
    ),
    number(
        "cell_error_ratio",
        "1",
        "cell error ratio",
        "`cells_corrupted` / `cells` (I.356), on this link",
        Value(|row| ratio(row.counts.corrupted as f64, row.counts.crossed as f64)),
    ),
    count(
        "cells_misinserted",
        "cells",
        "misinserted",
        "cells of other VCs that came in by mistake, up to the last cell that arrived over the link",
        Value(|row| row.counts.misinserted as f64),
    ),
    number(
        "cell_misinsertion_rate",
        "cells/s",
        "cell misinsertion rate",
        "`cells_misinserted` per second of the measured interval (I.356)",
        Value(|row| row.counts.misinserted as f64 / row.seconds),
    ),
];

/// A row for each direction of a VC at each link with errors, in the order of VCs.
pub(super) fn cell_errors(interval: &Interval<'_>) -> Table {
    let hops: Vec<(usize, usize)> = interval.hops().collect();
    let pairs = interval.before.errors.iter().zip(&interval.after.errors);
    let rows = pairs.map(|(&(_, before), &(hop, after))| {
        let (link, direction) = hops[hop];
        Row {
            link,
            direction,
            counts: ErrorCounts {
                crossed: after.crossed - before.crossed,
                corrupted: after.corrupted - before.corrupted,
                misinserted: after.misinserted - before.misinserted,
            },
            seconds: interval.seconds,
        }
    });
    let rows: Vec<Row> = rows.collect();
    table("cell_errors", COLUMNS, |reading| match *reading {
        Link => {
            let links = rows.iter().map(|row| row.link);
            Values::Names(Names::new(&interval.names.links, links))
        }
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
