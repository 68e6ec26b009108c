//! Selective drop: in a long queue, refuses new frames of a VC that holds more than its share.
//!
//! ```text
//! rejected = q > R and Y·N/q > Z
//! ```
//!
//! Y: cells of the VC in the queue; N: VCs with cells in the queue. Source: ATM Forum 96-1269.

use super::policy::{DiscardPolicy, Kind, Port};
use super::view::QueueView;
use crate::units::Cells;

parameters! {
    /// The parameters of [`SelectiveDrop`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct SelectiveDropParameters {
        /// Every frame is accepted up to this queue.
        pub threshold: Cells;
        /// The multiple of an equal share that a VC may hold.
        pub z: f64 = 0.8;
    }
}

/// Selective drop.
#[derive(Clone, Debug)]
pub struct SelectiveDrop {
    threshold: u32,
    z: f64,
}

impl Kind for SelectiveDrop {
    type Parameters = SelectiveDropParameters;

    fn build(parameters: &SelectiveDropParameters, _: &Port<'_>) -> Self {
        Self {
            threshold: parameters.threshold.0 as u32,
            z: parameters.z,
        }
    }

    fn threshold(parameters: &SelectiveDropParameters) -> Option<Cells> {
        Some(parameters.threshold)
    }
}

impl DiscardPolicy for SelectiveDrop {
    fn rejects(&mut self, _: u32, _: bool, view: &QueueView) -> bool {
        rejects(self.threshold, self.z, view)
    }

    fn needs_vc_counts(&self) -> bool {
        true
    }
}

/// Whether a frame that starts now is rejected.
fn rejects(threshold: u32, z: f64, view: &QueueView) -> bool {
    let occupancy = f64::from(view.of_vc) * f64::from(view.active_vcs);
    view.queued > threshold && occupancy > z * f64::from(view.queued)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selective_drop_rejects_above_z_times_an_equal_share() {
        // q = 950, N = 10, Z = 0.8: 0.8·950/10 = 76 cells are still accepted.
        let view = |queued, of_vc| QueueView {
            queued,
            buffer: 1_000,
            of_vc,
            active_vcs: 10,
        };
        assert!(!rejects(900, 0.8, &view(950, 76)));
        assert!(rejects(900, 0.8, &view(950, 77)));
        assert!(!rejects(900, 0.8, &view(900, 900)), "not above R");
        assert!(rejects(900, 0.8, &view(901, 901)));
    }
}
