//! Hops: one entry for each link that each direction of a VC crosses, consecutive along the way.

use super::cell::{Cell, KINDS};

/// What the cells of one direction of a VC meet on one link, and at the node behind it.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    /// The link of this hop.
    pub(super) link: u32,
    /// The link of the next hop; [`END`] if this is the last.
    pub(super) next_link: u32,
    /// The direction of the VC: 2 x VC + (0 forward, 1 backward).
    pub(super) direction: u32,
    /// What the algorithm of the link's queue makes of the cells.
    pub(super) load: Load,
    /// The VC's number among those that cross the link, for its queue.
    pub(super) port_vc: u32,
    /// The number by which its algorithm knows the cells: that of the VC, or of the one that carries it.
    pub(super) control_vc: u32,
    /// Whether each cell that comes over the link has to be an event, for something ahead sees cells one by one.
    pub(super) shows_each: bool,
    /// The channel into which the link lets the cells go, where it is evaluated lazily.
    pub(super) channel: u32,
    /// How many hops further that channel leads.
    pub(super) ahead: u32,
    /// What happens at the node behind the link, beside a cell's going on; `None` of most hops.
    pub(super) actions: Option<Box<Actions>>,
    /// Cells counted at this hop, by kind.
    pub(super) counts: HopCounts,
}

/// What the node behind a link does with the cells of a direction.
#[derive(Clone, Default, Debug)]
pub(super) struct Actions {
    /// The link whose algorithm marks backward RM cells that arrive here, and the VC's number there.
    pub(super) marks: Option<(u32, u32)>,
    /// The link whose GFC state goes into cells that pass here.
    pub(super) gfc: Option<u32>,
    /// Where forward RM cells turn round: the hop of the other direction that leaves this node.
    pub(super) turn_round: Option<u32>,
    /// The policer that looks at cells at the node behind the link.
    pub(super) policer: Option<u32>,
    /// The node behind the link gives credits for its cells: the number of that account.
    pub(super) credit: Option<u32>,
    /// The virtual ends of the direction at the node behind the link.
    pub(super) virtual_end: Option<u32>,
    /// The direction whose source takes the cells up at the node behind the link, and carries them on.
    pub(super) taken_up: Option<u32>,
    /// The channel by which the cells that are taken up go on, and how many hops further it leads, where the
    /// source that takes them up is evaluated lazily.
    pub(super) resumes: (u32, u32),
}

impl Actions {
    /// Whether there are any.
    pub(super) fn are_some(&self) -> bool {
        self.marks.is_some()
            || self.gfc.is_some()
            || self.turn_round.is_some()
            || self.policer.is_some()
            || self.credit.is_some()
            || self.virtual_end.is_some()
            || self.taken_up.is_some()
    }
}

impl Hop {
    /// Whether the node behind the link does anything with the cells.
    #[inline]
    pub(super) fn has_actions(&self) -> bool {
        self.actions.is_some()
    }

    /// One of them.
    #[inline]
    pub(super) fn action<T>(&self, of: impl Fn(&Actions) -> Option<T>) -> Option<T> {
        self.actions.as_deref().and_then(of)
    }

    /// The account of the credits that the node behind the link gives.
    #[inline]
    pub(super) fn credit(&self) -> Option<u32> {
        self.action(|actions| actions.credit)
    }

    /// The direction whose source takes the cells up at the node behind the link.
    #[inline]
    pub(super) fn taken_up(&self) -> Option<u32> {
        self.action(|actions| actions.taken_up)
    }

    /// The virtual ends at the node behind the link.
    pub(super) fn virtual_end(&self) -> Option<u32> {
        self.action(|actions| actions.virtual_end)
    }

    /// Where forward RM cells turn round.
    pub(super) fn turn_round(&self) -> Option<u32> {
        self.action(|actions| actions.turn_round)
    }

    /// The channel by which the cells that are taken up go on, and how many hops further it leads.
    pub(super) fn resumes(&self) -> (u32, u32) {
        self.actions
            .as_ref()
            .map_or((0, 0), |actions| actions.resumes)
    }

    /// Whether the arrival of `cell` over the link is an event.
    #[inline]
    pub(super) fn is_event(&self, cell: Cell) -> bool {
        self.shows_each || cell.is_marked()
    }
}

/// What a switch algorithm makes of the cells of a direction of a VC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Load {
    /// There is no algorithm, or it does not see cells of lower priority.
    Unseen,
    /// They are the load that it measures.
    Counted,
    /// They go first, and take part of the line.
    Priority,
}

/// `next_link` of the last hop.
pub(super) const END: u32 = u32::MAX;

/// Cells counted at a hop since the start of the run, by kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct HopCounts {
    /// Cells that came to the queue, dropped ones included.
    pub(super) offered: [u64; KINDS],
}

/// What befell cells at a hop, since the start of the run; apart from the hops, which the cell path reads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Faults {
    /// Cells dropped by the queue as they came, by kind.
    pub(super) lost: [u64; KINDS],
    /// Cells lost by errors of the line, by kind.
    pub(super) errored: [u64; KINDS],
    /// Cells that the policer behind the link discarded, by kind.
    pub(super) policed: [u64; KINDS],
    /// Cells that it tagged.
    pub(super) tagged: u64,
    /// Data cells that found the source behind the link full that was to carry them on.
    pub(super) not_taken_up: u64,
}
