//! Rates of lines, and what happens to cells on them.

use std::fmt::Write;

use serde_json::{Value, json};

use super::adsl;
use super::pen::Pen;
use super::radio;
use super::rated::Rated;
use super::taste::Wish;
use super::units::{self, CELL, MS, Table, US, put};

/// Draws the rate of a line.
pub(super) fn rate(pen: &mut Pen) -> Rated {
    let usual = pen.bps();
    if pen.wants(Wish::Adsl) {
        return adsl::line(pen);
    }
    if !pen.wants(Wish::VaryingRate) {
        return Rated::new(units::rate(usual), usual, usual);
    }
    match pen.dice.below(8) {
        0 => uniform(pen, usual),
        1 | 2 => list(pen, usual),
        3 => markov(pen, usual),
        4 => radio::hand_over(pen, usual),
        5 => radio::fading(pen, usual),
        6 => radio::bursts(pen, usual),
        _ => mahimahi(pen, usual),
    }
}

fn uniform(pen: &mut Pen, usual: u64) -> Rated {
    let low = (usual / pen.dice.between(1, 10)).max(1);
    let high = usual
        + if pen.chance(0.5) {
            1
        } else {
            pen.dice.below(usual) + 1
        };
    let every = units::time(pen.span(1000, US));
    let value = json!({"process": "uniform", "low": units::rate(low), "high": units::rate(high), "every": every});
    Rated::new(value, usual, low)
}

fn list(pen: &mut Pen, usual: u64) -> Rated {
    let times = instants(pen);
    let mut floor = usual;
    let rates: Vec<Value> = (0..)
        .zip(&times)
        .map(|(number, &at)| {
            let rate = if number > 0 && pen.chance(0.3) {
                0
            } else {
                pen.bps().max(1)
            };
            floor = floor.min(rate);
            json!({"at": units::time(at), "rate": units::rate(rate)})
        })
        .collect();
    let mut value = Table::new();
    put(&mut value, "process", "list");
    put(&mut value, "rates", rates);
    repeat(pen, &mut value, &times);
    Rated::new(Value::Object(value), usual, floor)
}

/// The instants of a list, the first at 0.
pub(super) fn instants(pen: &mut Pen) -> Vec<u64> {
    let mut times = vec![0];
    for _ in 0..pen.dice.between(1, 4) {
        times.push(pen.instant());
    }
    times.sort_unstable();
    times.dedup();
    times
}

/// Makes about half of all lists repeat.
pub(super) fn repeat(pen: &mut Pen, table: &mut Table, times: &[u64]) {
    if pen.chance(0.5) {
        let last = times.last().copied().unwrap_or_default();
        put(table, "repeat", units::time(last + pen.span(500, US)));
    }
}

/// A delay that follows a list.
pub(super) fn delay(pen: &mut Pen) -> Value {
    let times = instants(pen);
    let delays: Vec<Value> = times
        .iter()
        .map(|&at| json!({"at": units::time(at), "delay": units::time(pen.delay())}))
        .collect();
    let mut value = Table::new();
    put(&mut value, "process", "list");
    put(&mut value, "delays", delays);
    repeat(pen, &mut value, &times);
    if pen.chance(0.7) {
        put(
            &mut value,
            "interpolation",
            pen.pick(&["linear", "linear", "steps"]),
        );
    }
    Value::Object(value)
}

fn markov(pen: &mut Pen, usual: u64) -> Rated {
    let bad = if pen.chance(0.4) {
        0
    } else {
        usual / pen.dice.between(1, 20)
    };
    let (good, mean_good) = (units::rate(usual), units::time(pen.span(2000, US)));
    let mean_bad = units::time(pen.span(500, US));
    let value = json!({"process": "markov", "good": good, "bad": units::rate(bad), "mean_good": mean_good,
        "mean_bad": mean_bad});
    Rated::new(value, usual, bad)
}

fn mahimahi(pen: &mut Pen, usual: u64) -> Rated {
    let mut trace = String::new();
    let mut at = 0;
    let step = 32 * CELL * 1000 / usual.max(1);
    for _ in 0..pen.dice.between(1, 12) {
        at += match pen.dice.below(4) {
            0 => 0,
            1 => 1,
            _ => step.clamp(1, 100_000),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(trace, "{at}");
    }
    // The last line is the period of the trace, so it must be positive.
    let _ = writeln!(trace, "{}", at.max(1));
    let mut value = Table::new();
    put(&mut value, "process", "mahimahi");
    put(&mut value, "trace", trace);
    let has_bin = pen.chance(0.4);
    if has_bin {
        put(&mut value, "bin", units::time(pen.dice.between(1, 20) * MS));
    }
    if pen.chance(0.3) {
        let octets = pen.dice.between(500, 2_000);
        put(&mut value, "opportunity", format!("{octets} bytes"));
    }
    let bursts = !has_bin;
    Rated {
        bursts,
        ..Rated::new(Value::Object(value), usual, 0)
    }
}

/// Cells lost or corrupted.
pub(super) fn loss(pen: &mut Pen) -> Value {
    let rare = pen.pick(&[0.0, 1e-3, 0.01, 0.01, 0.05, 0.05, 0.2, 1.0]);
    match pen.dice.below(6) {
        0..=2 => json!({"process": "bernoulli", "probability": rare}),
        3 => listed_loss(pen),
        4 => {
            let mut chain = Table::new();
            put(&mut chain, "process", "gilbert-elliott");
            put(&mut chain, "good_to_bad", rare);
            put(&mut chain, "bad_to_good", pen.pick(&[1.0, 0.5, 0.1]));
            if pen.chance(0.4) {
                put(&mut chain, "loss_good", pen.pick(&[0.0, 0.01, 0.3]));
            }
            if pen.chance(0.4) {
                put(&mut chain, "loss_bad", pen.pick(&[0.0, 0.3, 1.0]));
            }
            Value::Object(chain)
        }
        _ => {
            let every = pen.span(1000, MS);
            let mut noise = Table::new();
            put(&mut noise, "process", "impulse");
            put(&mut noise, "arrivals", pen.pick(&["fixed", "poisson"]));
            put(&mut noise, "every", units::time(every));
            if pen.chance(0.5) {
                put(&mut noise, "symbols", pen.dice.spread(1, 100));
            }
            if pen.chance(0.3) {
                put(
                    &mut noise,
                    "codeword_symbols",
                    pen.pick(&[0.05, 0.5, 1.0, 16.0]),
                );
                put(&mut noise, "depth", pen.pick(&[1, 2, 64]));
                put(&mut noise, "codeword", pen.pick(&[17, 100, 255]));
                put(&mut noise, "parity", pen.pick(&[0, 8, 16]));
            }
            Value::Object(noise)
        }
    }
}

/// A probability of loss that follows a list.
fn listed_loss(pen: &mut Pen) -> Value {
    let times = instants(pen);
    let probabilities: Vec<Value> = times
        .iter()
        .map(|&at| {
            let probability = pen.pick(&[0.0, 1e-3, 0.05, 0.3, 1.0]);
            json!({"at": units::time(at), "probability": probability})
        })
        .collect();
    let mut value = Table::new();
    put(&mut value, "process", "list");
    put(&mut value, "probabilities", probabilities);
    repeat(pen, &mut value, &times);
    Value::Object(value)
}

/// A delay added to each cell.
pub(super) fn jitter(pen: &mut Pen) -> Value {
    let max = pen.span(200, 1);
    if pen.chance(0.5) {
        return json!({"process": "uniform", "max": units::time(max)});
    }
    if pen.chance(0.4) {
        return radio::added(pen, max);
    }
    let mean = (max / pen.dice.between(1, 10)).max(1);
    json!({"process": "exponential", "mean": units::time(mean), "max": units::time(max)})
}

/// The longest packet of a network.
pub(super) fn mtu(pen: &mut Pen) -> u64 {
    pen.pick(&[68, 296, 576, 1006, 1500, 4352, 9180])
}
