//! A greedy source has no process of arrivals: whoever sends its cells asks for one whenever the service allows it.

use core::convert::Infallible;

use super::arrivals::{LongestGap, Run, TrafficSource};
use crate::units::Rate;

parameters! {
    /// A greedy source has no parameters.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct GreedyParameters {}
}

impl TrafficSource for GreedyParameters {
    type Process = Infallible;

    fn start(&self, _: Run) -> Option<Infallible> {
        None
    }

    fn peak(&self, _: u64) -> Option<Rate> {
        None
    }

    fn is_greedy(&self) -> bool {
        true
    }

    /// None: it always has something to send.
    fn longest_gap(&self, _: u64) -> Option<LongestGap> {
        Some(LongestGap::default())
    }
}
