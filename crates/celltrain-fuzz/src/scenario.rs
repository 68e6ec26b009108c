//! Scenarios in TOML: read, checked, and bounded, or refused with a place.

use celltrain_language::Source;
use celltrain_sim::mistakes::mistakes;
use celltrain_sim::network::{Cost, Network};
use celltrain_sim::scenario::Scenario;

/// Reads any octets.
pub fn one(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let source = Source::toml(text, "scenario.toml");
    let read = source.read::<Scenario>().ok();
    let network = read
        .as_ref()
        .and_then(|scenario| Network::new(scenario).ok());
    let found = mistakes(&source, None, Vec::new());
    assert_eq!(
        network.is_some(),
        found.is_empty(),
        "mistakes and reading differ: {found:?}"
    );
    for mistake in &found {
        assert!(!mistake.to_string().is_empty());
    }
    if let Some((scenario, network)) = read.zip(network) {
        check(&scenario, &network);
    }
}

/// The canonical form is that of the same scenario, and what a run costs is known.
fn check(scenario: &Scenario, network: &Network) {
    let again: Scenario = Source::json(&scenario.to_json(), "again")
        .read()
        .expect("the canonical form is a scenario");
    assert_eq!(again.hash(), scenario.hash());
    for (name, bound) in Cost::of(network).bounds() {
        assert!(bound >= 0.0, "{name}: {bound}");
    }
}
