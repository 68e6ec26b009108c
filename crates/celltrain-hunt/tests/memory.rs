//! The bound on memory, checked against what runs of random networks allocate. The tests count octets, one after the other,
//! and are a program of their own. `CELLTRAIN_CASES` sets the number of networks of each generator (60).

use std::sync::atomic::AtomicBool;

use celltrain_hunt::accept;
use celltrain_hunt::generators::{Networks, Source};
use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::network::{Cost, Network};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Octets of a network that nothing moves in, for each of its elements: the largest is a connection.
const ELEMENT: usize = 6_000;
/// Octets of tables and of working memory, for any network.
const ANY: usize = 300_000;

/// The octets in use at most during a run, beside the network itself.
fn peak(engine: Engine, network: &Network) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let outcome = run_with(engine, network, 1, &AtomicBool::new(false));
    let peak = ALLOCATOR.peak_usage() - before;
    drop(outcome);
    peak
}

/// The octets that a network takes before anything moves.
fn fixed(network: &Network) -> usize {
    let hops: usize = { network.vcs.iter().flat_map(|vc| &vc.directions) }
        .map(|direction| 1 + direction.links.len())
        .sum();
    let elements = hops + network.links.len() + network.flows.len() + network.probes.len();
    ANY + ELEMENT * elements
}

fn networks() -> u64 {
    std::env::var("CELLTRAIN_CASES").map_or(60, |text| text.parse().expect("a number"))
}

#[test]
fn a_run_of_a_random_network_takes_no_more_than_twice_its_bound() {
    for source in [Source::Drawn, Source::Composed] {
        let generator = Networks::new(source, 50_000.0);
        for index in 0..networks() {
            let scenario = generator.network(29, index).scenario;
            let (_, network) =
                accept::read(&scenario).expect("the generator makes valid scenarios");
            let bound = Cost::of(&network).memory;
            for engine in [Engine::Cells, Engine::Trains] {
                let octets = peak(engine, &network);
                let most = 2.0 * bound + fixed(&network) as f64;
                assert!(
                    octets as f64 <= most,
                    "{source:?} {index}, {engine:?}: {octets} octets, a bound of {bound:.0} and {} before anything moves",
                    fixed(&network)
                );
            }
        }
    }
}
