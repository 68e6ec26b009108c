//! Which cells must be seen one by one as they arrive, and therefore which sources send cell by cell.

use std::collections::BTreeMap;

use crate::engine::plan::decided::Decided;
use crate::engine::plan::facts::Facts;
use crate::engine::state::hop::Actions;
use crate::engine::state::mode::{Mode, Why};

/// Where cells are seen one by one.
pub(super) struct ShownHops {
    /// By hop: whether each cell that comes over its link must be an event, because something downstream sees cells one
    /// by one.
    pub(super) shows_each: Vec<bool>,
    /// By direction: whether its source sends in trains.
    pub(super) is_lazy: Vec<bool>,
    /// Directions of tunnel VCs that send in trains, with the number of the stage of each.
    pub(super) tunnels: BTreeMap<u32, u32>,
}

impl ShownHops {
    /// Finds the hops whose cells must be seen one by one, and the sources that send in trains.
    pub(super) fn new(facts: &Facts, decided: &Decided) -> Self {
        // Tunnel VCs send in trains unless something needs to see their cells one by one. In that case, all cells that
        // arrive at them are shown, too, and these may come from other tunnel VCs.
        let directions = facts.directions();
        let may_be_lazy = |direction: usize| {
            // GFC commands halt a source at instants that only the far end knows.
            !facts.sources[direction].obeys_gfc && decided.per_cell[direction].is_none()
        };
        let mut shown = Self {
            shows_each: vec![false; facts.hops.len()],
            is_lazy: directions.clone().map(may_be_lazy).collect(),
            tunnels: BTreeMap::new(),
        };
        while shown.mark_once(facts, decided) {}
        let tunnels = directions
            .filter(|&direction| shown.is_lazy[direction] && facts.sources[direction].is_tunnel);
        let numbers = facts.links.len() as u32..;
        shown.tunnels = tunnels.map(|it| it as u32).zip(numbers).collect();
        shown
    }

    /// Marks hops and sources; returns whether a source turned out not to send in trains.
    fn mark_once(&mut self, facts: &Facts, decided: &Decided) -> bool {
        let mut has_changed = false;
        for direction in facts.directions() {
            // Each cell that comes back can bring a GFC command.
            let mut shows_each = facts.sources[direction ^ 1].obeys_gfc;
            for hop in facts.way(direction).rev() {
                let entry = &facts.hops[hop];
                if let Some(tunnel) = entry.entered_tunnel() {
                    // Its cells continue on this hop.
                    let is_lazy = &mut self.is_lazy[tunnel as usize];
                    has_changed |= shows_each && *is_lazy;
                    *is_lazy &= !shows_each;
                    shows_each = !*is_lazy;
                }
                shows_each |= entry.actions.as_deref().is_some_and(looks_at_each);
                let link = entry.link as usize;
                // A probe counts the cells that cross a link without delay.
                shows_each |= facts.is_probed[link] && facts.links[link].is_transparent;
                self.shows_each[hop] = shows_each;
                // Each cell comes to such a link by an event, so whatever leads to it shows each.
                shows_each |= decided.mode(link).is_by_event();
            }
            // A train would bring its later cells to the first hop without an event.
            let is_lazy = &mut self.is_lazy[direction];
            has_changed |= shows_each && *is_lazy;
            *is_lazy &= !shows_each;
        }
        has_changed
    }

    /// Why a source has its evaluation mode; `None` if it has no hops.
    pub(super) fn why(&self, facts: &Facts, decided: &Decided, direction: usize) -> Option<Why> {
        if facts.way(direction).is_empty() {
            return None;
        }
        Some(match decided.per_cell[direction] {
            Some(why) => why,
            None if facts.sources[direction].obeys_gfc => Why::HasGfc,
            None if self.is_lazy[direction] => Why::NothingLooks,
            None => self.sees_each(facts, decided, direction),
        })
    }

    /// What inspects each cell on the path of a direction; of several, the one nearest to the source.
    fn sees_each(&self, facts: &Facts, decided: &Decided, direction: usize) -> Why {
        let seen = facts.way(direction).find_map(|number| {
            let hop = &facts.hops[number];
            let mode = decided.mode(hop.link as usize);
            if mode.is_by_event() {
                return Some(Why::BeforeLink(hop.link));
            }
            if facts.is_probed[hop.link as usize] && mode == Mode::Transparent {
                return Some(Why::Probe(hop.link));
            }
            let tunnel = hop.entered_tunnel();
            if let Some(tunnel) = tunnel.filter(|&it| !self.is_lazy[it as usize]) {
                return Some(Why::BeforeTunnelVc(tunnel));
            }
            let actions = hop.actions.as_ref()?;
            if actions.policer.is_some() {
                Some(Why::Policer)
            } else if actions.virtual_end.is_some() {
                Some(Why::VirtualEnds)
            } else if actions.shaper.is_some() {
                Some(Why::Shaper)
            } else {
                actions.gfc.is_some().then_some(Why::TellsGfc)
            }
        });
        // Otherwise the source of the other direction must see the cells that come back to it.
        seen.unwrap_or(Why::TellsGfc)
    }
}

/// Whether a node needs each cell at the instant of its arrival, because the cell changes its state. Cells with credits come
/// over links that are evaluated cell by cell anyway. GFC commands are written only into cells on their way to a source
/// under GFC, and all of these are shown.
fn looks_at_each(actions: &Actions) -> bool {
    actions.policer.is_some() || actions.virtual_end.is_some() || actions.shaper.is_some()
}
