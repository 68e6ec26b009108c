//! ERICA: explicit rate by load measurement, for a target utilization.
//!
//! ```text
//! at the end of an interval:  cap = U·line - taken,  z = (input rate) / cap,  N = max(1, active VCs)
//!                             fair = cap / N,  max_prev = max_cur,  max_cur = fair
//! when marking, once a VC and interval:
//!     ER = max(fair, CCR/z), and at least max_prev if z <= 1 + δ;  max_cur = max(max_cur, ER)
//!     ER = fair if CCR < fair < ER;  at most cap
//! ```
//!
//! `taken` is the rate of higher priorities; in another interpretation, U applies to what they leave.
//!
//! It measures arrivals and active VCs in the last complete interval, including dropped arrivals; the line rate at its
//! end; CCR from the latest forward RM cell, or measured. z and N can be averaged over intervals. Source: ATM Forum
//! 96-1172 sections 3 to 5, with the last two steps from 98-0408. Where these are silent: until the first interval ends
//! z is 1 and the fair share is the whole capacity; the lower bound of 1 on N does not count as a VC, so the first VC
//! to return to an idle port does not make N 2. Known limits: it settles up to 1 + δ above the max-min shares, for
//! which U leaves room.
//!
//! A published variant counts each VC twice (the RM cells that answer its other direction share the port), computes ER
//! for each RM cell from the latest CCR, and remembers the rates that it finally gave.

pub(super) mod core;
mod load;
pub(super) mod rules;
#[cfg(test)]
pub(super) mod tests;

use alloc::boxed::Box;

pub use self::load::LoadAveraging;
pub use self::rules::{CcrSource, EricaAllocation, EricaRules, PriorityTaken, Remembers, Verdicts};

use self::core::{Core, Goal};
use super::algorithm::{PortState, SwitchAlgorithm};
use crate::cell::RmCell;
use crate::parameters::Bounds;
use crate::units::{Rate, Time};

parameters! {
    /// The parameters of [`Erica`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EricaParameters {
        /// The fraction of the line to use.
        pub target_utilization: f64 = 0.95, in Bounds::PART;
        /// What the rate of higher-priority cells is subtracted from.
        pub priority_taken: PriorityTaken = PriorityTaken::default();
        ..pub rules: EricaRules;
    }
}

/// ERICA.
#[derive(Clone, Debug)]
pub struct Erica {
    /// Boxed, because every port reserves space for the largest algorithm.
    core: Box<Core>,
}

impl Erica {
    /// Creates an algorithm without history.
    pub fn new(parameters: EricaParameters) -> Self {
        let goal = Goal::Utilization {
            part: parameters.target_utilization,
            taken: parameters.priority_taken,
        };
        Self {
            core: Box::new(Core::new(goal, parameters.rules)),
        }
    }
}

impl SwitchAlgorithm for Erica {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.core.on_cells(now, vc, n);
    }

    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {
        self.core.on_activity(now, vc);
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.core.on_priority_cells(now, n);
    }

    #[inline]
    fn counts_until(&self) -> Time {
        self.core.counts_until()
    }

    fn on_rate_change(&mut self, now: Time, rate: Rate) {
        self.core.set_line(now, rate);
    }

    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, _: &PortState) {
        self.core.on_forward_rm(now, vc, rm);
    }

    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, _: &PortState) {
        self.core.on_backward_rm(now, vc, rm);
    }

    fn target_rate(&mut self, now: Time) -> Option<Rate> {
        Some(self.core.target(now))
    }

    /// The mean of N over the intervals; N itself may be averaged.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        self.core.mean_active_vcs(now)
    }

    fn weight_of_vc(&self) -> f64 {
        self.core.activity_weight()
    }

    fn load_factor(&mut self, now: Time) -> Option<f64> {
        self.core.load_factor(now)
    }

    fn reset_statistics(&mut self, now: Time) {
        self.core.reset_statistics(now);
    }
}
