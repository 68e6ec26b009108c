//! Quantities as a scenario writes them.

use serde_json::{Map, Value};

/// A table of a scenario.
pub(super) type Table = Map<String, Value>;

/// Bits of a cell.
pub(super) const CELL: u64 = 424;
/// Picoseconds of a microsecond, a millisecond and a second.
pub(super) const US: u64 = 1_000_000;
pub(super) const MS: u64 = 1000 * US;
pub(super) const SECOND: u64 = 1000 * MS;

/// The largest unit of `units` in which `value` is a whole number.
fn whole(value: u64, units: &[(u64, &str)]) -> Value {
    let fits = units.iter().find(|it| value.is_multiple_of(it.0));
    let (size, name) = fits.copied().unwrap_or((1, ""));
    Value::String(format!("{} {name}", value / size))
}

/// A time of this many picoseconds.
pub(super) fn time(ps: u64) -> Value {
    whole(
        ps,
        &[
            (SECOND, "s"),
            (MS, "ms"),
            (US, "us"),
            (1000, "ns"),
            (1, "ps"),
        ],
    )
}

/// A rate of this many bits per second.
pub(super) fn rate(bps: u64) -> Value {
    whole(
        bps,
        &[
            (1_000_000, "Mbit/s"),
            (CELL, "cells/s"),
            (1000, "kbit/s"),
            (1, "bit/s"),
        ],
    )
}

/// A number of cells.
pub(super) fn cells(number: u64) -> Value {
    Value::String(format!("{number} cells"))
}

/// A number of octets.
pub(super) fn octets(number: u64) -> Value {
    Value::String(format!("{number} bytes"))
}

/// Sets a key of a table.
pub(super) fn put(table: &mut Table, key: &str, value: impl Into<Value>) {
    table.insert(key.to_owned(), value.into());
}
