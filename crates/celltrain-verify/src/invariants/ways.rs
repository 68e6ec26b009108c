//! Invariants of each link of each direction of a VC: what passes from link to link.

use celltrain_sim::scenario::Service;

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Hop, Tables};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "cells of a VC that came to a link have left, were dropped, or wait there, in a run measured from its start",
        check: conservation,
    },
    Invariant {
        name: "no more cells of a VC come to a link than left the previous one, in a run measured from its start",
        check: from_link_to_link,
    },
    Invariant {
        name: "cells that reached the end of a VC left its last link, in a run measured from its start",
        check: last_links,
    },
    Invariant {
        name: "a VC without ABR has no RM cells",
        check: rm_cells,
    },
];

const KINDS: [&str; 3] = ["data", "forward_rm", "backward_rm"];

fn conservation(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let over = &tables.link_vcs;
    let most = tables.links.get("queue_max_cells");
    for kind in KINDS {
        let [offered, lost, sent] =
            ["offered", "lost", "sent"].map(|what| over.get(&format!("{kind}_{what}")));
        for (row, hop) in tables.hops().enumerate() {
            let has_queue = tables.network.links[hop.link].line.is_some();
            let room = if has_queue { most[hop.link] } else { 0.0 };
            let left = offered[row] - lost[row] - sent[row];
            let column = format!("{kind}_offered");
            report.expect(
                over.at(row, &column),
                offered[row],
                0.0 <= left && left <= room,
                || {
                    format!(
                        "those lost ({}), those sent ({}), and up to {room} that wait",
                        lost[row], sent[row]
                    )
                },
            );
        }
    }
}

/// Whether RM cells begin or end at the node upstream of a hop.
fn has_ends_before(tables: &Tables, hop: Hop) -> bool {
    let vc = &tables.network.vcs[hop.direction / 2];
    let own = &vc.directions[hop.direction % 2];
    let other = &vc.directions[(hop.direction ^ 1) % 2];
    let from = tables.network.links[hop.link].from;
    let ends = vc.virtual_ends.as_ref();
    ends.is_some_and(|ends| ends.at.contains(&from))
        || hop.at == own.loop_links
        || hop.at == other.links.len() - other.loop_links
}

fn from_link_to_link(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let over = &tables.link_vcs;
    for kind in KINDS {
        let [offered, sent] = ["offered", "sent"].map(|what| over.get(&format!("{kind}_{what}")));
        for (row, hop) in tables.hops().enumerate().filter(|(_, hop)| hop.at > 0) {
            let is_made_here = kind == "backward_rm" && tables.has_becn(hop);
            if kind == "data" || !(has_ends_before(tables, hop) || is_made_here) {
                let column = format!("{kind}_offered");
                report.at_most(
                    over.at(row, &column),
                    offered[row],
                    sent[row - 1],
                    "sent by the previous link",
                );
            }
        }
    }
}

fn last_links(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let (vcs, over) = (&tables.vcs, &tables.link_vcs);
    let sent = KINDS.map(|kind| over.get(&format!("{kind}_sent")));
    let firsts = tables.first_hops();
    let delivered = vcs.get("cells_delivered");
    for (row, way) in tables.directions() {
        // RM cells that end earlier count as delivered.
        let has_ends =
            tables.network.vcs[row / 2].virtual_ends.is_some() || way.loop_links < way.links.len();
        if let (Some(last), false) = (way.links.len().checked_sub(1), has_ends) {
            let left: f64 = sent.iter().map(|kind| kind[firsts[row] + last]).sum();
            report.at_most(
                vcs.at(row, "cells_delivered"),
                delivered[row],
                left,
                "sent by its last link",
            );
        }
    }
}

fn rm_cells(tables: &Tables, report: &mut Report) {
    let over = &tables.link_vcs;
    for kind in ["forward_rm_offered", "backward_rm_offered"] {
        for (row, (hop, offered)) in tables.hops().zip(over.get(kind)).enumerate() {
            let directions = &tables.network.vcs[hop.direction / 2].directions;
            if directions
                .iter()
                .all(|it| !matches!(*it.service, Service::Abr(_)))
            {
                report.equal(over.at(row, kind), offered, 0.0, "the VC has no ABR");
            }
        }
    }
}
