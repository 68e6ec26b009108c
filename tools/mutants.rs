//! Evaluates random networks without each of a list of conditions, to see which removal changes the results.
//!
//! `mutate.py` copies this file into its worktree, where `celltrain_sim::removed` exists. Each network is evaluated once
//! with all conditions, and then once without each condition that this evaluation came to: a removal elsewhere changes
//! nothing. Arguments: the seed of the networks, about how many cells they send at most, the number of the first and of
//! the one after the last, and `trains` or `threads`. Input: the numbers of the conditions on one line; then, for each
//! line of output that names a condition, `yes` if no further network is needed for it, or `no`.
//! Output: `NETWORK CONDITION WHAT`, and `NETWORK` after each network. The exit status is 3 if a run does not end.
#![allow(clippy::print_stdout)]

use std::io::{self, BufRead, Error, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use celltrain_hunt::draw::Generator;
use celltrain_hunt::hunt::RUN_SEED;
use celltrain_sim::engine::RunError;
use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;
use celltrain_sim::removed;
use celltrain_verify::compare::{Failure, Method, difference, evaluate};

/// The most memory of this process, in octets.
const MEMORY: u64 = 4 << 30;
/// The processor time for a run with all conditions, in ms.
const PLAIN_MS: u64 = 1_000;
/// The processor time for a run without one, as a multiple of that with all, and in addition, in ms.
const TIMES: u64 = 30;
const MORE_MS: u64 = 500;
/// The processor time after that within which a cancelled run must end, in ms.
const GRACE_MS: u64 = 1_000;

/// When the run in progress is cancelled: the processor time of this process, in ms.
static UNTIL: AtomicU64 = AtomicU64::new(u64::MAX);
static CANCEL: AtomicBool = AtomicBool::new(false);

type Outcome = Result<Results, Failure>;

fn main() -> io::Result<()> {
    // A panic of an engine is an outcome.
    std::panic::set_hook(Box::new(|_| {}));
    let bound = rustix::process::Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    rustix::process::setrlimit(rustix::process::Resource::As, bound)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, cells, first, end, method] = &arguments[..] else {
        return Err(Error::other("SEED CELLS FIRST END trains|threads"));
    };
    let number = |text: &String| text.parse::<u64>().map_err(Error::other);
    let (seed, first, end) = (number(seed)?, number(first)?, number(end)?);
    let method = match method.as_str() {
        "threads" => Method::TrainsOnThreads,
        _ => Method::Trains,
    };
    let generator = Generator::new(cells.parse().map_err(Error::other)?);
    let mut open = conditions(&answer()?)?;
    thread::spawn(watch);
    for index in first..end {
        if open.is_empty() {
            break;
        }
        let network = generator.network(seed, index).network;
        without_each(&network, method, index, &mut open)?;
        tell(&index.to_string())?;
    }
    Ok(())
}

/// Evaluates a network with all conditions and without each that is open.
fn without_each(
    network: &Network,
    method: Method,
    index: u64,
    open: &mut Vec<u32>,
) -> io::Result<()> {
    removed::choose(u32::MAX);
    let start = used_ms();
    let plain = limited(network, method, PLAIN_MS);
    let took = used_ms() - start;
    if matches!(plain, Err(Failure::Run(RunError::Cancelled))) {
        return Ok(());
    }
    let reached: Vec<u32> = open
        .iter()
        .copied()
        .filter(|&it| removed::reached(it))
        .collect();
    for condition in reached {
        removed::choose(condition);
        // The process may end here, so that it is known where.
        tell(&format!("{index} {condition}"))?;
        let other = limited(network, method, took * TIMES + MORE_MS);
        let Some(what) = unlike(&plain, &other) else {
            continue;
        };
        tell(&format!("{index} {condition} {what}"))?;
        if answer()? == "yes" {
            open.retain(|&it| it != condition);
        }
    }
    Ok(())
}

/// Evaluates a network within a limit of processor time.
fn limited(network: &Network, method: Method, limit_ms: u64) -> Outcome {
    CANCEL.store(false, Ordering::Relaxed);
    UNTIL.store(used_ms() + limit_ms, Ordering::Relaxed);
    let outcome = evaluate(network, RUN_SEED, method, &CANCEL);
    UNTIL.store(u64::MAX, Ordering::Relaxed);
    outcome
}

/// How the outcome without a condition differs from that with all.
fn unlike(plain: &Outcome, other: &Outcome) -> Option<String> {
    match (plain, other) {
        (Ok(one), Ok(other)) => difference(one, other).map(|it| it.to_string()),
        (Err(one), Err(other)) if kind(one) == kind(other) => None,
        (_, Err(failure)) => Some(kind(failure).to_owned()),
        (Err(failure), Ok(_)) => Some(format!("no longer {}", kind(failure))),
    }
}

fn kind(failure: &Failure) -> &'static str {
    match failure {
        Failure::Panic(_) => "a panic",
        Failure::Run(RunError::Cancelled) => "too long",
        Failure::Run(RunError::LimitPassed(_)) => "at a limit",
        Failure::Run(RunError::Stuck { .. }) => "stuck",
        Failure::Run(RunError::NotConserved(_)) => "cells not conserved",
    }
}

/// Cancels a run that takes too long, and ends the process if the run does not end then.
fn watch() {
    loop {
        thread::sleep(Duration::from_millis(20));
        let (used, until) = (used_ms(), UNTIL.load(Ordering::Relaxed));
        if used >= until {
            CANCEL.store(true, Ordering::Relaxed);
        }
        if used >= until.saturating_add(GRACE_MS) {
            std::process::exit(3);
        }
    }
}

/// The processor time that this process has used, in ms.
fn used_ms() -> u64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    used.tv_sec as u64 * 1_000 + used.tv_nsec as u64 / 1_000_000
}

fn conditions(line: &str) -> io::Result<Vec<u32>> {
    let numbers = line.split_whitespace().map(str::parse);
    numbers.collect::<Result<_, _>>().map_err(Error::other)
}

fn answer() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

fn tell(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
