//! Invariants of each direction of a VC: what happens to cells and PDUs.

use celltrain_sim::scenario::Service;

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Tables, is_near};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "cells that arrived, were lost, errored or policed have been sent, in a run measured from its start",
        check: conservation,
    },
    Invariant {
        name: "PDUs that arrived or were cut have been sent, and a damaged one was cut, in a run measured from its start",
        check: pdus,
    },
    Invariant {
        name: "RM cells that a source sends are among its cells, and only ABR has them",
        check: rm_cells,
    },
    Invariant {
        name: "each backward RM cell of a source answers a forward one that arrived, in a run measured from its start",
        check: answers,
    },
    Invariant {
        name: "cells are lost, errored, policed and tagged only where something does so",
        check: causes,
    },
    Invariant {
        name: "cells lost are those lost at its links, and those that found no room at virtual ends and routers",
        check: losses,
    },
    Invariant {
        name: "cells take no less time than the links' delay if none was lost, in a run measured from its start",
        check: delays,
    },
];

/// Where cells end that are not delivered.
const ENDS: [&str; 3] = ["cells_lost", "cells_errored", "cells_policed"];

fn conservation(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let vcs = &tables.vcs;
    let delivered = vcs.get("cells_delivered");
    let ends = ENDS.map(|column| vcs.get(column));
    for (row, sent) in vcs.get("cells_sent").into_iter().enumerate() {
        let gone: f64 = ends.iter().map(|column| column[row]).sum();
        report.at_least(
            vcs.at(row, "cells_sent"),
            sent,
            delivered[row] + gone,
            "cells_delivered, cells_lost, cells_errored and cells_policed together",
        );
    }
}

fn pdus(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let vcs = &tables.vcs;
    let [sent, delivered, damaged, cut, cells] = [
        "pdus_sent",
        "pdus_delivered",
        "pdus_damaged",
        "pdus_cut",
        "cells_delivered",
    ]
    .map(|column| vcs.get(column));
    for row in 0..sent.len() {
        let came = delivered[row] + damaged[row];
        report.at_least(
            vcs.at(row, "pdus_sent"),
            sent[row],
            came,
            "pdus_delivered and pdus_damaged",
        );
        report.at_least(
            vcs.at(row, "cells_delivered"),
            cells[row],
            came,
            "a last cell of each PDU that arrived",
        );
        // Waiting cells that a queue drops are not counted.
        if !tables.may_drop_late(row) {
            report.at_least(
                vcs.at(row, "pdus_sent"),
                sent[row],
                delivered[row] + cut[row],
                "pdus_delivered and pdus_cut",
            );
            report.at_least(
                vcs.at(row, "pdus_cut"),
                cut[row],
                damaged[row],
                "pdus_damaged",
            );
        }
    }
}

fn is_abr(service: &Service) -> bool {
    matches!(service, Service::Abr(_))
}

fn rm_cells(tables: &Tables, report: &mut Report) {
    let vcs = &tables.vcs;
    let [forward, backward] = ["forward_rm_sent", "backward_rm_sent"].map(|column| vcs.get(column));
    for (row, sent) in vcs.get("cells_sent").into_iter().enumerate() {
        let service = &tables.network.direction(row).service;
        let rm = forward[row] + backward[row];
        report.at_least(
            vcs.at(row, "cells_sent"),
            sent,
            rm,
            "forward_rm_sent and backward_rm_sent",
        );
        if !is_abr(service) {
            report.equal(
                vcs.at(row, "forward_rm_sent"),
                rm,
                0.0,
                "the service has no RM cells",
            );
        }
    }
}

fn answers(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let vcs = &tables.vcs;
    let over_links = tables.link_vcs.get("forward_rm_sent");
    let firsts = tables.first_hops();
    let [sent, overwritten] =
        ["backward_rm_sent", "backward_rm_overwritten"].map(|column| vcs.get(column));
    for (row, way) in tables.directions() {
        if let Some(last) = tables.network.direction(row ^ 1).links.len().checked_sub(1) {
            let came = over_links[firsts[row ^ 1] + last];
            let answered = sent[row] + overwritten[row];
            if is_abr(&way.service) {
                report.expect(
                    vcs.at(row, "backward_rm_sent"),
                    sent[row],
                    answered <= came,
                    || {
                        format!(
                            "with {} overwritten at most {came}: forward RM cells of the other direction",
                            overwritten[row]
                        )
                    },
                );
            }
        }
    }
}

fn causes(tables: &Tables, report: &mut Report) {
    let vcs = &tables.vcs;
    let columns = [
        "cells_lost",
        "cells_errored",
        "cells_policed",
        "cells_tagged",
    ]
    .map(|column| vcs.get(column));
    for (row, way) in tables.directions() {
        let mut links = way.links.iter().map(|&link| &tables.network.links[link]);
        // RM cells with errors are discarded.
        let has_loss = links
            .clone()
            .any(|link| link.loss.is_some() || link.errors.is_some());
        let has_queue = links.any(|link| link.line.is_some());
        let has_ends = tables.network.vcs[row / 2].virtual_ends.is_some();
        let mut paths = way.paths().iter().map(|it| tables.network.path(it.by));
        let is_policed = way.police.is_some() || paths.any(|path| path.police.is_some());
        let may = [
            has_queue || has_ends || !way.carried().is_empty() || is_shaped(tables, row),
            has_loss,
            is_policed,
            is_policed,
        ];
        let names = [
            "cells_lost",
            "cells_errored",
            "cells_policed",
            "cells_tagged",
        ];
        for ((name, values), may) in names.iter().zip(&columns).zip(may) {
            if !may {
                report.equal(
                    vcs.at(row, name),
                    values[row],
                    0.0,
                    "nothing on the path does so",
                );
            }
        }
    }
}

/// Whether the cells of a direction wait at shapers, of its own or of virtual paths.
fn is_shaped(tables: &Tables, direction: usize) -> bool {
    let way = tables.network.direction(direction);
    let mut paths = way.paths().iter().map(|it| tables.network.path(it.by));
    !way.shapers().is_empty() || paths.any(|path| path.shaper.is_some())
}

fn losses(tables: &Tables, report: &mut Report) {
    let vcs = &tables.vcs;
    let mut at_links = vec![0.0; 2 * tables.network.vcs.len()];
    for kind in ["data_lost", "forward_rm_lost", "backward_rm_lost"] {
        for (hop, lost) in tables.hops().zip(tables.link_vcs.get(kind)) {
            at_links[hop.direction] += lost;
        }
    }
    for (row, lost) in vcs.get("cells_lost").into_iter().enumerate() {
        let (vc, way) = (&tables.network.vcs[row / 2], tables.network.direction(row));
        let ends = vc.virtual_ends.as_ref();
        let ends_drop = ends.is_some_and(|ends| ends.buffer.is_some());
        let carriers = way
            .carried()
            .iter()
            .map(|carried| &tables.network.vcs[carried.by / 2]);
        let mut buffers = carriers.map(|carrier| carrier.source_buffer);
        let at = vcs.at(row, "cells_lost");
        if ends_drop || is_shaped(tables, row) || buffers.any(|buffer| buffer < u64::MAX) {
            report.at_least(at, lost, at_links[row], "lost at its links");
        } else {
            report.equal(at, lost, at_links[row], "lost at its links");
        }
    }
}

fn delays(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let vcs = &tables.vcs;
    let ends = ENDS.map(|column| vcs.get(column));
    for (row, delay) in vcs.get("cell_delay_mean_s").into_iter().enumerate() {
        let gone: f64 = ends.iter().map(|column| column[row]).sum();
        if gone > 0.0 || delay.is_nan() {
            continue;
        }
        let least = tables.least_delay_s(row);
        report.expect(
            vcs.at(row, "cell_delay_mean_s"),
            delay,
            delay >= least || is_near(delay, least),
            || format!("at least {least}: the delay of the links"),
        );
    }
}
