//! Of all columns: what kind of number they hold.

use celltrain_sim::measure::{Table, Values};

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
        name: "tables have a row for each flow, each way of each VC, each link, and each link on each of those ways",
        check: rows,
    },
    Invariant {
        name: "the hops of cells are those that link_vcs shows, of a run that is measured from its start",
        check: cell_hops,
    },
];

const TABLES: [&str; 4] = ["flows", "vcs", "links", "link_vcs"];

/// Whether a column holds counts: all of cells, octets and pieces, but means and quotients.
fn is_count(column: &str, unit: &str) -> bool {
    let is_quotient = ["utilization", "cell_loss_ratio", "load_factor"].contains(&column);
    ["cells", "bytes", "1"].contains(&unit) && !column.contains("mean") && !is_quotient
}

/// Whether there may be no value: in rows of links without a queue, and where nothing was counted.
fn may_be_missing(table: &str, column: &str) -> bool {
    let of_lines = ["cells_sent", "queue_max_cells"];
    table == "links" && of_lines.contains(&column)
}

fn each_number(tables: &Tables, mut see: impl FnMut(&Sheet, &str, &str, usize, f64)) {
    for name in TABLES {
        let sheet = Sheet::new(name, tables.results.table(name));
        for column in sheet.table.into_iter().flat_map(|it: &Table| &it.columns) {
            if let Values::Numbers(numbers) = &column.values {
                for (row, value) in numbers.iter().enumerate() {
                    see(&sheet, &column.name, column.unit, row, value);
                }
            }
        }
    }
}

fn counts(tables: &Tables, report: &mut Report) {
    each_number(tables, |sheet, column, unit, row, value| {
        if !is_count(column, unit) {
            return;
        }
        let is_whole = value.is_finite() && value >= 0.0 && value.fract() == 0.0;
        let is_missing = value.is_nan() && may_be_missing(sheet.name, column);
        report.expect(sheet.at(row, column), value, is_whole || is_missing, || {
            "a whole number from 0 up".to_owned()
        });
    });
}

fn means(tables: &Tables, report: &mut Report) {
    each_number(tables, |sheet, column, unit, row, value| {
        if is_count(column, unit) {
            return;
        }
        let is_good = value.is_nan() || (value >= 0.0 && value.is_finite());
        report.expect(sheet.at(row, column), value, is_good, || {
            "a number from 0 up, or none".to_owned()
        });
    });
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
