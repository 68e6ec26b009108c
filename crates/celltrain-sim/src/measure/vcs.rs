//! The table of the directions of VCs.

use celltrain_language::entry::{Entry, count, number, table, text};

use super::interval::{DIRECTIONS, Interval, ratio};
use super::{HopReading, Names, SinkReading, SourceReading, Table, Values};

/// How a column is read. A row is a direction: 2 x VC + (0 forward, 1 backward).
pub(super) enum Reading {
    /// A property of the direction.
    Name(fn(&Interval<'_>) -> Names),
    /// The growth of a counter of its source in the measured interval.
    Source(fn(&SourceReading) -> u64),
    /// The growth of a counter of its receiving end.
    Sink(fn(&SinkReading) -> u64),
    /// The growth of a counter, summed over all links on its path.
    Hops(fn(&HopReading) -> u64),
    /// The last value of its source in the measured interval.
    Last(fn(&SourceReading) -> f64),
    /// Computed from the whole interval, with a value for each row.
    Computed(fn(&Interval<'_>) -> Vec<f64>),
}

use Reading::{Computed, Hops, Last, Name, Sink, Source};

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "vc",
        "",
        "VC",
        "the VC",
        Name(|it| Names::new(&it.names.vcs, rows(it).map(|(vc, _)| vc))),
    ),
    text(
        "direction",
        "",
        "direction",
        "one of its directions",
        Name(|it| {
            Names::new(
                &it.names.directions,
                rows(it).map(|(_, direction)| direction),
            )
        }),
    ),
    text(
        "from",
        "",
        "from",
        "the node where the direction starts",
        Name(|it| end(it, 0)),
    ),
    text(
        "to",
        "",
        "to",
        "the node where it ends",
        Name(|it| end(it, 1)),
    ),
    text(
        "service",
        "",
        "service",
        "its service category",
        Name(classes),
    ),
    count(
        "cells_sent",
        "cells",
        "sent",
        "cells of all kinds that left the source, including those that queued there for VCs that this one carries, and RM cells made by switches on the path (local loops, virtual ends, BECN)",
        Source(|source| source.cells),
    ),
    count(
        "cells_delivered",
        "cells",
        "delivered",
        "cells that reached the end of the VC, and RM cells that ended at such switches",
        Sink(|sink| sink.cells),
    ),
    count(
        "cells_lost",
        "cells",
        "lost",
        "cells dropped at queues, by any policy",
        Hops(|hop| hop.lost.iter().sum::<u64>() + hop.lost_downstream),
    ),
    count(
        "pdus_sent",
        "1",
        "PDUs sent",
        "AAL5 PDUs handed to the source",
        Source(|source| source.pdus),
    ),
    count(
        "pdus_delivered",
        "1",
        "PDUs delivered",
        "PDUs that arrived complete",
        Sink(|sink| sink.pdus),
    ),
    count(
        "pdus_damaged",
        "1",
        "PDUs damaged",
        "PDUs whose last cell arrived, but not all others, or not all without errors",
        Sink(|sink| sink.damaged),
    ),
    count(
        "pdus_cut",
        "1",
        "PDUs cut",
        "PDUs that lost a cell, at the host or on the way, or had one corrupted; cells that a queue drops after they have waited (CoDel) are not counted",
        Source(|source| source.damaged),
    ),
    count(
        "forward_rm_sent",
        "cells",
        "forward RM",
        "forward RM cells sent by this direction's source",
        Source(|source| source.forward_rm),
    ),
    count(
        "backward_rm_sent",
        "cells",
        "backward RM",
        "backward RM cells sent by this direction's source",
        Source(|source| source.backward_rm),
    ),
    count(
        "backward_rm_overwritten",
        "cells",
        "overwritten RM",
        "backward RM cells that a newer one replaced before they left",
        Source(|source| source.backward_rm_overwritten),
    ),
    number(
        "acr_bps",
        "bit/s",
        "ACR",
        "rate at which the source may send at the end of the interval: ACR, or PCR under other services; empty if nothing limits it (UBR without `pcr`); 0 for backgrounds and VCs that are not admitted",
        Last(|source| source.rate_bps),
    ),
    count(
        "cells_errored",
        "cells",
        "errored",
        "cells lost to line errors (`loss`)",
        Hops(|hop| hop.errored),
    ),
    count(
        "cells_policed",
        "cells",
        "policed",
        "cells discarded by policing",
        Hops(|hop| hop.policed),
    ),
    count(
        "cells_tagged",
        "cells",
        "tagged",
        "cells tagged by policing",
        Hops(|hop| hop.tagged),
    ),
    count(
        "source_cells_offered",
        "cells",
        "offered to the source",
        "cells of segments, or of VCs that this one carries, that arrived at the source",
        Source(|source| source.offered),
    ),
    count(
        "source_cells_dropped",
        "cells",
        "dropped at the source",
        "cells that found no room at the source (`source_buffer`)",
        Source(|source| source.dropped),
    ),
    count(
        "source_queue_max_cells",
        "cells",
        "longest queue of the source",
        "most cells that waited at the source",
        Last(|source| source.waiting_max as f64),
    ),
    number(
        "cell_delay_mean_s",
        "s",
        "mean cell delay",
        "mean time of data cells from leaving the source to their arrival or loss: by Little's law, the integral of the number on the way divided by the number that arrived or were lost. None if cells were dropped after they had waited",
        Computed(cell_delays),
    ),
];

/// A row for each direction of each VC.
pub(super) fn vcs(interval: &Interval<'_>) -> Table {
    table("vcs", COLUMNS, |reading| {
        let numbers = match *reading {
            Name(names) => return Values::Names(names(interval)),
            Source(counter) => {
                let pairs = interval.source_pairs();
                pairs
                    .map(|(before, after)| (counter(&after) - counter(&before)) as f64)
                    .collect()
            }
            Sink(counter) => {
                let pairs = interval.sink_pairs();
                pairs
                    .map(|(before, after)| (counter(&after) - counter(&before)) as f64)
                    .collect()
            }
            Hops(counter) => {
                let sums = interval.hop_sums(2 * interval.network.vcs.len(), counter, |hop| hop.1);
                sums.into_iter().collect()
            }
            Last(value) => {
                let sources = interval.after.sources.iter();
                sources.map(|source| value(&source)).collect()
            }
            Computed(values) => values(interval).into_iter().collect(),
        };
        Values::Numbers(numbers)
    })
}

/// By row: the index of the VC and that of its direction.
fn rows(interval: &Interval<'_>) -> impl Iterator<Item = (usize, usize)> {
    let vcs = 0..interval.network.vcs.len();
    vcs.flat_map(|vc| DIRECTIONS.map(|direction| (vc, direction.index())))
}

/// The nodes where directions start (0) or end (1).
fn end(interval: &Interval<'_>, end: usize) -> Names {
    let ends = rows(interval).map(|(vc, way)| interval.ends(vc, DIRECTIONS[way])[end]);
    Names::new(&interval.names.nodes, ends)
}

fn classes(interval: &Interval<'_>) -> Names {
    let vcs = &interval.network.vcs;
    let class = |(vc, way): (usize, usize)| vcs[vc].directions[way].service.class() as usize;
    Names::new(&interval.names.classes, rows(interval).map(class))
}

/// The mean time that data cells of each direction spend on their way, by Little's law.
fn cell_delays(interval: &Interval<'_>) -> Vec<f64> {
    let mut delays: Vec<f64> = interval
        .source_pairs()
        .map(|(before, after)| {
            let ended = (after.data_ended - before.data_ended) as f64;
            ratio(after.transit_s - before.transit_s, ended)
        })
        .collect();
    // Cells dropped after waiting leave no trace here: their time has no end.
    for ((_, direction), hop) in interval.hops().zip(interval.after.hops.iter()) {
        if hop.dropped_unseen > 0 {
            delays[direction] = f64::NAN;
        }
    }
    delays
}
