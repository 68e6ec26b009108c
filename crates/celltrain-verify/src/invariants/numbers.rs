//! Invariants of all columns: the kind of number that they hold.

use celltrain_sim::measure::{Column, ColumnType, Table, Values};

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Sheet, Tables};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "a count is a whole number, and none is negative",
        check: counts,
    },
    Invariant {
        name: "a mean, a rate or a time is a number from 0 up, or none",
        check: means,
    },
    Invariant {
        name: "tables have a row for each flow, each direction of each VC, each link, and each link on each of those directions",
        check: rows,
    },
    Invariant {
        name: "the hops of cells are those in link_vcs, in a run measured from its start",
        check: cell_hops,
    },
];

const TABLES: [&str; 4] = ["flows", "vcs", "links", "link_vcs"];

/// Calls `see` for each number of `table`, with its column and row.
fn each_number(
    name: &str,
    table: Option<&Table>,
    mut see: impl FnMut(&Sheet, &Column, usize, f64),
) {
    let sheet = Sheet::new(name, table);
    for column in table.into_iter().flat_map(|it| &it.columns) {
        if let Values::Numbers(numbers) = &column.values {
            for (row, value) in numbers.iter().enumerate() {
                see(&sheet, column, row, value);
            }
        }
    }
}

fn counts(tables: &Tables, report: &mut Report) {
    let results = tables.results;
    for table in results.tables.iter().chain(&results.traces) {
        each_number(&table.name, Some(table), |sheet, column, row, value| {
            if !column.kind.is_count() {
                return;
            }
            let is_whole = value.is_finite() && value >= 0.0 && value.fract() == 0.0;
            let is_missing = value.is_nan() && column.kind == ColumnType::CountOrNone;
            let is_good = is_whole || is_missing;
            report.expect(sheet.at(row, &column.name), value, is_good, || {
                "a whole number from 0 up".to_owned()
            });
        });
    }
}

fn means(tables: &Tables, report: &mut Report) {
    for name in TABLES {
        let table = tables.results.table(name);
        each_number(name, table, |sheet, column, row, value| {
            if column.kind.is_count() {
                return;
            }
            let is_good = value.is_nan() || (value >= 0.0 && value.is_finite());
            report.expect(sheet.at(row, &column.name), value, is_good, || {
                "a number from 0 up, or none".to_owned()
            });
        });
    }
}

fn rows(tables: &Tables, report: &mut Report) {
    let network = tables.network;
    let expected = [
        (&tables.flows, network.flows.len()),
        (&tables.vcs, 2 * network.vcs.len()),
        (&tables.links, network.links.len()),
        (&tables.link_vcs, tables.hops().count()),
    ];
    for (sheet, count) in expected {
        let columns = sheet.table.into_iter().flat_map(|it| &it.columns);
        for column in columns {
            let rows = match &column.values {
                Values::Names(names) => names.iter().count(),
                Values::Numbers(numbers) => numbers.iter().count(),
            };
            let at = sheet.at(rows, &column.name);
            report.equal(at, rows as f64, count as f64, "rows of it");
        }
    }
}

fn cell_hops(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let kinds = ["data_offered", "forward_rm_offered", "backward_rm_offered"];
    let sums = kinds.map(|kind| tables.link_vcs.get(kind).iter().sum::<f64>());
    let at = tables.link_vcs.at(0, "data_offered");
    let shown = sums.iter().sum();
    report.equal(
        at,
        shown,
        tables.results.cell_hops as f64,
        "cell hops, summed over all rows and kinds",
    );
}
