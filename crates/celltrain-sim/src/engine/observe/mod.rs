//! Observation of a run: samples of probes, readings of all counters, captures, and checks.

mod captured;
mod conservation;
mod sample;
mod snapshot;
mod stall;
mod used;
