//! Which removals change the results of the networks on which the tests of this folder compare the engines.
//!
//! `mutate.py` copies this file into its worktree, where `celltrain_sim::removed` exists, and lets `both` call it. Each
//! network is evaluated with all conditions, and then once in trains without each condition to which this evaluation came
//! and that is still open. The environment variable `CELLTRAIN_OPEN` lists the numbers of these; without it nothing is
//! tried. Output: `at NUMBER` before each such evaluation and `at none` after the last, so that it is known where the
//! process ended, and `removed NUMBER WHAT` where results differ. The exit status is 3 if a run does not end. Only one
//! test at a time may run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::measure::Results;
use celltrain_sim::removed;

use super::{common, difference};

/// The time for a run without a condition, as a multiple of that with all, and in addition.
const TIMES: u32 = 30;
const MORE: Duration = Duration::from_secs(2);
/// The time after that within which a cancelled run must end.
const GRACE_MS: u64 = 2_000;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
/// When the run in progress is cancelled, in ms since the start.
static UNTIL: AtomicU64 = AtomicU64::new(u64::MAX);
static CANCEL: AtomicBool = AtomicBool::new(false);
/// The conditions that no network has caught; none if nothing is tried.
static OPEN: LazyLock<Option<Mutex<Vec<u32>>>> = LazyLock::new(|| {
    let open = std::env::var("CELLTRAIN_OPEN").ok()?;
    let open = open.split_whitespace().map(str::parse);
    let open = open.collect::<Result<_, _>>();
    thread::spawn(watch);
    Some(Mutex::new(open.expect("the numbers of conditions")))
});

/// Calls `evaluate`, which evaluates a network with all conditions, and then evaluates it without each.
pub(super) fn without_each(
    text: &str,
    seed: u64,
    evaluate: impl Fn() -> [Results; 2],
) -> [Results; 2] {
    let Some(open) = &*OPEN else {
        return evaluate();
    };
    let mut open = open.lock().expect("one test at a time runs");
    removed::choose(u32::MAX);
    let start = Instant::now();
    let results = evaluate();
    let limit = start.elapsed() * TIMES + MORE;
    let reached = open.iter().copied().filter(|&it| removed::reached(it));
    let reached: Vec<u32> = reached.collect();
    for condition in reached {
        removed::choose(condition);
        println!("\nat {condition}");
        let what = match limited(text, seed, limit) {
            Some(trains) => difference(&[results[0].clone(), trains]),
            None => Some("the run fails".to_owned()),
        };
        if let Some(what) = what {
            println!("\nremoved {condition} {what}");
            open.retain(|&it| it != condition);
        }
    }
    removed::choose(u32::MAX);
    println!("\nat none");
    if open.is_empty() {
        // Further networks would tell nothing.
        exit(0);
    }
    results
}

/// The results of the train engine; none if the run fails, panics or takes too long.
fn limited(text: &str, seed: u64, limit: Duration) -> Option<Results> {
    let network = common::network(text).ok()?;
    CANCEL.store(false, Relaxed);
    UNTIL.store((START.elapsed() + limit).as_millis() as u64, Relaxed);
    let run = || run_with(Engine::Trains, &network, seed, &CANCEL);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    UNTIL.store(u64::MAX, Relaxed);
    outcome.ok()?.ok()
}

/// Cancels a run that takes too long, and ends the process if the run does not end then.
fn watch() {
    loop {
        thread::sleep(Duration::from_millis(20));
        let (now, until) = (START.elapsed().as_millis() as u64, UNTIL.load(Relaxed));
        if now >= until {
            CANCEL.store(true, Relaxed);
        }
        if now >= until.saturating_add(GRACE_MS) {
            exit(3);
        }
    }
}
