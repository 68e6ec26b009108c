//! Who looks at a run while it goes on, and what they have seen.

pub(in crate::engine) mod capture;
pub(in crate::engine) mod probe;

use crate::engine::record::capture::Observer;
use crate::engine::record::probe::Recorder;

/// Who looks at a run while it goes on.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Observation {
    pub(in crate::engine) recorders: Vec<Recorder>,
    pub(in crate::engine) observer: Observer,
}
