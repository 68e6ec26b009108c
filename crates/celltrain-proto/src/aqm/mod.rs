//! Active queue management at packet boundaries, for comparison with cell discard.
//!
//! A manager decides about packets (AAL5 frames): [`Pie`] on arrival, [`CoDel`] on departure. The queue's owner asks
//! [`Aqm`] at both ends and calls it at [`QueueManager::next_update`]. Sizes are octets on the line: of cells, or
//! of frames.
//!
//! A manager is one file with its parameters and a type that implements [`QueueManager`] and [`Manager`]. A row in the
//! registry below makes it a variant of [`Aqm`], and its parameters a variant of [`Parameters`], as which a scenario is
//! read.
//!
//! A manager with ECN treats every packet as ECN-capable.
//!
//! Not modelled here: refusing cells when the buffer is full, which the owner does itself, and flow queueing.

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
use crate::units::{Bytes, Span, Time};

queue_managers! {
    /// Controlled delay (RFC 8289).
    "codel", "CoDel" => codel::CoDel(CoDelParameters);
    /// Proportional integral controller, enhanced (RFC 8033).
    "pie", "PIE" => pie::Pie(PieParameters);
    /// Proportional integral controller whose output is squared (De Schepper et al. 2016).
    "pi2", "PI2" => pi2::Pi2(Pi2Parameters);
    /// Drop probability raised by losses and lowered by idle time (Feng et al. 2002).
    "blue", "BLUE" => blue::Blue(BlueParameters);
}
