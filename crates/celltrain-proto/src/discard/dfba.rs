//! Differential fair buffer allocation, for GFR: frames are rejected at random, with a probability that grows with the
//! excess of their VC over its guaranteed share of the queue.
//!
//! ```text
//! q <= L:       accept
//! q > H:        reject
//! CLP = 1:      reject
//! Y <= q·r:     accept
//! otherwise:    reject with probability Z·[α·(Y - q·r)/(q·(1-r)) + (1-α)·(q - L)/(H - L)]
//! ```
//!
//! Y: cells of the VC in the queue; r: its weight. Source: ATM Forum 98-0405. Where it is silent: a frame has the CLP
//! of its first cell, the only one seen when the decision is made.

use alloc::vec::Vec;

use super::policy::{DiscardPolicy, Kind, Port};
use super::view::QueueView;
use crate::parameters::{Bounds, more_than};
use crate::random::Stream;
use crate::units::Cells;

parameters! {
    /// The parameters of [`Dfba`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct DfbaParameters {
        /// All frames are accepted up to this queue.
        pub low: Cells;
        /// No frame is accepted above this queue.
        pub threshold: Cells;
        /// The maximum probability between the two.
        pub z: f64 = 0.8, in Bounds::at_most(1.0);
        /// Weight of the VC's excess in the probability; the rest is the weight of the queue length.
        pub alpha: f64 = 0.5, in Bounds::at_most(1.0);
    }
    |it| more_than("threshold", it.threshold, "low", it.low)
}

/// DFBA.
#[derive(Clone, Debug)]
pub struct Dfba {
    low: u32,
    high: u32,
    z: f64,
    alpha: f64,
    /// r of each VC. VCs beyond the list have no weight.
    weights: Vec<f64>,
    stream: Stream,
}

impl Kind for Dfba {
    type Parameters = DfbaParameters;
    const IS_RANDOM: bool = true;

    fn build(parameters: &DfbaParameters, port: &Port<'_>) -> Self {
        Self {
            low: parameters.low.0 as u32,
            high: parameters.threshold.0 as u32,
            z: parameters.z,
            alpha: parameters.alpha,
            weights: port.weights.to_vec(),
            stream: port.stream.clone(),
        }
    }

    fn threshold(parameters: &DfbaParameters) -> Option<Cells> {
        Some(parameters.threshold)
    }
}

impl DiscardPolicy for Dfba {
    fn rejects(&mut self, vc: u32, clp: bool, view: &QueueView) -> bool {
        if view.queued <= self.low {
            return false;
        }
        if view.queued > self.high || clp {
            return true;
        }
        let probability = self.probability(vc, view);
        probability > 0.0 && self.stream.uniform() < probability
    }

    fn needs_vc_counts(&self) -> bool {
        true
    }
}

impl Dfba {
    /// The rejection probability of a frame with CLP = 0 between the thresholds.
    fn probability(&self, vc: u32, view: &QueueView) -> f64 {
        let weight = self.weights.get(vc as usize).copied().unwrap_or(0.0);
        let (queued, of_vc) = (f64::from(view.queued), f64::from(view.of_vc));
        let excess = of_vc - queued * weight;
        if excess <= 0.0 {
            return 0.0;
        }
        let share = excess / (queued * (1.0 - weight));
        let length = f64::from(view.queued - self.low) / f64::from(self.high - self.low);
        self.z * (self.alpha * share + (1.0 - self.alpha) * length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn dfba() -> Dfba {
        let parameters = DfbaParameters {
            low: Cells(400),
            threshold: Cells(800),
            z: 0.8,
            alpha: 0.5,
        };
        let port = Port {
            frame: Cells(32),
            frame_time: Span::from_ms(1),
            weights: &[0.25],
            stream: Stream::named(1, "dfba"),
        };
        Dfba::build(&parameters, &port)
    }

    fn view(queued: u32, of_vc: u32) -> QueueView {
        QueueView {
            queued,
            buffer: 1_000,
            of_vc,
            active_vcs: 3,
        }
    }

    #[test]
    fn dfba_decides_by_the_thresholds_and_by_clp() {
        let mut dfba = dfba();
        let mut rejects = |clp, queued, of_vc| dfba.rejects(0, clp, &view(queued, of_vc));
        assert!(!rejects(true, 400, 400), "q <= L accepts even CLP = 1");
        assert!(rejects(true, 401, 0), "CLP = 1 above L");
        assert!(!rejects(false, 600, 150), "a VC within its share");
        assert!(!rejects(false, 800, 200), "q = H is not above H");
        assert!(rejects(false, 801, 0), "above H");
    }

    #[test]
    fn dfba_probability_weighs_the_excess_share_and_the_length() {
        // q = 600: (375 - 150)/450 = 1/2 and 200/400 = 1/2, so 0.8·1/2; at q = 800, Y = q: 0.8.
        assert_eq!(dfba().probability(0, &view(600, 375)), 0.4);
        assert_eq!(dfba().probability(0, &view(800, 800)), 0.8);
        // Without a weight every cell is excess: 0.8·(½·60/600 + ½·1/2) = 0.24.
        assert!((dfba().probability(1, &view(600, 60)) - 0.24).abs() < 1e-15);
        assert_eq!(dfba().probability(0, &view(600, 150)), 0.0);
    }
}
