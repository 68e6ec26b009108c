//! Builds tables, column by column.

use celltrain_language::{Column, ColumnType, Table, Values};

/// Builds a table column by column from rows.
pub(super) struct Builder<'a, R> {
    pub(super) table: Table,
    rows: &'a [R],
}

impl<'a, R> Builder<'a, R> {
    pub(super) fn new(name: &str, number: u32, rows: &'a [R]) -> Self {
        let builder = Self {
            table: Table::new(name),
            rows,
        };
        builder.count("repetition", "1", |_| f64::from(number))
    }

    pub(super) fn name(self, name: &str, of: impl Fn(&R) -> String) -> Self {
        let values = Values::Names(self.rows.iter().map(of).collect());
        self.with(name, "", ColumnType::Text, values)
    }

    /// A column of whole numbers.
    pub(super) fn count(self, name: &str, unit: &'static str, of: impl Fn(&R) -> f64) -> Self {
        self.numbers(name, unit, ColumnType::Count, of)
    }

    /// A column of whole numbers that may be absent in some rows.
    pub(super) fn maybe_count(
        self,
        name: &str,
        unit: &'static str,
        of: impl Fn(&R) -> Option<f64>,
    ) -> Self {
        self.numbers(name, unit, ColumnType::CountOrNone, |row| {
            of(row).unwrap_or(f64::NAN)
        })
    }

    pub(super) fn number(self, name: &str, unit: &'static str, of: impl Fn(&R) -> f64) -> Self {
        self.numbers(name, unit, ColumnType::Number, of)
    }

    pub(super) fn maybe(
        self,
        name: &str,
        unit: &'static str,
        of: impl Fn(&R) -> Option<f64>,
    ) -> Self {
        self.number(name, unit, |row| of(row).unwrap_or(f64::NAN))
    }

    fn numbers(
        self,
        name: &str,
        unit: &'static str,
        kind: ColumnType,
        of: impl Fn(&R) -> f64,
    ) -> Self {
        let values = Values::Numbers(self.rows.iter().map(of).collect());
        self.with(name, unit, kind, values)
    }

    fn with(mut self, name: &str, unit: &'static str, kind: ColumnType, values: Values) -> Self {
        self.table.columns.push(Column {
            name: name.to_owned(),
            unit,
            kind,
            values,
        });
        self
    }
}

pub(super) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

pub(super) fn signed_seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}
