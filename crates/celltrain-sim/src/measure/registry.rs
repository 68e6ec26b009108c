//! The registry of columns: one row for each column of each table of results.
//!
//! A row gives the column's name, unit, type, heading, meaning, and how it is read. The tables, the reference
//! (`docs/reference/results.md`) and the headings that commands print are all made from these rows.

use celltrain_language::Field;
use celltrain_language::entry::Entry;

use super::{
    admission, cell_delays, cell_errors, fairness, flows, frames, link_parts, link_vcs, links,
    responses, shapers, vcs,
};
use crate::network::{EVENT_FIELDS, FlowQuantity, LinkQuantity, TIME_FIELD, VcQuantity};

/// All tables of results: their names and columns, in order.
///
/// Quantities of probes are grouped by element: `links.NAME`, `vcs.NAME.DIRECTION`, `flows.NAME`; `every row` and
/// `events` are the columns that precede them.
pub fn fields() -> Vec<(&'static str, Vec<&'static Field>)> {
    fn of<R>(entries: &'static [Entry<R>]) -> Vec<&'static Field> {
        entries.iter().map(|entry| &entry.field).collect()
    }
    vec![
        ("flows", of(flows::COLUMNS)),
        ("fairness", of(fairness::COLUMNS)),
        ("vcs", of(vcs::COLUMNS)),
        ("links", of(links::COLUMNS)),
        ("link_vcs", of(link_vcs::COLUMNS)),
        ("link_parts", of(link_parts::COLUMNS)),
        ("cell_delays", of(cell_delays::COLUMNS)),
        ("cell_errors", of(cell_errors::COLUMNS)),
        ("frames", of(frames::COLUMNS)),
        ("responses", of(responses::COLUMNS)),
        ("admission", of(admission::COLUMNS)),
        ("shapers", of(shapers::COLUMNS)),
        ("every row", vec![&TIME_FIELD]),
        ("events", EVENT_FIELDS.iter().collect()),
        ("links.NAME", LinkQuantity::FIELDS.iter().collect()),
        ("vcs.NAME.DIRECTION", VcQuantity::FIELDS.iter().collect()),
        ("flows.NAME", FlowQuantity::FIELDS.iter().collect()),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use celltrain_language::ColumnType;

    use super::*;

    #[test]
    fn a_name_stands_once_in_a_table_and_every_column_says_what_it_means() {
        for (table, fields) in fields() {
            let names: BTreeSet<_> = fields.iter().map(|field| field.name).collect();
            assert_eq!(names.len(), fields.len(), "{table}");
            for field in fields {
                assert!(!field.meaning.is_empty(), "{table} {}", field.name);
                let is_text = field.kind == ColumnType::Text;
                assert_eq!(field.unit.is_empty(), is_text, "{table} {}", field.name);
            }
        }
    }

    #[test]
    fn no_probe_can_have_the_name_of_a_table() {
        let known = fields().into_iter().map(|(table, _)| table);
        let known: Vec<_> = known.take_while(|&table| table != "every row").collect();
        assert_eq!(known, crate::network::TABLES);
    }

    #[test]
    fn the_unit_ends_the_name_of_a_column() {
        let ends = [("s", "_s"), ("bit/s", "_bps"), ("bytes", "_bytes")];
        for (table, fields) in fields() {
            for field in fields {
                for (unit, end) in ends {
                    let has = field.name.ends_with(end);
                    assert_eq!(field.unit == unit, has, "{table} {}", field.name);
                }
            }
        }
    }
}
