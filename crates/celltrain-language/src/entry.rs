//! A row of a registry of columns, and the tables made from such rows.

use crate::table::{ColumnType, Field, Table, Values};

/// A row of a registry of columns; `R` defines how the columns of its table are read.
#[derive(Clone, Copy, Debug)]
pub struct Entry<R> {
    /// What the column holds.
    pub field: Field,
    /// How its values are read.
    pub reading: R,
}

macro_rules! entries {
    ($($(#[$doc:meta])* $name:ident: $kind:ident),+) => {$(
        $(#[$doc])*
        pub const fn $name<R>(
            name: &'static str,
            unit: &'static str,
            heading: &'static str,
            meaning: &'static str,
            reading: R,
        ) -> Entry<R> {
            let kind = ColumnType::$kind;
            Entry {
                field: Field { name, unit, kind, heading, meaning },
                reading,
            }
        }
    )+};
}

entries! {
    /// A column of whole numbers with a value in each row.
    count: Count,
    /// A column of whole numbers, NaN where there is no value.
    count_or_none: CountOrNone,
    /// A column of numbers, NaN where there is no value.
    number: Number,
    /// A column of names, without a unit.
    text: Text
}

/// The table `name`: the columns of `entries` with the values that `read` returns.
pub fn table<R>(name: &str, entries: &[Entry<R>], read: impl Fn(&R) -> Values) -> Table {
    let column = |entry: &Entry<R>| entry.field.column(read(&entry.reading));
    Table {
        name: name.to_owned(),
        columns: entries.iter().map(column).collect(),
    }
}
