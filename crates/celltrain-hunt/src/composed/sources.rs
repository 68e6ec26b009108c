//! Traffic processes and backgrounds.

use std::fmt::Write;

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::graph::Graph;
use super::pen::Pen;
use super::units::{self, CELL, SECOND, Table, US, put};
use super::words::CELLS;

/// What sends packets.
const PACKETS: [&str; 7] = [
    "cbr", "cbr", "poisson", "on-off", "markov", "pulses", "replay",
];

/// A process of packets for a line of `limit` bit/s.
pub(super) fn packets(pen: &mut Pen, limit: u64) -> Value {
    let process = pen.pick(&PACKETS);
    traffic(pen, process, limit)
}

/// A background in a direction of a VC.
pub(super) fn background(
    pen: &mut Pen,
    graph: &Graph,
    circuit: &Circuit,
    direction: usize,
) -> Value {
    let limit = circuit.limit(graph, direction);
    let is_shaped = circuit.services[direction].pcr.is_some();
    let mut process = if pen.chance(0.6) {
        pen.taste.process
    } else {
        pen.pick(&CELLS)
    };
    if process == "greedy" && !is_shaped {
        process = "cbr";
    }
    let mut table = Table::new();
    put(&mut table, "vc", circuit.name.clone());
    if direction == 1 || pen.chance(0.1) {
        put(&mut table, "direction", ["forward", "backward"][direction]);
    }
    if let Some(start) = pen.start() {
        put(&mut table, "start", start);
    }
    let limit = limit.unwrap_or_else(|| pen.bps());
    put(&mut table, "traffic", traffic(pen, process, limit));
    Value::Object(table)
}

/// A rate below, at or above that of the line.
fn load(pen: &mut Pen, limit: u64) -> u64 {
    let rate = match pen.dice.below(7) {
        0 | 1 => limit,
        2 => limit * 2,
        3 => pen.bps(),
        4 => limit / pen.dice.between(2, 50),
        _ => limit / 2 + pen.dice.below(limit + 1),
    };
    rate.max(1)
}

fn traffic(pen: &mut Pen, process: &str, limit: u64) -> Value {
    let rate = load(pen, limit);
    match process {
        "on-off" => on_off(pen, rate),
        "markov" => markov(pen, rate),
        "pulses" => pulses(pen, rate),
        "replay" => replay(pen, rate),
        "greedy" => json!({"process": "greedy"}),
        "aal1" => json!({"process": "aal1", "rate": units::rate((rate * 376 / CELL).max(1))}),
        _ => json!({"process": process, "rate": units::rate(rate)}),
    }
}

fn on_off(pen: &mut Pen, rate: u64) -> Value {
    let (on, off) = (pen.span(200, US), pen.span(500, US));
    let mut table = Table::new();
    put(&mut table, "process", "on-off");
    put(&mut table, "peak", units::rate(rate));
    put(&mut table, "on", units::time(on));
    put(&mut table, "off", units::time(off));
    if pen.chance(0.6) {
        put(&mut table, "lengths", pen.pick(&["fixed", "exponential"]));
    }
    Value::Object(table)
}

fn markov(pen: &mut Pen, rate: u64) -> Value {
    let states: Vec<Value> = (0..pen.dice.between(2, 4))
        .map(|number| {
            let rate = if number > 0 && pen.chance(0.4) {
                0
            } else {
                (rate / pen.dice.between(1, 4)).max(1)
            };
            let mean = pen.span(300, US);
            json!({"rate": units::rate(rate), "mean": units::time(mean)})
        })
        .collect();
    json!({"process": "markov", "states": states, "poisson": pen.chance(0.4)})
}

fn pulses(pen: &mut Pen, rate: u64) -> Value {
    let period = pen.span(500, US);
    let mut table = Table::new();
    put(&mut table, "process", "pulses");
    put(&mut table, "peak", units::rate(rate));
    put(&mut table, "period", units::time(period));
    if pen.chance(0.6) {
        put(&mut table, "duty_cycle", pen.fraction());
    }
    Value::Object(table)
}

/// Arrivals at given instants, many of them together.
fn replay(pen: &mut Pen, rate: u64) -> Value {
    let gap = (SECOND / rate.max(1)).saturating_mul(CELL);
    let mut trace = String::new();
    let mut at = 0;
    for _ in 0..pen.dice.between(1, 10) {
        at = match pen.dice.below(4) {
            0 => at,
            1 => pen.instant().max(at),
            _ => at + gap,
        };
        let number = pen.pick(&[1, 1, 1, 2, 3, 17]);
        // A time in s with all its picoseconds; writing to a string cannot fail.
        let (whole, rest) = (at / SECOND, at % SECOND);
        let _ = writeln!(trace, "{whole}.{rest:012} {number}");
    }
    let mut table = Table::new();
    put(&mut table, "process", "replay");
    put(&mut table, "trace", trace);
    if pen.chance(0.4) {
        put(&mut table, "repeat", units::time(at + gap.max(US)));
    }
    Value::Object(table)
}
