//! What a plan says of each link and each source.

use crate::engine::plan::stages::Stages;
use crate::engine::state::mode::{Mode, Why};

/// The mode of each link, whether each source is evaluated lazily, and why.
pub(in crate::engine::plan) struct Explained {
    pub(in crate::engine::plan) links: Vec<(Mode, Why)>,
    pub(in crate::engine::plan) sources: Vec<Option<(bool, Why)>>,
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
                None => Why::PathSeesEach,
            };
            Some((source.is_lazy, why))
        });
        let sources = sources.collect();
        Explained { links, sources }
    }
}
