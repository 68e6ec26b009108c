//! Switch algorithms: what a port does to the RM cells, and to the EFCI bits, of the ABR traffic in its queue.
//!
//! An algorithm is one file with its parameters and a type that implements [`SwitchAlgorithm`]. A row in the registry
//! below makes it a variant of [`Algorithm`], which ports hold and which dispatches without a pointer, and its
//! parameters a variant of [`Parameters`], as which a scenario is read. Algorithms receive counts instead of cells and
//! have no timer: periodic work is caught up at the next call, with the same result however often they are called.
//!
//! Not modelled here: the queue itself, and the turnaround of RM cells.

mod algorithm;
mod binary;
mod capc;
mod eprca;
mod erica;
mod erica_plus;
mod erica_plus_smoothed;
mod fair_share;
mod interval;
mod mit;
mod mmrca;
mod phantom;
mod queue_function;
#[macro_use]
mod registry;
mod smoothed_rate;
#[cfg(test)]
mod tests;
mod window;

pub use algorithm::{Marking, PortState, SwitchAlgorithm};
pub use binary::BinaryMarking;
pub use capc::AdvertisedRate;
pub use eprca::EprcaForm;
pub use erica::{
    CcrSource, EricaAllocation, EricaRules, LoadAveraging, PriorityTaken, Remembers, Verdicts,
};
pub use erica_plus::{QueueControl, QueueSampling};
pub use mmrca::MmrcaFeedback;

use crate::cell::RmCell;
use crate::units::{Cells, Rate, Time};

switch_algorithms! {
    /// Congestion indication while the queue is above a threshold.
    "binary", "binary marking" => binary::Binary(BinaryParameters);
    /// Simple explicit rate: line rate / number of active VCs.
    "fair-share", "fair share" => fair_share::FairShare(FairShareParameters);
    /// ERICA+ with a target queue and smoothed capacity.
    "erica-plus-smoothed", "smoothed ERICA+" => erica_plus_smoothed::EricaPlusSmoothed(EricaPlusSmoothedParameters);
    /// ERICA: explicit rate by load measurement, for a target utilization.
    "erica", "ERICA" => erica::Erica(EricaParameters);
    /// ERICA with a target queueing delay.
    "erica-plus", "ERICA+" => erica_plus::EricaPlus(EricaPlusParameters);
    /// A mean of the VCs' rates, applied according to queue thresholds.
    "eprca", "EPRCA" => eprca::Eprca(EprcaParameters);
    /// One advertised rate, controlled by the load.
    "capc", "CAPC" => capc::Capc(CapcParameters);
    /// CAPC with equal initial shares and two thresholds.
    "capc2", "CAPC2" => capc::Capc2(Capc2Parameters);
    /// A multiple of the residual rate.
    "phantom", "Phantom" => phantom::Phantom(PhantomParameters);
    /// The max-min fair rate of the port, computed from the CCRs of the VCs.
    "mit", "MIT scheme" => mit::Mit(MitParameters);
    /// The largest and the smallest rate of all VCs select those that are slowed down.
    "mmrca", "MMRCA" => mmrca::Mmrca(MmrcaParameters);
}
