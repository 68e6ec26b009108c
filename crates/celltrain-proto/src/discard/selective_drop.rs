//! Selective drop: in a long queue, refuses new frames of a VC that holds more than its share.
//!
//! ```text
//! rejected = q > R and Y·N/q > Z
//! ```
//!
//! Y: cells of the VC in the queue; N: VCs with cells in the queue. Source: ATM Forum 96-1269.

use super::share::{ByShare, ShareLimit};
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
pub type SelectiveDrop = ByShare<SelectiveDropParameters>;

impl ShareLimit for SelectiveDropParameters {
    fn threshold(&self) -> Cells {
        self.threshold
    }

    #[inline]
    fn is_exceeded(&self, view: &QueueView) -> bool {
        let occupancy = f64::from(view.of_vc) * f64::from(view.active_vcs);
        let is_long = view.queued > self.threshold.0 as u32;
        is_long && occupancy > self.z * f64::from(view.queued)
    }
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
        let parameters = SelectiveDropParameters {
            threshold: Cells(900),
            z: 0.8,
        };
        let rejects = |queued, of_vc| parameters.is_exceeded(&view(queued, of_vc));
        assert!(!rejects(950, 76));
        assert!(rejects(950, 77));
        assert!(!rejects(900, 900), "not above R");
        assert!(rejects(901, 901));
    }
}
