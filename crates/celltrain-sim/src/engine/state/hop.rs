//! Hops: one entry for each link that each direction of a VC crosses, consecutive along the path.

use crate::engine::state::cell::{Cell, KINDS};

/// What the cells of one direction of a VC meet on one link and at the node downstream of it.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Hop {
    /// The link of this hop.
    pub(in crate::engine) link: u32,
    /// The link of the next hop; [`END`] if this is the last.
    pub(in crate::engine) next_link: u32,
    /// The direction of the VC: 2 x VC + (0 forward, 1 backward).
    pub(in crate::engine) direction: u32,
    /// How the cells count for the switch algorithm of the link's queue.
    pub(in crate::engine) load: Shown,
    /// The VC's number among those that cross the link, for the link's queue.
    pub(in crate::engine) port_vc: u32,
    /// The number by which the switch algorithm knows the cells: that of the VC, or of the tunnel VC that carries it.
    pub(in crate::engine) control_vc: u32,
    /// Whether each cell that comes over the link must be an event, because something downstream sees cells one by one.
    pub(in crate::engine) shows_each: bool,
    /// The channel into which the link puts the cells if it is evaluated lazily.
    pub(in crate::engine) channel: u32,
    /// How many hops downstream that channel leads.
    pub(in crate::engine) ahead: u32,
    /// What the node downstream of the link does with cells other than forwarding them; `None` for most hops.
    pub(in crate::engine) actions: Option<Box<Actions>>,
    /// Cells counted at this hop, by kind.
    pub(in crate::engine) counts: HopCounts,
}

/// What the node at the far end of a link does with the cells of a direction.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Actions {
    /// The link whose algorithm writes into the backward RM cells that arrive here, and the VC's number there.
    pub(in crate::engine) marks: Option<(u32, u32)>,
    /// The link whose GFC command is written into cells that leave the node.
    pub(in crate::engine) gfc: Option<u32>,
    /// Where forward RM cells turn around: the hop of the other direction that leaves this node.
    pub(in crate::engine) turn_around: Option<u32>,
    /// The policer that checks the cells at the node downstream of the link.
    pub(in crate::engine) policer: Option<u32>,
    /// The policer of the other direction that follows the backward RM cells that leave the node.
    pub(in crate::engine) followed_by: Option<u32>,
    /// The credit account of the node downstream of the link, which grants credits for these cells.
    pub(in crate::engine) credit: Option<u32>,
    /// The virtual ends of the direction at the node downstream of the link.
    pub(in crate::engine) virtual_end: Option<u32>,
    /// The shaper at which the cells wait before they leave the node downstream of the link.
    pub(in crate::engine) shaper: Option<u32>,
    /// The direction of the tunnel VC that takes up the cells at the node downstream of the link.
    pub(in crate::engine) entered_tunnel: Option<u32>,
    /// The channel for cells that are taken up, and how many hops downstream it leads, if the tunnel VC is evaluated
    /// lazily.
    pub(in crate::engine) resumes: (u32, u32),
}

impl Actions {
    /// Whether there is any action.
    pub(in crate::engine) fn are_some(&self) -> bool {
        self.marks.is_some()
            || self.gfc.is_some()
            || self.turn_around.is_some()
            || self.policer.is_some()
            || self.followed_by.is_some()
            || self.credit.is_some()
            || self.virtual_end.is_some()
            || self.shaper.is_some()
            || self.entered_tunnel.is_some()
    }
}

impl Hop {
    /// Whether the node downstream of the link does more with the cells than forward them.
    #[inline]
    pub(in crate::engine) fn has_actions(&self) -> bool {
        self.actions.is_some()
    }

    /// A given kind of action, if the node has it.
    #[inline]
    pub(in crate::engine) fn action<T>(&self, of: impl Fn(&Actions) -> Option<T>) -> Option<T> {
        self.actions.as_deref().and_then(of)
    }

    /// The credit account of the node downstream of the link.
    #[inline]
    pub(in crate::engine) fn credit(&self) -> Option<u32> {
        self.action(|actions| actions.credit)
    }

    /// The direction of the tunnel VC that takes up the cells at the node downstream of the link.
    #[inline]
    pub(in crate::engine) fn entered_tunnel(&self) -> Option<u32> {
        self.action(|actions| actions.entered_tunnel)
    }

    /// The virtual ends at the node downstream of the link.
    pub(in crate::engine) fn virtual_end(&self) -> Option<u32> {
        self.action(|actions| actions.virtual_end)
    }

    /// The policer at the node downstream of the link.
    pub(in crate::engine) fn policer(&self) -> Option<u32> {
        self.action(|actions| actions.policer)
    }

    /// The shaper at the node downstream of the link.
    #[inline]
    pub(in crate::engine) fn shaper(&self) -> Option<u32> {
        self.action(|actions| actions.shaper)
    }

    /// Where forward RM cells turn around.
    pub(in crate::engine) fn turn_around(&self) -> Option<u32> {
        self.action(|actions| actions.turn_around)
    }

    /// The channel for cells that are taken up, and how many hops downstream it leads.
    pub(in crate::engine) fn resumes(&self) -> (u32, u32) {
        self.actions
            .as_ref()
            .map_or((0, 0), |actions| actions.resumes)
    }

    /// Whether the arrival of `cell` over the link is an event.
    #[inline]
    pub(in crate::engine) fn is_event(&self, cell: Cell) -> bool {
        self.shows_each || cell.is_event()
    }
}

/// How the cells of a direction of a VC count for a switch algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Shown {
    /// There is no algorithm, or it does not see cells of lower priority.
    Unseen,
    /// They are part of the load that it measures.
    Counted,
    /// They go first and take part of the line's capacity.
    Priority,
}

/// `next_link` of the last hop.
pub(in crate::engine) const END: u32 = u32::MAX;

/// Cells counted at a hop since the start of the run, by kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(in crate::engine) struct HopCounts {
    /// Cells that arrived at the queue, including dropped ones.
    pub(in crate::engine) offered: [u64; KINDS],
}

/// Losses and discards at a hop since the start of the run; separate from the hops, which are read for every cell.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Faults {
    /// Cells that the queue refused on arrival, by kind.
    pub(in crate::engine) lost: [u64; KINDS],
    /// Cells lost to line errors, by kind.
    pub(in crate::engine) errored: [u64; KINDS],
    /// Cells discarded by the policer downstream of the link, by kind.
    pub(in crate::engine) policed: [u64; KINDS],
    /// Cells tagged by that policer.
    pub(in crate::engine) tagged: u64,
    /// Cells that found the queue of the tunnel VC or the shaper downstream of the link full, by kind.
    pub(in crate::engine) refused: [u64; KINDS],
}
