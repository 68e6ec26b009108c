//! Every link is evaluated cell by cell.

use crate::engine::link::{Crossing, Link};
use crate::engine::plan::layout::{Layout, port};
use crate::engine::schedule::timed::Timed;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::{END, Hop};
use crate::engine::state::mode::Mode;
use crate::engine::state::time::CHUNK;
use crate::network::Network;

/// How each link is evaluated, and which are actors.
pub(in crate::engine) fn each(
    network: &Network,
    hops: &[Hop],
    links: &mut [Link],
    sources: &ByDirection<Source>,
) -> Layout {
    for link in &mut *links {
        link.foresee();
    }
    let only_feeders = only_feeders(hops, links);
    let leads_ahead = lead_ahead(network, hops, links, sources, &only_feeders);
    for (link, leads_ahead) in links.iter_mut().zip(leads_ahead) {
        if leads_ahead && link.passage == Crossing::Foreseen {
            link.passage = Crossing::Ahead;
        }
    }
    let timed = (0..links.len()).filter(|&link| !links[link].is_transparent());
    Layout {
        ports: links.iter().map(|_| port(Mode::PerCell)).collect(),
        channels: Vec::new(),
        timed: timed.map(|link| Timed::Link(link as u32)).collect(),
        chunk: CHUNK,
    }
}

/// What brings cells to a link, transparent links aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeder {
    Nothing,
    /// This link alone.
    Link(usize),
    /// Sources, or several links.
    Others,
}

/// For each link what brings cells to it.
fn only_feeders(hops: &[Hop], links: &[Link]) -> Vec<Feeder> {
    let mut feeders = vec![Feeder::Nothing; links.len()];
    let mut before = Feeder::Others;
    for hop in hops {
        let link = hop.link as usize;
        if !links[link].is_transparent() {
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

/// For each link whether all cells that cross it are those of processes at which nothing looks on their way, and which
/// come next to their end, or to a queue that no other link fills, where their arrival can be foreseen, too.
fn lead_ahead(
    network: &Network,
    hops: &[Hop],
    links: &[Link],
    sources: &ByDirection<Source>,
    feeders: &[Feeder],
) -> Vec<bool> {
    let is_probed = network.probed_links();
    let mut shows = vec![false; sources.directions()];
    for hop in hops {
        let direction = hop.direction as usize;
        shows[direction] |= hop.has_actions()
            || !sources[direction].is_process()
            || sources[direction ^ 1].gfc.is_some();
        // RM cells of a local loop come to the end of a process's direction, too.
        if let Some(back) = hop.turn_round() {
            shows[hops[back as usize].direction as usize] = true;
        }
    }
    let mut leads_ahead = vec![true; links.len()];
    for (index, hop) in hops.iter().enumerate() {
        let link = hop.link as usize;
        let mut ahead = index;
        let mut is_seen = shows[hop.direction as usize];
        while hops[ahead].next_link != END {
            ahead += 1;
            let next = hops[ahead].link as usize;
            is_seen |= is_probed[next];
            if !links[next].is_transparent() {
                is_seen |= links[next].passage != Crossing::Foreseen
                    || feeders[next] != Feeder::Link(link);
                break;
            }
        }
        leads_ahead[link] &= !is_seen;
    }
    leads_ahead
}
