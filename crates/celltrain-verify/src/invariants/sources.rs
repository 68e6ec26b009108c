//! Invariants of the sources of VCs: their queues and rates.

use celltrain_sim::scenario::Service;

use super::invariant::Invariant;
use super::report::Report;
use super::tables::Tables;

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "what came to a source has left, was dropped, or waits there, with no more waiting than its buffer holds",
        check: queues,
    },
    Invariant {
        name: "nothing is dropped at a source without a limit, nor queued at one that a background feeds",
        check: unbounded,
    },
    Invariant {
        name: "a source may send as fast as its service allows",
        check: rates,
    },
    Invariant {
        name: "cells that leave a source come to its first link",
        check: first_links,
    },
];

fn queues(tables: &Tables, report: &mut Report) {
    let vcs = &tables.vcs;
    let backgrounds = tables.backgrounds();
    let [offered, dropped, most, sent, forward, backward] = [
        "source_cells_offered",
        "source_cells_dropped",
        "source_queue_max_cells",
        "cells_sent",
        "forward_rm_sent",
        "backward_rm_sent",
    ]
    .map(|column| vcs.get(column));
    let made = made_on_the_way(tables);
    for row in 0..offered.len() {
        let buffer = tables.network.vcs[row / 2].source_buffer;
        if buffer < u64::MAX {
            report.at_most(
                vcs.at(row, "source_queue_max_cells"),
                most[row],
                buffer as f64,
                "source_buffer",
            );
        }
        let at = vcs.at(row, "source_cells_dropped");
        report.at_most(at, dropped[row], offered[row], "source_cells_offered");
        if backgrounds[row] {
            continue;
        }
        let data = sent[row] - made[row] - forward[row] - backward[row];
        let waiting = offered[row] - dropped[row] - data;
        // At either end of the measured interval, no more cells wait than the maximum.
        let least = if tables.is_from_start() {
            0.0
        } else {
            -most[row]
        };
        // RM cells of congested queues are among those sent, but not told apart in the tables.
        let least = least - tables.most_becn(row);
        let holds = least <= waiting && waiting <= most[row];
        report.expect(vcs.at(row, "source_cells_offered"), offered[row], holds, || {
            format!("what was dropped ({}), the {data} data cells sent, and {least} to {} that wait", dropped[row], most[row])
        });
    }
}

/// For each direction: RM cells made by virtual ends and local loops, as they entered the links downstream.
fn made_on_the_way(tables: &Tables) -> Vec<f64> {
    let mut made = vec![0.0; 2 * tables.network.vcs.len()];
    let kinds = ["forward_rm_offered", "backward_rm_offered"].map(|kind| tables.link_vcs.get(kind));
    for (row, hop) in tables.hops().enumerate().filter(|(_, hop)| hop.at > 0) {
        let vc = &tables.network.vcs[hop.direction / 2];
        let other = &vc.directions[(hop.direction ^ 1) % 2];
        let from = tables.network.links[hop.link].from;
        let ends = vc.virtual_ends.as_ref();
        let has_ends = ends.is_some_and(|ends| ends.at.contains(&from));
        let turned_around_here =
            other.loop_links < other.links.len() && hop.at == other.links.len() - other.loop_links;
        if has_ends {
            made[hop.direction] += kinds[0][row] + kinds[1][row];
        } else if turned_around_here {
            made[hop.direction] += kinds[1][row];
        }
    }
    made
}

fn unbounded(tables: &Tables, report: &mut Report) {
    let vcs = &tables.vcs;
    let backgrounds = tables.backgrounds();
    for (row, dropped) in vcs.get("source_cells_dropped").into_iter().enumerate() {
        if tables.network.vcs[row / 2].source_buffer == u64::MAX {
            let at = vcs.at(row, "source_cells_dropped");
            report.equal(at, dropped, 0.0, "its buffer is unlimited");
        }
    }
    for column in ["source_cells_offered", "source_queue_max_cells"] {
        for (row, value) in vcs.get(column).into_iter().enumerate() {
            if backgrounds[row] {
                report.equal(vcs.at(row, column), value, 0.0, "a background has no queue");
            }
        }
    }
}

fn rates(tables: &Tables, report: &mut Report) {
    let vcs = &tables.vcs;
    let backgrounds = tables.backgrounds();
    for (row, rate) in vcs.get("acr_bps").into_iter().enumerate() {
        let service = &tables.network.direction(row).service;
        let at = vcs.at(row, "acr_bps");
        if !tables.network.vcs[row / 2].is_admitted() {
            report.equal(at, rate, 0.0, "the VC is not admitted");
            continue;
        }
        match (&**service, service.pcr()) {
            // A greedy background follows its VC's service; any other has no rate here.
            _ if backgrounds[row] && rate == 0.0 => {}
            (_, None) => report.equal(at, rate, f64::NAN, "nothing limits it"),
            (Service::Abr(abr), Some(pcr)) => {
                report.at_most(at, rate, pcr.as_bps(), "PCR");
                let least = abr.mcr.map_or(0.0, |mcr| mcr.0.as_bps());
                report.at_least(at, rate, least, "MCR");
            }
            (_, Some(pcr)) => {
                // The gap between cells is a whole number of picoseconds, rounded to the nearest or up.
                let off = (424.0 / rate - 424.0 / pcr.as_bps()).abs();
                report.expect(at, rate, off <= 1e-12, || {
                    format!("{}: PCR, to a picosecond per cell", pcr.as_bps())
                });
            }
        }
    }
}

fn first_links(tables: &Tables, report: &mut Report) {
    let (vcs, over) = (&tables.vcs, &tables.link_vcs);
    let kinds =
        ["data_offered", "forward_rm_offered", "backward_rm_offered"].map(|kind| over.get(kind));
    let [sent, forward, backward] =
        ["cells_sent", "forward_rm_sent", "backward_rm_sent"].map(|column| vcs.get(column));
    let (firsts, carriers) = (tables.first_hops(), tables.carriers());
    let made = made_on_the_way(tables);
    let mut carried_on = vec![0.0; sent.len()];
    for (direction, way) in tables.directions() {
        for carried in way.carried() {
            carried_on[carried.by] += kinds[0][firsts[direction] + carried.first];
        }
    }
    for (row, way) in tables.directions() {
        if way.links.is_empty() {
            continue;
        }
        let [data, forward_rm, backward_rm] = [0, 1, 2].map(|kind: usize| kinds[kind][firsts[row]]);
        report.equal(
            over.at(firsts[row], "forward_rm_offered"),
            forward_rm,
            forward[row],
            "forward_rm_sent of its source",
        );
        report.equal(
            over.at(firsts[row], "backward_rm_offered"),
            backward_rm,
            backward[row],
            "backward_rm_sent of its source",
        );
        let data_sent = sent[row] - made[row] - forward[row] - backward[row];
        // If the tunnel VC has no rate, cells pass at once without entering its source.
        let is_source = carriers[row] && !way.service.is_unshaped();
        let carried = if is_source { carried_on[row] } else { 0.0 };
        let (at, came) = (over.at(firsts[row], "data_offered"), data + carried);
        let least = data_sent - tables.most_becn(row);
        report.expect(at, came, (least..=data_sent).contains(&came), || {
            format!("{data_sent}: data cells of its source, including those that it carries, less RM cells of switches")
        });
    }
}
