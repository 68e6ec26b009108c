//! Links that a run has found to lose the order of cells of one instant.

use std::collections::BTreeSet;

/// The links that have been found to be evaluated cell by cell, of those whose cells can leave at one instant.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct ByCell {
    links: BTreeSet<usize>,
    are_all: bool,
}

impl ByCell {
    /// This one, too; all of them if it is not the first, so that a run begins anew no more than twice.
    pub(in crate::engine) fn add(&mut self, link: usize) {
        self.are_all = !self.links.is_empty();
        self.links.insert(link);
    }

    pub(in crate::engine) fn contains(&self, link: usize) -> bool {
        self.are_all || self.links.contains(&link)
    }
}
