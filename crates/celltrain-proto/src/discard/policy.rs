//! What a discard policy is told, and what it decides.

use super::view::QueueView;
use crate::random::Stream;
use crate::units::{Cells, Span, Time};

/// What a policy is told of its queue when it is made.
#[derive(Clone, Debug)]
pub struct Port<'a> {
    /// Cells of a packet of 1500 octets.
    pub frame: Cells,
    /// How long these take on the line, not zero.
    pub frame_time: Span,
    /// The part of each VC in the sum of all weights. VCs beyond the list have none.
    pub weights: &'a [f64],
    /// For policies that act by chance.
    pub stream: Stream,
}

/// How a policy is made, and what its kind needs.
pub trait Kind: Sized {
    /// Its parameters.
    type Parameters;
    /// Whether it acts by chance.
    const IS_RANDOM: bool = false;

    /// The policy of an empty queue.
    fn build(parameters: &Self::Parameters, port: &Port<'_>) -> Self;

    /// The threshold that must lie within the buffer, if there is one: the value of the key `threshold`.
    fn threshold(_: &Self::Parameters) -> Option<Cells> {
        None
    }
}

/// Which frames a queue refuses, beyond those of which a cell finds no room. Times never decrease from one call to the
/// next.
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
    /// Whether what follows a lost cell in its frame is refused too.
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
    /// Whether it knows nothing but the queue at a frame's first cell, so that it need not be told of other cells.
    fn decides_at_start(&self) -> bool {
        false
    }
    /// A cell of any kind arrives.
    #[inline]
    fn on_arrival(&mut self, now: Time) {}
    /// The cell was admitted: the queue is not empty now.
    #[inline]
    fn on_admission(&mut self) {}
    /// The last cell has left.
    fn on_empty(&mut self, now: Time) {}
}
