//! Python bindings: classes and functions of `celltrain._native`. Thin glue, no logic of its own.

mod errors;
mod result;
mod scenario;

use pyo3::prelude::*;

/// The JSON Schema of a scenario.
#[pyfunction]
fn schema() -> String {
    celltrain_sim::scenario::schema()
}

/// The compiled core of celltrain.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add_to(module)?;
    module.add_class::<scenario::Cancel>()?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<result::RunResult>()?;
    module.add_function(wrap_pyfunction!(schema, module)?)
}
