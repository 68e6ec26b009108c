//! The classes of a strict-priority queue, and which of them VCs join.

use std::collections::VecDeque;

use celltrain_proto::units::Time;

use crate::engine::state::train::Train;

/// The classes that VCs join; no other can hold a cell.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    /// The number of joined classes before each class, and before the end.
    pub(super) before: Box<[u32]>,
}

impl Joined {
    /// The classes that `vcs` join, of `count` classes; the first class if there is no VC.
    pub(super) fn new(count: usize, vcs: &[PriorityVc]) -> Self {
        let mut before = vec![0; count + 1];
        for vc in vcs {
            before[vc.class as usize + 1] = 1;
        }
        if vcs.is_empty() {
            before[1] = 1;
        }
        for class in 0..count {
            before[class + 1] += before[class];
        }
        Self {
            before: before.into(),
        }
    }

    /// The number of a class after renumbering, if any VC joins it.
    pub(super) fn number(&self, class: u32) -> Option<u32> {
        let (before, after) = (self.before(class), self.before(class + 1));
        (before < after).then_some(before)
    }

    /// How many classes before class number `class` are joined.
    pub(super) fn before(&self, class: u32) -> u32 {
        let last = self.before.len() - 1;
        self.before[last.min(class as usize)]
    }
}

/// The cells of a lower class.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// The cells whose transmission has not started, in order of arrival; the last ones may have yet to arrive.
    pub(super) trains: VecDeque<Train>,
    /// The number of these cells.
    pub(super) waiting: u32,
    /// The most cells of the class, the one in transmission included.
    pub(super) buffer: u32,
    /// The number of cells admitted, and of those whose transmission has started.
    pub(super) came: u64,
    pub(super) started: u64,
    /// The waiting event cells, by number.
    pub(super) event_cells: VecDeque<u64>,
}

impl Class {
    /// The arrival, past or future, of the next waiting cell.
    #[inline]
    pub(super) fn next_arrival(&self) -> Time {
        self.trains
            .front()
            .map_or(Time::NEVER, |train| train.first.at)
    }
}

/// A direction of a VC at this queue.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct PriorityVc {
    /// The class that its cells join; lower numbers go first.
    pub(in crate::engine) class: u32,
    /// Whether its cells form AAL5 frames.
    pub(in crate::engine) is_framed: bool,
}
