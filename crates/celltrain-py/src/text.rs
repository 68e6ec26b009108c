//! Places in texts, and nearest names: for files that Python reads, with messages as those of scenarios.

use celltrain_language::{Problem, Source, suggestion};
use pyo3::prelude::*;

/// Says what is wrong at a key of a TOML text, after the file, line and column of the deepest key that is there.
#[pyfunction]
fn located(text: &str, origin: &str, path: Vec<String>, message: String) -> String {
    Source::toml(text, origin)
        .locate(&Problem { path, message })
        .to_string()
}

/// `; did you mean "NAME"?` where one of the known names is close, else the list of what is known.
#[pyfunction]
fn nearest(name: &str, known: Vec<String>) -> String {
    suggestion(name, known.iter().map(String::as_str))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(located, module)?)?;
    module.add_function(wrap_pyfunction!(nearest, module)?)
}
