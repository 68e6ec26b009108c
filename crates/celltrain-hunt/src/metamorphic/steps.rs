//! Runs that halt on the way.

use std::sync::atomic::AtomicBool;

use celltrain_proto::units::Time;
use celltrain_sim::engine::{Engine, run_in_steps, run_with};
use celltrain_sim::network::Network;
use celltrain_verify::compare::Failure;
use serde_json::{Value, json};

use super::edit::{measured, table};
use super::outcome::{self, Found, Unlike, same_results, same_tables};

/// The run is divided into 97 parts and halts at the end of every third.
const HALTS: u64 = 97;

/// Claimed for all scenarios, in both engines: a halt only reads.
pub(super) fn halts(_: &Value, network: &Network, seed: u64) -> Found {
    let end = network.end.as_ps();
    // Every third part: in some runs there is more than a chunk between two halts, in others less than a cell time.
    let instants = (1..HALTS).step_by(3).map(|part| {
        let offset = u128::from(end) * u128::from(part) / u128::from(HALTS);
        Time::from_ps(offset as u64)
    });
    let instants: Vec<_> = instants.collect();
    let cancel = AtomicBool::new(false);
    for engine in [Engine::Trains, Engine::Cells] {
        let at_once = run_with(engine, network, seed, &cancel);
        let at_once = outcome::of(at_once.map_err(Failure::Run))?;
        let in_steps = run_in_steps(engine, network, seed, &cancel, &instants);
        let in_steps = outcome::of(in_steps.map_err(Failure::Run))?;
        same_results(&at_once, &in_steps)
            .map_err(|it| Unlike(format!("{engine:?}, at once and in steps: {}", it.0)))?;
    }
    Ok(true)
}

/// Claimed for all scenarios.
pub(super) fn parts(scenario: &Value, network: &Network, seed: u64) -> Found {
    let whole = measured(scenario, [network.warm_up.as_ps(), network.end.as_ps()]);
    let mut cut = whole.clone();
    table(&mut cut, "measure").insert("parts".into(), json!(7));
    let (Some(whole), Some(cut)) = (outcome::network(&whole), outcome::network(&cut)) else {
        return Ok(false);
    };
    let [whole, cut] = [outcome::run(&whole, seed)?, outcome::run(&cut, seed)?];
    same_tables(&whole, &cut)?;
    for (one, other) in whole.traces.iter().zip(&cut.traces) {
        outcome::same_numbers(one, other)?;
    }
    Ok(true)
}
