//! Scenarios in TOML, read and run.

pub(crate) mod row;

use std::sync::atomic::AtomicBool;

use celltrain_proto::{aqm, discard, schedule, switch};
use celltrain_sim::engine::{self, Engine, run_with};
use celltrain_sim::measure::{Results, Table};
use celltrain_sim::network::Network;
use celltrain_sim::scenario::{Source, SourceError};

/// The network of a scenario, or the error that a user would see.
pub(crate) fn network(text: &str) -> Result<Network, SourceError> {
    let source = Source::toml(text, "test.toml");
    let scenario = source.read()?;
    Network::new(&scenario).map_err(|problem| source.locate(&problem))
}

/// The results of a valid scenario.
#[allow(dead_code, reason = "not every test binary runs scenarios")]
pub(crate) fn run(text: &str, seed: u64) -> Results {
    let network = network(text).unwrap_or_else(|error| panic!("{error}"));
    engine::run(&network, seed, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"))
}

/// The results of both engines, which must agree.
#[allow(dead_code, reason = "not every test binary compares engines")]
pub(crate) fn both(text: &str) -> Results {
    let network = network(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let [cells, trains] = [Engine::Cells, Engine::Trains].map(|engine| {
        run_with(engine, &network, 1, &AtomicBool::new(false)).expect("the run completes")
    });
    assert_eq!(cells.digest, trains.digest, "{text}");
    trains
}

/// Fails unless a value differs from the expected one by this share of it at most.
#[allow(
    dead_code,
    reason = "not every test binary has values that are not exact"
)]
pub(crate) fn close(value: f64, expected: f64, share: f64) {
    assert!(
        (value - expected).abs() <= share * expected.abs(),
        "{value}, expected {expected}"
    );
}

/// One number: the value of `column` in the only row of `table` whose first column is `name`.
#[allow(dead_code, reason = "not every test binary reads results this way")]
pub(crate) fn value(results: &Results, table: &str, name: &str, column: &str) -> f64 {
    let table: &Table = results.table(table).expect("the table exists");
    let celltrain_sim::measure::Values::Names(names) = &table.columns[0].values else {
        panic!("names come first")
    };
    let row = names
        .iter()
        .position(|row| row == name)
        .expect("the row exists");
    table.numbers_of(column)[row]
}

/// Fails unless there is a digest for each keyword of a registry, and all are different.
#[allow(dead_code, reason = "not every test binary is about a registry")]
pub(crate) fn all_differ(registry: &[(&str, &str, &str)], digests: &[(&str, String)]) {
    let missing = registry
        .iter()
        .filter(|row| !digests.iter().any(|(keyword, _)| *keyword == row.1));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&_>::new(), "not run");
    let mut seen = std::collections::BTreeMap::new();
    for (keyword, digest) in digests {
        if let Some(other) = seen.insert(digest, keyword) {
            panic!("{keyword} does what {other} does");
        }
    }
}

/// Fails unless these texts have each algorithm of a queue: of service, discard, queue management and switches.
///
/// A property test that draws queues from a list says nothing of an algorithm that is missing there.
#[allow(dead_code, reason = "not every test binary draws queues from a list")]
pub(crate) fn all_are_named(texts: &[&str]) {
    let rows = [
        schedule::Parameters::NAMES,
        discard::Parameters::NAMES,
        aqm::Parameters::NAMES,
        switch::Parameters::NAMES,
    ];
    let keywords = rows.into_iter().flatten().map(|&(_, keyword, _)| keyword);
    let is_missing = |keyword: &&str| {
        let quoted = format!("\"{keyword}\"");
        !texts.iter().any(|text| text.contains(&quoted))
    };
    let missing: Vec<&str> = keywords.filter(is_missing).collect();
    assert!(missing.is_empty(), "in no text of the list: {missing:?}");
}
