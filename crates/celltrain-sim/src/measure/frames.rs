//! The table of links that carry frames, in octets.

use celltrain_language::entry::{Entry, count, number, table, text};

use super::interval::{Interval, ratio};
use super::{OctetReading, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// A property of the link, by its number.
    Name(fn(&Interval<'_>, usize) -> String),
    /// The growth of a counter in the measured interval.
    Counted(fn(&OctetReading) -> u64),
    /// Computed from the readings before and after the interval, and its length in s.
    Computed(fn(&OctetReading, &OctetReading, f64) -> f64),
}

use Reading::{Computed, Counted, Name};

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "link",
        "",
        "link",
        "the link; the two directions of a `between` share a name",
        Name(|it, link| it.names.links[link].clone()),
    ),
    text(
        "from",
        "",
        "from",
        "the node upstream of it",
        Name(|it, link| it.names.nodes[it.network.links[link].from].clone()),
    ),
    text(
        "to",
        "",
        "to",
        "the node downstream of it",
        Name(|it, link| it.names.nodes[it.network.links[link].to].clone()),
    ),
    count(
        "line_bytes",
        "bytes",
        "on the line",
        "octets on the line of the frames that left, which the rate of the link counts",
        Counted(|link| link.departed),
    ),
    count(
        "ip_bytes",
        "bytes",
        "IP",
        "octets of the IP packets in these frames",
        Counted(|link| link.packets),
    ),
    number(
        "ip_rate_bps",
        "bit/s",
        "IP rate",
        "bits of these packets per second",
        Computed(|before, after, seconds| {
            8.0 * ratio((after.packets - before.packets) as f64, seconds)
        }),
    ),
    count(
        "offered_bytes",
        "bytes",
        "offered",
        "octets on the line of the frames that came to the queue, including dropped ones",
        Counted(|link| link.offered),
    ),
    count(
        "lost_bytes",
        "bytes",
        "lost",
        "octets on the line of the frames that found no room",
        Counted(|link| link.lost),
    ),
    number(
        "queue_mean_bytes",
        "bytes",
        "mean queue",
        "time average of the queue in octets on the line, including the frame in transmission until it has left",
        Computed(|before, after, seconds| {
            ratio((after.area_ps - before.area_ps) as f64 / 1e12, seconds)
        }),
    ),
    count(
        "queue_max_bytes",
        "bytes",
        "longest queue",
        "most octets that it held",
        Computed(|_, after, _| after.most as f64),
    ),
];

/// A row for each link that carries frames.
pub(super) fn frames(interval: &Interval<'_>) -> Table {
    let pairs = interval.before.links.iter().zip(&interval.after.links);
    let rows = pairs.enumerate().filter_map(|(link, (before, after))| {
        Some((link, before.octets.as_ref()?, after.octets.as_ref()?))
    });
    let rows: Vec<_> = rows.collect();
    table("frames", COLUMNS, |reading| match *reading {
        Name(name) => {
            let names = rows.iter().map(|row| name(interval, row.0));
            Values::Names(names.collect())
        }
        Counted(counter) => {
            let grown = rows
                .iter()
                .map(|(_, before, after)| (counter(after) - counter(before)) as f64);
            Values::Numbers(grown.collect())
        }
        Computed(value) => {
            let values = rows
                .iter()
                .map(|(_, before, after)| value(before, after, interval.seconds));
            Values::Numbers(values.collect())
        }
    })
}
