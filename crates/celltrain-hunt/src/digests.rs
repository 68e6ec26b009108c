//! Digests of the results of drawn networks, to compare builds and machines.

use std::sync::atomic::AtomicBool;

use celltrain_language::canonical;
use celltrain_sim::engine::{Engine, RunOptions, Threads, run_with};
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;
use serde_json::Value;

use crate::generators::Networks;
use crate::hunt::RUN_SEED;

/// The digest of network number `index` of `seed`: SHA-256 of its scenario and of its results, or why there are none.
///
/// The network runs in trains on `threads` threads, however small its parts are.
pub fn digest(networks: &Networks, seed: u64, index: u64, threads: usize) -> String {
    let scenario = networks.network(seed, index).scenario;
    let results = results(&scenario, threads).unwrap_or_else(|reason| reason);
    format!("{} {results}", canonical::hash(&scenario))
}

fn results(scenario: &Value, threads: usize) -> Result<String, String> {
    let scenario = Source::json(&scenario.to_string(), "drawn").read();
    let scenario = scenario.map_err(|error| error.to_string())?;
    let network = Network::new(&scenario).map_err(|problem| problem.to_string())?;
    let options = RunOptions {
        engine: Engine::Trains,
        threads: Threads::Exactly(threads),
        progress: None,
    };
    let results = run_with(options, &network, RUN_SEED, &AtomicBool::new(false));
    results
        .map(|results| results.digest)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators;

    #[test]
    fn a_network_has_one_digest_on_any_number_of_threads() {
        let networks = Networks::new(generators::Source::Composed, 20_000.0);
        for index in 0..4 {
            let one = digest(&networks, 1, index, 1);
            assert_eq!(one.split(' ').next().map(str::len), Some(64), "{one}");
            assert_eq!(digest(&networks, 1, index, 7), one);
        }
        assert_ne!(digest(&networks, 1, 0, 1), digest(&networks, 1, 1, 1));
    }
}
