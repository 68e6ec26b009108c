//! What the queue of a link does.

use serde_json::{Value, json};

use super::control;
use super::graph::{Kind, Line};
use super::pen::Pen;
use super::rated::Rated;
use super::taste::Wish;
use super::units::{self, Table, US, cells, put};

/// The keys of a queue of `buffer` cells.
pub(super) fn keys(
    pen: &mut Pen,
    link: &mut Table,
    from: Kind,
    rated: &Rated,
    buffer: u64,
    hop: &mut Line,
) {
    let order = if pen.wants(Wish::Scheduling) {
        pen.pick(&[
            "priority",
            "priority",
            "weighted-fair",
            "deficit-round-robin",
            "fifo",
        ])
    } else {
        "fifo"
    };
    scheduling(pen, link, order);
    let mut room = buffer;
    if order == "priority" && pen.wants(Wish::ClassBuffers) {
        room = class_buffers(pen, link, buffer);
    }
    if pen.wants(Wish::Clp) {
        put(link, "clp_threshold", cells(pen.dice.between(0, room)));
    }
    let is_per_vc = ["weighted-fair", "deficit-round-robin"].contains(&order);
    if pen.wants(Wish::Discard) {
        put(link, "discard", discard(pen, room));
        hop.frames = true;
    } else if pen.wants(Wish::Management) {
        put(link, "queue_management", management(pen, rated, room));
        hop.frames = true;
    }
    if is_per_vc && from != Kind::Lan && pen.wants(Wish::Credit) {
        put(link, "credit", credit(pen));
        hop.credit = true;
    }
    if pen.wants(Wish::Control) && !rated.bursts {
        put(link, "control", control::algorithm(pen, room));
        if pen.wants(Wish::LateLoad) {
            put(link, "priority_load", pen.pick(&["departures", "arrivals"]));
        }
    }
    // Credits count cells, and a switch with BECN makes some of its own.
    let has_credits = pen.taste.likes(Wish::Credit) > 0.0;
    if from == Kind::Switch && !has_credits && pen.wants(Wish::Becn) {
        let above = cells(pen.dice.below(room));
        let mut becn = json!({"above": above});
        if pen.chance(0.4) {
            becn["mark"] = Value::from(pen.pick(&["no-increase", "decrease"]));
        }
        put(link, "becn", becn);
    }
}

fn scheduling(pen: &mut Pen, link: &mut Table, order: &str) {
    if order == "deficit-round-robin" && pen.chance(0.5) {
        let quantum = pen.pick(&[1.0, 1.5, 2.0, 10.0, 1000.0]);
        put(
            link,
            "scheduling",
            json!({"algorithm": order, "quantum": quantum}),
        );
    } else if pen.chance(0.2) {
        put(link, "scheduling", json!({"algorithm": order}));
    } else if order != "fifo" || pen.chance(0.05) {
        put(link, "scheduling", order);
    }
}

/// Buffers of some classes; returns the smallest one.
fn class_buffers(pen: &mut Pen, link: &mut Table, buffer: u64) -> u64 {
    let mut table = Table::new();
    let mut least = buffer;
    for class in ["cbr", "rt-vbr", "nrt-vbr", "abr", "ubr"] {
        if pen.chance(0.5) {
            let room = pen.buffer();
            least = least.min(room);
            put(&mut table, class, cells(room));
        }
    }
    put(link, "class_buffers", table);
    least
}

fn discard(pen: &mut Pen, room: u64) -> Value {
    let high = pen.dice.between(1, room);
    let low = pen.dice.below(high);
    let mut table = Table::new();
    let policy = pen.pick(&[
        "ppd",
        "epd",
        "selective-drop",
        "fair-buffer",
        "red",
        "dfba",
        "ared",
        "drop-front",
    ]);
    put(&mut table, "policy", policy);
    match policy {
        "epd" => {
            put(&mut table, "threshold", cells(high));
            if pen.chance(0.5) {
                put(&mut table, "partial", pen.chance(0.3));
            }
        }
        "selective-drop" | "fair-buffer" => {
            put(&mut table, "threshold", cells(high));
            if pen.chance(0.5) {
                put(&mut table, "z", pen.pick(&[0.0, 0.5, 1.0, 2.0]));
            }
        }
        "red" => {
            put(&mut table, "min", cells(low));
            put(&mut table, "max", cells(high));
            put(&mut table, "max_probability", pen.fraction());
            put(&mut table, "weight", pen.fraction());
            put(&mut table, "gentle", pen.chance(0.5));
        }
        "dfba" => {
            put(&mut table, "low", cells(low));
            put(&mut table, "threshold", cells(high));
            put(&mut table, "z", pen.fraction());
            put(&mut table, "alpha", pen.fraction());
        }
        "ared" => ared(pen, &mut table, low, high),
        _ => {}
    }
    Value::Object(table)
}

fn ared(pen: &mut Pen, table: &mut Table, low: u64, high: u64) {
    put(table, "target", units::time(pen.span(100, US)));
    if low > 0 && pen.chance(0.7) {
        put(table, "min", cells(low));
        put(table, "max", cells(high));
    }
    if pen.chance(0.5) {
        put(table, "interval", units::time(pen.span(200, US)));
        put(table, "max_probability", pen.fraction());
    }
    if pen.chance(0.3) {
        put(table, "weight", pen.fraction());
        put(table, "increment", pen.fraction());
        put(table, "decrease", pen.pick(&[0.0, 0.5, 0.9]));
    }
}

fn management(pen: &mut Pen, rated: &Rated, room: u64) -> Value {
    let mut table = Table::new();
    // PIE and PI2 estimate delays from the rate.
    let all: &[&str] = if rated.bursts {
        &["codel", "blue"]
    } else {
        &["codel", "pie", "pi2", "blue"]
    };
    let algorithm = pen.pick(all);
    put(&mut table, "algorithm", algorithm);
    if pen.chance(0.5) {
        put(&mut table, "ecn", pen.chance(0.7));
    }
    match algorithm {
        "codel" => {
            put(&mut table, "target", units::time(pen.span(30, 1)));
            put(&mut table, "interval", units::time(pen.span(300, 1)));
        }
        "blue" => {
            put(&mut table, "increment", pen.fraction());
            put(&mut table, "decrement", pen.fraction());
            put(&mut table, "freeze_time", units::time(pen.span(100, US)));
            if pen.chance(0.4) {
                put(&mut table, "length", cells(pen.dice.between(0, room)));
            }
        }
        _ => {
            put(&mut table, "target", units::time(pen.span(50, US)));
            put(&mut table, "update", units::time(pen.span(50, US)));
            if algorithm == "pi2" && pen.chance(0.5) {
                put(&mut table, "max_probability", pen.fraction());
            }
            if algorithm == "pie" && pen.chance(0.5) {
                put(&mut table, "burst", units::time(pen.delay()));
            }
            if pen.chance(0.3) {
                put(&mut table, "alpha", pen.pick(&[0.01, 0.125, 1.0, 8.0]));
                put(&mut table, "beta", pen.pick(&[0.01, 1.25, 8.0]));
            }
        }
    }
    Value::Object(table)
}

fn credit(pen: &mut Pen) -> Value {
    let mut credit = Table::new();
    if pen.chance(0.7) {
        put(&mut credit, "n2", cells(pen.pick(&[1, 2, 3, 10, 40])));
    }
    if pen.chance(0.7) {
        put(&mut credit, "n3", cells(pen.pick(&[1, 2, 5, 50])));
    }
    Value::Object(credit)
}
