//! Tables of a scenario, and the quantities in them.

use serde_json::{Map, Value, json};

use crate::palette::{self, text};
use crate::schema::Kind;

/// A table of a scenario.
pub(super) type Table = Map<String, Value>;

/// The tables of a section.
pub(crate) fn tables<'a>(
    scenario: &'a mut Value,
    section: &str,
) -> impl Iterator<Item = (&'a String, &'a mut Table)> {
    let section = scenario.get_mut(section).and_then(Value::as_object_mut);
    let tables = section.into_iter().flat_map(Map::iter_mut);
    tables.filter_map(|(name, table)| Some((name, table.as_object_mut()?)))
}

/// The value of a quantity, if it is one of this kind.
pub(super) fn quantity(kind: Kind, value: Option<&Value>) -> Option<u64> {
    palette::value(kind, value?.as_str()?)
}

/// Limits `table[key]` to `most`.
pub(super) fn cap(table: &mut Table, kind: Kind, key: &str, most: u64) {
    if quantity(kind, table.get(key)).is_some_and(|value| value > most) {
        let least = table[key].as_str().map_or(0, str::len) as u64;
        let value = if most == 0 {
            0
        } else {
            most - least % most.min(3)
        };
        table.insert(key.to_owned(), json!(text(kind, value)));
    }
}
