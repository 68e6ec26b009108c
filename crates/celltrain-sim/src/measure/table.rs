//! Tables of results: named columns with units.

/// A table: columns of one length.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A named column with the unit of its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Its name; SI units are part of it, as in `throughput_bps`.
    pub name: String,
    /// The unit in words of the SI, `1` for ratios, empty for names.
    pub unit: &'static str,
    /// One value for each row.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Names.
    Names(Vec<String>),
    /// Numbers; NaN where there is none.
    Numbers(Vec<f64>),
}

impl Table {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            columns: Vec::new(),
        }
    }

    pub(super) fn names(mut self, name: &str, values: impl Iterator<Item = String>) -> Self {
        let values = Values::Names(values.collect());
        self.columns.push(Column {
            name: name.to_owned(),
            unit: "",
            values,
        });
        self
    }

    pub(super) fn numbers(
        mut self,
        name: &str,
        unit: &'static str,
        values: impl Iterator<Item = f64>,
    ) -> Self {
        let values = Values::Numbers(values.collect());
        self.columns.push(Column {
            name: name.to_owned(),
            unit,
            values,
        });
        self
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The numbers of the column of this name; empty if there is none.
    pub fn numbers_of(&self, name: &str) -> &[f64] {
        match self.column(name).map(|column| &column.values) {
            Some(Values::Numbers(values)) => values,
            _ => &[],
        }
    }
}
