//! Drop from front: a data cell that arrives at a full queue pushes out the first waiting frame.
//!
//! Source: T. V. Lakshman, A. Neidhardt, T. J. Ott, "The drop from front strategy in TCP and in TCP over ATM", INFOCOM
//! 1996. The sender detects the loss one queueing delay earlier than with tail drop.
//!
//! As in the paper, whole packets are dropped: a frame is dropped only if none of its cells has left. Without such a
//! frame, the arriving cell is lost, and with it the rest of its frame except the last cell, as in partial packet discard.

use super::policy::{DiscardPolicy, Kind, Port};

parameters! {
    /// Drop from front has no parameters.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct DropFrontParameters {}
}

/// Drop from front.
#[derive(Clone, Debug)]
pub struct DropFront;

impl Kind for DropFront {
    type Parameters = DropFrontParameters;

    fn build(_: &DropFrontParameters, _: &Port<'_>) -> Self {
        Self
    }
}

impl DiscardPolicy for DropFront {
    fn is_early(&self) -> bool {
        false
    }

    fn pushes_out(&self) -> bool {
        true
    }
}
