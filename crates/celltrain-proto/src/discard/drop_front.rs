//! Drop from front: a data cell that finds the queue full takes the place of the first frame that waits.
//!
//! Source: T. V. Lakshman, A. Neidhardt, T. J. Ott, "The drop from front strategy in TCP and in TCP over ATM", INFOCOM
//! 1996. The sender learns of the loss a queueing delay earlier than with tail drop.
//!
//! The source drops packets: so does this, frame by frame. A frame goes if all of its cells wait. Where there is none, the
//! arriving cell is lost, and the rest of its frame but the last cell, as with partial packet discard.

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
