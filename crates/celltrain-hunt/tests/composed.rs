//! Composed networks: always the same, seldom refused, and of nearly the whole language.

use celltrain_hunt::composed::Composer;
use celltrain_hunt::coverage::{Coverage, met};
use celltrain_hunt::draw::Generator;

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

#[test]
fn a_thousand_networks_have_nearly_all_keys_and_names() {
    // The other generator knows the language: what there is to have.
    let language = Generator::new(COMPOSER.cells);
    let mut coverage = Coverage::default();
    for index in 0..1000 {
        let scenario = COMPOSER.network(6, index).scenario;
        coverage.add(&language.leaves, &met(&language.shape, &scenario));
    }
    let missing = coverage.missing(&language.leaves);
    // Virtual paths take no ABR, and the schema does not say so.
    let is_refused = |leaf: &&&str| leaf.starts_with("vps.") && leaf.contains("{abr}");
    let missing: Vec<&str> = missing
        .into_iter()
        .filter(|leaf| !is_refused(&leaf))
        .collect();
    // Keys with their default value, limits, and warnings to silence are not worth a draw.
    assert!(missing.len() * 20 < language.leaves.len(), "{missing:#?}");
}
