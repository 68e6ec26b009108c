//! Python bindings: classes and functions of `celltrain._native`. Thin glue without logic.

mod cancel;
#[cfg(target_os = "linux")]
mod dbs;
mod errors;
#[cfg(target_os = "linux")]
mod line;
mod quantity;
mod result;
mod scenario;
mod tcp;
mod text;
mod verify;

use celltrain_proto::aal5::Encapsulation;
use celltrain_proto::adaptation::{Aal, Adaptation};
use celltrain_proto::line::{DelayParameters, JitterLaw, RateParameters, ScheduleParameters, loss};
use celltrain_proto::tcp::Variant;
use celltrain_proto::{aqm, discard, lan, packet_queue, schedule, switch, traffic};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The JSON Schema of a scenario.
#[pyfunction]
fn schema() -> String {
    celltrain_sim::scenario::schema()
}

/// The registry, the keyword and the common name of each registered algorithm.
#[pyfunction]
fn names_of_algorithms() -> Vec<(&'static str, &'static str, &'static str)> {
    [
        switch::Parameters::NAMES,
        aqm::Parameters::NAMES,
        packet_queue::Parameters::NAMES,
        discard::Parameters::NAMES,
        schedule::Parameters::NAMES,
        loss::Parameters::NAMES,
        DelayParameters::NAMES,
        ScheduleParameters::NAMES,
        JitterLaw::NAMES,
        RateParameters::NAMES,
        traffic::Parameters::NAMES,
        lan::Parameters::NAMES,
        Variant::NAMES,
    ]
    .concat()
}

/// What each encapsulation in an adaptation layer, `"5"` or `"3/4"`, makes of IP packets of these lengths: one tuple for
/// each encapsulation that it carries and each length, of its name, keyword of tc-cake or None, overhead in tc's sense or
/// None (tc knows cells of AAL5 only), MTU, length, payload of the PDU, cells.
#[pyfunction]
#[pyo3(signature = (lengths, aal = "5"))]
fn overhead(lengths: Vec<u32>, aal: &str) -> PyResult<Vec<Overhead>> {
    let known = Aal::ALL.into_iter().find(|it| it.name() == aal);
    let aal = known.ok_or_else(|| PyValueError::new_err(format!("no adaptation layer {aal:?}")))?;
    let of = |encapsulation: Encapsulation| {
        lengths.iter().map(move |&length| {
            let octets = u64::from(length);
            let is_aal5 = aal == Aal::Aal5;
            (
                encapsulation.name(),
                encapsulation.cake_keyword().filter(|_| is_aal5),
                is_aal5.then(|| encapsulation.cake_overhead()),
                encapsulation.mtu(),
                octets,
                encapsulation.payload_for_ip(octets),
                Adaptation { aal, encapsulation }.cells_for_ip(octets),
            )
        })
    };
    let carried = Encapsulation::ALL.into_iter().filter(|&it| aal.carries(it));
    Ok(carried.flat_map(of).collect())
}

type Overhead = (
    &'static str,
    Option<&'static str>,
    Option<u64>,
    u64,
    u64,
    u64,
    u64,
);

/// The compiled core of celltrain.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add(
        "__build__",
        concat!(env!("CARGO_PKG_VERSION"), "+", env!("CELLTRAIN_SOURCES")),
    )?;
    errors::add_to(module)?;
    quantity::add_to(module)?;
    text::add_to(module)?;
    #[cfg(target_os = "linux")]
    dbs::add_to(module)?;
    module.add_class::<cancel::Cancel>()?;
    module.add_class::<cancel::Progress>()?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<result::RunResult>()?;
    #[cfg(target_os = "linux")]
    module.add_class::<line::Line>()?;
    module.add_class::<tcp::TcpSegment>()?;
    module.add_class::<tcp::TcpSender>()?;
    module.add_class::<tcp::TcpReceiver>()?;
    module.add_class::<tcp::TcpEnd>()?;
    module.add_function(wrap_pyfunction!(overhead, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::mistakes, module)?)?;
    module.add_function(wrap_pyfunction!(verify::shrunken, module)?)?;
    module.add_function(wrap_pyfunction!(result::columns_of_results, module)?)?;
    module.add_function(wrap_pyfunction!(names_of_algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)
}
