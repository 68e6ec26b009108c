//! Queues of whole packets in front of a line: which packet goes next, and which are dropped or marked.
//!
//! The owner limits packets and octets: it asks for [`FlowQueues::drop_some`] while there are too many. A queue is one file
//! with its parameters, which implement [`Build`], and a row in the registry below.

mod build;
mod drr;
mod flow_queues;
mod fq_codel;
mod packet;
#[macro_use]
mod registry;

pub use build::Build;
pub use flow_queues::FlowQueues;
pub use packet::{Leaving, Packet};

use crate::random::Stream;
use crate::units::Bytes;

packet_queues! {
    /// Flow queueing with `CoDel` for each flow (RFC 8290), as `fq_codel` of Linux.
    "fq-codel", "FQ-CoDel" => fq_codel::FqCodel(FqCodelParameters);
    /// Deficit round robin over flows, those that have just become active first (DRR++; RFC 8290, 3.1).
    "drr-plus-plus", "DRR++" => drr::DrrPlusPlus(DrrPlusPlusParameters);
}
