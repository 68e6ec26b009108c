//! A row of the registry of columns, and the tables made from such rows.

use celltrain_language::{ColumnType, Field};

use super::{Table, Values};

/// A row of the registry; `R` tells how the columns of its table are read.
pub(super) struct Entry<R> {
    pub(super) field: Field,
    pub(super) reading: R,
}

macro_rules! entries {
    ($($(#[$doc:meta])* $name:ident: $kind:ident),+) => {$(
        $(#[$doc])*
        pub(super) const fn $name<R>(
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
pub(super) fn table<R>(name: &str, entries: &[Entry<R>], read: impl Fn(&R) -> Values) -> Table {
    let column = |entry: &Entry<R>| entry.field.column(read(&entry.reading));
    Table {
        name: name.to_owned(),
        columns: entries.iter().map(column).collect(),
    }
}
