//! Control loops: those of ABR and of credits.

use crate::network::model::{Link, Vc, VcDirection};
use crate::scenario::{Problem, Service};

/// Checks what one direction of a VC requires of the other, and what credits require of the VCs.
pub(super) fn check(vcs: &[Vc], links: &[Link]) -> Result<(), Problem> {
    both_ways(vcs)?;
    credits(vcs, links)
}

/// Checks that the RM cells of an end-to-end loop return in a direction that is ABR, too.
fn both_ways(vcs: &[Vc]) -> Result<(), Problem> {
    for vc in vcs {
        for (own, other) in [(0, 1), (1, 0)] {
            let (direction, reverse) = (&vc.directions[own], &vc.directions[other]);
            let end_to_end = matches!(*direction.service, Service::Abr(_))
                && direction.loop_links == direction.links.len();
            if end_to_end && !matches!(*reverse.service, Service::Abr(_)) {
                let message = format!(
                    "\"{}\" is ABR from end to end one way only, but RM cells come back the other way; make both \
                     directions `service = \"abr\"`, or close the loop with `turn_around_at`",
                    vc.name
                );
                return Err(Problem::at("vcs", message));
            }
        }
    }
    Ok(())
}

/// Checks that nothing generates or delays cells between links with credits.
fn credits(vcs: &[Vc], links: &[Link]) -> Result<(), Problem> {
    let has_credit = |&link: &usize| {
        links[link]
            .line
            .as_ref()
            .is_some_and(|line| line.credit.is_some())
    };
    let has_becn = |direction: &VcDirection| {
        let queues = direction
            .links
            .iter()
            .filter_map(|&link| links[link].line.as_ref());
        matches!(*direction.service, Service::Abr(_)) && { queues }.any(|line| line.becn.is_some())
    };
    let makes_cells = |vc: &&Vc| {
        let directions = &vc.directions;
        let has_local_loop = directions.iter().any(|it| it.loop_links < it.links.len());
        let waits = directions.iter().any(|it| !it.carried().is_empty());
        let is_shaped = |it: &VcDirection| !(it.shapers().is_empty() && it.paths().is_empty());
        let waits = waits || directions.iter().any(is_shaped);
        has_local_loop || waits || vc.virtual_ends.is_some() || directions.iter().any(has_becn)
    };
    let with_credits = vcs.iter().filter(makes_cells).find_map(|vc| {
        let mut crossed = vc.directions.iter().flat_map(|it| it.links.iter());
        crossed
            .find(|link| has_credit(link))
            .map(|&link| (vc, link))
    });
    if let Some((vc, link)) = with_credits {
        let message = format!(
            "credits count the cells that cross the link \"{}\", but switches make RM cells of their own for \"{}\", \
             or nodes hold its cells back; give the VC neither `turn_around_at` nor `virtual_ends` nor `shape` nor a \
             virtual path nor a VC that carries it, and its queues no `becn`, or the link no `credit`",
            links[link].name, vc.name
        );
        return Err(Problem::at("vcs", message));
    }
    Ok(())
}
