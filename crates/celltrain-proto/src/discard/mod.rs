//! Discard: which cells of a full or filling queue are refused.
//!
//! ```text
//! a data cell arrives:  first of its frame:  whole = the policy rejects it,  rest = false
//!                       refused = whole, or rest and not the last of its frame, or q >= limit
//!                       q >= limit:  rest = true
//! ```
//!
//! q counts cells, the one in transmission included; the limit is the buffer or, for a cell with
//! CLP = 1, the smaller of the buffer and the CLP threshold. The end of a frame is the AUU bit of AAL5; the
//! cell after it is a first cell, whether the end itself was admitted or not. Tail drop knows nothing
//! of frames: it refuses at the limit and nowhere else, and so does every policy with RM cells, which
//! leave the state of their VC's frame alone. All other policies discard partial packets, unless told not to; those that
//! reject whole frames do so at their first cells, last cells included, and each has a file here.
//!
//! Sources: EPD and PPD, SIGCOMM 1994; the others are named in their files. Where they are silent, CLP
//! follows the rules of frames: a first cell with CLP = 1 that meets its threshold costs the whole
//! frame if the policy can reject whole frames; any other such cell is a loss like that of a full
//! buffer, so the rest goes too, and the last cell is kept if its own limit allows.
//!
//! Not modelled here: the queue itself, and cells of frames that are cut off before their last cell
//! (such a frame and the next are one).

mod dfba;
mod early_packet;
mod fair_buffer;
mod frame;
mod red;
mod selective_drop;
#[cfg(test)]
mod tests;
mod view;

pub use dfba::DfbaOptions;
pub use red::RedOptions;
pub use view::QueueView;

use alloc::vec;
use alloc::vec::Vec;

use crate::random::Stream;
use crate::units::Time;
use frame::FrameState;

/// The cell that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arriving {
    /// Whether it carries part of an AAL5 frame; false for RM cells.
    pub is_data: bool,
    /// Whether it is the last of its frame: the AUU bit.
    pub is_end: bool,
    /// Whether it may be discarded first: the CLP bit.
    pub clp: bool,
}

/// Which cells a queue refuses. Thresholds are in cells.
#[derive(Clone, PartialEq, Debug)]
pub enum Policy {
    /// Cells that find the buffer full; the only policy that does not look at frames.
    TailDrop,
    /// Tail drop, and what follows a refused cell in its frame, except the last cell (PPD).
    PartialPacket,
    /// Whole frames that start while the queue holds the threshold or more (EPD).
    EarlyPacket {
        /// The queue from which on frames are rejected; usually 0.8 to 0.9 of the buffer.
        threshold: u32,
    },
    /// Above the threshold, whole frames of VCs that have more than Z times an equal share of the queue.
    SelectiveDrop {
        /// The queue above which shares are compared.
        threshold: u32,
        /// Z: the multiple of an equal share that is still accepted; usually 0.8.
        z: f64,
    },
    /// As selective drop, with a multiple that falls from infinity at the threshold to Z at a full
    /// buffer: fair buffer allocation (FBA).
    FairBuffer {
        /// The queue above which shares are compared, below the buffer.
        threshold: u32,
        /// Z: the multiple of an equal share that is still accepted at a full buffer; usually 0.8.
        z: f64,
    },
    /// Whole frames by chance, by the mean queue: random early detection.
    Red(RedOptions),
    /// Whole frames by chance, by the VC's weighted share: differential FBA, for GFR.
    Dfba(DfbaOptions),
}

impl Policy {
    /// Whether the policy looks at frames at all.
    fn sees_frames(&self) -> bool {
        !matches!(self, Self::TailDrop)
    }

    /// The parameters of random early detection, if it is that.
    #[inline]
    fn red(&self) -> Option<&RedOptions> {
        match self {
            Self::Red(options) => Some(options),
            _ => None,
        }
    }

    /// Whether the policy can reject a frame at its first cell.
    fn is_early(&self) -> bool {
        !matches!(self, Self::TailDrop | Self::PartialPacket)
    }
}

/// The discard of one queue: a policy and where each VC is in its frame.
#[derive(Clone, Debug)]
pub struct Discard {
    policy: Policy,
    clp_threshold: Option<u32>,
    /// Whether what follows a refused cell in its frame is refused too.
    is_partial: bool,
    frames: Vec<FrameState>,
    /// Read only under [`Policy::Red`].
    red: red::State,
    stream: Stream,
}

impl Discard {
    /// The discard of an empty queue, every VC before the first cell of a frame.
    ///
    /// `clp_threshold`: the queue, in cells, from which on cells with CLP = 1 are refused; `None`: CLP
    /// does not matter, except to DFBA. `vcs`: how many VCs to expect; the table grows as far as the
    /// largest number seen. `stream`: for the policies that act by chance.
    pub fn new(policy: Policy, clp_threshold: Option<u32>, vcs: usize, stream: Stream) -> Self {
        Self {
            policy,
            clp_threshold,
            is_partial: true,
            frames: vec![FrameState::default(); vcs],
            red: red::State::default(),
            stream,
        }
    }

    /// The same without partial packet discard: frames are rejected whole, or not at all.
    #[must_use]
    pub fn whole_frames_only(self) -> Self {
        Self {
            is_partial: false,
            ..self
        }
    }

    /// Whether the cell of `vc` that arrives at the queue `view` is admitted.
    ///
    /// To be asked once for each cell, in the order of arrival: the answer changes what becomes of the
    /// rest of the frame.
    pub fn admits(&mut self, now: Time, vc: u32, cell: Arriving, view: &QueueView) -> bool {
        self.red.on_arrival(now, self.policy.red());
        let has_room = view.queued < self.limit(cell, view);
        let admitted = if cell.is_data && self.policy.sees_frames() {
            let rejected = self.frame(vc).at_start && self.rejects(vc, cell, view);
            let admitted = self.frame(vc).admits(cell.is_end, rejected, has_room);
            if !self.is_partial {
                self.frame(vc).keep_rest();
            }
            admitted
        } else {
            has_room
        };
        if admitted {
            self.red.on_admission();
        }
        admitted
    }

    /// The last cell has left the queue, at `now`. RED's mean falls with the time that the queue is empty;
    /// no other policy needs to be told.
    pub fn on_empty(&mut self, now: Time) {
        self.red.on_empty(now);
    }

    /// Whether the policy reads [`QueueView::of_vc`] and [`QueueView::active_vcs`].
    pub fn needs_vc_counts(&self) -> bool {
        matches!(
            self.policy,
            Policy::SelectiveDrop { .. } | Policy::FairBuffer { .. } | Policy::Dfba(_)
        )
    }

    /// Whether a cell that is not the first of its frame is refused for nothing but a full buffer, or an earlier loss
    /// in its frame: then [`Discard::admits`] need not be asked of cells behind one that it admitted, up to the next
    /// first or last one, as long as they find room.
    pub fn decides_at_start(&self) -> bool {
        let by_frame = matches!(
            self.policy,
            Policy::TailDrop | Policy::PartialPacket | Policy::EarlyPacket { .. }
        );
        by_frame && self.clp_threshold.is_none()
    }

    /// Whether the cells of `vc` that follow are refused, up to the last of their frame.
    pub fn refuses_rest(&self, vc: u32) -> bool {
        self.frames
            .get(vc as usize)
            .is_some_and(|frame| frame.refuses_rest())
    }

    /// Whether the next cell of `vc` is in the middle of a frame of which nothing is refused, unless it is the last: then
    /// [`Discard::admits`] need not be asked of it if it finds room.
    pub fn admits_rest(&self, vc: u32) -> bool {
        self.frames
            .get(vc as usize)
            .is_some_and(|frame| frame.admits_rest())
    }

    /// Whether every cell is admitted that finds the buffer not yet full.
    pub fn takes_all(&self) -> bool {
        matches!(self.policy, Policy::TailDrop) && self.clp_threshold.is_none()
    }

    /// The queue at which `cell` finds no room.
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
        let by_policy = match &self.policy {
            Policy::TailDrop | Policy::PartialPacket => false,
            Policy::EarlyPacket { threshold } => early_packet::rejects(*threshold, view),
            Policy::SelectiveDrop { threshold, z } => selective_drop::rejects(*threshold, *z, view),
            Policy::FairBuffer { threshold, z } => fair_buffer::rejects(*threshold, *z, view),
            Policy::Red(options) => self.red.rejects(options, view, &mut self.stream),
            Policy::Dfba(options) => options.rejects(vc, cell.clp, view, &mut self.stream),
        };
        let over_clp = |threshold| cell.clp && view.queued >= threshold;
        by_policy || (self.policy.is_early() && self.clp_threshold.is_some_and(over_clp))
    }
}
