//! Classes of a line that serves by priority, and which of them are joined.

use std::collections::VecDeque;

use celltrain_proto::units::Time;

use crate::engine::state::train::Train;

/// The classes that VCs join, among all: none else can hold a cell.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    /// For each class, and behind the last: how many classes before it are joined.
    pub(super) before: Box<[u32]>,
}

impl Joined {
    /// Of `count` classes, those of `vcs`; the first if there is none.
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

    /// The number of class number `class` among those that are joined, if it is.
    pub(super) fn number(&self, class: u32) -> Option<u32> {
        let (before, behind) = (self.before(class), self.before(class + 1));
        (before < behind).then_some(before)
    }

    /// How many classes before class number `class` are joined.
    pub(super) fn before(&self, class: u32) -> u32 {
        let last = self.before.len() - 1;
        self.before[last.min(class as usize)]
    }
}

/// The cells of a class behind the first.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Those whose transmission has not started, in the order of their arrivals; the last of them may be yet to come.
    pub(super) trains: VecDeque<Train>,
    /// How many they are.
    pub(super) waiting: u32,
    /// The most of them, the one in transmission included.
    pub(super) buffer: u32,
    /// Cells that found room, and those of them whose transmission has started.
    pub(super) came: u64,
    pub(super) started: u64,
    /// The event cells that wait, by number.
    pub(super) event_cells: VecDeque<u64>,
}

impl Class {
    /// When the next cell that waits came, or will come.
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
    /// The class that its cells join; the lower number goes first.
    pub(in crate::engine) class: u32,
    /// Whether its cells make up AAL5 frames.
    pub(in crate::engine) is_framed: bool,
}
