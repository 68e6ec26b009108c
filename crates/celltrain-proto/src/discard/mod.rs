//! Discard: which cells are refused when a queue is full or filling up.
//!
//! ```text
//! a data cell arrives:  first of its frame:  whole = the policy rejects it,  rest = false
//!                       refused = whole, or rest and not the last of its frame, or q >= limit
//!                       q >= limit:  rest = true
//! ```
//!
//! q counts cells, including the one in transmission; the limit is the buffer or, for a cell with CLP = 1, the smaller
//! of the buffer and the CLP threshold. The AUU bit of AAL5 marks the end of a frame; the cell after it is a first
//! cell, whether or not the end itself was admitted. Tail drop ignores frames: it refuses only at the limit, and every
//! policy treats RM cells so, without touching the frame state of their VC. All other policies discard partial packets
//! unless told not to; those that reject whole frames do so at the first cell, including last cells, and each has a
//! file here.
//!
//! Sources: EPD and PPD, SIGCOMM 1994; the others are named in their files. Where they are silent, CLP follows the
//! rules of frames: a first cell with CLP = 1 that meets its threshold causes the whole frame to be rejected if the
//! policy can reject whole frames; any other such cell is a loss as with a full buffer, so the rest is discarded too,
//! and the last cell is kept if its own limit allows.
//!
//! Not modelled here: the queue itself, and frames cut off before their last cell (such a frame and the next are
//! merged).

mod ared;
mod dfba;
mod drop_front;
mod early_packet;
mod fair_buffer;
mod frame;
mod partial_packet;
mod policy;
mod red;
#[macro_use]
mod registry;
mod selective_drop;
mod share;
#[cfg(test)]
mod tests;
mod view;

pub use policy::{DiscardPolicy, Kind, Port};
pub(crate) use red::{RedOptions, State as RedState};
pub use view::QueueView;

use alloc::vec;
use alloc::vec::Vec;

use crate::units::{Cells, Time};
use frame::FrameState;

discard_policies! {
    /// Partial packet discard: the rest of a frame that lost a cell, except its last cell.
    "ppd", "PPD" => partial_packet::PartialPacket(PartialPacketParameters);
    /// Early packet discard: whole frames that start while the queue is at or above the threshold, and the rest of
    /// frames that lost a cell.
    "epd", "EPD" => early_packet::EarlyPacket(EarlyPacketParameters);
    /// Frames of VCs that hold more than their share of the queue, above the threshold.
    "selective-drop", "selective drop" => selective_drop::SelectiveDrop(SelectiveDropParameters);
    /// Fair buffer allocation: the share shrinks as the queue fills.
    "fair-buffer", "fair buffer allocation" => fair_buffer::FairBuffer(FairBufferParameters);
    /// Random early detection, frame by frame.
    "red", "RED" => red::Red(RedParameters);
    /// Differential fair buffer allocation: frames at random, the more likely the further their VC exceeds its weighted
    /// share of the queue.
    "dfba", "DFBA" => dfba::Dfba(DfbaParameters);
    /// Adaptive RED: the maximum probability follows the mean queue; the rest follows the line and a target delay
    /// (Floyd et al. 2001).
    "ared", "ARED" => ared::Ared(AredParameters);
    /// Drop from front: a cell that finds the queue full takes the place of the first frame that waits whole (Lakshman et
    /// al. 1996).
    "drop-front", "drop from front" => drop_front::DropFront(DropFrontParameters);
}

/// An arriving cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arriving {
    /// Whether it carries part of an AAL5 frame; false for RM cells.
    pub is_data: bool,
    /// Whether it is the last of its frame: the AUU bit.
    pub is_end: bool,
    /// Whether it may be discarded first: the CLP bit.
    pub clp: bool,
}

/// The discard of one queue: a policy and the frame state of each VC.
#[derive(Clone, Debug)]
pub struct Discard {
    /// `None` is tail drop.
    policy: Option<Policy>,
    clp_threshold: Option<u32>,
    /// Whether the rest of a frame that lost a cell is refused too.
    is_partial: bool,
    frames: Vec<FrameState>,
}

impl Discard {
    /// The discard of an empty queue, with every VC at the start of a frame.
    ///
    /// `policy`: `None` is tail drop, which ignores frames. `clp_threshold`: the queue length, in cells, from which
    /// cells with CLP = 1 are refused; with `None`, CLP does not matter, except to DFBA. `vcs`: how many VCs to expect;
    /// the table grows to the largest number seen.
    pub fn new(policy: Option<Policy>, clp_threshold: Option<u32>, vcs: usize) -> Self {
        Self {
            is_partial: policy.as_ref().is_none_or(DiscardPolicy::is_partial),
            policy,
            clp_threshold,
            frames: vec![FrameState::default(); vcs],
        }
    }

    /// Whether the arriving cell of `vc` is admitted to the queue `view`.
    ///
    /// Call once for each cell, in order of arrival: the answer changes what happens to the rest of the frame.
    pub fn admits(&mut self, now: Time, vc: u32, cell: Arriving, view: &QueueView) -> bool {
        if let Some(policy) = &mut self.policy {
            policy.on_arrival(now);
        }
        let has_room = view.queued < self.limit(cell, view);
        let admitted = if cell.is_data && self.policy.is_some() {
            let rejected = self.frame(vc).at_start && self.rejects(vc, cell, view);
            let admitted = self.frame(vc).admits(cell.is_end, rejected, has_room);
            if !self.is_partial {
                self.frame(vc).keep_rest();
            }
            admitted
        } else {
            has_room
        };
        if admitted && let Some(policy) = &mut self.policy {
            policy.on_admission();
        }
        admitted
    }

    /// The last cell has left the queue, at `now`.
    pub fn on_empty(&mut self, now: Time) {
        if let Some(policy) = &mut self.policy {
            policy.on_empty(now);
        }
    }

    /// Whether a data cell that finds the queue full takes the place of a frame that waits.
    pub fn pushes_out(&self) -> bool {
        self.policy.as_ref().is_some_and(DiscardPolicy::pushes_out)
    }

    /// Whether the policy reads [`QueueView::of_vc`] and [`QueueView::active_vcs`].
    pub fn needs_vc_counts(&self) -> bool {
        self.policy
            .as_ref()
            .is_some_and(DiscardPolicy::needs_vc_counts)
    }

    /// Whether a cell that is not the first of its frame is refused only for a full buffer or an earlier loss in its
    /// frame. Then [`Discard::admits`] need not be called for cells after an admitted one, up to the next first or last
    /// cell, as long as they find room.
    pub fn decides_at_start(&self) -> bool {
        let by_frame = self
            .policy
            .as_ref()
            .is_none_or(DiscardPolicy::decides_at_start);
        by_frame && self.clp_threshold.is_none()
    }

    /// Whether the following cells of `vc` are refused, up to the last of their frame.
    pub fn refuses_rest(&self, vc: u32) -> bool {
        self.frames
            .get(vc as usize)
            .is_some_and(|frame| frame.refuses_rest())
    }

    /// Whether the next cell of `vc` is in the middle of a frame that has lost no cell. Unless that cell is the last of
    /// its frame, [`Discard::admits`] need not be called for it if it finds room.
    pub fn admits_rest(&self, vc: u32) -> bool {
        self.frames
            .get(vc as usize)
            .is_some_and(|frame| frame.admits_rest())
    }

    /// Whether every cell that finds room in the buffer is admitted.
    pub fn takes_all(&self) -> bool {
        self.policy.is_none() && self.clp_threshold.is_none()
    }

    /// The queue length at which `cell` finds no room.
    fn limit(&self, cell: Arriving, view: &QueueView) -> u32 {
        match self.clp_threshold {
            Some(threshold) if cell.clp => threshold.min(view.buffer),
            _ => view.buffer,
        }
    }

    fn frame(&mut self, vc: u32) -> &mut FrameState {
        let vc = vc as usize;
        if vc >= self.frames.len() {
            self.frames.resize(vc + 1, FrameState::default());
        }
        &mut self.frames[vc]
    }

    /// Whether the whole frame that starts with `cell` is rejected.
    fn rejects(&mut self, vc: u32, cell: Arriving, view: &QueueView) -> bool {
        let Some(policy) = &mut self.policy else {
            return false;
        };
        let by_policy = policy.rejects(vc, cell.clp, view);
        let over_clp = |threshold| cell.clp && view.queued >= threshold;
        by_policy || (policy.is_early() && self.clp_threshold.is_some_and(over_clp))
    }
}
