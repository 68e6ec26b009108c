//! Partial packet discard: the rest of a frame that lost a cell is refused, except its last cell.
//!
//! Source: SIGCOMM 1994. It uses only the per-frame state, which every policy has.

use super::policy::{DiscardPolicy, Kind, Port};

parameters! {
    /// Partial packet discard has no parameters.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PartialPacketParameters {}
}

/// PPD.
#[derive(Clone, Debug)]
pub struct PartialPacket;

impl Kind for PartialPacket {
    type Parameters = PartialPacketParameters;

    fn build(_: &PartialPacketParameters, _: &Port<'_>) -> Self {
        Self
    }
}

impl DiscardPolicy for PartialPacket {
    fn is_early(&self) -> bool {
        false
    }

    fn decides_at_start(&self) -> bool {
        true
    }
}
