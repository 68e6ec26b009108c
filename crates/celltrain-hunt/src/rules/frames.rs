//! Networks in which links carry frames: some VCs or all, and what these and their links then cannot have.

mod choice;
mod known;
mod lines;
mod loads;
mod step;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::choice::Crossings;
use super::table::{Table, tables};
use crate::schema::Shape;
use crate::values::Painter;

pub(crate) use self::choice::vc_of;
pub(crate) use self::known::{mtus, vcs};
pub(crate) use self::lines::{carry, refit};

/// The share of networks with frames among those that need not have any.
const SHARE: f64 = 0.08;

/// Keys of VCs that act on cells.
const OF_CELLS: [&str; 7] = [
    "police",
    "shape",
    "virtual_ends",
    "gfc_group",
    "source_buffer",
    "source_drop",
    "aal",
];

/// Makes the links of some VCs carry frames, in networks that must have them and in a few others.
pub(crate) fn apply(scenario: &mut Value, shape: &Shape, painter: &mut Painter) {
    // Cells keep their order.
    for (_, link) in tables(scenario, "links") {
        link.shift_remove("overtaking");
    }
    let must = ["links.*.frames", "links.*.overtaking"].map(|key| painter.must(key));
    if !(must.contains(&true) || painter.dice.chance(SHARE)) {
        return;
    }
    let vcs = choice::choose(scenario, painter);
    if vcs.is_empty() {
        return;
    }
    let mut links: BTreeSet<String> = Crossings::of(scenario).links(&vcs);
    if painter.dice.chance(0.5) {
        links.extend(choice::idle(scenario));
    }
    for (name, vc) in tables(scenario, "vcs") {
        if vcs.contains(name) {
            strip(vc, painter);
        }
    }
    lines::frame(scenario, &links, painter);
    loads::apply(scenario, &vcs, shape, painter);
    lines::apply(scenario, &links, shape, painter);
    if painter.dice.chance(0.3) {
        step::apply(scenario, &links, &vcs, painter);
    }
    lines::buffers(scenario, &links, painter);
}

/// Removes from a VC what acts on cells.
fn strip(vc: &mut Table, painter: &mut Painter) {
    for key in OF_CELLS {
        vc.shift_remove(key);
    }
    for way in ["forward", "backward"] {
        vc.shift_remove(way);
        if painter.dice.chance(0.1) {
            vc.insert(way.to_owned(), json!({ "service": "ubr" }));
        }
    }
    vc.shift_remove("encapsulation");
    if painter.dice.chance(0.05) {
        vc.insert("encapsulation".to_owned(), json!("llc-snap"));
    }
    if painter.dice.chance(0.05) {
        vc.insert("aal".to_owned(), json!("5"));
    }
}
