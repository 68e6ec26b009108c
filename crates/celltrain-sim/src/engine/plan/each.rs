//! The cell engine: every link is evaluated cell by cell, with two shortcuts.

use crate::engine::plan::facts::{Facts, LinkFacts};
use crate::engine::plan::value::{Plan, SourcePlan, StagePlan};
use crate::engine::schedule::timed::Timed;
use crate::engine::state::hop::END;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::state::time::CHUNK;

/// The evaluation modes in the cell engine, and which links are actors. There are no channels.
pub(in crate::engine) fn each(facts: &Facts) -> Plan {
    let is_foreseen: Vec<bool> = facts
        .links
        .iter()
        .map(|link| link.can_be_foreseen)
        .collect();
    let leads_ahead = lead_ahead(facts, &is_foreseen, &only_feeders(facts));
    let foreseen = is_foreseen.into_iter().zip(leads_ahead);
    let modes = facts
        .links
        .iter()
        .zip(foreseen)
        .map(|(link, foreseen)| match foreseen {
            _ if link.is_transparent => (Mode::Transparent, Why::TakesNoTime),
            // Its queue, its line or its errors decide later when, and whether, a cell arrives.
            (false, _) => (Mode::PerCell, Why::CellEngine),
            // Something looks at the cell where it arrives, at that instant.
            (true, false) => (Mode::Foreseen, Why::CellEngine),
            (true, true) => (Mode::Immediate, Why::NothingLooks),
        });
    let stages: Vec<StagePlan> = modes.map(StagePlan::new).collect();
    let actors = stages.iter().zip(0..);
    let actors = actors.filter(|(stage, _)| stage.mode != Mode::Transparent);
    Plan {
        timed: actors.map(|(_, link)| Timed::Link(link)).collect(),
        stages,
        channels: Vec::new(),
        hops: Vec::new(),
        resumes: std::collections::BTreeMap::new(),
        sources: facts.by_direction(|_| SourcePlan::PER_CELL),
        chunk: CHUNK,
    }
}

/// What brings cells to a link, not counting transparent links.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeder {
    Nothing,
    /// Only this link.
    Link(usize),
    /// Sources, or several links.
    Others,
}

/// By link: what brings cells to it.
fn only_feeders(facts: &Facts) -> Vec<Feeder> {
    let mut feeders = vec![Feeder::Nothing; facts.links.len()];
    let mut before = Feeder::Others;
    for hop in facts.hops {
        let link = hop.link as usize;
        if !facts.links[link].is_transparent {
            feeders[link] = match feeders[link] {
                Feeder::Nothing => before,
                feeder if feeder == before => before,
                _ => Feeder::Others,
            };
            before = Feeder::Link(link);
        }
        if hop.next_link == END {
            before = Feeder::Others;
        }
    }
    feeders
}

/// By link: whether all cells that cross it come from processes, nothing inspects them on their path, and they next
/// arrive at their end, or at a queue that no other link fills and whose departures are known on arrival.
fn lead_ahead(facts: &Facts, is_foreseen: &[bool], feeders: &[Feeder]) -> Vec<bool> {
    let shows = shown_directions(facts);
    let mut leads_ahead = vec![true; facts.links.len()];
    for (index, hop) in facts.hops.iter().enumerate() {
        let link = hop.link as usize;
        let mut ahead = index;
        // A cell that goes ahead of time must meet nothing that depends on the instant, nor on the cells of others.
        let mut is_seen = shows[hop.direction as usize];
        while facts.hops[ahead].next_link != END {
            ahead += 1;
            let next = facts.link_of(ahead);
            is_seen |= facts.is_probed[next];
            if !facts.links[next].is_transparent {
                is_seen |= !is_foreseen[next] || feeders[next] != Feeder::Link(link);
                break;
            }
        }
        leads_ahead[link] &= !is_seen;
    }
    leads_ahead
}

/// By direction: whether something inspects its cells on their path, or they are not those of a process.
fn shown_directions(facts: &Facts) -> Vec<bool> {
    let mut shows = vec![false; facts.directions().len()];
    for hop in facts.hops {
        let direction = hop.direction as usize;
        shows[direction] |= hop.has_actions()
            || !facts.sources[direction].is_process
            || facts.sources[direction ^ 1].obeys_gfc;
        // RM cells of a local loop arrive at the end of a process's direction, too.
        if let Some(back) = hop.turn_around() {
            shows[facts.hops[back as usize].direction as usize] = true;
        }
    }
    // So do those of switches.
    for back in facts.links.iter().flat_map(LinkFacts::becn_hops) {
        shows[facts.hops[back].direction as usize] = true;
    }
    shows
}
