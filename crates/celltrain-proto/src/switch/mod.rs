//! Switch algorithms: what a port does to the RM cells, and to the EFCI bits, of the ABR traffic that
//! waits in its queue.
//!
//! An algorithm is one file with one type that implements [`SwitchAlgorithm`]; a line in the registry
//! below makes it a variant of [`Algorithm`], which ports hold and which dispatches without a pointer.
//! Algorithms are told of counts, not of cells, and have no timer: what they do at regular intervals
//! they catch up with at the next call, with the same result however often they are called.
//!
//! Not modelled here: the queue itself, and the turning round of RM cells.

mod algorithm;
mod binary;
mod capc;
mod eprca;
mod erica;
mod erica_plus;
mod erica_plus_smoothed;
mod fair_share;
mod interval;
mod phantom;
mod queue_function;
mod smoothed_rate;
#[cfg(test)]
mod tests;
mod window;

pub use algorithm::{Marking, PortState, SwitchAlgorithm};
pub use binary::{Binary, BinaryMarking, BinaryParameters};
pub use capc::{Capc, CapcParameters};
pub use eprca::{Eprca, EprcaForm, EprcaParameters};
pub use erica::{
    CcrSource, Erica, EricaAllocation, EricaRules, LoadAveraging, PriorityTaken, Remembers,
};
pub use erica_plus::{EricaPlus, EricaPlusParameters, QueueSampling};
pub use erica_plus_smoothed::{EricaPlusSmoothed, EricaPlusSmoothedParameters};
pub use fair_share::FairShare;
pub use phantom::{Phantom, PhantomParameters};
pub use queue_function::QueueControl;

use crate::cell::RmCell;
use crate::units::{Cells, Rate, Time};

/// Makes the enum of all algorithms, a variant for each line, and its dispatch.
macro_rules! registry {
    ($($(#[$doc:meta])* $algorithm:ident,)+) => {
        /// Any of the algorithms.
        #[derive(Clone, Debug)]
        pub enum Algorithm {
            $($(#[$doc])* $algorithm($algorithm),)+
        }

        $(impl From<$algorithm> for Algorithm {
            fn from(algorithm: $algorithm) -> Self {
                Self::$algorithm(algorithm)
            }
        })+

        impl SwitchAlgorithm for Algorithm {
            #[inline]
            fn counts_cells(&self) -> bool {
                match self {
                    $(Self::$algorithm(it) => it.counts_cells(),)+
                }
            }
            #[inline]
            fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
                match self {
                    $(Self::$algorithm(it) => it.on_cells(now, vc, n),)+
                }
            }
            #[inline]
            fn on_activity(&mut self, now: Time, vc: u32) {
                match self {
                    $(Self::$algorithm(it) => it.on_activity(now, vc),)+
                }
            }
            #[inline]
            fn on_priority_cells(&mut self, now: Time, n: u64) {
                match self {
                    $(Self::$algorithm(it) => it.on_priority_cells(now, n),)+
                }
            }
            #[inline]
            fn counts_until(&self) -> Time {
                match self {
                    $(Self::$algorithm(it) => it.counts_until(),)+
                }
            }
            fn follows_queue(&self) -> bool {
                match self {
                    $(Self::$algorithm(it) => it.follows_queue(),)+
                }
            }
            #[inline]
            fn on_queue(&mut self, now: Time, queue: Cells) {
                match self {
                    $(Self::$algorithm(it) => it.on_queue(now, queue),)+
                }
            }
            fn on_rate_change(&mut self, now: Time, rate: Rate) {
                match self {
                    $(Self::$algorithm(it) => it.on_rate_change(now, rate),)+
                }
            }
            fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
                match self {
                    $(Self::$algorithm(it) => it.on_forward_rm(now, vc, rm, port),)+
                }
            }
            fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
                match self {
                    $(Self::$algorithm(it) => it.on_backward_rm(now, vc, rm, port),)+
                }
            }
            fn follows_departures(&self) -> bool {
                match self {
                    $(Self::$algorithm(it) => it.follows_departures(),)+
                }
            }
            #[inline]
            fn marks_efci(&mut self, queue: Cells) -> bool {
                match self {
                    $(Self::$algorithm(it) => it.marks_efci(queue),)+
                }
            }
            fn target_rate(&mut self, now: Time) -> Option<Rate> {
                match self {
                    $(Self::$algorithm(it) => it.target_rate(now),)+
                }
            }
            fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
                match self {
                    $(Self::$algorithm(it) => it.mean_active_vcs(now),)+
                }
            }
            fn load_factor(&mut self, now: Time) -> Option<f64> {
                match self {
                    $(Self::$algorithm(it) => it.load_factor(now),)+
                }
            }
            fn reset_statistics(&mut self, now: Time) {
                match self {
                    $(Self::$algorithm(it) => it.reset_statistics(now),)+
                }
            }
        }
    };
}

registry! {
    /// A threshold on the queue sets CI or EFCI.
    Binary,
    /// ER is the line rate over the number of active VCs.
    FairShare,
    /// ERICA+ with a queue target in time and an exponentially smoothed line rate.
    EricaPlusSmoothed,
    /// Explicit rate by load measurement, for a target utilization.
    Erica,
    /// ERICA with a target queueing delay in place of the target utilization.
    EricaPlus,
    /// A mean of the VCs' rates, applied by thresholds on the queue.
    Eprca,
    /// One rate for all VCs, steered by the load: CAPC and CAPC2.
    Capc,
    /// A multiple of the residual rate.
    Phantom,
}
