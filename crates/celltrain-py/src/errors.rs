//! Exceptions, and the conversion of panics into them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use celltrain_language::SourceError;
use celltrain_proto::units::Time;
use celltrain_sim::engine;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::result::RunResult;

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
    LimitPassed,
    RunError,
    "A run that needed more than its `[limits]` allow and was stopped: `limit` is the key (None: the system has no memory), \
     `allowed` its value, `at_s` the simulated time, and `partial` the result of the run up to that time, or None if the \
     measured interval had not begun."
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
    for name in ["limit", "partial"] {
        py.get_type::<LimitPassed>().setattr(name, py.None())?;
    }
    // Each such error has these; on the class they tell their type.
    for name in ["allowed", "at_s"] {
        py.get_type::<LimitPassed>().setattr(name, f64::NAN)?;
    }
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("LimitPassed", py.get_type::<LimitPassed>())?;
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

/// The exception for a run that gave no complete result.
pub(crate) fn run_error(py: Python<'_>, error: &engine::RunError) -> PyErr {
    match error {
        engine::RunError::Cancelled => Interrupted::new_err(error.to_string()),
        engine::RunError::LimitPassed(passed) => limit_passed(py, passed),
        _ => RunError::new_err(error.to_string()),
    }
}

fn limit_passed(py: Python<'_>, passed: &engine::Passed) -> PyErr {
    let exception = LimitPassed::new_err(passed.to_string());
    let value = exception.value(py);
    let partial = passed.partial.clone().map(RunResult::new);
    let attributes = value
        .setattr("limit", passed.limit.key())
        .and_then(|()| value.setattr("allowed", passed.allowed))
        .and_then(|()| value.setattr("at_s", (passed.at - Time::ZERO).as_secs()))
        .and_then(|()| value.setattr("partial", partial));
    attributes.err().unwrap_or(exception)
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
