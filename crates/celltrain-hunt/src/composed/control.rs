//! Switch algorithms.

use serde_json::Value;

use super::pen::Pen;
use super::units::{self, Table, US, cells, put};

const ALL: [&str; 12] = [
    "binary",
    "binary",
    "fair-share",
    "erica",
    "erica-plus",
    "erica-plus-smoothed",
    "eprca",
    "capc",
    "capc2",
    "phantom",
    "mit",
    "mmrca",
];

/// An algorithm for a queue of `room` cells.
pub(super) fn algorithm(pen: &mut Pen, room: u64) -> Value {
    let mut table = Table::new();
    let name = pen.pick(&ALL);
    put(&mut table, "algorithm", name);
    let interval = units::time(pen.span(300, US));
    let high = pen.dice.between(0, room);
    let low = pen.dice.between(0, high);
    match name {
        "binary" => binary(pen, &mut table, low, high),
        "fair-share" => put(&mut table, "interval", interval),
        "erica" => {
            erica(pen, &mut table, room);
            maybe_fraction(pen, &mut table, "target_utilization");
            let taken = ["from-target", "from-line"];
            maybe(pen, &mut table, "priority_taken", &taken);
        }
        "erica-plus" => {
            erica(pen, &mut table, room);
            plus(pen, &mut table);
        }
        "erica-plus-smoothed" => smoothed(pen, &mut table),
        "eprca" => eprca(pen, &mut table, low, high),
        "capc" | "capc2" => {
            put(&mut table, "interval", interval);
            put(&mut table, "cqt", cells(low));
            if name == "capc2" {
                put(&mut table, "vcqt", cells(high));
            }
            capc(pen, &mut table);
        }
        "phantom" => {
            put(&mut table, "interval", interval);
            phantom(pen, &mut table);
        }
        "mit" => {
            put(&mut table, "interval", interval);
            maybe_fraction(pen, &mut table, "target_utilization");
        }
        _ => {
            put(&mut table, "qt", cells(low));
            put(&mut table, "dqt", cells(high));
            put(&mut table, "interval", interval);
            maybe(pen, &mut table, "feedback", &["ci", "explicit-rate"]);
        }
    }
    if ["fair-share", "erica", "erica-plus", "erica-plus-smoothed"].contains(&name) {
        maybe(pen, &mut table, "marking", &["backward-rm", "forward-rm"]);
    }
    Value::Object(table)
}

fn maybe(pen: &mut Pen, table: &mut Table, key: &str, names: &[&str]) {
    if pen.chance(0.4) {
        put(table, key, pen.pick(names));
    }
}

fn maybe_fraction(pen: &mut Pen, table: &mut Table, key: &str) {
    if pen.chance(0.4) {
        put(table, key, pen.fraction());
    }
}

fn maybe_truth(pen: &mut Pen, table: &mut Table, key: &str) {
    if pen.chance(0.3) {
        put(table, key, pen.chance(0.5));
    }
}

fn binary(pen: &mut Pen, table: &mut Table, low: u64, high: u64) {
    put(table, "threshold", cells(high));
    if pen.chance(0.4) {
        put(table, "low", cells(low));
    }
    if pen.chance(0.3) {
        put(table, "ni_threshold", cells(low));
    }
    maybe(
        pen,
        table,
        "marking",
        &["backward-rm", "forward-rm", "efci"],
    );
}

fn erica(pen: &mut Pen, table: &mut Table, room: u64) {
    let by = pen.dice.below(3);
    if by != 0 {
        put(table, "interval", units::time(pen.span(300, US)));
    }
    if by != 1 {
        put(
            table,
            "interval_cells",
            cells(pen.dice.spread(1, room.max(100))),
        );
    }
    maybe_fraction(pen, table, "load_weight");
    maybe_fraction(pen, table, "initial_share");
    maybe(pen, table, "allocation", &["max-previous", "basic"]);
    let averages = [
        "ratio",
        "overload-factor",
        "restarting-factor",
        "ratio-of-rates",
    ];
    maybe(pen, table, "load_averaging", &averages);
    maybe(pen, table, "ccr", &["rm-cell", "measured"]);
    maybe(pen, table, "remembers", &["calculated", "bounded", "given"]);
    maybe(pen, table, "verdicts", &["each-interval", "each-cell"]);
    for key in [
        "immediate_update",
        "backward_activity",
        "idle_gives_all",
        "guarantee_mcr",
    ] {
        maybe_truth(pen, table, key);
    }
    if pen.chance(0.2) {
        put(table, "activity_decay", pen.pick(&[0.0, 0.5, 0.99]));
        put(table, "activity_weight", pen.pick(&[0.5, 1.0, 2.0]));
        put(table, "delta", pen.pick(&[0.0, 0.1, 1.0]));
    }
}

fn plus(pen: &mut Pen, table: &mut Table) {
    if pen.chance(0.5) {
        put(table, "t0", units::time(pen.span(50, US)));
        put(table, "a", pen.pick(&[1.05, 1.15, 2.0]));
        put(table, "b", pen.pick(&[1.0, 1.05]));
        put(table, "qdlf", pen.fraction());
        put(table, "k", pen.pick(&[1.5, 9.0]));
    }
    maybe(
        pen,
        table,
        "queue_control",
        &["hyperbolic", "linear", "step"],
    );
    maybe(pen, table, "queue_sampling", &["rm-cells", "interval-end"]);
}

fn smoothed(pen: &mut Pen, table: &mut Table) {
    for key in ["t0", "smoothing_interval", "averaging_interval"] {
        put(table, key, units::time(pen.span(200, US)));
    }
    put(table, "a", pen.pick(&[1.05, 1.15, 2.0]));
    put(table, "b", pen.pick(&[1.0, 1.05]));
    put(table, "qdlf", pen.fraction());
    put(table, "x", pen.fraction());
}

fn eprca(pen: &mut Pen, table: &mut Table, low: u64, high: u64) {
    put(table, "qt", cells(low));
    put(table, "dqt", cells(high));
    for key in ["av", "vcs", "dpf", "erf", "mrf"] {
        maybe_fraction(pen, table, key);
    }
    maybe_truth(pen, table, "binary");
    maybe(pen, table, "form", &["selective", "plain"]);
}

fn phantom(pen: &mut Pen, table: &mut Table) {
    for key in ["target_utilization", "alpha_inc", "alpha_dec", "h"] {
        maybe_fraction(pen, table, key);
    }
    if pen.chance(0.3) {
        let factor = pen.pick(&[0.5, 1.0, 20.0]);
        put(table, "utilization_factor", factor);
    }
}

fn capc(pen: &mut Pen, table: &mut Table) {
    for key in ["target_utilization", "rup", "rdn", "erf"] {
        maybe_fraction(pen, table, key);
    }
    if pen.chance(0.3) {
        put(table, "eru", pen.pick(&[1.0, 1.5, 4.0]));
    }
}
