//! The interface of a discard policy: its inputs and its decisions.

use super::view::QueueView;
use crate::random::Stream;
use crate::units::{Cells, Span, Time};

/// What a policy knows about its queue when it is created.
#[derive(Clone, Debug)]
pub struct Port<'a> {
    /// Cells of a 1500-octet packet.
    pub frame: Cells,
    /// Transmission time of that packet, not zero.
    pub frame_time: Span,
    /// Each VC's share of the sum of all weights. VCs beyond the list have none.
    pub weights: &'a [f64],
    /// For policies that make random decisions.
    pub stream: Stream,
}

/// How to create a policy, and what its kind needs.
pub trait Kind: Sized {
    /// The policy's parameters.
    type Parameters;
    /// Whether it makes random decisions.
    const IS_RANDOM: bool = false;

    /// Creates the policy of an empty queue.
    fn build(parameters: &Self::Parameters, port: &Port<'_>) -> Self;

    /// The threshold that must lie within the buffer, if any: the value of the key `threshold`.
    fn threshold(_: &Self::Parameters) -> Option<Cells> {
        None
    }
}

/// Which frames a queue refuses, in addition to those with a cell that finds no room. Times never decrease from one
/// call to the next.
///
/// A cell that is neither the first nor the last of its frame is not reported if its frame has lost no cell and it finds room
/// ([`Discard::admits_rest`](super::Discard::admits_rest)); how many are left out depends on the engine. So a policy counts frames in
/// [`DiscardPolicy::rejects`], never cells in [`DiscardPolicy::on_arrival`] or [`DiscardPolicy::on_admission`].
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait DiscardPolicy {
    /// Whether the whole frame of `vc` that starts now is rejected; `clp` is that of its first cell.
    fn rejects(&mut self, vc: u32, clp: bool, view: &QueueView) -> bool {
        false
    }
    /// Whether it can reject a frame at its first cell.
    fn is_early(&self) -> bool {
        true
    }
    /// Whether the rest of a frame that lost a cell is refused too.
    fn is_partial(&self) -> bool {
        true
    }
    /// Whether a data cell that finds the queue full takes the place of the frame at the front, instead of being lost.
    /// Then cells are dropped after they were admitted, and no departure but the next one is known.
    fn pushes_out(&self) -> bool {
        false
    }
    /// Whether it reads [`QueueView::of_vc`] and [`QueueView::active_vcs`].
    fn needs_vc_counts(&self) -> bool {
        false
    }
    /// Whether it decides only by the queue at a frame's first cell, so that other cells need not be reported to it.
    fn decides_at_start(&self) -> bool {
        false
    }
    /// A cell of any kind arrives.
    #[inline]
    fn on_arrival(&mut self, now: Time) {}
    /// The cell was admitted, so the queue is no longer empty.
    #[inline]
    fn on_admission(&mut self) {}
    /// The last cell has left.
    fn on_empty(&mut self, now: Time) {}
}
