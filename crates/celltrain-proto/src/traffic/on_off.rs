//! Bursts at a peak rate and silences: a chain of two states that alternate.

use alloc::vec;

use super::arrivals::{LongestGap, Run, TrafficSource};
use super::modulated::{Lengths, Modulated, Spacing, State};
use crate::parameters::Bounds;
use crate::units::{Rate, Span};

parameters! {
    /// The parameters of a source of bursts and silences.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct OnOffParameters {
        /// Rate in a burst.
        pub peak: Rate, in Bounds::above(Rate::ZERO);
        /// Mean length of a burst.
        pub on: Span, in Bounds::INTERVAL;
        /// Mean length of a silence.
        pub off: Span, in Bounds::INTERVAL;
        /// The distribution of the lengths.
        pub lengths: Lengths = Lengths::default();
    }
}

impl TrafficSource for OnOffParameters {
    type Process = Modulated;

    fn start(&self, run: Run) -> Option<Modulated> {
        let state = |rate, mean| State { rate, mean };
        let states = vec![state(self.peak, self.on), state(Rate::ZERO, self.off)];
        Some(Modulated::new(states, self.lengths, Spacing::Even, run))
    }

    fn peak(&self, _: u64) -> Option<Rate> {
        Some(self.peak)
    }

    fn changes_per_s(&self) -> f64 {
        2.0 / (self.on.as_secs() + self.off.as_secs())
    }

    fn is_random(&self) -> bool {
        self.lengths != Lengths::Fixed
    }

    fn longest_gap(&self, bits: u64) -> Option<LongestGap> {
        let gap = self.peak.span_of_bits(bits as f64);
        let (least, random) = if self.is_random() {
            (gap, self.off + self.on)
        } else {
            (self.off.saturating_add(gap), Span::ZERO)
        };
        // A burst may be shorter than the gap between two arrivals.
        (self.on > gap).then_some(LongestGap { least, random })
    }
}
