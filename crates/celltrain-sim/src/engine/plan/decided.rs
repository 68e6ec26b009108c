//! What is decided of links and tunnel VCs, which later passes add to.

use crate::engine::plan::facts::Facts;
use crate::engine::plan::stage::stage;
use crate::engine::state::mode::{Mode, Why};

/// How links and tunnel VCs are to be evaluated. What is laid on this can show that more must be decided; no decision is
/// ever taken back, so that comes to an end.
pub(super) struct Decided {
    /// By link.
    modes: Vec<(Mode, Why)>,
    /// By link: whether no channel may bypass it.
    pub(super) must_enter: Vec<bool>,
    /// By direction: why its source, that of a tunnel VC, sends cell by cell, if it must.
    pub(super) per_cell: Vec<Option<Why>>,
}

impl Decided {
    /// What each link needs by itself.
    pub(super) fn new(facts: &Facts) -> Self {
        Self {
            modes: facts.links.iter().map(stage).collect(),
            must_enter: vec![false; facts.links.len()],
            per_cell: vec![None; facts.directions().len()],
        }
    }

    /// How a link is evaluated.
    pub(super) fn mode(&self, link: usize) -> Mode {
        self.modes[link].0
    }

    /// From now on a link is evaluated in this mode.
    pub(super) fn evaluate(&mut self, link: usize, mode: Mode, why: Why) {
        self.modes[link] = (mode, why);
    }

    /// How each link is evaluated, and why.
    pub(super) fn modes(&self) -> impl Iterator<Item = (Mode, Why)> {
        self.modes.iter().copied()
    }
}
