//! What a plan says of each link and each source.

use crate::engine::plan::stages::Stages;
use crate::engine::state::mode::{Mode, Why};

/// The mode of each link, whether each source is evaluated lazily, and why.
pub(in crate::engine) struct Explained {
    pub(in crate::engine) links: Vec<(Mode, Why)>,
    /// By direction; none where it has no hops.
    pub(in crate::engine) sources: Vec<Option<(bool, Why)>>,
}

impl Stages<'_, '_> {
    /// What has been decided.
    pub(in crate::engine::plan) fn explained(&self) -> Explained {
        let modes = self.modes.iter().copied();
        let links = modes.zip(self.why.iter().copied()).collect();
        let ways = self.ways.iter().enumerate();
        let sources = ways.map(|(direction, (first, end))| {
            let source = (first < end).then(|| &self.sources[direction])?;
            let why = match self.eager[direction] {
                Some(why) => why,
                None if source.gfc.is_some() => Why::HasGfc,
                None if source.is_lazy => Why::NothingLooks,
                None => self.sees_each(direction),
            };
            Some((source.is_lazy, why))
        });
        let sources = sources.collect();
        Explained { links, sources }
    }

    /// What on the path of a direction looks at each of its cells, the nearest to the source.
    fn sees_each(&self, direction: usize) -> Why {
        let (first, end) = self.ways[direction];
        let seen = (first..end).find_map(|number| {
            let hop = &self.hops[number];
            let link = hop.link as usize;
            if self.modes[link] == Mode::PerCell {
                return Some(Why::BeforeLink(hop.link));
            }
            if self.is_probed[link] && self.modes[link] == Mode::Transparent {
                return Some(Why::Probe(hop.link));
            }
            let tunnel = hop.taken_up();
            if let Some(tunnel) = tunnel.filter(|&it| !self.sources[it as usize].is_lazy) {
                return Some(Why::BeforeTunnelVc(tunnel));
            }
            let actions = hop.actions.as_ref()?;
            if actions.policer.is_some() {
                Some(Why::Policer)
            } else if actions.virtual_end.is_some() {
                Some(Why::VirtualEnds)
            } else if actions.credit.is_some() {
                Some(Why::TakesCredits)
            } else {
                actions.gfc.is_some().then_some(Why::TellsGfc)
            }
        });
        // Else the source of the other direction has to see what comes back to it.
        seen.unwrap_or(Why::TellsGfc)
    }
}
