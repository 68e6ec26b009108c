//! How each stage of a network is evaluated: what is known of the links, of what leads to them, and of the sources.

use crate::engine::link::Link;
use crate::engine::plan::by_cell::ByCell;
use crate::engine::plan::stage::stage;
use crate::engine::source::{Pace, Source};
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::state::ways::Ways;
use crate::engine::trains::channel::{Channel, Origin};
use crate::network::Network;

/// What is decided of a network, step by step.
pub(in crate::engine::plan) struct Stages<'a, 'l> {
    pub(in crate::engine::plan) network: &'a Network,
    pub(in crate::engine::plan) hops: &'a mut [Hop],
    pub(in crate::engine::plan) links: &'l [Link],
    pub(in crate::engine::plan) sources: &'a mut ByDirection<Source>,
    pub(in crate::engine::plan) modes: Vec<Mode>,
    pub(in crate::engine::plan) why: Vec<Why>,
    /// By link: how many directions cross it.
    pub(in crate::engine::plan) crossings: Vec<u32>,
    /// By link: whether a probe looks at it.
    pub(in crate::engine::plan) is_probed: Vec<bool>,
    /// By link: whether it is rated and yet never holds up a cell.
    pub(in crate::engine::plan) is_bypassed: Vec<bool>,
    /// By link: whether cells are looked at as they enter, and whether others bypass it.
    pub(in crate::engine::plan) is_entered: Vec<bool>,
    pub(in crate::engine::plan) is_passed: Vec<bool>,
    /// By link: whether no channel may bypass it.
    pub(in crate::engine::plan) must_enter: Vec<bool>,
    /// By direction: why its source, that of a tunnel VC, sends cell by cell, if it does.
    pub(in crate::engine::plan) eager: Vec<Option<Why>>,
    /// The links of which it is watched that cells stay in order, and those that are evaluated cell by cell instead.
    pub(in crate::engine::plan) watched: Vec<usize>,
    pub(in crate::engine::plan) plain: &'a ByCell,
    /// By hop: whether cells can enter its link that did not come over the hop before.
    pub(in crate::engine::plan) is_entrance: Vec<bool>,
    /// By direction: its first hop and the one behind its last.
    pub(in crate::engine::plan) ways: Vec<(usize, usize)>,
    pub(in crate::engine::plan) channels: Vec<Channel>,
    /// By port: the channels that it fills.
    pub(in crate::engine::plan) filled: Vec<Vec<usize>>,
    /// Sources that carry cells of other VCs and are evaluated lazily.
    pub(in crate::engine::plan) tunnels: Vec<u32>,
}

impl<'a, 'l> Stages<'a, 'l> {
    pub(in crate::engine::plan) fn new(
        network: &'a Network,
        ways: &Ways,
        hops: &'a mut [Hop],
        links: &'l [Link],
        sources: &'a mut ByDirection<Source>,
        plain: &'a ByCell,
    ) -> Self {
        let mut is_entrance = vec![false; hops.len() + 1];
        for (index, hop) in hops.iter().enumerate() {
            if let Some(back) = hop.turn_round() {
                is_entrance[back as usize] = true;
            }
            is_entrance[index + 1] |= hop.virtual_end().is_some();
        }
        let mut crossings = vec![0; links.len()];
        for hop in hops.iter() {
            crossings[hop.link as usize] += 1;
        }
        let ways = (0..ways.len()).map(|direction| ways.of(direction));
        let ways: Vec<_> = ways.map(|way| (way.start, way.end)).collect();
        let channels = Vec::with_capacity(hops.len());
        let (modes, why) = links.iter().map(stage).unzip();
        Self {
            network,
            modes,
            why,
            crossings,
            is_probed: network.probed_links(),
            is_bypassed: vec![false; links.len()],
            is_entered: vec![false; links.len()],
            is_passed: vec![false; links.len()],
            must_enter: vec![false; links.len()],
            eager: vec![None; sources.directions()],
            watched: Vec::new(),
            plain,
            hops,
            links,
            sources,
            is_entrance,
            ways,
            channels,
            filled: Vec::new(),
            tunnels: Vec::new(),
        }
    }

    /// From now on a link is evaluated in this mode.
    pub(in crate::engine::plan) fn evaluate(&mut self, link: usize, mode: Mode, why: Why) {
        (self.modes[link], self.why[link]) = (mode, why);
    }

    pub(in crate::engine::plan) fn link(&self, hop: usize) -> usize {
        self.hops[hop].link as usize
    }

    /// Finds rated links that cells reach no faster than they leave: those behind a slower or equal one.
    pub(in crate::engine::plan) fn find_bypassed(&mut self) {
        let mut crossing = vec![Vec::new(); self.links.len()];
        for hop in 0..self.hops.len() {
            crossing[self.link(hop)].push(hop);
        }
        for (link, crossing) in crossing.into_iter().enumerate() {
            // A switch algorithm measures its load, and a discard judges frames, even where no cell waits.
            let line = self.links[link].line.as_ref();
            let is_measured = line.is_some_and(|line| line.control.is_some());
            let is_judged = line.is_some_and(|line| line.queue.managed().is_some());
            let is_looked_at = self.is_probed[link] || is_measured || is_judged;
            if self.modes[link] != Mode::Batched || is_looked_at {
                continue;
            }
            let mut before = crossing.into_iter().map(|hop| self.before(hop));
            let Some(Some(first)) = before.next() else {
                continue;
            };
            if before.all(|other| other.as_ref() == Some(&first)) && self.is_slower(&first, link) {
                self.is_bypassed[link] = true;
            }
        }
    }

    /// Where the cells of a hop come from, and the delays on the way; `None` if something happens to them on
    /// the way.
    pub(in crate::engine::plan) fn before(&self, hop: usize) -> Option<(Origin, Vec<usize>)> {
        let direction = self.hops[hop].direction as usize;
        let mut delays = Vec::new();
        let mut at = hop;
        loop {
            if self.is_entrance[at] {
                return None;
            }
            if at == self.ways[direction].0 {
                return Some((Origin::Source(direction as u32), delays));
            }
            at -= 1;
            if self.hops[at].has_actions() {
                return None;
            }
            let link = self.link(at);
            if self.links[link].is_transparent() {
                if self.is_probed[link] {
                    return None;
                }
                continue;
            }
            if self.modes[link] != Mode::Delay {
                return Some((Origin::Link(link as u32), delays));
            }
            delays.push(link);
        }
    }

    /// Whether cells come from there no closer to each other than the link serves them.
    pub(in crate::engine::plan) fn is_slower(
        &self,
        (origin, _): &(Origin, Vec<usize>),
        link: usize,
    ) -> bool {
        let Some(served) = &self.links[link].line else {
            return false;
        };
        let shortest = match *origin {
            Origin::Link(origin) => {
                let origin = origin as usize;
                let mode = self.modes[origin];
                let is_lazy = mode == Mode::Batched || mode.keeps_cells();
                let queue = self.network.links[origin].line.as_ref();
                match queue.filter(|_| is_lazy && !self.links[origin].is_disturbed()) {
                    Some(queue) => queue.shortest_transmission(),
                    None => return false,
                }
            }
            Origin::Source(direction) => match &self.sources[direction as usize].pace {
                Pace::Ubr { gap } => *gap,
                _ => return false,
            },
        };
        shortest >= served.cell_time()
    }

    /// Finds the hops whose cells must be seen one by one as they arrive, and the sources that are lazy.
    pub(in crate::engine::plan) fn mark(&mut self) {
        // Carriers are lazy unless something shows up that needs to see what they send cell by cell; then all
        // that comes to them is shown, too, which other tunnel VCs may send.
        for direction in 0..self.sources.directions() {
            let source = &mut self.sources[direction];
            source.is_lazy = source.gfc.is_none() && self.eager[direction].is_none();
        }
        while self.mark_once() {}
        for direction in 0..self.sources.directions() {
            let source = &mut self.sources[direction];
            if source.is_lazy && source.carries() {
                let port = (self.links.len() + self.tunnels.len()) as u32;
                source.port = Some(port);
                self.tunnels.push(direction as u32);
            }
        }
    }

    /// Marks hops and sources; whether a source turned out not to be lazy.
    pub(in crate::engine::plan) fn mark_once(&mut self) -> bool {
        let mut has_changed = false;
        for (direction, &(first, end)) in self.ways.iter().enumerate() {
            let mut shows_each = self.sources[direction ^ 1].gfc.is_some();
            for hop in (first..end).rev() {
                let entry = &mut self.hops[hop];
                if let Some(tunnel) = entry.taken_up() {
                    // What it sends goes on here.
                    let tunnel = &mut self.sources[tunnel as usize];
                    has_changed |= shows_each && tunnel.is_lazy;
                    tunnel.is_lazy &= !shows_each;
                    shows_each = !tunnel.is_lazy;
                }
                shows_each |= entry.actions.as_ref().is_some_and(|actions| {
                    actions.gfc.is_some()
                        || actions.policer.is_some()
                        || actions.credit.is_some()
                        || actions.virtual_end.is_some()
                });
                let link = entry.link as usize;
                // A probe counts the cells that cross a link in no time.
                shows_each |= self.is_probed[link] && self.links[link].is_transparent();
                entry.shows_each = shows_each;
                shows_each |= self.modes[link] == Mode::PerCell;
            }
            let source = &mut self.sources[direction];
            has_changed |= shows_each && source.is_lazy;
            source.is_lazy &= !shows_each;
        }
        has_changed
    }

    /// Notes the links that all directions bypass: queues that hold up no cell, and mere delays.
    pub(in crate::engine::plan) fn note_bypassed(&mut self) {
        for link in 0..self.links.len() {
            if self.is_bypassed[link] {
                self.evaluate(link, Mode::Bypassed, Why::NeverHoldsUp);
            } else if self.modes[link] == Mode::Delay && !self.is_entered[link] {
                self.evaluate(link, Mode::Bypassed, Why::HasNoRate);
            }
        }
    }
}
