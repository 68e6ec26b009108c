//! A digest of results: equal if and only if all values are bit-identical.

use celltrain_language::canonical::hex;
use sha2::{Digest, Sha256};

use super::{Table, Values};

/// SHA-256 over the names and values of all tables, names first, as 64 hexadecimal digits.
pub(super) fn digest<'a>(tables: impl Iterator<Item = &'a Table> + Clone) -> String {
    let mut hash = Sha256::new();
    let mut text = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    for table in tables.clone() {
        text(&table.name);
        for column in &table.columns {
            text(&column.name);
            if let Values::Names(names) = &column.values {
                names.iter().for_each(&mut text);
            }
        }
    }
    for column in tables.flat_map(|table| &table.columns) {
        if let Values::Numbers(values) = &column.values {
            for value in values.iter() {
                // One bit pattern for every NaN, so that the digest depends only on values.
                let value = if value.is_nan() { f64::NAN } else { value };
                hash.update(value.to_bits().to_le_bytes());
            }
        }
    }
    hex(&hash.finalize())
}
