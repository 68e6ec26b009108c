//! Scaling of times in a scenario.

use serde_json::{Map, Value, json};

use crate::palette;
use crate::schema::Kind;

/// Multiplies a time by `factor`; it stays above zero.
pub(crate) fn scale(table: &mut Map<String, Value>, key: &str, factor: f64) {
    let time = table.get(key).and_then(Value::as_str);
    let time = time.and_then(|time| palette::value(Kind::Time, time));
    if let Some(time) = time {
        let scaled = (time as f64 * factor) as u64;
        // A few digits are enough, and easier to read.
        let grain = 10_u64.pow(scaled.max(1).ilog10().saturating_sub(2));
        let scaled = (scaled / grain).max(1) * grain;
        table.insert(key.to_owned(), json!(palette::text(Kind::Time, scaled)));
    }
}
