//! Composed networks: always the same, seldom refused, and of nearly the whole language.

use std::sync::LazyLock;

use celltrain_hunt::composed::Composer;
use celltrain_hunt::coverage::{Coverage, met};
use celltrain_hunt::draw::Generator;
use celltrain_proto::frame::Framing;
use celltrain_proto::{aqm, discard, lan, line, schedule, switch, traffic};

const COMPOSER: Composer = Composer { cells: 20_000.0 };

#[test]
fn a_number_and_a_seed_give_one_network() {
    let network = |seed, index| COMPOSER.network(seed, index).scenario;
    assert_eq!(network(3, 17), network(3, 17));
    assert_ne!(network(3, 17), network(3, 18));
    assert_ne!(network(3, 17), network(4, 17));
}

#[test]
fn the_language_accepts_most_drafts() {
    let drafts: usize = (0..300)
        .map(|index| COMPOSER.network(5, index).drafts)
        .sum();
    assert!(drafts < 450, "{drafts} drafts for 300 networks");
}

/// The keys and names of the language, and those of them that the first 1,000 networks of a seed lack.
static LANGUAGE: LazyLock<(Vec<String>, Vec<String>)> = LazyLock::new(|| {
    // The other generator knows the language: what there is to have.
    let language = Generator::new(COMPOSER.cells);
    let mut coverage = Coverage::default();
    for index in 0..1000 {
        let scenario = COMPOSER.network(6, index).scenario;
        coverage.add(&language.leaves, &met(&language.shape, &scenario));
    }
    let missing = coverage.missing(&language.leaves);
    let missing = missing.into_iter().map(str::to_owned).collect();
    (language.leaves, missing)
});

#[test]
fn a_thousand_networks_have_nearly_all_keys_and_names() {
    let (leaves, missing) = &*LANGUAGE;
    // Virtual paths take no ABR, and the schema does not say so.
    let is_refused = |leaf: &&String| leaf.starts_with("vps.") && leaf.contains("{abr}");
    let missing: Vec<&String> = missing.iter().filter(|leaf| !is_refused(leaf)).collect();
    // Keys with their default value, limits, and warnings to silence are not worth a draw.
    assert!(missing.len() * 20 < leaves.len(), "{missing:#?}");
}

#[test]
fn no_algorithm_is_overlooked() {
    // The test above excuses a few words, and a new algorithm is few words.
    let registries = [
        ("discard", discard::Parameters::NAMES),
        ("queue_management", aqm::Parameters::NAMES),
        ("scheduling", schedule::Parameters::NAMES),
        ("control", switch::Parameters::NAMES),
        ("traffic", traffic::Parameters::NAMES),
        ("rate", line::RateParameters::NAMES),
        ("loss", line::loss::Parameters::NAMES),
        ("jitter", line::JitterLaw::NAMES),
        ("delay", line::DelayParameters::NAMES),
        ("schedule", line::ScheduleParameters::NAMES),
        ("lan", lan::Parameters::NAMES),
    ];
    let (leaves, missing) = &*LANGUAGE;
    let framings = leaves.iter().filter(|it| it.starts_with("links.*.frames"));
    let framings: Vec<_> = framings.collect();
    assert_eq!(framings.len(), Framing::ALL.len());
    assert!(
        !framings.iter().any(|it| missing.contains(it)),
        "{missing:#?}"
    );
    for (key, rows) in registries {
        for &(_, keyword, _) in rows {
            let marks = [
                format!("{key}{{{keyword}}}"),
                format!("{key} = \"{keyword}\""),
                // A registry of one row leaves no choice.
                format!("{key}.process = \"{keyword}\""),
            ];
            let is_of_row = |leaf: &&String| marks.iter().any(|mark| leaf.contains(mark.as_str()));
            assert!(
                leaves.iter().any(|leaf| is_of_row(&leaf)),
                "the language has no {key} {keyword}"
            );
            let drawn = leaves.iter().filter(|leaf| !missing.contains(leaf));
            assert!(
                drawn.into_iter().any(|leaf| is_of_row(&leaf)),
                "no network has {key} {keyword}: it is missing in crates/celltrain-hunt/src/composed"
            );
        }
    }
}
