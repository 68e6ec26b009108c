//! Scheduling: which of several queues is served next.

mod class;
mod wfq;

pub use class::{Class, UnknownClass};
pub use wfq::Wfq;
