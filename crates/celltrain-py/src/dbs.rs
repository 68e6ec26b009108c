//! Measurement between hosts: plans, daemons, controllers, keys.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::AtomicBool;

use celltrain_dbs::child::Child;
use celltrain_dbs::controller;
use celltrain_dbs::daemon::{self, Ended};
use celltrain_dbs::key::PublicKey;
use celltrain_dbs::limits::{Limits, Network, Pool};
use celltrain_dbs::plan;
use celltrain_dbs::tables::{self, tables};
use celltrain_dbs::tls::{self, Identity};
use celltrain_language::Source;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::cancel::Cancel;
use crate::errors::scenario_error;
use crate::result::{Fields, by_name, in_words, units};

/// A checked plan; immutable.
#[pyclass(frozen, name = "DbsPlan", module = "celltrain._native")]
pub(crate) struct Plan(plan::Plan);

#[pymethods]
impl Plan {
    /// Reads and checks TOML; `origin` names it in messages, and `read` returns the text of a file that it refers to.
    #[staticmethod]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        origin: &str,
        read: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Self::read(py, &Source::toml(text, origin), read)
    }

    /// Reads and checks JSON, as [`Self::from_toml`] does TOML.
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        text: &str,
        origin: &str,
        read: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Self::read(py, &Source::json(text, origin), read)
    }

    /// The canonical form, with every default written out.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// Pause between two repetitions, in s.
    #[getter]
    fn pause_s(&self) -> f64 {
        self.0.pause_s()
    }

    /// SHA-256 of the canonical form.
    #[getter]
    fn hash(&self) -> String {
        self.0.hash()
    }
}

impl Plan {
    fn read(py: Python<'_>, source: &Source<'_>, read: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text_of = |name: &str| -> Result<String, String> {
            let text = read.call1((name,)).and_then(|text| text.extract());
            text.map_err(|error| error.value(py).to_string())
        };
        let plan = plan::Plan::read(source, &text_of);
        plan.map(Self).map_err(|error| scenario_error(py, &error))
    }
}

/// The JSON Schema of a plan.
#[pyfunction]
fn dbs_schema() -> String {
    plan::schema()
}

/// What each table of a repetition holds.
#[pyfunction]
fn columns_of_measurements() -> Fields {
    in_words(tables::fields())
}

/// A new private key, in PKCS #8.
#[pyfunction]
fn dbs_new_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    let key = Identity::generate().map_err(PyOSError::new_err)?;
    Ok(PyBytes::new(py, &key))
}

/// The public half of a private key.
#[pyfunction]
fn dbs_public_key(pkcs8: &[u8]) -> PyResult<String> {
    identity(pkcs8).map(|it| it.public_key().to_string())
}

fn identity(pkcs8: &[u8]) -> PyResult<Identity> {
    Identity::read(pkcs8).map_err(PyValueError::new_err)
}

/// The limits that the owner of a daemon sets.
#[pyclass(frozen, name = "DbsLimits", module = "celltrain._native")]
pub(crate) struct DaemonLimits(Limits);

#[pymethods]
impl DaemonLimits {
    #[new]
    #[pyo3(signature = (*, address, peers, ports, duration_s, rate_bps, connections, memory_bytes))]
    fn new(
        address: &str,
        peers: Vec<String>,
        ports: Option<(u16, u16)>,
        duration_s: f64,
        rate_bps: Option<u64>,
        connections: u32,
        memory_bytes: u64,
    ) -> PyResult<Self> {
        let address: IpAddr = address.parse().map_err(|_| {
            PyValueError::new_err(format!("expected an address, found \"{address}\""))
        })?;
        let peers = peers.iter().map(|text| Network::parse(text));
        Ok(Self(Limits {
            address,
            peers: peers
                .collect::<Result<_, _>>()
                .map_err(PyValueError::new_err)?,
            ports,
            duration_ns: (duration_s * 1e9) as u64,
            rate: rate_bps,
            connections,
            memory: memory_bytes,
        }))
    }
}

/// Serves one controller over standard input and output; raises an error if the session fails.
#[pyfunction]
fn dbs_serve_stdio(
    py: Python<'_>,
    limits: &DaemonLimits,
    cancel: &Cancel,
) -> PyResult<Option<String>> {
    py.detach(|| {
        let input = std::io::stdin().as_fd().try_clone_to_owned()?;
        let output = std::io::stdout().as_fd().try_clone_to_owned()?;
        Ok(
            match daemon::serve(input, output, &Pool::new(limits.0.clone()), cancel.flag())? {
                Ended::Refused(why) => Some(why),
                Ended::Closed | Ended::Cancelled => None,
            },
        )
    })
}

/// A daemon that listens for controllers over TLS.
#[pyclass(frozen, name = "DbsListener", module = "celltrain._native")]
pub(crate) struct Listener(tls::Listener);

#[pymethods]
impl Listener {
    /// Starts listening; `controllers` is a list of public keys, one per line.
    #[new]
    fn new(address: &str, pkcs8: &[u8], controllers: &str) -> PyResult<Self> {
        let address = socket_address(address)?;
        let keys = PublicKey::parse_list(controllers).map_err(PyValueError::new_err)?;
        let listener = tls::Listener::new(address, &identity(pkcs8)?, &keys);
        listener.map(Self).map_err(PyOSError::new_err)
    }

    /// The address it listens on.
    #[getter]
    fn address(&self) -> PyResult<String> {
        Ok(self.0.address()?.to_string())
    }

    /// Serves controllers until `cancel` is set; `tell` receives a line for each session that ends.
    fn serve(&self, py: Python<'_>, limits: &DaemonLimits, cancel: &Cancel, tell: Py<PyAny>) {
        let tell = std::sync::Arc::new(tell);
        let tell = move |from: SocketAddr, text: &str| {
            let line = format!("{from}: {text}");
            // A log that cannot be written must not end a session.
            let _ = Python::attach(|py| tell.call1(py, (line,)));
        };
        py.detach(|| self.0.serve(limits.0.clone(), &cancel.shared(), tell));
    }
}

/// A controller connected to the daemons of a plan.
#[pyclass(name = "DbsController", module = "celltrain._native")]
pub(crate) struct Controller {
    controller: Option<controller::Controller>,
    children: Vec<Option<Child>>,
}

#[pymethods]
impl Controller {
    /// Connects to the daemons: for each host of the plan, in order, the program that starts one and its arguments, or
    /// None to connect over TLS with the private key `pkcs8`.
    #[new]
    fn new(
        py: Python<'_>,
        plan: &Plan,
        programs: Vec<Option<Vec<String>>>,
        pkcs8: Option<&[u8]>,
        cancel: &Cancel,
    ) -> PyResult<Self> {
        let identity = pkcs8.map(identity).transpose()?;
        py.detach(|| {
            let mut children = Vec::new();
            let mut connections = Vec::new();
            for (host, program) in plan.0.hosts.values().zip(&programs) {
                let connection = match program {
                    Some(arguments) => match Child::start(arguments) {
                        Ok((child, output, input)) => {
                            children.push(Some(child));
                            connections.push(Ok((output, input)));
                            continue;
                        }
                        Err(error) => Err(format!("cannot start {}: {error}", arguments.join(" "))),
                    },
                    None => connect_tls(host, identity.as_ref(), cancel.flag()),
                };
                children.push(None);
                connections.push(connection);
            }
            let controller = controller::Controller::connect(&plan.0, connections, cancel.flag())?;
            Ok(Self {
                controller: Some(controller),
                children,
            })
        })
    }

    /// Executes the plan once; returns the tables, their units, and whether `cancel` ended it.
    fn repetition<'py>(
        &mut self,
        py: Python<'py>,
        number: u32,
        cancel: &Cancel,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, bool)> {
        let children = &self.children;
        let controller = open(&mut self.controller)?;
        let (all, cancelled) = py.detach(|| -> PyResult<_> {
            let mut repetition = controller.repetition(cancel.flag())?;
            for (child, state) in children.iter().zip(&mut repetition.session.hosts) {
                if let (Some(child), Some(why)) = (child, &mut state.lost)
                    && let Some(words) = child.last_words()
                    && !why.contains(&words)
                {
                    *why = format!("{why}; it said: {words}");
                }
            }
            Ok((
                tables(controller, number, &repetition),
                repetition.cancelled,
            ))
        })?;
        Ok((by_name(py, &all)?, units(py, &all)?, cancelled))
    }

    /// Keeps the sessions alive for this many seconds.
    fn pause(&mut self, py: Python<'_>, seconds: f64, cancel: &Cancel) -> PyResult<()> {
        let controller = open(&mut self.controller)?;
        py.detach(|| Ok(controller.pause((seconds * 1e9) as u64, cancel.flag())?))
    }

    /// Closes the sessions, and waits for the daemons that were started.
    fn close(&mut self, py: Python<'_>) {
        py.detach(|| {
            if let Some(controller) = self.controller.take() {
                controller.close();
            }
            self.children.clear();
        });
    }
}

fn open(controller: &mut Option<controller::Controller>) -> PyResult<&mut controller::Controller> {
    controller
        .as_mut()
        .ok_or_else(|| PyValueError::new_err("the controller is closed"))
}

fn connect_tls(
    host: &plan::Host,
    identity: Option<&Identity>,
    cancel: &AtomicBool,
) -> Result<(OwnedFd, OwnedFd), String> {
    let (Some(to), Some(key)) = (&host.tls, &host.key) else {
        return Err("no program is given for it".to_owned());
    };
    let identity = identity.ok_or("TLS needs a private key: make one with `celltrain dbs key`")?;
    let to: SocketAddr = to
        .parse()
        .map_err(|_| format!("expected ADDRESS:PORT, found \"{to}\""))?;
    tls::connect(to, identity, PublicKey::parse(key)?, cancel)
}

fn socket_address(text: &str) -> PyResult<SocketAddr> {
    text.parse().map_err(|_| {
        PyValueError::new_err(format!(
            "expected ADDRESS:PORT such as 127.0.0.1:7117, found \"{text}\""
        ))
    })
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Plan>()?;
    module.add_class::<DaemonLimits>()?;
    module.add_class::<Listener>()?;
    module.add_class::<Controller>()?;
    module.add_function(wrap_pyfunction!(dbs_schema, module)?)?;
    module.add_function(wrap_pyfunction!(columns_of_measurements, module)?)?;
    module.add_function(wrap_pyfunction!(dbs_new_key, module)?)?;
    module.add_function(wrap_pyfunction!(dbs_public_key, module)?)?;
    module.add_function(wrap_pyfunction!(dbs_serve_stdio, module)?)
}
