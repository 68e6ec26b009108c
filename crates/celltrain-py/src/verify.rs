//! Cross-checks of the two engines, and reports on results that differ.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use celltrain_proto::units::{Span, Time};
use celltrain_sim::network::Network;
use celltrain_verify::check;
use celltrain_verify::compare::Failure;
use celltrain_verify::report::{self, Differing};
use celltrain_verify::silence::{self, Measured};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cancel::Cancel;
use crate::errors::{RunError, guarded, run_error};
use crate::result::RunResult;

/// The result of the default engine, the simulated time in ps, and how the other engine differs.
pub(crate) type Verified<'py> = (Option<RunResult>, u64, Option<Bound<'py, PyDict>>);

/// Simulated time in ps that was compared, whether that is the whole run, and the differences.
pub(crate) type Checked<'py> = (u64, bool, Option<Bound<'py, PyDict>>);

pub(crate) fn verify<'py>(
    py: Python<'py>,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
) -> PyResult<Verified<'py>> {
    let found = py.detach(|| guarded(|| check::verify(network, seed, cancel)))?;
    let (results, differing) = found.map_err(|failure| match failure {
        Failure::Run(error) => run_error(py, &error),
        Failure::Panic(text) => RunError::new_err(format!(
            "internal error in both engines, please report it with the scenario and the seed: {text}"
        )),
    })?;
    let differing = differing.map(|it| plain(py, &it)).transpose()?;
    let simulated = network.end - Time::ZERO;
    Ok((results.map(RunResult::new), simulated.as_ps(), differing))
}

pub(crate) fn cross_check<'py>(
    py: Python<'py>,
    network: &Network,
    seed: u64,
    budget_s: f64,
    cancel: &AtomicBool,
) -> PyResult<Checked<'py>> {
    let budget = seconds(budget_s)?;
    let found = py.detach(|| guarded(|| check::cross_check(network, seed, budget, cancel)))?;
    let checked = found.map_err(|error| run_error(py, &error))?;
    let differing = checked.differing.map(|it| plain(py, &it)).transpose()?;
    Ok((checked.simulated.as_ps(), checked.is_whole, differing))
}

/// A smaller scenario, as JSON, for which the engines still differ; the search takes at most `budget_s` and first tries
/// the part of the run that was compared.
#[pyfunction]
#[pyo3(signature = (scenario, seed, checked_ps, budget_s, cancel=None))]
pub(crate) fn shrunken(
    py: Python<'_>,
    scenario: &str,
    seed: u64,
    checked_ps: Option<u64>,
    budget_s: f64,
    cancel: Option<&Bound<'_, Cancel>>,
) -> PyResult<String> {
    let cancel = cancel.map(|flag| flag.get().shared()).unwrap_or_default();
    let budget = seconds(budget_s)?;
    let scenario = serde_json::from_str(scenario)
        .map_err(|error| PyValueError::new_err(format!("not valid JSON: {error}")))?;
    let checked = checked_ps.map(Span::from_ps);
    let shrink = || report::shrunken(&scenario, seed, checked, budget, &cancel);
    Ok(py.detach(|| guarded(shrink))?.to_string())
}

fn seconds(value: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The differences as plain data that can be passed between processes.
fn plain<'py>(py: Python<'py>, differing: &Differing) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    data.set_item("says", differing.to_string())?;
    let [trains, cells] = &differing.found;
    data.set_item("trains", trains)?;
    data.set_item("cells", cells)?;
    if let Some(place) = &differing.place {
        let names = PyDict::new(py);
        for (column, name) in &place.names {
            names.set_item(column, name)?;
        }
        data.set_item("table", &place.table)?;
        data.set_item("row", place.row)?;
        data.set_item("names", names)?;
        data.set_item("column", &place.column)?;
    }
    Ok(data)
}

/// Code, kind, name, since when in s, for how long in s, what to check.
pub(crate) type Silence = (&'static str, &'static str, String, Option<f64>, f64, String);

/// Code, kind, name, message.
pub(crate) type Advice = (&'static str, &'static str, String, String);

pub(crate) fn advice(network: &Network) -> Vec<Advice> {
    let advice = network.advice().into_iter();
    advice
        .map(|it| (it.code.as_str(), it.kind, it.name, it.message))
        .collect()
}

/// A column of numbers.
pub(crate) type Numbers<'py> = PyReadonlyArray1<'py, f64>;

pub(crate) fn silences(network: &Network, measured: &Measured) -> Vec<Silence> {
    let silences = silence::silences(network, measured).into_iter();
    let tuple = |it: silence::Silence| {
        let since = it.since.map(Time::as_secs);
        (
            it.code.as_str(),
            it.kind,
            it.name,
            since,
            it.lasted.as_secs(),
            it.look_at,
        )
    };
    silences.map(tuple).collect()
}
