//! Runs a scenario once with one engine and prints what it cost as a line of JSON.
//!
//! ```text
//! celltrain-benches --engines                      the engines, a name a line
//! celltrain-benches ENGINE [THREADS] < SCENARIO    SCENARIO is the JSON of a scenario without warm-up
//! ```
//!
//! Rounds, comparisons and tables are the harness's (`benches/harness`); the peers' programs print lines of the same
//! form. A *cell-hop* is one cell that comes to one link with a rate (a queue and a line); pure delays do not count.

mod cost;

use std::io::Read;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{self, Engine, RunOptions, Threads};
use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;

use cost::Clock;

/// Every engine, the reference first.
const ENGINES: [(&str, Engine); 2] = [("cells", Engine::Cells), ("trains", Engine::Trains)];
const SEED: u64 = 1;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("--engines") => {
            for (name, _) in ENGINES {
                println!("{name}");
            }
            ExitCode::SUCCESS
        }
        Some(name) => match run(name, std::env::args().nth(2).as_deref()) {
            Ok(line) => {
                println!("{line}");
                ExitCode::SUCCESS
            }
            Err(message) => refuse(&message),
        },
        None => refuse("name an engine; --engines lists them"),
    }
}

fn refuse(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(2)
}

/// Runs the scenario on standard input; set-up and the reading of results are not timed.
fn run(name: &str, threads: Option<&str>) -> Result<serde_json::Value, String> {
    let engine = ENGINES
        .iter()
        .find_map(|&(known, engine)| (known == name).then_some(engine))
        .ok_or_else(|| format!("there is no engine {name:?}; --engines lists them"))?;
    let threads = threads.map_or(Ok(1), str::parse);
    let threads = threads.map_err(|error| format!("the number of threads: {error}"))?;
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| format!("standard input: {error}"))?;
    let scenario = Source::json(&text, "standard input")
        .read()
        .map_err(|error| error.to_string())?;
    let network = Network::new(&scenario).map_err(|error| error.to_string())?;
    let clock = Clock::start();
    let options = RunOptions {
        engine,
        threads: Threads::UpTo(threads),
        progress: None,
    };
    let results = engine::run_with(options, &network, SEED, &AtomicBool::new(false))
        .map_err(|error| error.to_string())?;
    let (cpu, wall) = clock.seconds();
    Ok(serde_json::json!({
        "engine": name,
        "simulated_s": network.end.as_secs(),
        "cell_hops": queue_hops(&network, &results),
        "events": results.events,
        "cpu": cpu,
        "wall": wall,
        "peak_kib": cost::peak_memory_kib(),
        "digest": results.digest,
    }))
}

/// Cells that came to links with a queue.
fn queue_hops(network: &Network, results: &Results) -> f64 {
    let links = results.table("links").expect("a run has a table of links");
    let offered = links.numbers_of("cells_offered");
    let queues = network
        .links
        .iter()
        .zip(offered)
        .filter(|(link, _)| link.line.is_some());
    queues.map(|(_, cells)| cells).sum()
}
