//! The tables of links: as a whole, by parts of the measured interval, and by VC.

use celltrain_proto::units::Unit;

use super::interval::{Interval, ratio};
use super::{HopReading, KINDS, LinkReading, QueuePart, Table};

const KIND_NAMES: [&str; KINDS] = ["data", "forward_rm", "backward_rm"];

/// A row for each link.
pub(super) fn links(interval: &Interval<'_>) -> Table {
    let links = &interval.network.links;
    let mut offered = vec![0.0; links.len()];
    let mut lost = vec![0.0; links.len()];
    for ((link, _), (before, after)) in interval.hops().zip(interval.hop_pairs()) {
        let total = |of: fn(&HopReading) -> [u64; KINDS]| {
            (of(&after).iter().sum::<u64>() - of(&before).iter().sum::<u64>()) as f64
        };
        offered[link] += total(|hop| hop.offered);
        lost[link] += total(|hop| hop.lost);
    }
    let difference = |of: fn(&LinkReading) -> f64| {
        let pairs = interval.before.links.iter().zip(&interval.after.links);
        pairs
            .map(move |(before, after)| of(after) - of(before))
            .collect::<Vec<_>>()
    };
    let has_line = |index: usize| links[index].line.is_some();
    let only_lines = |values: Vec<f64>| {
        let values = values.into_iter().enumerate();
        values
            .map(|(index, value)| if has_line(index) { value } else { f64::NAN })
            .collect::<Vec<_>>()
    };
    let capacity = only_lines(difference(|link| link.capacity_bits));
    let sent = only_lines(difference(|link| link.departed as f64));
    // Differences of the two integrals are exact; only their quotient is rounded.
    let pairs = interval.before.links.iter().zip(&interval.after.links);
    let areas = pairs.map(|(before, after)| (after.queue_area_ps - before.queue_area_ps) as f64);
    let queue_mean = only_lines(areas.map(|area| area / 1e12 / interval.seconds).collect());
    let queue_max = only_lines(
        interval
            .after
            .links
            .iter()
            .map(|link| f64::from(link.queue_max))
            .collect(),
    );
    let units = links.iter().map(|link| {
        let line = link.line.as_ref();
        line.map_or(Unit::CELL, |line| line.unit).bits() as f64
    });
    let utilization = sent
        .iter()
        .zip(&capacity)
        .zip(units)
        .map(|((sent, bits), unit)| ratio(sent * unit, *bits));
    let nodes = &interval.names.nodes;
    Table::new("links")
        .names("link", &interval.names.links, 0..links.len())
        .names("from", nodes, links.iter().map(|link| link.from))
        .names("to", nodes, links.iter().map(|link| link.to))
        .numbers(
            "mean_rate_bps",
            "bit/s",
            capacity.iter().map(|bits| bits / interval.seconds),
        )
        .numbers("utilization", "1", utilization)
        .numbers("cells_offered", "cells", offered.iter().copied())
        .numbers("cells_sent", "cells", sent.iter().copied())
        .numbers("cells_lost", "cells", lost.iter().copied())
        .numbers(
            "cell_loss_ratio",
            "1",
            lost.iter()
                .zip(&offered)
                .map(|(lost, offered)| ratio(*lost, *offered)),
        )
        .numbers("queue_mean_cells", "cells", queue_mean.into_iter())
        .numbers("queue_max_cells", "cells", queue_max.into_iter())
        .numbers(
            "active_vcs_mean",
            "1",
            interval
                .after
                .links
                .iter()
                .map(|link| link.active_vcs.unwrap_or(f64::NAN)),
        )
        .numbers(
            "load_factor",
            "1",
            interval
                .after
                .links
                .iter()
                .map(|link| link.load_factor.unwrap_or(f64::NAN)),
        )
}

/// A row for each part of the measured interval and each link with a switch algorithm.
pub(super) fn link_parts(interval: &Interval<'_>, parts: &[Vec<Option<QueuePart>>]) -> Table {
    let starts = std::iter::once(interval.network.warm_up).chain(interval.network.part_ends());
    let spans: Vec<_> = starts.zip(interval.network.part_ends()).collect();
    let rows: Vec<_> = (0..interval.network.links.len())
        .flat_map(|link| (0..parts.len()).map(move |part| (link, part)))
        .filter_map(|(link, part)| Some((link, part, parts[part][link]?)))
        .collect();
    Table::new("link_parts")
        .names("link", &interval.names.links, rows.iter().map(|row| row.0))
        .numbers("part", "1", rows.iter().map(|row| row.1 as f64 + 1.0))
        .numbers(
            "from_s",
            "s",
            rows.iter().map(|row| spans[row.1].0.as_secs()),
        )
        .numbers("to_s", "s", rows.iter().map(|row| spans[row.1].1.as_secs()))
        .numbers(
            "controlled_queue_min_cells",
            "cells",
            rows.iter().map(|row| f64::from(row.2.min)),
        )
        .numbers(
            "controlled_queue_mean_cells",
            "cells",
            rows.iter().map(|row| row.2.mean),
        )
        .numbers(
            "controlled_queue_max_cells",
            "cells",
            rows.iter().map(|row| f64::from(row.2.max)),
        )
}

/// A row for each link and each direction of a VC that crosses it.
pub(super) fn link_vcs(interval: &Interval<'_>) -> Table {
    let names = &interval.names;
    let links = || {
        interval
            .hops()
            .map(|(link, _)| &interval.network.links[link])
    };
    let directions = || interval.hops().map(|(_, direction)| direction);
    let mut table = Table::new("link_vcs")
        .names("link", &names.links, interval.hops().map(|(link, _)| link))
        .names("from", &names.nodes, links().map(|link| link.from))
        .names("to", &names.nodes, links().map(|link| link.to))
        .names("vc", &names.vcs, directions().map(|number| number / 2))
        .names(
            "direction",
            &names.directions,
            directions().map(|number| number % 2),
        );
    for (kind, name) in KIND_NAMES.iter().enumerate() {
        let counted = |of: fn(&HopReading, usize) -> u64| {
            let pairs = interval.hop_pairs();
            pairs.map(move |(before, after)| (of(&after, kind) - of(&before, kind)) as f64)
        };
        let offered = counted(|hop, kind| hop.offered[kind]);
        let lost = counted(|hop, kind| hop.lost[kind]);
        let sent = counted(|hop, kind| hop.offered[kind] - hop.lost[kind] - hop.queued[kind]);
        table = table
            .numbers(&format!("{name}_offered"), "cells", offered)
            .numbers(&format!("{name}_lost"), "cells", lost)
            .numbers(&format!("{name}_sent"), "cells", sent);
    }
    table
}
