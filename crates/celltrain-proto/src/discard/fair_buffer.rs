//! Fair buffer allocation: in a long queue, refuses new frames of a VC that holds more than its share; the share
//! shrinks as the queue fills.
//!
//! ```text
//! rejected = q > R and Y·N/q > Z·(K - R)/(q - R)
//! ```
//!
//! Y: cells of the VC in the queue; N: VCs with cells in the queue; K: the buffer. Source: ATM Forum 96-1269.

use super::share::{ByShare, ShareLimit};
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
pub type FairBuffer = ByShare<FairBufferParameters>;

impl ShareLimit for FairBufferParameters {
    fn threshold(&self) -> Cells {
        self.threshold
    }

    #[inline]
    fn is_exceeded(&self, view: &QueueView) -> bool {
        let threshold = self.threshold.0 as u32;
        let occupancy = f64::from(view.of_vc) * f64::from(view.active_vcs);
        let above = f64::from(view.queued.saturating_sub(threshold));
        let room = f64::from(view.buffer.saturating_sub(threshold));
        // Multiplied out, so that counts exactly at the bound are compared as whole numbers.
        view.queued > threshold && occupancy * above > self.z * room * f64::from(view.queued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: FairBufferParameters = FairBufferParameters {
        threshold: Cells(900),
        z: 0.8,
    };

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
                PARAMETERS.is_exceeded(&view)
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
        assert!(!PARAMETERS.is_exceeded(&view));
    }
}
