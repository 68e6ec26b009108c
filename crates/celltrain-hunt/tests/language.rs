//! The generator reaches the whole language and always draws the same networks.

use std::thread;

use celltrain_hunt::coverage::met;
use celltrain_hunt::draw::Generator;
use celltrain_hunt::records::QUANTITIES;

/// The most networks drawn for one key or value.
const TRIES: u64 = 150;

/// What no network that the language accepts can have, with the reason.
const EXCEPTIONS: [&str; 3] = [
    // Circuits have no packets, and packets need a rate; the schema has the same list of processes for packets and cells.
    "flows.*.udp.traffic{aal1}.process = \"aal1\"",
    "flows.*.udp.traffic{aal1}.rate",
    "flows.*.udp.traffic{greedy}.process = \"greedy\"",
];

/// Services that the language refuses for virtual paths; the schema has them because VCs take the same ones.
const REFUSED: [&str; 2] = ["vps.*.forward{abr}", "vps.*.backward{abr}"];

#[test]
fn every_key_and_every_name_of_the_language_is_drawn() {
    let generator = Generator::new(50_000.0);
    let is_refused = |leaf: &&String| REFUSED.iter().any(|it| leaf.starts_with(it));
    let leaves = generator.leaves.iter().filter(|leaf| !is_refused(leaf));
    let leaves: Vec<String> = leaves.cloned().collect();
    let (first, second) = leaves.split_at(leaves.len() / 2);
    let found = thread::scope(|scope| {
        let threads = [first, second].map(|half| scope.spawn(|| draw(&generator, half)));
        threads.map(|thread| thread.join().unwrap())
    });
    let missing: Vec<&str> = found.iter().flat_map(|it| it.0.clone()).collect();
    assert_eq!(missing, EXCEPTIONS);
    let [networks, drafts] =
        [1, 2].map(|at| found.iter().map(|it| [0, it.1, it.2][at]).sum::<usize>());
    assert!(
        drafts < networks * 2,
        "{drafts} drafts for {networks} networks"
    );
}

/// The `leaves` that no network had, the number of networks drawn, and the number of drafts.
fn draw<'a>(generator: &Generator, leaves: &'a [String]) -> (Vec<&'a str>, usize, usize) {
    let (mut missing, mut networks, mut drafts) = (Vec::new(), 0, 0);
    for leaf in leaves {
        let has_it = (0..TRIES).any(|index| {
            let drawn = generator.network_with(7, index, std::slice::from_ref(leaf));
            networks += 1;
            drafts += drawn.drafts;
            met(&generator.shape, &drawn.scenario).contains(leaf)
        });
        if !has_it {
            missing.push(leaf.as_str());
        }
    }
    (missing, networks, drafts)
}

#[test]
fn a_number_and_a_seed_give_one_network() {
    let generator = Generator::new(50_000.0);
    let network = |seed, index| generator.network(seed, index).scenario;
    assert_eq!(network(3, 17), network(3, 17));
    assert_ne!(network(3, 17), network(3, 18));
    assert_ne!(network(3, 17), network(4, 17));
}

#[test]
fn all_quantities_of_probes_are_those_of_the_registry() {
    let fields = celltrain_sim::measure::fields();
    for (section, quantities) in QUANTITIES {
        let of_section = |(name, _): &&(&str, Vec<_>)| {
            let rest = name.strip_prefix(section);
            rest.is_some_and(|rest| rest.starts_with(".NAME"))
        };
        let (_, fields) = fields.iter().find(of_section).expect("a section has rows");
        let mut known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        known.sort_unstable();
        let mut drawn = quantities.to_vec();
        drawn.sort_unstable();
        assert_eq!(drawn, known);
    }
}
