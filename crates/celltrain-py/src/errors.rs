//! Exceptions, and the conversion of panics into them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use celltrain_language::SourceError;
use celltrain_sim::engine;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    celltrain._native,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run: the message names the key, what was expected, and the line where known."
);
pyo3::create_exception!(
    celltrain._native,
    RunError,
    PyRuntimeError,
    "A run that was refused or failed: too much memory or time asked for, or a broken invariant of ours."
);
pyo3::create_exception!(
    celltrain._native,
    Interrupted,
    PyException,
    "A run that was cancelled before its end."
);

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // Attributes that an error may lack are None on the class.
    for name in ["key", "line", "column"] {
        py.get_type::<ScenarioError>().setattr(name, py.None())?;
    }
    module.add("ScenarioError", py.get_type::<ScenarioError>())?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("Interrupted", py.get_type::<Interrupted>())
}

pub(crate) fn scenario_error(py: Python<'_>, error: &SourceError) -> PyErr {
    let exception = ScenarioError::new_err(error.to_string());
    let value = exception.value(py);
    let place = error.position.map_or(Ok(()), |(line, column)| {
        value
            .setattr("line", line)
            .and_then(|()| value.setattr("column", column))
    });
    let key = (!error.key.is_empty()).then_some(error.key.as_str());
    match place.and_then(|()| value.setattr("key", key)) {
        Ok(()) => exception,
        Err(failure) => failure,
    }
}

pub(crate) fn run_error(error: &engine::RunError) -> PyErr {
    match error {
        engine::RunError::Cancelled => Interrupted::new_err(error.to_string()),
        _ => RunError::new_err(error.to_string()),
    }
}

/// Runs `work`. A panic in it is a bug in celltrain and must reach Python as one of its errors.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
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
