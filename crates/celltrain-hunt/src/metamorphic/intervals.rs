//! Other ends of the measured interval.

use celltrain_sim::measure::{Results, Table};
use celltrain_sim::network::Network;
use serde_json::Value;

use super::edit::{PROBE, counts_from_warm_up, measured, probed};
use super::outcome::{self, Found, TABLES, Unlike, in_each, is_same, labels, numbers};

/// The number of rows of the probe in the interval of the shorter run.
const ROWS: u64 = 8;

/// The results over an interval, with a probe of everything; `None` if the limits refuse that.
fn over(
    scenario: &Value,
    network: &Network,
    seed: u64,
    interval: [u64; 2],
    every: u64,
) -> Result<Option<Results>, Unlike> {
    let probed = probed(&measured(scenario, interval), network, every);
    match outcome::network(&probed) {
        Some(network) => Ok(Some(outcome::run(&network, seed)?)),
        None => Ok(None),
    }
}

/// Fails unless `late` shows from its first row what `early` shows from row `from`. Counts that start at the end of the
/// warm-up differ by the count up to that row.
fn same_from(early: &Table, late: &Table, from: usize) -> Result<(), Unlike> {
    for ((column, _, xs), (_, _, ys)) in numbers(early).into_iter().zip(numbers(late)) {
        let base = if counts_from_warm_up(column) {
            xs[from]
        } else {
            0.0
        };
        for (row, (x, y)) in xs[from..].iter().zip(&ys).enumerate() {
            if !is_same(x - base, *y) {
                let before = x - base;
                return Err(Unlike(format!("{column} row {row}: {before} and {y}")));
            }
        }
    }
    Ok(())
}

/// Claimed for all scenarios.
pub(super) fn longer(scenario: &Value, network: &Network, seed: u64) -> Found {
    let end = network.end.as_ps();
    let every = (end / ROWS).max(1);
    let short = over(scenario, network, seed, [0, end], every)?;
    let long = over(scenario, network, seed, [0, end + end / 2], every)?;
    let (Some(short), Some(long)) = (short, long) else {
        return Ok(false);
    };
    let (Some(short), Some(long)) = (short.table(PROBE), long.table(PROBE)) else {
        return Ok(false);
    };
    same_from(short, long, 0)?;
    Ok(true)
}

/// Claimed for all scenarios.
pub(super) fn warm_up(scenario: &Value, network: &Network, seed: u64) -> Found {
    let end = network.end.as_ps();
    let every = (end / ROWS).max(1);
    let early = over(scenario, network, seed, [0, end], every)?;
    let late = over(scenario, network, seed, [3 * every, end], every)?;
    let (Some(early), Some(late)) = (early, late) else {
        return Ok(false);
    };
    let (Some(early), Some(late)) = (early.table(PROBE), late.table(PROBE)) else {
        return Ok(false);
    };
    same_from(early, late, 3)?;
    Ok(true)
}

/// How the value of a column over two adjoining intervals follows from those over each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// As the sum: a count.
    Sum,
    /// As the larger value: a maximum; both intervals include the state where they meet.
    Largest,
    /// As the second value: a state at the end.
    Last,
}

/// How a column joins; `None` for means, quotients, and the longest stall, which may cross the border.
fn joined(column: &str, unit: &str) -> Option<Joined> {
    let is_other = ["utilization", "cell_loss_ratio", "load_factor"].contains(&column);
    if column.contains("mean") || is_other {
        return None;
    }
    match (column, unit) {
        ("acr_bps", _) => Some(Joined::Last),
        (_, "cells" | "bytes") if column.contains("max") => Some(Joined::Largest),
        (_, "cells" | "bytes" | "1") => Some(Joined::Sum),
        _ => None,
    }
}

/// Claimed for all scenarios.
pub(super) fn adjoining(scenario: &Value, network: &Network, seed: u64) -> Found {
    let (middle, end) = (network.end.as_ps() / 3, network.end.as_ps());
    let mut all = Vec::new();
    for interval in [[0, middle], [middle, end], [0, end]] {
        match outcome::network(&measured(scenario, interval)) {
            Some(network) => all.push(outcome::run(&network, seed)?),
            None => return Ok(false),
        }
    }
    let [first, second, both] = &all[..] else {
        return Ok(false);
    };
    for name in TABLES {
        if let Some(tables) = in_each([first, second, both], name)? {
            add_up(tables)?;
        }
    }
    Ok(true)
}

/// Fails unless the columns of the third table follow from those of the others.
fn add_up([first, second, both]: [&Table; 3]) -> Result<(), Unlike> {
    let labels = labels(both);
    let columns = numbers(first)
        .into_iter()
        .zip(numbers(second))
        .zip(numbers(both));
    for (((column, unit, xs), (_, _, ys)), (_, _, zs)) in columns {
        let Some(how) = joined(column, unit) else {
            continue;
        };
        for (row, ((&x, &y), &z)) in xs.iter().zip(&ys).zip(&zs).enumerate() {
            let expected = match how {
                Joined::Sum => x + y,
                // `f64::max` would hide a NaN, which links without a queue have in all three.
                Joined::Largest if x.is_nan() || x > y => x,
                Joined::Largest | Joined::Last => y,
            };
            if !is_same(z, expected) {
                let of = labels.get(row).map_or("", String::as_str);
                let table = &both.name;
                return Err(Unlike(format!(
                    "{table} row {row} ({of}) {column}: {x} and {y}, and {z} over both"
                )));
            }
        }
    }
    Ok(())
}
