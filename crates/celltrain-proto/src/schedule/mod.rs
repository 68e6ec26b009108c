//! Scheduling: into which queues the cells of a link are sorted, and which of these is served next.
//!
//! A scheduler is one file with its parameters and a type that implements [`ServiceOrder`] and [`Kind`]. A row in the
//! registry below makes it a variant of [`Scheduler`], and its parameters a variant of [`Parameters`], as which a
//! scenario is read.
//!
//! A cell in transmission is never interrupted. Not modelled here: the queues themselves, and whether a cell may be sent
//! (credits), which their owner says.

mod class;
mod deficit_round_robin;
mod fifo;
mod priority;
#[macro_use]
mod registry;
mod service_order;
mod weighted_fair;

pub use class::{Class, UnknownClass};
pub use service_order::{Kind, Queues, ServiceOrder};

schedulers! {
    /// First come, first served.
    "fifo", "FIFO" => fifo::Fifo(FifoParameters);
    /// CBR before rt-VBR before nrt-VBR before ABR before UBR, each with a queue of its own.
    "priority", "priority" => priority::Priority(PriorityParameters);
    /// A queue for each VC, served in proportion to the VCs' weights (virtual spacing).
    "weighted-fair", "weighted fair" => weighted_fair::WeightedFair(WeightedFairParameters);
    /// A queue for each VC, served in turns whose lengths are proportional to the VCs' weights (Shreedhar and Varghese 1995).
    "deficit-round-robin", "deficit round robin" => deficit_round_robin::DeficitRoundRobin(DeficitRoundRobinParameters);
}

impl Default for Parameters {
    fn default() -> Self {
        Self::Fifo(FifoParameters {})
    }
}
