//! Early packet discard: refuses new frames while the queue is long.
//!
//! Source: SIGCOMM 1994. It measures the queue at a frame's first cell.

use super::policy::{DiscardPolicy, Kind, Port};
use super::view::QueueView;
use crate::units::Cells;

parameters! {
    /// The parameters of [`EarlyPacket`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EarlyPacketParameters {
        /// A frame is refused if its first cell finds at least this many cells in the queue; usually 0.8 to 0.9 of the
        /// buffer.
        pub threshold: Cells;
        /// Whether the rest of a frame that lost a cell is also refused.
        pub partial: bool = true;
    }
}

/// EPD.
#[derive(Clone, Debug)]
pub struct EarlyPacket {
    parameters: EarlyPacketParameters,
}

impl Kind for EarlyPacket {
    type Parameters = EarlyPacketParameters;

    fn build(parameters: &EarlyPacketParameters, _: &Port<'_>) -> Self {
        Self {
            parameters: *parameters,
        }
    }

    fn threshold(parameters: &EarlyPacketParameters) -> Option<Cells> {
        Some(parameters.threshold)
    }
}

impl DiscardPolicy for EarlyPacket {
    fn rejects(&mut self, _: u32, _: bool, view: &QueueView) -> bool {
        u64::from(view.queued) >= self.parameters.threshold.0
    }

    fn is_partial(&self) -> bool {
        self.parameters.partial
    }

    fn decides_at_start(&self) -> bool {
        true
    }
}
