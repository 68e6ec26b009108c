//! Scenarios: reading, running, and reports about them.

use std::fs::File;
use std::io::BufWriter;

use celltrain_line::simulated::{self, CaptureError};
use celltrain_proto::units::Span;
use celltrain_sim::engine::{self, Engine, RunOptions, Threads};
use celltrain_sim::mistakes::mistakes as find_mistakes;
use celltrain_sim::network::{Cost, Flow, Network, Vc};
use celltrain_sim::scenario::{self, Source};
use celltrain_verify::silence::Measured;
use celltrain_verify::structure;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cancel::{Cancel, Progress};
use crate::errors::{guarded, run_error, scenario_error};
use crate::result::RunResult;
use crate::verify::{self, Advice, Checked, Numbers, Silence, Verified};

/// A checked scenario, ready to run; immutable.
#[pyclass(frozen, module = "celltrain._native")]
pub(crate) struct Scenario {
    scenario: scenario::Scenario,
    network: Network,
}

/// Name, name of the last identical stage, mode, reason.
type PlannedStage = (String, Option<String>, String, String);

type Route = (String, Vec<(String, &'static str)>, f64, f64);

impl Scenario {
    fn read(py: Python<'_>, source: &Source<'_>) -> PyResult<Self> {
        guarded(|| Self::read_unguarded(py, source))?
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// The flow with this name, if it is a TCP flow.
    pub(crate) fn tcp_flow(&self, name: &str) -> PyResult<&Flow> {
        let mut flows = self.network.flows.iter();
        let flow = flows.find(|flow| flow.name == name && flow.udp.is_none());
        flow.ok_or_else(|| PyValueError::new_err(format!("no TCP flow \"{name}\"")))
    }

    fn read_unguarded(py: Python<'_>, source: &Source<'_>) -> PyResult<Self> {
        let scenario = source.read().map_err(|error| scenario_error(py, &error))?;
        let network = Network::new(&scenario)
            .map_err(|problem| scenario_error(py, &source.locate(&problem)))?;
        Ok(Self { scenario, network })
    }
}

/// All mistakes of a scenario's TOML text, in their order; none if it can be run.
///
/// `data` is its content as JSON where it was changed after reading, `broken` the dotted keys whose mistakes are known.
#[pyfunction]
#[pyo3(signature = (text, origin, data = None, broken = Vec::new()))]
pub(crate) fn mistakes(
    py: Python<'_>,
    text: &str,
    origin: &str,
    data: Option<&str>,
    broken: Vec<String>,
) -> PyResult<Vec<Py<PyAny>>> {
    let data = data.map(serde_json::from_str).transpose();
    let data = data.map_err(|error| PyValueError::new_err(format!("data: {error}")))?;
    let parts = |key: String| key.split('.').map(str::to_owned).collect();
    let broken = broken.into_iter().map(parts).collect();
    let found = guarded(|| find_mistakes(&Source::toml(text, origin), data, broken))?;
    let errors = found.iter().map(|it| scenario_error(py, it));
    Ok(errors
        .map(|error| error.into_value(py).into_any())
        .collect())
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

    /// SHA-256 of the structure: topology and options, without names and quantities.
    #[getter]
    fn structure(&self) -> String {
        structure::hash(&self.scenario)
    }

    /// Upper bound of the number of cells that a run moves, summed over all links.
    #[getter]
    fn cells_estimate(&self) -> f64 {
        Cost::of(&self.network).cells
    }

    /// Upper bounds on a run, under the keys of `[limits]`: cells summed over all links, memory in MiB, rows of probes.
    fn bounds(&self) -> [(&'static str, f64); 3] {
        Cost::of(&self.network).bounds()
    }

    /// The forward path of each VC: its name, the nodes with their kinds, the delay in s without transmission times,
    /// and the same without the time in switches.
    fn routes(&self) -> Vec<Route> {
        let network = &self.network;
        let route = |(index, vc): (usize, &Vc)| {
            let route = network.route(index);
            let node = |&node: &usize| {
                let node = &network.nodes[node];
                (node.name.clone(), node.kind.as_str())
            };
            let delays = [route.delay, route.propagation_delay].map(Span::as_secs);
            let nodes = route.nodes.iter().map(node).collect();
            (vc.name.to_string(), nodes, delays[0], delays[1])
        };
        network.vcs.iter().enumerate().map(route).collect()
    }

    /// How the train engine evaluates the scenario: each link and each source, or the first and the last of identical
    /// ones, its mode, and why.
    fn plan(&self) -> PyResult<Vec<PlannedStage>> {
        guarded(|| {
            let stages = engine::explain(&self.network).stages.into_iter();
            let stages = stages.map(|stage| (stage.name, stage.last, stage.mode, stage.why));
            stages.collect()
        })
    }

    /// Runs the scenario with one seed, without the interpreter's lock, until its end or until `cancel` is set;
    /// optionally with the cell engine, on up to the given number of threads, telling `progress` how far it is.
    #[pyo3(signature = (seed, cancel=None, cell_by_cell=false, threads=1, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        seed: u64,
        cancel: Option<&Bound<'_, Cancel>>,
        cell_by_cell: bool,
        threads: usize,
        progress: Option<&Bound<'_, Progress>>,
    ) -> PyResult<RunResult> {
        let cancel = cancel.map(|flag| flag.get().shared()).unwrap_or_default();
        let engine = if cell_by_cell {
            Engine::Cells
        } else {
            Engine::Trains
        };
        let options = RunOptions {
            engine,
            threads: Threads::UpTo(threads),
            progress: progress.map(|it| it.get().shared()),
        };
        let run = || engine::run_with(options, &self.network, seed, &cancel);
        let results = py.detach(|| guarded(run))?;
        results
            .map(RunResult::new)
            .map_err(|error| run_error(py, &error))
    }

    /// Runs the whole scenario with both engines: the result, the simulated time in ps, and the differences; without a
    /// result, the default engine failed and the other did not.
    #[pyo3(signature = (seed, cancel=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Verified<'py>> {
        let cancel = cancel.map(|flag| flag.get().shared()).unwrap_or_default();
        verify::verify(py, &self.network, seed, &cancel)
    }

    /// Runs the first part with both engines, as long a part as the time allows: simulated time in ps, whether that is
    /// the whole run, and the differences.
    #[pyo3(signature = (seed, budget_s, cancel=None))]
    fn cross_check<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        budget_s: f64,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Checked<'py>> {
        let cancel = cancel.map(|flag| flag.get().shared()).unwrap_or_default();
        verify::cross_check(py, &self.network, seed, budget_s, &cancel)
    }

    /// Probable mistakes, as far as they can be detected without running: code, kind, name and message.
    fn advice(&self) -> Vec<Advice> {
        verify::advice(&self.network)
    }

    /// What had data to send but delivered nothing, according to columns of the tables `flows` (the first three) and
    /// `vcs`: code, kind, name, since when in s if known, for how long in s, and what to check.
    fn silences(
        &self,
        delivered_bytes: Numbers<'_>,
        segments_sent: Numbers<'_>,
        longest_idle_s: Numbers<'_>,
        cells_sent: Numbers<'_>,
        cells_delivered: Numbers<'_>,
        cells_lost: Numbers<'_>,
    ) -> Vec<Silence> {
        let column = |numbers: &Numbers<'_>| numbers.as_array().to_vec();
        let measured = Measured {
            delivered_bytes: column(&delivered_bytes),
            segments_sent: column(&segments_sent),
            longest_idle_s: column(&longest_idle_s),
            cells_sent: column(&cells_sent),
            cells_delivered: column(&cells_delivered),
            cells_lost: column(&cells_lost),
        };
        verify::silences(&self.network, &measured)
    }

    /// Runs the scenario as :meth:`run` does, and writes its packets and cells to a pcapng file; true if the file was
    /// truncated at `limit` octets.
    #[pyo3(signature = (seed, path, limit, cancel=None))]
    fn run_captured(
        &self,
        py: Python<'_>,
        seed: u64,
        path: &str,
        limit: u64,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<(RunResult, bool)> {
        let cancel = cancel.map(|flag| flag.get().shared()).unwrap_or_default();
        let file = BufWriter::new(File::create(path)?);
        let run = || simulated::run_captured(&self.network, seed, &cancel, file, limit);
        match py.detach(|| guarded(run))? {
            Ok((results, is_cut)) => Ok((RunResult::new(results), is_cut)),
            Err(CaptureError::File(error)) => Err(error.into()),
            Err(CaptureError::Run(error)) => Err(run_error(py, &error)),
        }
    }

    /// The rate of a link over `duration_ms` as a packet-delivery trace of Mahimahi.
    fn delivery_trace(&self, link: &str, seed: u64, duration_ms: u64) -> PyResult<String> {
        let duration = Span::from_ms(duration_ms);
        simulated::delivery_trace(&self.network, link, seed, duration)
            .map(|trace| trace.to_string())
            .map_err(PyValueError::new_err)
    }

    /// The mean rate of a link in bit/s over each of `count` intervals of `every_ms`, and the delay in s, without queue
    /// and transmission, of what departs when it begins.
    fn line_over_time(
        &self,
        link: &str,
        seed: u64,
        every_ms: u64,
        count: u32,
    ) -> PyResult<Vec<(f64, f64)>> {
        let every = Span::from_ms(every_ms);
        simulated::line_over_time(&self.network, link, seed, every, count)
            .map_err(PyValueError::new_err)
    }
}
