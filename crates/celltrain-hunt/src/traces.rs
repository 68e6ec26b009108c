//! Traces as text: delivery opportunities of a line, recordings of lines, and arrivals.

use std::fmt::Write;

use crate::dice::Dice;
use crate::palette::Palette;

/// Microseconds per millisecond, and picoseconds per microsecond.
const MS_US: u64 = 1_000;
const US: u64 = 1_000_000;

/// Increasing instants up to `horizon`, some of them equal.
fn instants(dice: &mut Dice, horizon: u64) -> Vec<u64> {
    let lines = dice.log_uniform(1.0, 80.0) as usize;
    let most = match dice.below(3) {
        0 => horizon,
        1 => horizon.min(500),
        _ => dice.log_uniform(1.0, horizon.max(2) as f64) as u64,
    };
    let mut all: Vec<u64> = (0..lines).map(|_| dice.whole(0, most)).collect();
    if dice.chance(0.3) {
        let again = *dice.pick(&all);
        all.extend(std::iter::repeat_n(again, dice.below(12)));
    }
    all.sort_unstable();
    all
}

/// The delivery opportunities of a line, in ms.
pub(crate) fn opportunities(dice: &mut Dice, horizon_ms: u64) -> String {
    let mut instants = instants(dice, horizon_ms.max(2));
    if let Some(end) = instants.last_mut() {
        *end = (*end).max(1);
    }
    let lines: Vec<String> = instants.iter().map(u64::to_string).collect();
    lines.join("\n") + if dice.chance(0.9) { "\n" } else { "" }
}

/// Arrivals in s, in whole ms or us; a line may have several arrivals, and some lines are comments or empty.
pub(crate) fn arrivals(dice: &mut Dice, horizon_ms: u64) -> String {
    let horizon_ms = horizon_ms.max(2);
    let (horizon, grain) = if dice.chance(0.5) {
        (horizon_ms, 1e3)
    } else {
        (horizon_ms * MS_US, 1e6)
    };
    let mut text = String::from("# instants in s\n");
    for instant in instants(dice, horizon) {
        let seconds = instant as f64 / grain;
        let many = match dice.weighted(&[80, 15, 5]) {
            0 => String::new(),
            1 => format!(" {}", dice.whole(1, 4)),
            _ => format!(" {}", dice.whole(5, 300)),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{seconds}{many}");
        if dice.chance(0.03) {
            text.push_str("\n# a comment\n");
        }
    }
    text
}

/// A recording of rates, delays and losses, or of some of them, in CSV.
pub(crate) fn recording(dice: &mut Dice, palette: &Palette) -> String {
    let mut names = vec!["rate_bps", "delay_us", "loss"];
    names.retain(|_| dice.chance(0.6));
    if names.is_empty() {
        names.push("delay_us");
    }
    let mut text = format!("time_us,{}\n", names.join(","));
    let us = |ps: u64| ps as f64 / US as f64;
    let mut at = 0;
    for _ in 0..dice.weighted(&[0, 4, 5, 3, 1]) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", us(at));
        for name in &names {
            let value = match *name {
                "rate_bps" if at > 0 && dice.chance(0.2) => 0.0,
                "rate_bps" => palette.rate(dice) as f64,
                "loss" => *dice.pick(&[0.0, 1e-3, 0.1, 1.0]),
                _ => us(palette.time(dice, 0, palette.horizon)),
            };
            let _ = write!(text, ",{value}");
        }
        text.push('\n');
        at += palette.time(dice, US, palette.horizon.max(US));
    }
    text
}
