//! Runs of a network, from start to tables.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use celltrain_proto::units::{Span, Time};

use crate::engine::error::{RunError, Stop};
use crate::engine::observe::snapshot::take_parts;
use crate::engine::plan::ByCell;
use crate::engine::record::capture::CaptureRecord;
use crate::engine::record::watch::Progress;
use crate::engine::schedule::parts::LEAST;
use crate::engine::simulation::{Engine, Simulation};
use crate::engine::threads::{Crew, Threads};
use crate::measure::Results;
use crate::network::Network;
use crate::scenario::Limits;

/// The longest interval whose observations are collected before the observer is called.
const CAPTURED_AT_ONCE: Span = Span::from_ms(1);

/// Runs `network` with one seed, until its end or until `cancel` is set.
pub fn run(network: &Network, seed: u64, cancel: &AtomicBool) -> Result<Results, RunError> {
    run_with(Engine::default(), network, seed, cancel)
}

/// The engine and the threads with which a network is run, and who is told how far it is. Results do not depend on them.
#[derive(Clone, Default, Debug)]
pub struct RunOptions {
    /// The engine.
    pub engine: Engine,
    /// The threads.
    pub threads: Threads,
    /// Where the run tells how far it is.
    pub progress: Option<Arc<Progress>>,
}

impl From<Engine> for RunOptions {
    fn from(engine: Engine) -> Self {
        Self {
            engine,
            ..Self::default()
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
///
/// # Errors
///
/// As of [`run_in_steps`]; what has been seen by then is more than the partial result has.
pub fn run_captured(
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    links: &[usize],
    mut see: impl FnMut(&CaptureRecord),
) -> Result<Results, RunError> {
    let mut simulation = Simulation::new(network, seed, Engine::Cells, &ByCell::default(), LEAST);
    simulation.capture(links.iter().copied());
    simulation.be_watched(None);
    let mut records = Vec::new();
    let results = measured(simulation, seed, |simulation, end| {
        while simulation.schedule.now < end {
            let next = simulation.schedule.now.saturating_add(CAPTURED_AT_ONCE);
            simulation.run_until(next.min(end), cancel)?;
            simulation.take_captured(&mut records);
            records.drain(..).for_each(|captured| see(&captured));
        }
        Ok(())
    });
    with_partial(results, network, |shorter| {
        run_with(Engine::Cells, shorter, seed, cancel)
    })
}

/// [`run_with`], but the run pauses at each of these instants, which must be in order.
///
/// # Errors
///
/// [`RunError::LimitPassed`], with the results of the run up to that instant, if the run needs more than
/// `network.limits`. Trace rows are counted as they come, so both engines stop at one instant. Cells and memory are looked
/// at after a number of events, and the engines hold cells in different forms: each stops at an instant of its own.
pub fn run_in_steps(
    options: impl Into<RunOptions>,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    halts: &[Time],
) -> Result<Results, RunError> {
    let options = options.into();
    let results = once(&options, network, seed, cancel, halts);
    with_partial(results, network, |shorter| {
        once(&options, shorter, seed, cancel, halts)
    })
}

/// A run, up to the instant at which it passes a limit, if it does.
fn once(
    options: &RunOptions,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    halts: &[Time],
) -> Result<Results, RunError> {
    let mut plain = ByCell::default();
    let (engine, threads) = (options.engine, options.threads);
    loop {
        let mut simulation = Simulation::new(network, seed, engine, &plain, threads.least_part());
        simulation.be_watched(options.progress.clone());
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

/// Adds to the error of a run that passed a limit what it had measured by then, found by `run`.
///
/// Its state at that instant will not do: parts of a network are at different instants, and trains are counted ahead of
/// time up to the end of the interval. A run that ends there counts each cell in its place.
fn with_partial(
    results: Result<Results, RunError>,
    network: &Network,
    run: impl FnOnce(&Network) -> Result<Results, RunError>,
) -> Result<Results, RunError> {
    let mut passed = match results {
        Err(RunError::LimitPassed(passed)) => passed,
        other => return other,
    };
    if passed.at > network.warm_up {
        let shorter = Network {
            end: passed.at,
            // The parts of the interval would be others.
            parts: 0,
            limits: Limits::NONE,
            ..network.clone()
        };
        passed.partial = Some(run(&shorter)?);
    }
    Err(RunError::LimitPassed(passed))
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
