//! Composed networks: always the same, seldom refused, and of the whole language.

use std::collections::BTreeSet;

use celltrain_hunt::composed::Composer;
use celltrain_hunt::coverage::met;
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
fn the_language_accepts_more_than_half_of_the_drafts() {
    let drafts: usize = (0..300).map(|index| COMPOSER.network(5, index).drafts).sum();
    assert!(drafts < 600, "{drafts} drafts for 300 networks");
}
