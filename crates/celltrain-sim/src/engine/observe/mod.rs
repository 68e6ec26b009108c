//! Observation of a run: samples of probes, readings of all counters, captures, and checks.

mod captured;
mod conservation;
mod hops;
mod sample;
pub(in crate::engine) mod snapshot;
mod stall;
mod used;
