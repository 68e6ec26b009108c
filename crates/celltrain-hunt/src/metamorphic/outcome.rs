//! Runs, and comparisons of their tables.

use std::sync::atomic::AtomicBool;

use celltrain_sim::measure::{Results, Table, Values};
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;
use celltrain_verify::compare::{Failure, Method, evaluate};
use serde_json::Value;

/// A description of what differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unlike(pub(super) String);

/// Whether a relation applies; the error is what differs.
pub(super) type Found = Result<bool, Unlike>;

impl From<Failure> for Unlike {
    fn from(failure: Failure) -> Self {
        Self(failure.to_string())
    }
}

/// The network of a scenario; `None` if it is refused.
pub(super) fn network(scenario: &Value) -> Option<Network> {
    let text = scenario.to_string();
    let scenario = Source::json(&text, "scenario").read().ok()?;
    Network::new(&scenario).ok()
}

/// The results of a run in trains.
pub(super) fn run(network: &Network, seed: u64) -> Result<Results, Unlike> {
    let cancel = AtomicBool::new(false);
    of(evaluate(network, seed, Method::Trains, &cancel))
}

/// The results of a run. All relations take their results from here, so tests can substitute wrong ones.
pub(super) fn of(run: Result<Results, Failure>) -> Result<Results, Unlike> {
    #[cfg(test)]
    let run = run.map(super::tests::doctored);
    Ok(run?)
}

/// The names of each row, joined.
pub(super) fn labels(table: &Table) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for column in &table.columns {
        let Values::Names(names) = &column.values else {
            continue;
        };
        if labels.is_empty() {
            labels = names.iter().map(str::to_owned).collect();
        } else {
            for (label, name) in labels.iter_mut().zip(names.iter()) {
                label.push(' ');
                label.push_str(name);
            }
        }
    }
    labels
}

/// Columns of numbers: name, unit, and a number for each row.
pub(super) fn numbers(table: &Table) -> Vec<(&str, &'static str, Vec<f64>)> {
    let columns = table
        .columns
        .iter()
        .filter_map(|column| match &column.values {
            Values::Numbers(numbers) => {
                Some((column.name.as_str(), column.unit, numbers.iter().collect()))
            }
            Values::Names(_) => None,
        });
    columns.collect()
}

/// Whether two numbers are equal, bit by bit; all NaNs are equal.
pub(super) fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Fails unless the tables have the same numbers in the same rows; names are ignored.
pub(super) fn same_numbers(one: &Table, other: &Table) -> Result<(), Unlike> {
    same_rows(one, other, |_| true)
}

/// [`same_numbers`], counting only those rows of `other` whose names `keeps` accepts.
pub(super) fn same_rows(
    one: &Table,
    other: &Table,
    keeps: impl Fn(&str) -> bool,
) -> Result<(), Unlike> {
    let labels = labels(other);
    let kept = |row: &usize| labels.get(*row).is_none_or(|label| keeps(label));
    let (ones, others) = (numbers(one), numbers(other));
    if ones.len() != others.len() {
        return Err(Unlike(format!("{}: other columns", one.name)));
    }
    for ((column, _, xs), (_, _, ys)) in ones.iter().zip(&others) {
        let ys: Vec<f64> = (0..ys.len()).filter(kept).map(|row| ys[row]).collect();
        if xs.len() != ys.len() {
            let (x, y) = (xs.len(), ys.len());
            return Err(Unlike(format!("{} {column}: {x} rows and {y}", one.name)));
        }
        let mut rows = xs.iter().zip(&ys).enumerate();
        if let Some((row, (x, y))) = rows.find(|(_, (x, y))| !is_same(**x, **y)) {
            let name = &one.name;
            return Err(Unlike(format!("{name} row {row} {column}: {x} and {y}")));
        }
    }
    Ok(())
}

/// The tables that relations compare; the last one is there if links carry frames.
pub(super) const TABLES: [&str; 5] = ["flows", "vcs", "links", "link_vcs", "frames"];

/// The table of this name in each run; none if no run has it.
pub(super) fn in_each<'a, const N: usize>(
    runs: [&'a Results; N],
    name: &str,
) -> Result<Option<[&'a Table; N]>, Unlike> {
    let tables = runs.map(|run| run.table(name));
    if name == "frames" && tables.iter().all(Option::is_none) {
        return Ok(None);
    }
    if tables.iter().any(Option::is_none) {
        return Err(Unlike(format!("there is no table {name}")));
    }
    let mut tables = tables.into_iter().flatten();
    Ok(Some(std::array::from_fn(|_| {
        tables.next().expect("there is one for each run")
    })))
}

/// Fails unless all tables except `link_parts` and traces have the same numbers.
pub(super) fn same_tables(one: &Results, other: &Results) -> Result<(), Unlike> {
    for name in TABLES {
        if let Some([a, b]) = in_each([one, other], name)? {
            same_numbers(a, b)?;
        }
    }
    Ok(())
}

/// Fails unless all tables are equal, including names.
pub(super) fn same_results(one: &Results, other: &Results) -> Result<(), Unlike> {
    match celltrain_verify::compare::difference(one, other) {
        None => Ok(()),
        Some(difference) => Err(Unlike(difference.to_string())),
    }
}
