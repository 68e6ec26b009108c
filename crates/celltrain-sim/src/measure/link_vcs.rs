//! The table of the directions of VCs at each link.

use celltrain_language::entry::{Entry, count, table, text};

use super::interval::Interval;
use super::{HopReading, Names, Table, Values};

/// How a column is read.
pub(super) enum Reading {
    /// A property of the link or the direction.
    Name(fn(&Interval<'_>) -> Names),
    /// The growth of a counter in the measured interval.
    Counted(fn(&HopReading) -> u64),
}

use Reading::{Counted, Name};

/// Indices of the kinds of cells.
const DATA: usize = 0;
const FORWARD_RM: usize = 1;
const BACKWARD_RM: usize = 2;

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "link",
        "",
        "link",
        "the link",
        Name(|it| Names::new(&it.names.links, it.hops().map(|(link, _)| link))),
    ),
    text(
        "from",
        "",
        "from",
        "the node upstream of it",
        Name(|it| {
            Names::new(
                &it.names.nodes,
                it.hops().map(|(link, _)| it.network.links[link].from),
            )
        }),
    ),
    text(
        "to",
        "",
        "to",
        "the node downstream of it",
        Name(|it| {
            Names::new(
                &it.names.nodes,
                it.hops().map(|(link, _)| it.network.links[link].to),
            )
        }),
    ),
    text(
        "vc",
        "",
        "VC",
        "a VC that crosses it",
        Name(|it| Names::new(&it.names.vcs, it.hops().map(|(_, direction)| direction / 2))),
    ),
    text(
        "direction",
        "",
        "direction",
        "the direction of the VC",
        Name(|it| {
            Names::new(
                &it.names.directions,
                it.hops().map(|(_, direction)| direction % 2),
            )
        }),
    ),
    count(
        "data_offered",
        "cells",
        "data offered",
        "data cells that arrived at the queue, including dropped ones",
        Counted(|hop| hop.offered[DATA]),
    ),
    count(
        "data_lost",
        "cells",
        "data lost",
        "data cells that were dropped",
        Counted(|hop| hop.lost[DATA]),
    ),
    count(
        "data_sent",
        "cells",
        "data sent",
        "data cells that left",
        Counted(|hop| sent(hop, DATA)),
    ),
    count(
        "forward_rm_offered",
        "cells",
        "forward RM offered",
        "forward RM cells that arrived at the queue, including dropped ones",
        Counted(|hop| hop.offered[FORWARD_RM]),
    ),
    count(
        "forward_rm_lost",
        "cells",
        "forward RM lost",
        "forward RM cells that were dropped",
        Counted(|hop| hop.lost[FORWARD_RM]),
    ),
    count(
        "forward_rm_sent",
        "cells",
        "forward RM sent",
        "forward RM cells that left",
        Counted(|hop| sent(hop, FORWARD_RM)),
    ),
    count(
        "backward_rm_offered",
        "cells",
        "backward RM offered",
        "backward RM cells that arrived at the queue, including dropped ones",
        Counted(|hop| hop.offered[BACKWARD_RM]),
    ),
    count(
        "backward_rm_lost",
        "cells",
        "backward RM lost",
        "backward RM cells that were dropped",
        Counted(|hop| hop.lost[BACKWARD_RM]),
    ),
    count(
        "backward_rm_sent",
        "cells",
        "backward RM sent",
        "backward RM cells that left",
        Counted(|hop| sent(hop, BACKWARD_RM)),
    ),
];

/// A row for each link and each direction of a VC that crosses it.
pub(super) fn link_vcs(interval: &Interval<'_>) -> Table {
    table("link_vcs", COLUMNS, |reading| match *reading {
        Name(names) => Values::Names(names(interval)),
        Counted(counter) => {
            let pairs = interval.hop_pairs();
            let counts = pairs.map(|(before, after)| (counter(&after) - counter(&before)) as f64);
            Values::Numbers(counts.collect())
        }
    })
}

/// Cells of a kind that left since the start of the run.
fn sent(hop: &HopReading, kind: usize) -> u64 {
    hop.offered[kind] - hop.lost[kind] - hop.queued[kind]
}
