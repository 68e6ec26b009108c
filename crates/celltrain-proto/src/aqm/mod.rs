//! Active queue management at packet boundaries, for comparison with discard by cells.
//!
//! A manager decides about packets, or AAL5 frames: [`Pie`] as they arrive, [`CoDel`] as they leave. The
//! queue stays its owner's, who asks [`Aqm`] at both ends and calls it at [`QueueManager::next_update`]. Sizes
//! are in cells, so that a packet costs what its AAL5 frame takes on the line.
//!
//! A manager is one file with its parameters and a type that implements [`QueueManager`] and [`Manager`]. A row in the
//! registry below makes it a variant of [`Aqm`], and its parameters a variant of [`Parameters`], which a scenario is
//! read into.
//!
//! A manager with ECN takes every packet for ECN-capable.
//!
//! Not modelled here: refusing what finds no room, which the owner does itself, and flow queueing.

mod blue;
mod codel;
mod manager;
mod pi2;
mod pie;
#[macro_use]
mod registry;
mod verdict;

pub use manager::{Manager, QueueManager};
pub use verdict::Verdict;

use crate::random::Stream;
use crate::units::{Cells, Span, Time};

queue_managers! {
    /// Controlled delay (RFC 8289).
    "codel", "CoDel" => codel::CoDel(CoDelParameters);
    /// Proportional integral controller, enhanced (RFC 8033).
    "pie", "PIE" => pie::Pie(PieParameters);
    /// Proportional integral controller whose output is squared (De Schepper et al. 2016).
    "pi2", "PI2" => pi2::Pi2(Pi2Parameters);
    /// Drops by a probability that losses raise and idle time lowers (Feng et al. 2002).
    "blue", "BLUE" => blue::Blue(BlueParameters);
}
