//! Lines in real time.

use std::fs::File;
use std::io::BufWriter;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use celltrain_line::capture::Beside;
use celltrain_line::carry::{CarryError, Look, Pace, Shared, WayLook, carry};
use celltrain_line::driver::{self, Driver, Options};
use celltrain_line::log::{Outcome, Row, Spans};
use celltrain_line::packet::LostTo;
use celltrain_line::prepare::Carrier;
use celltrain_proto::units::{Span, Time};
use celltrain_sim::scenario::Direction;
use numpy::PyArray1;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{RunError, guarded, run_error};
use crate::result::RunResult;
use crate::scenario::Scenario;

/// Links on a path: the name of each, and whether the path uses the reverse direction of a bidirectional link.
type Crossed<'a> = Vec<(&'a str, bool)>;

/// A line that carries real packets between two TUN devices.
#[pyclass(frozen, module = "celltrain._native")]
pub(crate) struct Line {
    carrier: Carrier,
    options: Options,
    pace: Pace,
    capture: Option<(String, u64)>,
    sample_every: Span,
    shared: Shared,
    result: Mutex<Option<RunResult>>,
}

#[pymethods]
impl Line {
    #[new]
    #[pyo3(signature = (scenario, seed=1, vc=None, *, grid_forward_s=0.0, grid_backward_s=0.0, spin_s=0.0,
                        keeps_rows=false, pcap=None, pcap_limit=u64::MAX, sample_every_s=0.0))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        scenario: &Bound<'_, Scenario>,
        seed: u64,
        vc: Option<&str>,
        grid_forward_s: f64,
        grid_backward_s: f64,
        spin_s: f64,
        keeps_rows: bool,
        pcap: Option<String>,
        pcap_limit: u64,
        sample_every_s: f64,
    ) -> PyResult<Self> {
        let carrier = Carrier::new(scenario.get().network(), vc).map_err(PyValueError::new_err)?;
        let grids = [
            (Direction::Forward, grid_forward_s),
            (Direction::Backward, grid_backward_s),
        ];
        let grid = grids.into_iter().find(|grid| grid.1 > 0.0);
        Ok(Self {
            carrier,
            options: Options {
                seed,
                grid: grid.map(|(direction, s)| (direction, Span::from_secs_f64(s))),
            },
            pace: Pace {
                spin: Span::from_secs_f64(spin_s),
                keeps_rows,
            },
            capture: pcap.map(|path| (path, pcap_limit)),
            sample_every: Span::from_secs_f64(sample_every_s),
            shared: Shared::default(),
            result: Mutex::new(None),
        })
    }

    /// Names of the hosts at the two ends, starting with that of the forward direction.
    #[getter]
    fn ends(&self) -> (&str, &str) {
        let [first, last] = self.carrier.ends();
        (first, last)
    }

    /// Names of the links with a rate on the forward and the backward path, and whether each is used in the reverse
    /// direction of a bidirectional link.
    #[getter]
    fn lines(&self) -> (Crossed<'_>, Crossed<'_>) {
        let links = &self.carrier.network.links;
        let of = |direction| {
            let crossed = self.carrier.links(direction).iter();
            let crossed = crossed.map(|&link| &links[link]);
            let rated = crossed.filter(|link| link.line.is_some());
            rated
                .map(|link| (link.name.as_str(), link.is_back))
                .collect()
        };
        (of(Direction::Forward), of(Direction::Backward))
    }

    /// The VC that carries the packets.
    #[getter]
    fn vc(&self) -> String {
        self.carrier.network.vcs[self.carrier.vc].name.to_string()
    }

    /// The encapsulation of IP packets on the VC.
    #[getter]
    fn encapsulation(&self) -> &str {
        self.carrier.network.vcs[self.carrier.vc]
            .adaptation
            .encapsulation
            .name()
    }

    /// The longest IP packet that the line carries.
    #[getter]
    fn mtu(&self) -> u64 {
        self.carrier.mtu()
    }

    /// Carries packets until :meth:`stop`, without the interpreter's lock. True if a capture was truncated at its
    /// limit. The descriptors are those of two non-blocking TUN devices without packet information.
    fn carry(&self, py: Python<'_>, first: i32, last: i32) -> PyResult<bool> {
        // SAFETY: the caller keeps both descriptors open until this method has returned, as its documentation requires.
        #[expect(unsafe_code, reason = "Python has only the numbers of descriptors")]
        let devices = unsafe { [BorrowedFd::borrow_raw(first), BorrowedFd::borrow_raw(last)] };
        py.detach(|| guarded(|| self.carry_unlocked(devices)))?
    }

    /// Asks the line to stop, which it does within 20 ms.
    fn stop(&self) {
        self.shared.stop();
    }

    /// The state up to now, at most 100 ms old.
    fn look<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        look(py, &self.shared.look())
    }

    /// The packets that left or were lost since the last call, as columns.
    fn take_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rows(py, &self.shared.take_rows())
    }

    /// The columns of :meth:`take_samples`, named as in probes: queues of the lines forward and backward, and of the
    /// hosts at both ends.
    #[getter]
    fn sampled(&self) -> Vec<String> {
        driver::sampled(&self.carrier)
    }

    /// The queue samples taken since the last call, as columns: the time since the line was opened, and those of
    /// `sampled`. Empty without `sample_every_s`.
    fn take_samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (all, samples) = (PyDict::new(py), self.shared.take_samples());
        let times: Vec<f64> = samples.iter().map(|sample| sample.at.as_secs()).collect();
        all.set_item("time_s", PyArray1::from_vec(py, times))?;
        for (index, name) in self.sampled().into_iter().enumerate() {
            let cells: Vec<f64> = samples.iter().map(|sample| sample.cells[index]).collect();
            all.set_item(name, PyArray1::from_vec(py, cells))?;
        }
        Ok(all)
    }

    /// The results of the network, after it has stopped.
    fn result(&self) -> Option<RunResult> {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.take()
    }
}

impl Line {
    fn carry_unlocked(&self, devices: [BorrowedFd<'_>; 2]) -> PyResult<bool> {
        let mut driver = Driver::new(&self.carrier, self.options);
        if self.sample_every > Span::ZERO {
            driver.sample(self.sample_every);
        }
        let mut beside = self.capture.as_ref().map(|(path, limit)| {
            let file = BufWriter::with_capacity(1 << 20, File::create(path)?);
            let epoch = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            Beside::start(&mut driver, &self.carrier, file, epoch, *limit)
        });
        let mut beside = beside.take().transpose().map_err(PyOSError::new_err)?;
        let devices = devices.each_ref().map(AsFd::as_fd);
        let carried = carry(&mut driver, devices, self.pace, &self.shared, &mut beside);
        let is_cut = beside.map_or(Ok(false), Beside::finish);
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(RunResult::new(driver.results()));
        match carried {
            Err(CarryError::Network(error)) => Python::attach(|py| Err(run_error(py, &error))),
            Err(error) => Err(RunError::new_err(error.to_string())),
            Ok(()) => is_cut.map_err(|error| PyOSError::new_err(error.to_string())),
        }
    }
}

fn look<'py>(py: Python<'py>, look: &Look) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("time_s", look.at.as_secs())?;
    for (name, way) in ["forward", "backward"].into_iter().zip(&look.ways) {
        all.set_item(name, way_look(py, way)?)?;
    }
    all.set_item("lateness_s", spans(py, &look.lateness)?)?;
    all.set_item("lateness_bins", look.lateness.bins())?;
    all.set_item("packets_untaken", look.untaken)?;
    all.set_item("stalls", look.stalls)?;
    all.set_item("longest_stall_s", look.longest_stall.as_secs())?;
    Ok(all)
}

fn way_look<'py>(py: Python<'py>, way: &WayLook) -> PyResult<Bound<'py, PyDict>> {
    let (all, counts) = (PyDict::new(py), &way.counts);
    let numbers = [
        ("packets", counts.packets),
        ("bytes", counts.octets),
        ("packets_delivered", counts.delivered),
        ("bytes_delivered", counts.delivered_octets),
        ("packets_lost", counts.lost_in_all()),
        ("packets_inside", counts.inside()),
        ("packets_marked", counts.marked),
        ("packets_refused", counts.refused),
    ];
    for (name, number) in numbers {
        all.set_item(name, number)?;
    }
    let lost_to = PyDict::new(py);
    for cause in LostTo::ALL {
        let count = counts.lost.get(&cause).copied().unwrap_or_default();
        lost_to.set_item(cause.name(), count)?;
    }
    all.set_item("packets_lost_to", lost_to)?;
    if let Some(state) = way.state {
        let numbers = [
            ("rate_bps", state.rate_bps),
            ("queue_cells", state.queue_cells),
            ("lost_cells", state.lost_cells),
            ("source_rate_bps", state.source_rate_bps),
            ("source_cells", state.source_cells),
        ];
        for (name, number) in numbers {
            all.set_item(name, number)?;
        }
    }
    all.set_item("delay_s", spans(py, &counts.delay)?)?;
    all.set_item("queueing_s", spans(py, &counts.queueing)?)?;
    Ok(all)
}

fn spans<'py>(py: Python<'py>, spans: &Spans) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("count", spans.count())?;
    all.set_item("mean", spans.mean_s())?;
    for (name, quantile) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
        all.set_item(name, spans.quantile_s(quantile))?;
    }
    all.set_item("max", spans.max_s())?;
    Ok(all)
}

fn rows<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let seconds = |of: fn(&Row) -> f64| {
        let values: Vec<f64> = rows.iter().map(of).collect();
        PyArray1::from_vec(py, values)
    };
    let flags = |of: fn(&Row) -> bool| {
        let values: Vec<bool> = rows.iter().map(of).collect();
        PyArray1::from_vec(py, values)
    };
    let octets: Vec<u32> = rows.iter().map(|row| row.octets).collect();
    all.set_item(
        "is_forward",
        flags(|row| row.direction == Direction::Forward),
    )?;
    all.set_item("bytes", PyArray1::from_vec(py, octets))?;
    all.set_item("came_s", seconds(|row| row.came.as_secs()))?;
    let left = |of: fn(&Outcome) -> Option<Time>| {
        let second = |row: &Row| of(&row.outcome).map_or(f64::NAN, Time::as_secs);
        PyArray1::from_vec(py, rows.iter().map(second).collect::<Vec<_>>())
    };
    all.set_item(
        "due_s",
        left(|outcome| match outcome {
            Outcome::Left { due, .. } => Some(*due),
            _ => None,
        }),
    )?;
    all.set_item(
        "left_s",
        left(|outcome| match outcome {
            Outcome::Left { left, .. } => Some(*left),
            _ => None,
        }),
    )?;
    let is_marked = |outcome| matches!(outcome, Outcome::Left { is_marked, .. } if is_marked);
    let marked: Vec<bool> = rows.iter().map(|row| is_marked(row.outcome)).collect();
    all.set_item("is_marked", PyArray1::from_vec(py, marked))?;
    let outcomes: Vec<_> = rows.iter().map(|row| row.outcome.name()).collect();
    all.set_item("outcome", outcomes)?;
    Ok(all)
}
