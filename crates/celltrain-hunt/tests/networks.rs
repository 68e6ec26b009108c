//! Networks drawn at random pass all checks. `CELLTRAIN_HUNT` sets their number (300), of composed ones a third.

use std::path::PathBuf;
use std::time::Duration;

use celltrain_hunt::checks;
use celltrain_hunt::generators::Source;
use celltrain_hunt::hunt::Hunt;

/// All checks on networks of seed 1, run by this program.
fn hunt(networks: u64, program: &str) -> Hunt {
    Hunt {
        generator: Source::Drawn,
        seed: 1,
        first: 0,
        networks,
        time: None,
        jobs: 2,
        corpus: None,
        checks: checks::ALL.iter().map(|check| check.name).collect(),
        program: PathBuf::from(program),
        limit: Duration::from_secs(20),
        shrink: Duration::ZERO,
        cells: 50_000.0,
        having: None,
        stop: false,
    }
}

#[test]
fn all_methods_agree_on_networks_of_the_whole_language() {
    passes(&hunt(networks(), env!("CARGO_BIN_EXE_celltrain-hunt")));
}

#[test]
fn so_they_do_on_composed_networks() {
    passes(&Hunt {
        generator: Source::Composed,
        ..hunt(networks() / 3, env!("CARGO_BIN_EXE_celltrain-hunt"))
    });
}

fn networks() -> u64 {
    std::env::var("CELLTRAIN_HUNT").map_or(300, |text| text.parse().expect("a number"))
}

/// Checks that no network of a hunt fails, and that something is known about most.
fn passes(hunt: &Hunt) {
    let summary = hunt.run(&|_| {});
    let faults: Vec<String> = summary
        .failed
        .iter()
        .map(|(index, it)| format!("network {index}: {}: {}", it.check, it.text))
        .collect();
    assert_eq!(faults, Vec::<String>::new(), "see docs/how-to/hunt.md");
    assert_eq!(summary.networks as u64, hunt.networks);
    // Nothing is known about runs that took too long or stood still, so there must be few of them.
    let unknown = summary.too_long.len() + summary.stalled.len();
    assert!(unknown * 10 <= summary.networks, "{summary:?}");
}

#[test]
fn a_hunt_can_end_with_the_first_finding() {
    // A process that ends without a verdict is a finding.
    let hunt = hunt(9, "true");
    let found = |hunt: Hunt| {
        let failed = hunt.run(&|_| {}).failed;
        failed.iter().map(|it| it.0).collect::<Vec<_>>()
    };
    let all = found(hunt.clone());
    assert_eq!(all, (0..9).collect::<Vec<_>>());
    let stopping = Hunt {
        jobs: 1,
        stop: true,
        ..hunt
    };
    assert_eq!(found(stopping), [0]);
}
