//! Results as dictionaries of numpy arrays.

use celltrain_sim::measure::{self, ColumnType, Field, Results, Table, Values};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// The results of one run.
#[pyclass(frozen, name = "Result", module = "celltrain._native")]
pub(crate) struct RunResult(Results);

impl RunResult {
    pub(crate) fn new(results: Results) -> Self {
        Self(results)
    }
}

fn columns<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for column in &table.columns {
        match &column.values {
            Values::Names(names) => {
                let (known, rows) = names.parts();
                let known: Vec<_> = known.iter().map(|name| PyString::new(py, name)).collect();
                let rows = rows.iter().map(|&row| &known[row as usize]);
                columns.set_item(&column.name, PyList::new(py, rows)?)?;
            }
            Values::Numbers(values) if column.kind == ColumnType::Count => {
                let counts = values.iter().map(|count| count as i64);
                columns.set_item(&column.name, PyArray1::from_iter(py, counts))?;
            }
            Values::Numbers(values) => {
                columns.set_item(&column.name, PyArray1::from_iter(py, values.iter()))?;
            }
        }
    }
    Ok(columns)
}

/// By table: name, unit, type, heading and meaning of each column.
pub(crate) type Fields = Vec<(&'static str, Vec<[&'static str; 5]>)>;

/// What each table of results holds.
#[pyfunction]
pub(crate) fn columns_of_results() -> Fields {
    in_words(measure::fields())
}

pub(crate) fn in_words(tables: Vec<(&'static str, Vec<&'static Field>)>) -> Fields {
    let row = |field: &Field| {
        let kind = field.kind.as_str();
        [field.name, field.unit, kind, field.heading, field.meaning]
    };
    let tables = tables.into_iter();
    tables
        .map(|(table, fields)| (table, fields.into_iter().map(row).collect()))
        .collect()
}

pub(crate) fn by_name<'py>(py: Python<'py>, tables: &[Table]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for table in tables {
        all.set_item(&table.name, columns(py, table)?)?;
    }
    Ok(all)
}

pub(crate) fn units<'py, 'a>(
    py: Python<'py>,
    tables: impl IntoIterator<Item = &'a Table>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for table in tables {
        let units = PyDict::new(py);
        for column in &table.columns {
            units.set_item(&column.name, column.unit)?;
        }
        all.set_item(&table.name, units)?;
    }
    Ok(all)
}

#[pymethods]
impl RunResult {
    /// The seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Length of the measured interval in s.
    #[getter]
    fn measured_s(&self) -> f64 {
        self.0.measured_s
    }

    /// SHA-256 of all tables but `fairness`.
    #[getter]
    fn digest(&self) -> &str {
        &self.0.digest
    }

    /// Cells that arrived at links, summed over all links and the whole run.
    #[getter]
    fn cell_hops(&self) -> u64 {
        self.0.cell_hops
    }

    /// Events that the engine processed.
    #[getter]
    fn events(&self) -> u64 {
        self.0.events
    }

    /// Tables by name: a dictionary from column names to values.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, &self.0.tables)
    }

    /// Time series by probe name.
    #[getter]
    fn traces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, &self.0.traces)
    }

    /// Units by table and column.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        units(py, self.0.tables.iter().chain(&self.0.traces))
    }
}
