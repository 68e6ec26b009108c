//! Switch algorithms: what a port does to the RM cells, and to the EFCI bits, of the ABR traffic that
//! waits in its queue.
//!
//! An algorithm is one file with one type that implements [`SwitchAlgorithm`]; a line in the registry
//! below makes it a variant of [`Algorithm`], which ports hold and which dispatches without a pointer.
//! Algorithms are told of counts, not of cells, and have no timer: what they do at regular intervals
//! they catch up with at the next call, with the same result however often they are called.
//!
//! Not modelled here: the queue itself, and the turning round of RM cells.

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

/// The least part of the line rate that an algorithm's own rate falls to where its source sets no limit:
/// a rate of zero could never grow by factors again.
const LEAST_SHARE: f64 = 1e-6;

/// A port at the moment at which an algorithm acts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PortState {
    /// Cells of the algorithm's own class in the queue, the one in transmission included.
    pub queue: Cells,
    /// The present rate of the line that serves the queue.
    pub rate: Rate,
}

/// Which RM cells an explicit-rate algorithm writes its rate into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marking {
    /// Backward RM cells, as they pass the port against the data: the fresher news.
    BackwardRm,
    /// Forward RM cells, as they arrive at the queue.
    ForwardRm,
}

/// The algorithm of a port. Times never decrease from one call to the next.
///
/// VCs are numbered from zero within the port; tables of them grow as far as the largest number seen.
/// An algorithm only ever lowers ER and only ever sets CI and NI. By default it does nothing.
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait SwitchAlgorithm {
    /// Whether the algorithm is to be told of the cells that arrive, RM cells aside.
    #[inline]
    fn counts_cells(&self) -> bool {
        true
    }
    /// `n` cells of `vc`, at least one and of any kind, arrive at the queue, those that it drops included.
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {}
    /// `vc` shows a sign of life without a cell for the queue, such as an RM cell turned round before it.
    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {}
    /// `n` cells that go before ABR, CBR and VBR ones, take their part of the line.
    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {}
    /// Cells that come before this instant are only counted: they change no verdict on an RM cell, and those of a VC, or
    /// those of higher priority, may be told together, with the instant of the last of them and before or behind
    /// others. The start of time where they may not.
    #[inline]
    fn counts_until(&self) -> Time {
        Time::ZERO
    }
    /// Whether the algorithm is to be told of each change of its queue.
    fn follows_queue(&self) -> bool {
        false
    }
    /// The queue, as [`PortState::queue`] has it, is `queue` from `now` on.
    #[inline]
    fn on_queue(&mut self, now: Time, queue: Cells) {}
    /// The line has rate `rate` from `now` on. The first call, at the start, gives the first rate.
    fn on_rate_change(&mut self, now: Time, rate: Rate) {}
    /// A forward RM cell of `vc` arrives at the queue.
    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    /// A backward RM cell passes whose loop's data leave through this port, there as `vc`.
    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    /// Whether the algorithm is to be asked about the EFCI bit of each cell that leaves.
    fn follows_departures(&self) -> bool {
        false
    }
    /// A cell leaves, which still counts in `queue`: whether it gets its EFCI bit set if it carries data.
    #[inline]
    fn marks_efci(&mut self, queue: Cells) -> bool {
        false
    }
    /// The rate that the VCs may have together since the last measurement window that has ended at `now`;
    /// `None` if the algorithm has no such target.
    fn target_rate(&mut self, now: Time) -> Option<Rate> {
        None
    }
    /// The mean number of active VCs over the measurement windows that have ended since the last
    /// [`SwitchAlgorithm::reset_statistics`]; `None` if none has, or if the algorithm counts no VCs.
    ///
    /// A window belongs whole to the interval in which it ends, the interval's last instant included;
    /// a window that is still open counts for nothing. So no window is lost or counted twice.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        None
    }
    /// The load factor: input over target rate, both summed over the measurement windows that have ended
    /// since the last [`SwitchAlgorithm::reset_statistics`]; `None` if the algorithm has no target.
    fn load_factor(&mut self, now: Time) -> Option<f64> {
        None
    }
    /// Starts the statistics anew; what the algorithm does is not affected.
    fn reset_statistics(&mut self, now: Time) {}
}

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
