//! A relation that holds for a network is violated if one number in one of its runs is changed.

use std::cell::Cell;

use celltrain_sim::measure::{Results, Values};
use celltrain_verify::verdict::Verdict;
use serde_json::{Value, json};

use super::{RELATIONS, Relation, edit, outcome};

/// Where a number is one more than measured: in which run, from 0, and in which table, in the first column whose name has
/// this ending. (The names of columns contain the names of links.)
type Wrong = (usize, [&'static str; 2]);

thread_local! {
    static RUNS: Cell<usize> = const { Cell::new(0) };
    static WRONG: Cell<Option<Wrong>> = const { Cell::new(None) };
}

/// The results of a run as a relation sees them, with a wrong number in the selected run.
pub(super) fn doctored(mut results: Results) -> Results {
    let run = RUNS.replace(RUNS.get() + 1);
    let Some((_, [name, column])) = WRONG.get().filter(|it| it.0 == run) else {
        return results;
    };
    let mut tables = results.tables.iter_mut().chain(&mut results.traces);
    let table = tables.find(|it| it.name == name).expect("there is one");
    let mut columns = table.columns.iter_mut();
    let column = columns
        .find(|it| it.name.ends_with(column))
        .expect("there is one");
    let Values::Numbers(numbers) = &column.values else {
        panic!("it holds numbers")
    };
    let mut numbers: Vec<f64> = numbers.iter().collect();
    // Relations look only at part of a trace; this row is in the middle.
    let row = if TRACES.contains(&name) { 3 } else { 0 };
    assert!(numbers[row].is_finite(), "NaN plus one is NaN");
    numbers[row] += 1.0;
    column.values = Values::Numbers(numbers.into_iter().collect());
    results.digest = "doctored".to_owned();
    results
}

/// The verdict of `relation` if one number is wrong, or none.
fn verdict(relation: &Relation, scenario: &Value, wrong: Option<Wrong>) -> Verdict {
    let network = outcome::network(scenario).expect("the scenario is accepted");
    RUNS.set(0);
    WRONG.set(wrong);
    let verdict = relation.check(scenario, &network, 1);
    WRONG.set(None);
    verdict
}

/// A network to which all relations apply: nothing in it is random, all times are whole, and no buffer is full.
fn scenario() -> Value {
    json!({
        "measure": {"duration": "30 ms", "warm_up": "5 ms"},
        "hosts": {"a": {}, "b": {}},
        "switches": {"s": {}},
        "links": {
            "in": {"between": ["a", "s"], "delay": "1 ms", "rate": "42.4 Mbit/s", "buffer": "50 cells"},
            "out": {"between": ["s", "b"], "delay": "1 ms", "rate": "21.2 Mbit/s", "buffer": "50 cells"},
        },
        "vcs": {"v": {"route": ["a", "s", "b"]}, "w": {"route": ["a", "s", "b"]}},
        "flows": {"f": {"vc": "v", "udp": {
            "packet": "1060 bytes", "traffic": {"process": "cbr", "rate": "8.48 Mbit/s"},
        }}},
        "backgrounds": {"x": {"vc": "w", "traffic": {"process": "cbr", "rate": "4.24 Mbit/s"}}},
        "probes": {"p": {"every": "1 ms", "record": ["links.out.queue_cells"]}},
    })
}

const FLOWS: [&str; 2] = ["flows", "delivered_bytes"];
const VCS: [&str; 2] = ["vcs", "cells_sent"];
const LINKS: [&str; 2] = ["links", "queue_max_cells"];
const LINK_VCS: [&str; 2] = ["link_vcs", "data_offered"];
const TRACE: [&str; 2] = ["p", ".queue_cells"];
const PROBE: [&str; 2] = [edit::PROBE, ".queue_cells"];
const TRACES: [&str; 2] = [TRACE[0], PROBE[0]];

/// All tables of a run.
const TABLES: &[[&str; 2]] = &[FLOWS, VCS, LINKS, LINK_VCS];
/// All tables of a run, and the trace.
const ALL: &[[&str; 2]] = &[FLOWS, VCS, LINKS, LINK_VCS, TRACE];
const OF_PROBE: &[[&str; 2]] = &[PROBE];

/// For each relation, in order: how many runs it compares, and which numbers may be wrong.
const PLACES: &[(&str, usize, &[[&str; 2]])] = &[
    ("halts", 4, ALL),
    ("parts", 2, ALL),
    ("probes", 3, TABLES),
    ("a part", 2, ALL),
    ("a longer run", 2, OF_PROBE),
    ("a probe shows", 2, OF_PROBE),
    ("counts", 3, TABLES),
    ("names", 2, ALL),
    ("the seed", 2, ALL),
    ("twice", 2, ALL),
    ("a buffer", 2, TABLES),
];

#[test]
fn each_relation_is_violated_where_any_of_its_runs_has_a_wrong_number() {
    let scenario = scenario();
    assert_eq!(RELATIONS.len(), PLACES.len());
    for (relation, (name, runs, places)) in RELATIONS.iter().zip(PLACES) {
        let of = relation.name;
        assert!(of.starts_with(name), "{of}");
        assert_eq!(verdict(relation, &scenario, None), Verdict::Holds, "{of}");
        assert_eq!(RUNS.get(), *runs, "{of}");
        for wrong in places
            .iter()
            .flat_map(|&it| (0..*runs).map(move |run| (run, it)))
        {
            let verdict = verdict(relation, &scenario, Some(wrong));
            let is_found = matches!(verdict, Verdict::Violated(_));
            assert!(is_found, "{of}: {wrong:?}: {verdict}");
        }
    }
}

#[test]
fn a_run_that_fails_violates_a_relation() {
    use celltrain_sim::engine::RunError;
    use celltrain_verify::compare::Failure;

    let failed = Failure::Run(RunError::NotConserved("a cell".to_owned()));
    let text = failed.to_string();
    assert_eq!(outcome::of(Err(failed)).err().map(|it| it.0), Some(text));
}
