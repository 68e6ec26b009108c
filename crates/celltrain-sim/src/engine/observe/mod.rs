//! What is seen of a run: probes, readings of all counters, captures, and checks.

mod captured;
mod conservation;
mod sample;
mod snapshot;
mod stall;

pub(in crate::engine) mod capture;
pub(in crate::engine) mod probe;

use crate::engine::observe::capture::Observer;
use crate::engine::observe::probe::Recorder;

/// Who looks at a run while it goes on.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Observation {
    pub(in crate::engine) recorders: Vec<Recorder>,
    pub(in crate::engine) observer: Observer,
}
