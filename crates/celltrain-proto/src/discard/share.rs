//! Policies that refuse new frames of a VC that holds more than its share of a long queue; they differ in the share.

use super::policy::{DiscardPolicy, Kind, Port};
use super::view::QueueView;
use crate::units::Cells;

/// The parameters of such a policy.
pub trait ShareLimit: Clone {
    /// Every frame is accepted up to this queue.
    fn threshold(&self) -> Cells;
    /// Whether the queue is above the threshold and the VC of the frame that starts now holds more than its share of it.
    fn is_exceeded(&self, view: &QueueView) -> bool;
}

/// Rejects the frames of VCs above their share.
#[derive(Clone, Debug)]
pub struct ByShare<L>(L);

impl<L: ShareLimit> Kind for ByShare<L> {
    type Parameters = L;

    fn build(limit: &L, _: &Port<'_>) -> Self {
        Self(limit.clone())
    }

    fn threshold(limit: &L) -> Option<Cells> {
        Some(limit.threshold())
    }
}

impl<L: ShareLimit> DiscardPolicy for ByShare<L> {
    fn rejects(&mut self, _: u32, _: bool, view: &QueueView) -> bool {
        self.0.is_exceeded(view)
    }

    fn needs_vc_counts(&self) -> bool {
        true
    }
}
