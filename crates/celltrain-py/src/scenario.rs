//! Scenarios, and the flag that stops their runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use celltrain_sim::engine;
use celltrain_sim::network::{Cost, Network};
use celltrain_sim::scenario::{self, Source};
use pyo3::prelude::*;

use crate::errors::{RunError, run_error, scenario_error};
use crate::result::RunResult;

/// A flag, shared by threads, that stops the runs which look at it.
#[pyclass(frozen, module = "celltrain._native")]
#[derive(Clone, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The flag itself.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// The flag, for threads.
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

/// A scenario that was checked and is ready to run; immutable.
#[pyclass(frozen, module = "celltrain._native")]
pub(crate) struct Scenario {
    scenario: scenario::Scenario,
    network: Network,
}

impl Scenario {
    fn read(py: Python<'_>, source: &Source<'_>) -> PyResult<Self> {
        guarded(|| Self::read_unguarded(py, source))?
    }

    fn read_unguarded(py: Python<'_>, source: &Source<'_>) -> PyResult<Self> {
        let scenario = source.read().map_err(|error| scenario_error(py, &error))?;
        let network = Network::new(&scenario)
            .map_err(|problem| scenario_error(py, &source.locate(&problem)))?;
        Ok(Self { scenario, network })
    }
}

#[pymethods]
impl Scenario {
    /// Reads and checks TOML; `origin` names it in messages.
    #[staticmethod]
    fn from_toml(py: Python<'_>, text: &str, origin: &str) -> PyResult<Self> {
        Self::read(py, &Source::toml(text, origin))
    }

    /// Reads and checks JSON; `origin` names it in messages.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str, origin: &str) -> PyResult<Self> {
        Self::read(py, &Source::json(text, origin))
    }

    /// The canonical form, with every default written out.
    fn to_json(&self) -> String {
        self.scenario.to_json()
    }

    /// SHA-256 of the canonical form.
    #[getter]
    fn hash(&self) -> String {
        self.scenario.hash()
    }

    /// Upper bound of the cells that a run moves, summed over all links.
    #[getter]
    fn cells_estimate(&self) -> f64 {
        Cost::of(&self.network).cells
    }

    /// Runs it with one seed, without the interpreter's lock, until its end or until `cancel` is set.
    #[pyo3(signature = (seed, cancel=None))]
    fn run(
        &self,
        py: Python<'_>,
        seed: u64,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<RunResult> {
        let cancel = cancel.map(|flag| flag.get().clone()).unwrap_or_default().0;
        let results = py.detach(|| guarded(|| engine::run(&self.network, seed, &cancel)))?;
        results
            .map(RunResult::new)
            .map_err(|error| run_error(&error))
    }
}

/// Runs `work`. A panic in it is a defect of ours; it must reach Python as an error of celltrain's.
fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        RunError::new_err(format!(
            "internal error, please report it with the scenario and the seed: {text}"
        ))
    })
}
