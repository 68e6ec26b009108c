//! Parts on several threads give the same results as on one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use celltrain_sim::engine::{Engine, RunError, RunOptions, Threads, run_with};
use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;

use super::{common, difference};

fn run(
    network: &Network,
    seed: u64,
    engine: Engine,
    threads: Threads,
    cancel: &AtomicBool,
) -> Result<Results, RunError> {
    let options = RunOptions {
        engine,
        threads,
        progress: None,
    };
    run_with(options, network, seed, cancel)
}

/// The results of both engines on this number of threads, with the smallest possible parts.
pub(super) fn on_threads(text: &str, seed: u64, threads: usize) -> [Results; 2] {
    let network = common::network(text).expect("the scenario describes a network");
    let threads = Threads::Exactly(threads);
    [Engine::Cells, Engine::Trains].map(|engine| {
        run(&network, seed, engine, threads, &AtomicBool::new(false)).expect("the run succeeds")
    })
}

/// A workload of the benchmarks with a shorter run, a warm-up and parts of the measured interval.
fn workload(text: &str, duration: &str) -> Network {
    let measure = format!("[measure]\nwarm_up = \"10 ms\"\nparts = 3\nduration = \"{duration}\"\n");
    let (before, rest) = text.split_once("[measure]").expect("it has a duration");
    let (_, after) = rest.split_once("\n[").expect("it has a table after that");
    common::network(&format!("{before}{measure}\n[{after}")).expect("it is a network")
}

#[test]
fn workloads_have_the_same_results_on_any_number_of_threads() {
    for (text, duration) in [
        (
            include_str!("../../../../benches/workloads/lines.toml"),
            "300 ms",
        ),
        (
            include_str!("../../../../benches/workloads/many.toml"),
            "20 ms",
        ),
    ] {
        let network = workload(text, duration);
        for engine in [Engine::Cells, Engine::Trains] {
            let results = |threads| {
                let results = run(&network, 1, engine, threads, &AtomicBool::new(false));
                results.expect("the run succeeds")
            };
            let one = results(Threads::One);
            for threads in [2, 3, 7].map(Threads::Exactly) {
                let several = results(threads);
                assert_eq!(difference(&[one.clone(), several]), None, "{threads:?}");
            }
            // Events are counted by part, so the same parts give the same sum.
            assert_eq!(results(Threads::UpTo(2)).events, one.events);
        }
    }
}

#[test]
fn another_thread_ends_a_run_on_several() {
    let network = workload(
        include_str!("../../../../benches/workloads/many.toml"),
        "3600 s",
    );
    for engine in [Engine::Cells, Engine::Trains] {
        for threads in [Threads::UpTo(3), Threads::Exactly(3)] {
            let cancel = AtomicBool::new(false);
            let outcome = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(100));
                    cancel.store(true, Ordering::Relaxed);
                });
                run(&network, 1, engine, threads, &cancel)
            });
            assert_eq!(outcome.err(), Some(RunError::Cancelled));
        }
    }
}
