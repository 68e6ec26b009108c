//! Decisions on links and tunnel VCs, to which later passes add.

use crate::engine::plan::facts::Facts;
use crate::engine::plan::stage::stage;
use crate::engine::state::mode::{Mode, Why};

/// How links and tunnel VCs are to be evaluated. The channels laid out from these decisions can show that more are
/// needed. No decision is ever withdrawn, so this process ends.
pub(super) struct Decided {
    /// By link: its mode and the reason.
    modes: Vec<(Mode, Why)>,
    /// By link: whether no channel may bypass it.
    pub(super) must_enter: Vec<bool>,
    /// By direction: why the source of a tunnel VC must send cell by cell, if it must.
    pub(super) per_cell: Vec<Option<Why>>,
}

impl Decided {
    /// The decisions that follow from each link's own properties.
    pub(super) fn new(facts: &Facts) -> Self {
        Self {
            modes: facts.links.iter().map(stage).collect(),
            must_enter: vec![false; facts.links.len()],
            per_cell: vec![None; facts.directions().len()],
        }
    }

    /// The evaluation mode of a link.
    pub(super) fn mode(&self, link: usize) -> Mode {
        self.modes[link].0
    }

    /// Sets the evaluation mode of a link.
    pub(super) fn evaluate(&mut self, link: usize, mode: Mode, why: Why) {
        self.modes[link] = (mode, why);
    }

    /// The evaluation mode of each link, with the reason.
    pub(super) fn modes(&self) -> impl Iterator<Item = (Mode, Why)> {
        self.modes.iter().copied()
    }
}
