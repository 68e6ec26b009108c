//! What a run shares with those who wait for it: the flag that stops it, and how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use celltrain_sim::engine;
use pyo3::prelude::*;

/// A flag, shared by threads, that stops the runs that check it.
#[pyclass(frozen, module = "celltrain._native")]
#[derive(Clone, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The flag itself.
    #[cfg(target_os = "linux")]
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// A shared reference to the flag, for threads.
    pub(crate) fn shared(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stops the runs.
    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether :meth:`cancel` was called.
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a run is; shared by threads.
#[pyclass(frozen, module = "celltrain._native")]
#[derive(Default)]
pub(crate) struct Progress(Arc<engine::Progress>);

impl Progress {
    /// A shared reference, for the run.
    pub(crate) fn shared(&self) -> Arc<engine::Progress> {
        self.0.clone()
    }
}

#[pymethods]
impl Progress {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The part of the simulated time that is done, from 0 to 1.
    fn done(&self) -> f64 {
        self.0.done()
    }
}
