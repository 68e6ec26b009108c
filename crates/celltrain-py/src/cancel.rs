//! The flag that stops runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
