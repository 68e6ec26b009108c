//! Queues of packets.

use serde_json::Value;

use super::pen::Pen;
use super::units::{Table, put};

/// The names of all.
const ALL: [&str; 10] = [
    "fq-codel",
    "fq-pie",
    "drr-plus-plus",
    "sfq",
    "cake",
    "codel",
    "pie",
    "pi2",
    "red",
    "blue",
];
/// Between whom CAKE shares a line.
const ISOLATIONS: [&str; 8] = [
    "triple-isolate",
    "dual-srchost",
    "dual-dsthost",
    "flows",
    "hosts",
    "srchost",
    "dsthost",
    "flowblind",
];

/// A code point of RFC 2474 and those after it.
pub(super) fn code_point(pen: &mut Pen) -> String {
    match pen.dice.below(4) {
        0 => pen.pick(&["le", "va", "ef"]).to_owned(),
        1 => format!("cs{}", pen.dice.between(0, 7)),
        _ => {
            let class = pen.dice.between(1, 4);
            format!("af{class}{}", pen.dice.between(1, 3))
        }
    }
}

/// A queue of packets, by its name or with keys of its own.
pub(super) fn draw(pen: &mut Pen) -> Value {
    let discipline = pen.pick(&ALL);
    if pen.chance(0.3) {
        return Value::from(discipline);
    }
    let mut queue = Table::new();
    put(&mut queue, "discipline", discipline);
    match discipline {
        "cake" => cake(pen, &mut queue),
        "sfq" => sfq(pen, &mut queue),
        "red" => red(pen, &mut queue),
        "blue" => blue(pen, &mut queue),
        _ => {}
    }
    if matches!(discipline, "fq-codel" | "fq-pie" | "drr-plus-plus") {
        put(&mut queue, "flows", pen.dice.between(1, 40));
    }
    if matches!(discipline, "fq-codel" | "fq-pie" | "drr-plus-plus" | "sfq") && pen.chance(0.7) {
        let octets = pen.dice.between(1, 3000);
        put(&mut queue, "quantum", format!("{octets} bytes"));
    }
    if matches!(discipline, "fq-codel" | "fq-pie" | "codel" | "pie" | "pi2") {
        delayed(pen, &mut queue, discipline);
    }
    Value::Object(queue)
}

fn cake(pen: &mut Pen, queue: &mut Table) {
    put(queue, "rtt", format!("{} ms", pen.dice.between(1, 200)));
    if pen.chance(0.7) {
        put(queue, "isolation", pen.pick(&ISOLATIONS));
    }
    if pen.chance(0.5) {
        let tins = ["besteffort", "diffserv3", "diffserv4"];
        put(queue, "diffserv", pen.pick(&tins));
    }
}

fn sfq(pen: &mut Pen, queue: &mut Table) {
    put(queue, "divisor", pen.dice.between(1, 40));
    put(queue, "flows", pen.dice.between(1, 20));
    put(queue, "depth", pen.dice.between(1, 127));
    put(queue, "headdrop", pen.chance(0.5));
    if pen.chance(0.3) {
        let ms = pen.dice.between(1, 200);
        put(queue, "perturb", format!("{ms} ms"));
    }
}

fn red(pen: &mut Pen, queue: &mut Table) {
    let min = pen.dice.between(1, 20_000);
    let max = min + pen.dice.between(1, 20_000);
    put(queue, "min", format!("{min} bytes"));
    put(queue, "max", format!("{max} bytes"));
    put(queue, "weight", pen.pick(&["1/500", "1/10", "1"]));
    if pen.chance(0.5) {
        put(queue, "max_probability", pen.fraction());
    }
    put(queue, "gentle", pen.chance(0.5));
    put(queue, "ecn", pen.chance(0.5));
}

fn blue(pen: &mut Pen, queue: &mut Table) {
    put(queue, "increment", pen.pick(&["1/400", "1/20", "1"]));
    put(queue, "decrement", pen.pick(&["1/4000", "1/20"]));
    let ms = pen.dice.between(1, 100);
    put(queue, "freeze_time", format!("{ms} ms"));
    put(queue, "ecn", pen.chance(0.5));
}

/// Keys of queue management by delay.
fn delayed(pen: &mut Pen, queue: &mut Table, discipline: &str) {
    let target = pen.dice.between(1, 20_000);
    put(queue, "target", format!("{target} us"));
    let interval = match discipline {
        "fq-codel" | "codel" => "interval",
        "fq-pie" => "tupdate",
        _ => "update",
    };
    let ms = pen.dice.between(1, 200);
    put(queue, interval, format!("{ms} ms"));
    put(queue, "ecn", pen.chance(0.5));
    if discipline.contains("pi") && pen.chance(0.6) {
        controlled(pen, queue, discipline);
    }
}

/// Keys of a controller of the delay.
fn controlled(pen: &mut Pen, queue: &mut Table, discipline: &str) {
    put(queue, "alpha", pen.fraction());
    put(queue, "beta", pen.fraction());
    match discipline {
        "pie" => put(queue, "burst", format!("{} ms", pen.dice.between(0, 200))),
        "pi2" => put(queue, "max_probability", pen.fraction()),
        _ => put(queue, "ecn_prob", pen.dice.between(0, 100)),
    }
}
