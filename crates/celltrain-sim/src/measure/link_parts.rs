//! The table of queues by part of the measured interval.

use celltrain_language::entry::{Entry, count, number, table, text};
use celltrain_proto::units::Time;

use super::interval::Interval;
use super::{Names, QueuePart, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// The link.
    Link,
    /// A value of the row.
    Value(fn(&Row) -> f64),
}

use Reading::{Link, Value};

/// A link with a queue, in one part of the measured interval.
pub(super) struct Row {
    link: usize,
    /// The number of the part, from 0.
    part: usize,
    from: Time,
    to: Time,
    queue: QueuePart,
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text("link", "", "link", "the link", Link),
    count(
        "part",
        "1",
        "part",
        "number of the part, from 1",
        Value(|row| row.part as f64 + 1.0),
    ),
    number(
        "from_s",
        "s",
        "from",
        "its start, since the start of the run",
        Value(|row| row.from.as_secs()),
    ),
    number(
        "to_s",
        "s",
        "to",
        "its end, since the start of the run",
        Value(|row| row.to.as_secs()),
    ),
    count(
        "controlled_queue_min_cells",
        "cells",
        "shortest queue",
        "shortest queue",
        Value(|row| f64::from(row.queue.min)),
    ),
    number(
        "controlled_queue_mean_cells",
        "cells",
        "mean queue",
        "time average of the queue",
        Value(|row| row.queue.mean),
    ),
    count(
        "controlled_queue_max_cells",
        "cells",
        "longest queue",
        "longest queue",
        Value(|row| f64::from(row.queue.max)),
    ),
];

/// A row for each part of the measured interval and each link with a queue; `parts` is ordered by part, then link.
pub(super) fn link_parts(interval: &Interval<'_>, parts: &[Vec<Option<QueuePart>>]) -> Table {
    let starts = std::iter::once(interval.network.warm_up).chain(interval.network.part_ends());
    let spans: Vec<_> = starts.zip(interval.network.part_ends()).collect();
    let rows: Vec<Row> = (0..interval.network.links.len())
        .flat_map(|link| (0..parts.len()).map(move |part| (link, part)))
        .filter_map(|(link, part)| {
            let (queue, (from, to)) = (parts[part][link]?, spans[part]);
            Some(Row {
                link,
                part,
                from,
                to,
                queue,
            })
        })
        .collect();
    table("link_parts", COLUMNS, |reading| match *reading {
        Link => {
            let links = rows.iter().map(|row| row.link);
            Values::Names(Names::new(&interval.names.links, links))
        }
        Value(value) => Values::Numbers(rows.iter().map(value).collect()),
    })
}
