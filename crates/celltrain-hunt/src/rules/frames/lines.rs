//! The keys of links that carry frames.

use std::collections::BTreeSet;

use celltrain_proto::frame::{Framing, LONGEST_PACKET};
use serde_json::{Value, json};

use super::super::table::{Table, cap, quantity, tables};
use super::choice::Crossings;
use super::known::{framing_of, longest};
use super::loads;
use crate::palette::text;
use crate::schema::{Kind, Shape};
use crate::values::Painter;

/// Keys that act on cells.
const OF_CELLS: [&str; 12] = [
    "scheduling",
    "class_buffers",
    "discard",
    "clp_threshold",
    "queue_management",
    "credit",
    "errors",
    "misinsertion",
    "control",
    "priority_load",
    "becn",
    "gfc",
];

/// Picoseconds per millisecond.
const MS: u64 = 1_000_000_000;
/// The largest buffer, in packets or octets.
const LARGEST: u64 = 1 << 31;

/// The name of a framing in the language.
fn written(framing: Framing) -> Value {
    serde_json::to_value(framing).unwrap_or_default()
}

/// One of all framings, often the favourite one, or the one that the network must have.
fn draw(favourite: Framing, painter: &mut Painter) -> Framing {
    let is_wanted = |it: &Framing| painter.must(&format!("links.*.frames = {}", written(*it)));
    let wanted: Vec<Framing> = Framing::ALL.into_iter().filter(is_wanted).collect();
    let dice = &mut painter.dice;
    if !wanted.is_empty() && dice.chance(0.8) {
        return *dice.pick(&wanted);
    }
    if dice.chance(0.5) {
        favourite
    } else {
        *dice.pick(&Framing::ALL)
    }
}

/// Makes links carry frames, without what acts on cells.
pub(super) fn frame(scenario: &mut Value, links: &BTreeSet<String>, painter: &mut Painter) {
    let favourite = *painter.dice.pick(&Framing::ALL);
    for (name, link) in tables(scenario, "links") {
        if links.contains(name) {
            dress(link, favourite, painter);
        }
    }
}

fn dress(link: &mut Table, favourite: Framing, painter: &mut Painter) {
    for key in OF_CELLS {
        link.shift_remove(key);
    }
    let framing = draw(favourite, painter);
    link.insert("frames".to_owned(), written(framing));
    cap(link, Kind::Octets, "mtu", LONGEST_PACKET.into());
    // Shorter ones cut packets into fragments.
    let p = if painter.must("links.*.mtu") {
        0.5
    } else {
        0.15
    };
    if painter.dice.chance(p) {
        let most: u64 = (*painter.dice.pick(&[200, 1_600, 9_000, LONGEST_PACKET])).into();
        let mtu = painter.dice.log_uniform(68.0, most as f64) as u64;
        link.insert("mtu".to_owned(), json!(text(Kind::Octets, mtu)));
    }
}

/// Makes a link carry frames because others of a VC do.
pub(crate) fn carry(link: &mut Table, painter: &mut Painter) {
    dress(link, Framing::default(), painter);
    bins(link, painter);
    refit(link, painter);
}

/// Draws a buffer for frames.
pub(crate) fn refit(link: &mut Table, painter: &mut Painter) {
    if let Some(buffer) = buffer(link, &[], painter) {
        link.insert("buffer".to_owned(), json!(buffer));
    }
}

/// Puts the thresholds of a queue in order.
fn order(queue: &mut Value) {
    let Some(queue) = queue.as_object_mut() else {
        return;
    };
    let octets = |key| quantity(Kind::Octets, queue.get(key));
    // The defaults of those that are absent.
    let (min, max) = (
        octets("min").unwrap_or(7_500),
        octets("max").unwrap_or(22_500),
    );
    if queue["discipline"] == "red" && max <= min {
        let max = max.max(2);
        queue.insert("min".to_owned(), json!(text(Kind::Octets, max / 2)));
        queue.insert("max".to_owned(), json!(text(Kind::Octets, max)));
    }
}

/// Draws how the rates of links change, and what happens to frames on them.
pub(super) fn apply(
    scenario: &mut Value,
    links: &BTreeSet<String>,
    shape: &Shape,
    painter: &mut Painter,
) {
    let link_shape = shape.key("links").and_then(|map| map.key("*"));
    let link_shape = link_shape.expect("links are a section");
    // Half of all networks have nothing that changes or is lost.
    let p = *painter.dice.pick(&[0.0, 0.0, 0.15, 0.4]);
    let by_flow = *painter.dice.pick(&[0.0, 0.0, 0.6]);
    for (name, link) in tables(scenario, "links") {
        if !links.contains(name) {
            continue;
        }
        let wants = painter.must("links.*.queue") || painter.dice.chance(by_flow);
        if link.contains_key("rate") && wants {
            let shape = link_shape.key("queue").expect("a key of links");
            let mut queue = painter.value(shape, "links.*.queue");
            order(&mut queue);
            link.insert("queue".to_owned(), queue);
        }
        if link.contains_key("rate") && painter.dice.chance(2.0 * p) {
            let kind = *painter.dice.pick(&[
                "list",
                "list",
                "uniform",
                "markov",
                "hand-over",
                "fading",
                "bursts",
            ]);
            process(link, link_shape, "rate", kind, painter);
        }
        if painter.dice.chance(p) {
            process(link, link_shape, "delay", "list", painter);
            link.shift_remove("distance");
        }
        for key in ["loss", "jitter", "schedule"] {
            let shape = link_shape.key(key).expect("a key of links");
            if !link.contains_key(key) && painter.dice.chance(p) {
                link.insert(
                    key.to_owned(),
                    painter.value(shape, &format!("links.*.{key}")),
                );
            }
        }
        if painter.dice.chance(p) {
            let all = ["finish-at-old-rate", "resume-at-new-rate"];
            link.insert("on_rate_change".to_owned(), json!(painter.dice.pick(&all)));
        }
        bins(link, painter);
        if varies(link) && (painter.must("links.*.overtaking") || painter.dice.chance(0.4)) {
            link.insert("overtaking".to_owned(), json!(painter.dice.chance(0.9)));
        }
    }
}

/// Whether frames on a link may have different delays.
fn varies(link: &Table) -> bool {
    let is_process = link.get("delay").is_some_and(Value::is_object);
    is_process || link.contains_key("jitter") || link.contains_key("schedule")
}

/// Draws a process of this kind for a key of a link.
fn process(link: &mut Table, shape: &Shape, key: &str, kind: &str, painter: &mut Painter) {
    let Some(Shape::OneOf(shapes)) = shape.key(key) else {
        return;
    };
    let is_one = |shape: &&Shape| shape.tag().is_some_and(|(_, tag)| tag == kind);
    if let Some(shape) = shapes.iter().find(is_one) {
        let path = shape.variant_path(&format!("links.*.{key}"));
        link.insert(key.to_owned(), painter.value(shape, &path));
    }
}

/// Gathers some delivery opportunities into rates. The others have no rate that could change during a frame.
fn bins(link: &mut Table, painter: &mut Painter) {
    let rate = link.get_mut("rate").and_then(Value::as_object_mut);
    if let Some(rate) = rate.filter(|it| it["process"] == "mahimahi" && !it.contains_key("bin")) {
        if painter.dice.chance(0.5) {
            link.shift_remove("on_rate_change");
            return;
        }
        let most = painter.palette.horizon.max(MS);
        let bin = painter.palette.time(&mut painter.dice, MS, most);
        rate.insert("bin".to_owned(), json!(text(Kind::Time, bin)));
    }
}

/// Draws the buffers of links, often such that they hold a few of the frames that come, or one octet less.
pub(super) fn buffers(scenario: &mut Value, links: &BTreeSet<String>, painter: &mut Painter) {
    let crossings = Crossings::of(scenario).0;
    let packets = loads::packets(scenario);
    for (name, link) in tables(scenario, "links") {
        if !links.contains(name) {
            continue;
        }
        let vcs = crossings.iter().filter(|it| it.links.contains(name));
        let lengths = vcs.filter_map(|it| packets.get(&it.vc)).flatten();
        let lengths: Vec<u64> = lengths.copied().collect();
        if let Some(buffer) = buffer(link, &lengths, painter) {
            link.insert("buffer".to_owned(), json!(buffer));
        }
    }
}

/// The buffer of a link to which packets of these lengths come.
fn buffer(link: &Table, lengths: &[u64], painter: &mut Painter) -> Option<String> {
    let (framing, longest) = (framing_of(link)?, longest(link)?);
    let Painter { dice, palette, .. } = painter;
    if dice.chance(0.45) {
        let packets = match dice.weighted(&[3, 4, 4, 3, 1]) {
            0 => 1,
            1 => dice.whole(2, 4),
            2 => dice.whole(5, 30),
            3 => palette.cells(dice),
            _ => *dice.pick(&[1_000, 65_536, LARGEST - 1, LARGEST]),
        };
        return Some(text(Kind::Packets, packets.clamp(1, LARGEST)));
    }
    let mut frame = || {
        let any = dice.whole(20, longest.max(20));
        let packet = match dice.weighted(&[6, 2, 1]) {
            0 if !lengths.is_empty() => *dice.pick(lengths),
            2 => any,
            _ => longest,
        };
        u64::from(framing.octets(packet.min(longest) as u32))
    };
    let (one, other) = (frame(), frame());
    let octets = match dice.weighted(&[6, 2, 1, 3, 1]) {
        0 => one * dice.pick(&[1, 1, 2, 2, 3, 5, 10]) + dice.whole(0, 2) - 1,
        1 => one + other + dice.whole(0, 2) - 1,
        2 => u64::from(framing.shortest()) + dice.whole(0, 1),
        3 => dice.log_uniform(64.0, 200_000.0) as u64,
        _ => {
            let all = ["64 KiB", "16 kB", "1.5 kB", "1 MiB", "1 GB", "2 GiB"];
            return Some((*dice.pick(&all)).to_owned());
        }
    };
    Some(text(
        Kind::Octets,
        octets.clamp(framing.shortest().into(), LARGEST),
    ))
}
