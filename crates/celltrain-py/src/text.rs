//! Positions in texts, and nearest names: for files that Python reads, with messages like those of scenarios.

use celltrain_language::{Problem, Source, suggestion};
use pyo3::prelude::*;

/// Describes a problem at a key of a TOML text, preceded by file, line and column of the deepest existing key.
#[pyfunction]
fn located(text: &str, origin: &str, path: Vec<String>, message: String) -> String {
    Source::toml(text, origin)
        .locate(&Problem { path, message })
        .to_string()
}

/// `; did you mean "NAME"?` if one of the known names is close, otherwise the list of known names.
#[pyfunction]
fn nearest(name: &str, known: Vec<String>) -> String {
    suggestion(name, known.iter().map(String::as_str))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(located, module)?)?;
    module.add_function(wrap_pyfunction!(nearest, module)?)
}
