//! Probes and observers of a running simulation, and what they have recorded.

pub(in crate::engine) mod capture;
pub(in crate::engine) mod probe;
pub(in crate::engine) mod watch;

use crate::engine::record::capture::Observer;
use crate::engine::record::probe::Recorder;
use crate::engine::record::watch::Watch;

/// The probes and the observer of a run.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Observation {
    pub(in crate::engine) recorders: Vec<Recorder>,
    pub(in crate::engine) observer: Observer,
    pub(in crate::engine) watch: Watch,
}
