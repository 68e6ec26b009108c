//! The table of the directions of VCs.

use super::interval::{DIRECTIONS, Interval, ratio};
use super::{HopReading, SinkReading, SourceReading, Table};
use crate::scenario::Direction;

/// What each direction of a VC is.
fn vc_names(interval: &Interval<'_>, rows: &[(usize, Direction)]) -> Table {
    let class = |&(vc, direction): &(usize, Direction)| {
        let direction = &interval.network.vcs[vc].directions[direction.index()];
        direction.service.class() as usize
    };
    let end = |end: usize| {
        let ends = rows
            .iter()
            .map(|&(vc, direction)| interval.ends(vc, direction));
        ends.map(move |ends| ends[end])
    };
    let names = &interval.names;
    let directions = rows.iter().map(|(_, direction)| direction.index());
    Table::new("vcs")
        .names("vc", &names.vcs, rows.iter().map(|&(vc, _)| vc))
        .names("direction", &names.directions, directions)
        .names("from", &names.nodes, end(0))
        .names("to", &names.nodes, end(1))
        .names("service", &names.classes, rows.iter().map(class))
}

/// A row for each direction of each VC.
pub(super) fn vcs(interval: &Interval<'_>) -> Table {
    let rows: Vec<(usize, Direction)> = (0..interval.network.vcs.len())
        .flat_map(|vc| DIRECTIONS.map(|direction| (vc, direction)))
        .collect();
    let sources = |of: fn(&SourceReading) -> u64| {
        let pairs = interval.source_pairs();
        pairs.map(move |(before, after)| (of(&after) - of(&before)) as f64)
    };
    let sinks = |of: fn(&SinkReading) -> u64| {
        let pairs = interval.sink_pairs();
        pairs.map(move |(before, after)| (of(&after) - of(&before)) as f64)
    };
    let hops = |of: fn(&HopReading) -> u64| {
        let mut sums = vec![0.0; rows.len()];
        for ((_, direction), (before, after)) in interval.hops().zip(interval.hop_pairs()) {
            sums[direction] += (of(&after) - of(&before)) as f64;
        }
        sums.into_iter()
    };
    let lost = hops(|hop| hop.lost.iter().sum::<u64>() + hop.lost_behind);
    vc_names(interval, &rows)
        .numbers("cells_sent", "cells", sources(|source| source.cells))
        .numbers("cells_delivered", "cells", sinks(|sink| sink.cells))
        .numbers("cells_lost", "cells", lost)
        .numbers("pdus_sent", "1", sources(|source| source.pdus))
        .numbers("pdus_delivered", "1", sinks(|sink| sink.pdus))
        .numbers("pdus_damaged", "1", sinks(|sink| sink.damaged))
        .numbers("pdus_cut", "1", sources(|source| source.damaged))
        .numbers(
            "forward_rm_sent",
            "cells",
            sources(|source| source.forward_rm),
        )
        .numbers(
            "backward_rm_sent",
            "cells",
            sources(|source| source.backward_rm),
        )
        .numbers(
            "backward_rm_overwritten",
            "cells",
            sources(|source| source.backward_rm_overwritten),
        )
        .numbers(
            "acr_bps",
            "bit/s",
            interval.after.sources.iter().map(|source| source.rate_bps),
        )
        .numbers("cells_errored", "cells", hops(|hop| hop.errored))
        .numbers("cells_policed", "cells", hops(|hop| hop.policed))
        .numbers("cells_tagged", "cells", hops(|hop| hop.tagged))
        .numbers(
            "source_cells_offered",
            "cells",
            sources(|source| source.offered),
        )
        .numbers(
            "source_cells_dropped",
            "cells",
            sources(|source| source.dropped),
        )
        .numbers(
            "source_queue_max_cells",
            "cells",
            interval
                .after
                .sources
                .iter()
                .map(|source| source.waiting_max as f64),
        )
        .numbers("cell_delay_mean_s", "s", cell_delays(interval).into_iter())
}

/// The mean time that data cells of each direction are on their way, by Little's law.
fn cell_delays(interval: &Interval<'_>) -> Vec<f64> {
    let mut delays: Vec<f64> = interval
        .source_pairs()
        .map(|(before, after)| {
            let ended = (after.data_ended - before.data_ended) as f64;
            ratio(after.transit_s - before.transit_s, ended)
        })
        .collect();
    // When cells are dropped that have waited, nobody looks: their time has no end.
    for ((_, direction), hop) in interval.hops().zip(interval.after.hops.iter()) {
        if hop.dropped_unseen > 0 {
            delays[direction] = f64::NAN;
        }
    }
    delays
}
