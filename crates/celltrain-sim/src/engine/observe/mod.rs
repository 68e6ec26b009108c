//! What is seen of a run: probes, readings of all counters, captures, and checks.

mod captured;
mod conservation;
mod sample;
mod snapshot;
mod stall;

pub(in crate::engine) mod capture;
pub(in crate::engine) mod probe;
