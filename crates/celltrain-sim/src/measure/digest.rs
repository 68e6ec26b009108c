//! A digest of results: equal if and only if every value is equal, bit by bit.

use sha2::{Digest, Sha256};

use super::{Table, Values};
use crate::scenario::hex;

/// SHA-256 over names and values of all tables, as 64 hexadecimal digits.
pub(super) fn digest<'a>(tables: impl Iterator<Item = &'a Table>) -> String {
    let mut hash = Sha256::new();
    let mut text = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    let mut numbers = Vec::new();
    for table in tables {
        text(&table.name);
        for column in &table.columns {
            text(&column.name);
            match &column.values {
                Values::Names(names) => names.iter().for_each(|name| text(name)),
                // One bit pattern for every NaN, so that the digest depends on values alone.
                Values::Numbers(values) => numbers.extend(
                    values
                        .iter()
                        .map(|&value| if value.is_nan() { f64::NAN } else { value }.to_bits()),
                ),
            }
        }
    }
    for bits in numbers {
        hash.update(bits.to_le_bytes());
    }
    hex(&hash.finalize())
}
