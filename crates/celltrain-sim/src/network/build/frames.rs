//! VCs whose packets go in frames.

use std::collections::BTreeSet;

use celltrain_proto::adaptation::{Aal, Adaptation};

use crate::network::model::{Background, Link, Node, NodeKind, Vc};
use crate::scenario::{Problem, Service};

/// Marks the VCs on whose paths links carry frames.
///
/// # Errors
///
/// A link that carries cells on such a path, or what a VC requires of cells.
pub(super) fn mark(vcs: &mut [Vc], links: &[Link], nodes: &[Node]) -> Result<(), Problem> {
    for vc in vcs {
        let ways = vc.directions.iter().flat_map(|it| it.links.iter());
        let rated = ways.filter_map(|&link| Some((&links[link], links[link].line.as_ref()?)));
        let (of_frames, of_cells): (Vec<_>, Vec<_>) =
            rated.partition(|(_, line)| line.frames.is_some());
        let path = format!("vcs.{}", vc.name.group());
        let Some((with_frames, _)) = of_frames.first() else {
            keeps_order(&path, vc, links)?;
            continue;
        };
        if let Some((with_cells, _)) = of_cells.first() {
            let message = format!(
                "links.{} on its path carries frames, and {} cells; let all of them carry frames, or none",
                with_frames.name, with_cells.name
            );
            return Err(Problem::at(&format!("{path}.route"), message));
        }
        check(vc, nodes)?;
        vc.adaptation.aal = Aal::Frame;
    }
    Ok(())
}

/// Checks that no link lets the cells of a VC overtake each other.
fn keeps_order(path: &str, vc: &Vc, links: &[Link]) -> Result<(), Problem> {
    let ways = vc.directions.iter().flat_map(|it| it.links.iter());
    let overtaking = ways.map(|&link| &links[link]).find(|it| it.overtaking);
    overtaking.map_or(Ok(()), |link| {
        let message = format!(
            "links.{} on its path has `overtaking`, and cells of a VC keep their order (ITU-T I.150); leave that out, or let \
             the links with a rate carry frames",
            link.name
        );
        Err(Problem::at(&format!("{path}.route"), message))
    })
}

/// Checks that nothing acts on the cells of a VC, which has none.
fn check(vc: &Vc, nodes: &[Node]) -> Result<(), Problem> {
    let path = format!("vcs.{}", vc.name.group());
    let directions = || vc.directions.iter();
    let is_router = |&node: &usize| nodes[node].kind == NodeKind::Router;
    let is_best_effort =
        |service: &Service| matches!(service, Service::Ubr(ubr) if ubr.pcr.is_none());
    let [forward, backward] = &vc.directions;
    let of_cells = [
        ("forward", !is_best_effort(&forward.service)),
        ("backward", !is_best_effort(&backward.service)),
        (
            "encapsulation",
            vc.adaptation.encapsulation != Adaptation::default().encapsulation,
        ),
        ("aal", vc.adaptation.aal != Aal::default()),
        ("police", directions().any(|it| it.police.is_some())),
        ("shape", directions().any(|it| !it.shapers().is_empty())),
        (
            "route",
            directions().any(|it| !it.paths().is_empty() || !it.carried().is_empty()),
        ),
        ("route", vc.ends().iter().any(is_router)),
        ("virtual_ends", vc.virtual_ends.is_some()),
        ("gfc_group", vc.gfc_group.is_some()),
        ("source_buffer", vc.source_buffer != u64::MAX),
    ];
    let found = of_cells.into_iter().find(|(_, is_present)| *is_present);
    found.map_or(Ok(()), |(key, _)| {
        let message = "this acts on cells, and the links of the VC carry frames; leave it out, or let the links carry cells";
        Err(Problem::at(&format!("{path}.{key}"), message))
    })
}

/// Checks that no cells are sent or timed on VCs whose packets go in frames.
pub(super) fn check_sources(
    vcs: &[Vc],
    backgrounds: &[Background],
    timed: &BTreeSet<usize>,
) -> Result<(), Problem> {
    let carries_frames = |vc: usize| vcs[vc].adaptation.aal == Aal::Frame;
    if let Some(background) = backgrounds.iter().find(|it| carries_frames(it.vc as usize)) {
        let message =
            "it sends cells, and the links of its VC carry frames; send packets: a flow with `udp`";
        let path = format!("backgrounds.{}.vc", background.group.name);
        return Err(Problem::at(&path, message));
    }
    if let Some(&vc) = timed.iter().find(|vc| carries_frames(**vc)) {
        let message = format!(
            "VC {} has no cells to time: its links carry frames",
            vcs[vc].name
        );
        return Err(Problem::at("measure.cell_delays.vcs", message));
    }
    Ok(())
}
