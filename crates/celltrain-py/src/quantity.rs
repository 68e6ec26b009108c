//! Quantities of the language, as numbers in their base units.

use celltrain_language::Kind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Reads a quantity such as `10 ms` as a number of `unit`: s, bit/s, cells, bytes or m.
#[pyfunction]
fn amount(text: &str, unit: &str) -> PyResult<f64> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.unit() == unit);
    let kind = kind.ok_or_else(|| {
        let known = Kind::ALL.map(Kind::unit).join(", ");
        PyValueError::new_err(format!("expected a unit of {known}, found {unit}"))
    })?;
    kind.read(text)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Reads a quantity of any kind; returns its amount and unit as in `amount`, or None if the text is not a quantity.
#[pyfunction]
fn quantity(text: &str) -> Option<(f64, &'static str)> {
    Kind::ALL
        .into_iter()
        .find_map(|kind| Some((kind.read(text).ok()?, kind.unit())))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(amount, module)?)?;
    module.add_function(wrap_pyfunction!(quantity, module)?)
}
