//! Rated links at which no cell ever waits.

use crate::engine::plan::decided::Decided;
use crate::engine::plan::facts::Facts;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::Origin;

/// By link: whether it has a rate and yet never holds up a cell.
pub(super) type IsBypassed = Vec<bool>;

/// Finds rated links that cells reach no faster than they leave: those downstream of a slower or equal link.
pub(super) fn bypassed(facts: &Facts, decided: &Decided) -> IsBypassed {
    let mut crossing = vec![Vec::new(); facts.links.len()];
    for hop in 0..facts.hops.len() {
        crossing[facts.link_of(hop)].push(hop);
    }
    let is_bypassed = crossing.into_iter().enumerate().map(|(link, crossing)| {
        // A switch algorithm measures its load, and a discard policy examines frames, even where no cell waits.
        let line = facts.links[link].line.as_ref();
        let is_measured = line.is_some_and(|line| line.algorithm.is_some());
        let is_judged = line.is_some_and(|line| line.is_managed);
        let is_looked_at = facts.is_probed[link] || is_measured || is_judged;
        // Other modes are there because something must happen to each cell.
        if decided.mode(link) != Mode::Batched || is_looked_at {
            return false;
        }
        let mut before = crossing.into_iter().map(|hop| before(facts, decided, hop));
        // No cell comes, or something on the way changes the distances between cells.
        let Some(Some(first)) = before.next() else {
            return false;
        };
        // Cells of two origins can arrive together, as can cells of one origin over two delays: one of them would wait.
        before.all(|other| other.as_ref() == Some(&first))
            && is_slower(facts, decided, first.0, link)
    });
    is_bypassed.collect()
}

/// The origin of the cells of a hop, and the delays on the way; `None` if something happens to them on the way.
fn before(facts: &Facts, decided: &Decided, hop: usize) -> Option<(Origin, Vec<usize>)> {
    let direction = facts.hops[hop].direction as usize;
    let mut delays = Vec::new();
    let mut at = hop;
    loop {
        // Cells that enter here are spaced by nothing upstream.
        if facts.is_entrance[at] {
            return None;
        }
        if at == facts.way(direction).start {
            return Some((Origin::Source(direction as u32), delays));
        }
        at -= 1;
        // Cells that a node loses, holds or marks are not those that the origin sent.
        if facts.hops[at].has_actions() {
            return None;
        }
        let link = facts.link_of(at);
        if facts.links[link].is_transparent {
            // The probe counts cells as they cross, so the channel ends there.
            if facts.is_probed[link] {
                return None;
            }
            continue;
        }
        // Only a mere delay keeps the spacing; any other link sets one of its own and is the origin.
        if decided.mode(link) != Mode::Delay {
            return Some((Origin::Link(link as u32), delays));
        }
        delays.push(link);
    }
}

/// Whether cells leave their origin no closer to each other than the link serves them.
fn is_slower(facts: &Facts, decided: &Decided, origin: Origin, link: usize) -> bool {
    let Some(served) = &facts.links[link].line else {
        return false;
    };
    let shortest = match origin {
        Origin::Link(origin) => {
            let origin = origin as usize;
            let mode = decided.mode(origin);
            // A link that is evaluated cell by cell fills no channel.
            let is_lazy = mode == Mode::Batched || mode.keeps_cells();
            let queue = facts.network.links[origin].line.as_ref();
            // Jitter can bring cells together that left one after the other.
            match queue.filter(|_| is_lazy && !facts.links[origin].is_disturbed) {
                Some(queue) => queue.shortest_transmission(),
                None => return false,
            }
        }
        // A source without a fixed gap may send cells at any distance.
        Origin::Source(direction) => match facts.sources[direction as usize].gap {
            Some(gap) => gap,
            None => return false,
        },
    };
    shortest >= served.cell_time
}
