//! Runs of a network, from start to tables.

use std::sync::atomic::AtomicBool;

use celltrain_proto::units::{Span, Time};

use crate::engine::error::{RunError, Stop};
use crate::engine::observe::snapshot::take_parts;
use crate::engine::plan::ByCell;
use crate::engine::record::capture::Sight;
use crate::engine::schedule::parts::LEAST;
use crate::engine::simulation::{Engine, Simulation};
use crate::engine::threads::{Crew, Threads};
use crate::measure::Results;
use crate::network::Network;

/// The longest interval whose observations are collected before the observer is called.
const TAPPED_AT_ONCE: Span = Span::from_ms(1);

/// Runs `network` with one seed, until its end or until `cancel` is set.
pub fn run(network: &Network, seed: u64, cancel: &AtomicBool) -> Result<Results, RunError> {
    run_with(Engine::default(), network, seed, cancel)
}

/// The engine and the threads with which a network is run. Results do not depend on them.
#[derive(Clone, Copy, Default, Debug)]
pub struct RunOptions {
    /// The engine.
    pub engine: Engine,
    /// The threads.
    pub threads: Threads,
}

impl From<Engine> for RunOptions {
    fn from(engine: Engine) -> Self {
        Self {
            engine,
            threads: Threads::One,
        }
    }
}

/// Runs `network` with an engine on one thread, or with the engine and threads of [`RunOptions`].
pub fn run_with(
    options: impl Into<RunOptions>,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<Results, RunError> {
    run_in_steps(options, network, seed, cancel, &[])
}

/// Runs cell by cell and calls `see`, in order of time, for the packets of all hosts and the cells that arrive over
/// `links`.
pub fn run_tapped(
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    links: &[usize],
    mut see: impl FnMut(&Sight),
) -> Result<Results, RunError> {
    let mut simulation = Simulation::new(network, seed, Engine::Cells, &ByCell::default(), LEAST);
    simulation.tap(links.iter().copied());
    let mut sights = Vec::new();
    measured(simulation, seed, |simulation, end| {
        while simulation.schedule.now < end {
            let next = simulation.schedule.now.saturating_add(TAPPED_AT_ONCE);
            simulation.run_until(next.min(end), cancel)?;
            simulation.take_sights(&mut sights);
            sights.drain(..).for_each(|sight| see(&sight));
        }
        Ok(())
    })
}

/// [`run_with`], but the run pauses at each of these instants, which must be in order.
pub fn run_in_steps(
    options: impl Into<RunOptions>,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    halts: &[Time],
) -> Result<Results, RunError> {
    let RunOptions { engine, threads } = options.into();
    let mut plain = ByCell::default();
    loop {
        let simulation = Simulation::new(network, seed, engine, &plain, threads.least_part());
        let mut crew = Crew::new(threads);
        let results = measured(simulation, seed, |simulation, end| {
            for &halt in halts.iter().filter(|&&halt| halt < end) {
                if simulation.schedule.now < halt {
                    crew.evaluate_until(simulation, halt, cancel)?;
                }
            }
            crew.evaluate_until(simulation, end, cancel)
        });
        match results {
            Ok(results) => return Ok(results),
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::OrderLost(link)) => plain.add(link),
        }
    }
}

/// The results of a simulation that `go_on` advances to given instants.
fn measured<'n, E: From<RunError>>(
    mut simulation: Simulation<'n>,
    seed: u64,
    mut go_on: impl FnMut(&mut Simulation<'n>, Time) -> Result<(), E>,
) -> Result<Results, E> {
    let network = simulation.network;
    go_on(&mut simulation, network.warm_up)?;
    let before = simulation.snapshot();
    simulation.start_recording();
    take_parts(&mut simulation.links, simulation.schedule.now);
    let mut parts = Vec::new();
    for end in network.part_ends() {
        go_on(&mut simulation, end)?;
        parts.push(take_parts(&mut simulation.links, simulation.schedule.now));
    }
    go_on(&mut simulation, network.end)?;
    let after = simulation.snapshot();
    simulation
        .check_conservation()
        .map_err(RunError::NotConserved)?;
    let traces = simulation.take_traces();
    let events = simulation.schedule.all_events();
    // Frees its memory before the tables are made.
    drop(simulation);
    Ok(Results::new(
        network, seed, &before, &after, &parts, traces, events,
    ))
}
