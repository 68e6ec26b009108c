//! Cross-checks: a network evaluated in trains and cell by cell, completely or for as long as a time budget allows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::RunError;
use celltrain_sim::measure::Results;
use celltrain_sim::network::{Cost, Network};

use crate::compare::{Evaluated, Failure, evaluated};
use crate::deadline::within;
use crate::report::{Differing, differing};

/// The cell-hops of the first and shortest comparison, at most.
const FIRST_HOPS: f64 = 20_000.0;
/// The fewest cell-hops compared, unless that is the whole run: fewer hardly check anything.
const LEAST_HOPS: u64 = 5_000;
/// The budget must be at least this multiple of the time that building the network takes.
const BUILDINGS: u32 = 2;
/// The least and the greatest factor by which a comparison is longer than the previous one.
const GROWTH: (f64, f64) = (1.3, 8.0);
/// A comparison is cut off after this multiple of the time left, because other work on the computer may delay it.
const PATIENCE: u32 = 2;
/// The fraction of the time left that the next comparison should take.
const AIM: f64 = 0.7;
/// The time to build a VC, a link or a flow and its rows, twice. Large networks spend most of their time on this.
const EACH_PART: Duration = Duration::from_nanos(1_500);
/// The result of a cross-check of limited time.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The longest time compared, from the start of the run; zero if there was no comparison.
    pub simulated: Span,
    /// Whether that is the whole run.
    pub is_whole: bool,
    /// The difference, if any; `simulated` is then the time for which the engines differ.
    pub differing: Option<Differing>,
}

/// Runs the whole network with both engines; returns the results and any difference.
pub fn verify(
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<(Option<Results>, Option<Differing>), Failure> {
    let (trains, cells) = evaluated(network, seed, cancel);
    for it in [&trains, &cells] {
        if let Err(failure) = it
            && failure.is_cut()
        {
            return Err(failure.clone());
        }
    }
    match (differing(&trains, &cells), trains) {
        (None, Err(failure)) => Err(failure),
        (differing, trains) => Ok((trains.ok(), differing)),
    }
}

/// Compares both engines on the first part of a run, measured from its start, for about as long as `budget` of this
/// thread's processor time allows. Compares nothing if that is too short for a network of this size.
///
/// It begins with a short time and continues with longer ones. Only times completed by both engines are compared; the
/// last one is reported.
pub fn cross_check(
    network: &Network,
    seed: u64,
    budget: Duration,
    cancel: &AtomicBool,
) -> Result<Checked, RunError> {
    let start = spent();
    let end = network.end;
    let mut checked = Checked {
        simulated: Span::ZERO,
        is_whole: false,
        differing: None,
    };
    if building(network) * BUILDINGS > budget {
        return Ok(checked);
    }
    let mut part = network.clone();
    part.warm_up = Time::ZERO;
    let mut length = first_length(network);
    loop {
        part.end = end.min(Time::ZERO + length);
        let before = spent().saturating_sub(start);
        let deadline = Instant::now() + budget.saturating_sub(before) * PATIENCE;
        let (trains, cells) = within(deadline, cancel, |stop| evaluated(&part, seed, stop));
        if cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
        let is_cut = |it: &Evaluated| it.as_ref().is_err_and(Failure::is_cut);
        if is_cut(&trains) || is_cut(&cells) {
            return Ok(checked);
        }
        let hops = cells.as_ref().map_or(0, |results| results.cell_hops);
        let is_enough = hops >= LEAST_HOPS || part.end == end;
        if is_enough || differing(&trains, &cells).is_some() {
            checked.simulated = part.end - Time::ZERO;
        }
        checked.is_whole = part.end == end;
        checked.differing = differing(&trains, &cells);
        if checked.differing.is_some() || checked.is_whole || trains.is_err() {
            return Ok(checked);
        }
        let after = spent().saturating_sub(start);
        let left = budget.saturating_sub(after).as_secs_f64();
        let growth = AIM * left / after.saturating_sub(before).as_secs_f64().max(1e-6);
        if growth < GROWTH.0 {
            return Ok(checked);
        }
        length = Span::from_secs_f64(length.as_secs() * growth.min(GROWTH.1));
    }
}

/// The processor time of this thread so far.
#[cfg(unix)]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// The time so far on the wall, for systems whose processor time cannot be read without unsafe code (Windows): a busy
/// machine makes comparisons shorter, not wrong.
#[cfg(not(unix))]
fn spent() -> Duration {
    use std::sync::LazyLock;
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed()
}

/// The approximate time to build the network's state and its tables, twice.
fn building(network: &Network) -> Duration {
    let hops = network.vcs.iter().flat_map(|vc| &vc.directions);
    let hops: usize = hops.map(|direction| 1 + direction.links.len()).sum();
    let parts = hops + network.links.len() + network.flows.len() + network.backgrounds.len();
    EACH_PART.saturating_mul(u32::try_from(parts).unwrap_or(u32::MAX))
}

/// A time in which only a few cells can move.
fn first_length(network: &Network) -> Span {
    let cells = Cost::of(network).cells.max(1.0);
    let whole = (network.end - Time::ZERO).as_secs();
    let first = Span::from_secs_f64(whole * (FIRST_HOPS / cells).min(1.0));
    first.max(Span::from_us(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Method, evaluate};
    use crate::row::{Row, link};
    use celltrain_sim::scenario::Source;

    fn network(duration: &str) -> Network {
        let text = Row::of("a b")
            .measured("1 s", duration)
            .link(link("line", "5 ms").queue("20 Mbit/s", 1_000))
            .vc("vc", "")
            .flow("up", "vc", "")
            .toml();
        let scenario = Source::toml(&text, "test").read().expect("a scenario");
        Network::new(&scenario).expect("a network")
    }

    #[test]
    fn a_short_run_is_compared_wholly() {
        let network = network("2 s");
        let found = cross_check(
            &network,
            1,
            Duration::from_secs(60),
            &AtomicBool::new(false),
        );
        let whole = Checked {
            simulated: Span::from_secs(2),
            is_whole: true,
            differing: None,
        };
        assert_eq!(found, Ok(whole));
    }

    #[test]
    fn a_long_run_is_compared_for_about_its_budget() {
        let network = network("100000 s");
        let began = Instant::now();
        let found = cross_check(
            &network,
            1,
            Duration::from_millis(300),
            &AtomicBool::new(false),
        )
        .expect("not cancelled");
        let taken = began.elapsed();
        assert!(taken < Duration::from_secs(2), "{taken:?}");
        assert!(
            found.simulated > Span::ZERO && !found.is_whole && found.differing.is_none(),
            "{found:?}"
        );
    }

    #[test]
    fn without_time_nothing_is_compared_and_nothing_is_claimed() {
        let found = cross_check(
            &network("100 s"),
            1,
            Duration::ZERO,
            &AtomicBool::new(false),
        )
        .expect("not cancelled");
        assert_eq!(
            found,
            Checked {
                simulated: Span::ZERO,
                is_whole: false,
                differing: None
            }
        );
    }

    #[test]
    fn a_cancelled_check_says_so() {
        let cancel = AtomicBool::new(true);
        let found = cross_check(&network("100000 s"), 1, Duration::from_secs(60), &cancel);
        assert_eq!(found, Err(RunError::Cancelled));
        assert_eq!(
            verify(&network("100000 s"), 1, &cancel).err(),
            Some(Failure::Run(RunError::Cancelled))
        );
    }

    #[test]
    fn verifying_gives_the_results_of_the_run() {
        let network = network("2 s");
        let flag = AtomicBool::new(false);
        let (results, differing) = verify(&network, 3, &flag).expect("it runs");
        let plain = evaluate(&network, 3, Method::Trains, &flag).expect("it runs");
        assert_eq!(
            (results.map(|it| it.digest), differing),
            (Some(plain.digest), None)
        );
    }
}
