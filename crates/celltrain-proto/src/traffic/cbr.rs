//! A constant rate: one arrival every size / rate, the first at once.

use super::arrivals::{Arrivals, LongestGap, Run, TrafficSource};
use crate::parameters::Bounds;
use crate::units::{Rate, Span};

parameters! {
    /// The parameters of a source with a constant rate.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct CbrParameters {
        /// Mean rate.
        pub rate: Rate, in Bounds::above(Rate::ZERO);
    }
}

/// Evenly spaced arrivals.
#[derive(Clone, Debug)]
pub struct Cbr {
    gap: Span,
}

impl Cbr {
    /// Arrivals `gap` apart.
    pub(super) fn every(gap: Span) -> Self {
        Self { gap }
    }
}

impl TrafficSource for CbrParameters {
    type Process = Cbr;

    fn start(&self, run: Run) -> Option<Cbr> {
        Some(Cbr::every(self.rate.span_of_bits(run.bits as f64)))
    }

    fn peak(&self, _: u64) -> Option<Rate> {
        Some(self.rate)
    }

    fn longest_gap(&self, bits: u64) -> Option<LongestGap> {
        Some(LongestGap {
            least: self.rate.span_of_bits(bits as f64),
            ..LongestGap::default()
        })
    }
}

impl Arrivals for Cbr {
    fn gap(&mut self) -> Span {
        self.gap
    }

    fn run(&mut self) -> (Span, u32) {
        (self.gap, u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::start;
    use super::*;

    #[test]
    fn gaps_are_the_cell_time() {
        let rate = Rate::kbps(1_024);
        assert_eq!(
            start(&CbrParameters { rate }).gap(),
            Span::from_ps(414_062_500)
        );
    }
}
