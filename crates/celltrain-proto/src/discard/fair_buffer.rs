//! Fair buffer allocation: in a long queue, refuses new frames of a VC that holds more than its share; the share
//! shrinks as the queue fills.
//!
//! ```text
//! rejected = q > R and Y·N/q > Z·(K - R)/(q - R)
//! ```
//!
//! Y: cells of the VC in the queue; N: VCs with cells in the queue; K: the buffer. Source: ATM Forum 96-1269.

use super::policy::{DiscardPolicy, Kind, Port};
use super::view::QueueView;
use crate::units::Cells;

parameters! {
    /// The parameters of [`FairBuffer`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct FairBufferParameters {
        /// Every frame is accepted up to this queue.
        pub threshold: Cells;
        /// Scale of the share that a VC may hold; at a full buffer it is `z` times an equal share.
        pub z: f64 = 0.8;
    }
}

/// Fair buffer allocation.
#[derive(Clone, Debug)]
pub struct FairBuffer {
    threshold: u32,
    z: f64,
}

impl Kind for FairBuffer {
    type Parameters = FairBufferParameters;

    fn build(parameters: &FairBufferParameters, _: &Port<'_>) -> Self {
        Self {
            threshold: parameters.threshold.0 as u32,
            z: parameters.z,
        }
    }

    fn threshold(parameters: &FairBufferParameters) -> Option<Cells> {
        Some(parameters.threshold)
    }
}

impl DiscardPolicy for FairBuffer {
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
    let above = f64::from(view.queued.saturating_sub(threshold));
    let room = f64::from(view.buffer.saturating_sub(threshold));
    // Multiplied out, so that counts exactly at the bound are compared as whole numbers.
    view.queued > threshold && occupancy * above > z * room * f64::from(view.queued)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fba_accepts_at_most_the_published_share_of_each_queue() {
        // K = 1000, R = 900, Z = 0.8, N = 10 (ATM Forum 96-1269).
        for (queued, largest) in [(910, 728), (925, 296), (950, 152), (975, 104), (1_000, 80)] {
            let rejects_at = |of_vc| {
                let (buffer, active_vcs) = (1_000, 10);
                let view = QueueView {
                    queued,
                    buffer,
                    of_vc,
                    active_vcs,
                };
                rejects(900, 0.8, &view)
            };
            assert!(!rejects_at(largest), "q = {queued}, Y = {largest}");
            assert!(rejects_at(largest + 1), "q = {queued}, Y = {largest} + 1");
        }
    }

    #[test]
    fn fba_rejects_nothing_up_to_its_threshold() {
        let view = QueueView {
            queued: 900,
            buffer: 1_000,
            of_vc: 900,
            active_vcs: 1,
        };
        assert!(!rejects(900, 0.8, &view));
    }
}
