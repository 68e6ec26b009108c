//! Networks drawn at random hold to all checks. `CELLTRAIN_HUNT` says how many (300).

use std::path::PathBuf;
use std::time::Duration;

use celltrain_hunt::checks;
use celltrain_hunt::hunt::Hunt;

#[test]
fn all_methods_agree_on_networks_of_the_whole_language() {
    let networks = std::env::var("CELLTRAIN_HUNT").map_or(300, |text| text.parse().unwrap());
    let hunt = Hunt {
        seed: 1,
        first: 0,
        networks,
        time: None,
        jobs: 2,
        corpus: None,
        checks: checks::ALL.iter().map(|check| check.name).collect(),
        program: PathBuf::from(env!("CARGO_BIN_EXE_celltrain-hunt")),
        limit: Duration::from_secs(20),
        shrink: Duration::ZERO,
        cells: 50_000.0,
    };
    let summary = hunt.run(&|_| {});
    let faults: Vec<String> = summary
        .failed
        .iter()
        .map(|(index, it)| format!("network {index}: {}: {}", it.check, it.text))
        .collect();
    assert_eq!(faults, Vec::<String>::new(), "see docs/how-to/hunt.md");
    assert_eq!(summary.networks as u64, networks);
    // Of what took too long, or stood still, nothing is known: there may be little of it.
    let unknown = summary.too_long.len() + summary.stalled.len();
    assert!(unknown * 10 <= summary.networks, "{summary:?}");
}
