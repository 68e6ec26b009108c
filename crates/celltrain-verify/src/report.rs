//! The report on two evaluations that differ: where, with which values, and a smaller scenario that still differs.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use celltrain_proto::units::Span;
use celltrain_sim::measure::{Results, Table, Values};
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;
use serde_json::Value;

use crate::compare::{Difference, Failure, difference, evaluated};
use crate::deadline::within;
use crate::shrink::{Budget, shrink};

/// Two evaluations of one network that differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Differing {
    /// The first value in which they differ; `None` if one of them failed.
    pub place: Option<Place>,
    /// The values in trains and cell by cell: each as the shortest text that reads back to the number, or as the reason
    /// why there is none.
    pub found: [String; 2],
}

/// The place of a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The table, or the probe.
    pub table: String,
    /// The row, from 0.
    pub row: usize,
    /// The row's names by column; in a table without names, the first number of the row.
    pub names: Vec<(String, String)>,
    /// How many of the names suffice to identify the row.
    pub telling: usize,
    /// The column; empty if the tables differ in something other than a number.
    pub column: String,
}

impl fmt::Display for Differing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [trains, cells] = &self.found;
        if let Some(place) = &self.place {
            write!(f, "{place} is ")?;
        }
        write!(f, "{trains} in trains, {cells} cell by cell")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)?;
        let names = self.names.iter().take(self.telling);
        let names: Vec<_> = names
            .map(|(column, name)| format!("{column} {name}"))
            .collect();
        if !names.is_empty() {
            write!(f, ", {}", names.join(", "))?;
        }
        let column = if self.column.is_empty() {
            "what they have"
        } else {
            &self.column
        };
        write!(f, ": {column}")
    }
}

/// The difference between evaluating one network in trains and cell by cell; `None` if the results are equal or both end
/// with the same error.
pub fn differing(
    trains: &Result<Results, Failure>,
    cells: &Result<Results, Failure>,
) -> Option<Differing> {
    match (trains, cells) {
        (Ok(trains), Ok(cells)) => {
            difference(trains, cells).map(|found| of_value(&found, [trains, cells]))
        }
        (Err(trains), Err(cells)) if trains == cells => None,
        _ => Some(Differing {
            place: None,
            found: [trains, cells].map(|it| match it {
                Ok(_) => "the run ends well".to_owned(),
                Err(failure) => format!("the run fails ({failure})"),
            }),
        }),
    }
}

fn of_value(found: &Difference, results: [&Results; 2]) -> Differing {
    let tables = results.map(|it| it.table(&found.table));
    let longer = tables.into_iter().flatten().max_by_key(|table| rows(table));
    let names = longer.map_or_else(Vec::new, |table| names_of(table, found.row));
    let texts = [0, 1].map(|which| {
        if tables[which].is_none_or(|table| rows(table) <= found.row) {
            "not there".to_owned()
        } else {
            found.values[which].to_string()
        }
    });
    Differing {
        place: Some(Place {
            table: found.table.clone(),
            row: found.row,
            telling: longer.map_or(0, |table| telling(table, &names)),
            names,
            column: found.column.clone(),
        }),
        found: texts,
    }
}

fn rows(table: &Table) -> usize {
    table
        .columns
        .first()
        .map_or(0, |column| match &column.values {
            Values::Names(names) => names.iter().len(),
            Values::Numbers(numbers) => numbers.iter().count(),
        })
}

/// The names of a row, or its first number.
fn names_of(table: &Table, row: usize) -> Vec<(String, String)> {
    let named = table.columns.iter().filter_map(|column| {
        let Values::Names(names) = &column.values else {
            return None;
        };
        Some((column.name.clone(), names.iter().nth(row)?.to_owned()))
    });
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let first = table
        .columns
        .first()
        .and_then(|column| match &column.values {
            Values::Numbers(numbers) => {
                Some((column.name.clone(), numbers.iter().nth(row)?.to_string()))
            }
            Values::Names(_) => None,
        });
    first.into_iter().collect()
}

/// How many of a row's first names suffice to identify it.
fn telling(table: &Table, names: &[(String, String)]) -> usize {
    let columns = names.iter().map(|(column, _)| table.column(column));
    let columns: Vec<_> = columns.flatten().collect();
    let mut alike: Vec<usize> = (0..rows(table)).collect();
    for (count, (column, (_, name))) in columns.iter().zip(names).enumerate() {
        let Values::Names(all) = &column.values else {
            return count + 1;
        };
        let all: Vec<_> = all.iter().collect();
        alike.retain(|&row| all[row] == name);
        if alike.len() < 2 {
            return count + 1;
        }
    }
    names.len()
}

/// A smaller scenario in which the two evaluations still differ.
///
/// It begins with the first `checked` of the run, without warm-up, if they differ there.
pub fn shrunken(
    scenario: &Value,
    seed: u64,
    checked: Option<Span>,
    budget: Duration,
    cancel: &AtomicBool,
) -> Value {
    let deadline = Instant::now() + budget;
    let mut still_fails = |candidate: &Value| differ_in(candidate, seed, deadline, cancel);
    let begun = checked.map(|checked| lasting(scenario, checked));
    let start = begun.filter(&mut still_fails);
    let start = start.unwrap_or_else(|| scenario.clone());
    let budget = Budget {
        time: budget,
        steps: usize::MAX,
    };
    shrink(&start, &mut still_fails, budget)
}

/// Whether the engines differ on a candidate, as far as can be determined in time.
fn differ_in(candidate: &Value, seed: u64, deadline: Instant, cancel: &AtomicBool) -> bool {
    let text = candidate.to_string();
    let Ok(scenario) = Source::json(&text, "candidate").read() else {
        return false;
    };
    let Ok(network) = Network::new(&scenario) else {
        return false;
    };
    let (trains, cells) = within(deadline, cancel, |stop| evaluated(&network, seed, stop));
    let is_cut = |it: &Result<Results, Failure>| it.as_ref().is_err_and(Failure::is_cut);
    !is_cut(&trains) && !is_cut(&cells) && differing(&trains, &cells).is_some()
}

/// The scenario with another duration, measured from its start.
fn lasting(scenario: &Value, duration: Span) -> Value {
    let mut changed = scenario.clone();
    changed["measure"]["duration"] = duration.to_string().into();
    if let Some(measure) = changed["measure"].as_object_mut() {
        measure.shift_remove("warm_up");
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Method, evaluate};
    use serde_json::json;

    fn line(delay: &str) -> Value {
        json!({
            "measure": { "warm_up": "100 ms", "duration": "800 ms" },
            "hosts": { "a": { "count": 2 }, "b": { "count": 2 } },
            "links": { "line": { "between": ["a", "b"], "delay": delay, "rate": "2 Mbit/s", "buffer": "1000 cells" } },
            "vcs": { "vc": { "route": ["a", "b"] } },
            "flows": { "up": { "vc": "vc" } },
            "probes": { "queue": { "every": "10 ms", "record": ["links.line1.queue_cells"] } },
        })
    }

    fn run(scenario: &Value) -> Result<Results, Failure> {
        let text = scenario.to_string();
        let read = Source::json(&text, "test").read().expect("a scenario");
        let network = Network::new(&read).expect("a network");
        evaluate(&network, 1, Method::Trains, &AtomicBool::new(false))
    }

    #[test]
    fn a_difference_names_table_row_and_column_and_both_values() {
        let (one, other) = (run(&line("5 ms")), run(&line("50 ms")));
        let found = differing(&one, &other).expect("another delay, another result");
        let place = found.place.clone().expect("a value");
        assert_eq!(
            (place.table.as_str(), place.column.as_str()),
            ("flows", "throughput_bps")
        );
        assert_eq!(place.names[0], ("flow".to_owned(), "up1".to_owned()));
        let value = |results: &Result<Results, Failure>| {
            results
                .as_ref()
                .map(|it| it.tables[0].numbers_of("throughput_bps")[0].to_string())
                .ok()
        };
        assert_eq!(
            found.found,
            [value(&one), value(&other)].map(|it| it.expect("it ran"))
        );
        let said = found.to_string();
        assert!(
            said.starts_with("flows, flow up1: throughput_bps is "),
            "{said}"
        );
        assert!(said.ends_with(" cell by cell"), "{said}");
    }

    #[test]
    fn equal_results_do_not_differ() {
        assert_eq!(differing(&run(&line("5 ms")), &run(&line("5 ms"))), None);
    }

    #[test]
    fn a_run_that_fails_alone_differs_and_two_that_fail_alike_do_not() {
        let stuck = || Err(Failure::Panic("no".to_owned()));
        let found = differing(&stuck(), &run(&line("5 ms"))).expect("one fails");
        assert_eq!(
            found.to_string(),
            "the run fails (panic: no) in trains, the run ends well cell by cell"
        );
        assert_eq!(differing(&stuck(), &stuck()), None);
    }

    #[test]
    fn as_many_names_are_told_as_the_row_needs() {
        let (one, other) = (
            run(&line("5 ms")).expect("it runs"),
            run(&line("50 ms")).expect("it runs"),
        );
        let found = Difference {
            table: "links".to_owned(),
            column: "utilization".to_owned(),
            row: 1,
            values: [1.0, 2.0],
        };
        let place = of_value(&found, [&one, &other]).place.expect("a value");
        assert_eq!(place.to_string(), "links, link line1, from b1: utilization");
        let found = Difference {
            table: "queue".to_owned(),
            row: 2,
            ..found
        };
        let place = of_value(&found, [&one, &other]).place.expect("a value");
        assert_eq!(place.to_string(), "queue, time_s 0.12: utilization");
    }

    #[test]
    fn a_scenario_that_does_not_differ_is_left_as_it_is() {
        let flag = AtomicBool::new(false);
        let found = shrunken(
            &line("5 ms"),
            1,
            Some(Span::from_ms(20)),
            Duration::from_secs(5),
            &flag,
        );
        assert_eq!(found, line("5 ms"));
    }
}
