//! Links that, as a run has shown, lose the order of cells that leave at one instant.

use std::collections::BTreeSet;

/// The links that must be evaluated cell by cell because they lose the order of cells that leave at one instant.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct ByCell {
    links: BTreeSet<usize>,
    are_all: bool,
}

impl ByCell {
    /// Adds a link. If it is not the first, adds all links whose cells can leave at one instant, so that a run is
    /// restarted at most twice.
    pub(in crate::engine) fn add(&mut self, link: usize) {
        self.are_all = !self.links.is_empty();
        self.links.insert(link);
    }

    pub(in crate::engine) fn contains(&self, link: usize) -> bool {
        self.are_all || self.links.contains(&link)
    }
}
