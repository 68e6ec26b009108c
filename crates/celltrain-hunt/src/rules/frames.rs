//! Networks in which links carry frames: some VCs or all, and what these and their links then cannot have.

mod choice;
mod lines;
mod loads;
mod step;

use std::collections::{BTreeMap, BTreeSet};

use celltrain_proto::frame::Framing;
use serde_json::{Map, Value, json};

use self::choice::Crossings;
use super::table::{Table, quantity, tables};
use crate::schema::{Kind, Shape};
use crate::values::Painter;

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
    if !(painter.must("links.*.frames") || painter.dice.chance(SHARE)) {
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

/// The framing of a link that carries frames.
pub(super) fn framing_of(link: &Table) -> Option<Framing> {
    serde_json::from_value(link.get("frames")?.clone()).ok()
}

/// The longest packet of a link that carries frames.
pub(super) fn longest(link: &Table) -> Option<u64> {
    let framing = framing_of(link)?;
    let written = quantity(Kind::Octets, link.get("mtu"));
    Some(written.unwrap_or_else(|| framing.mtu().into()))
}

/// The VCs whose links carry frames, each with the longest packet of these.
pub(super) fn mtus(scenario: &Value) -> BTreeMap<String, u64> {
    let none = Map::new();
    let links = scenario["links"].as_object().unwrap_or(&none);
    let longest = |name: &String| longest(links.get(name)?.as_object()?);
    let crossings = Crossings::of(scenario);
    let vcs = crossings.0.iter().filter_map(|crossing| {
        let mtus = crossing.links.iter().filter_map(longest);
        Some((crossing.vc.clone(), mtus.min()?))
    });
    vcs.collect()
}

/// The VCs whose links carry frames.
pub(crate) fn vcs(scenario: &Value) -> BTreeSet<String> {
    mtus(scenario).into_keys().collect()
}

/// The entry of `vcs` that a flow names, which may be a member of a group.
pub(super) fn vc_of<'a>(vcs: &'a Value, name: &str) -> Option<&'a String> {
    let vcs = vcs.as_object()?;
    let known = |name: &str| vcs.get_key_value(name).map(|it| it.0);
    known(name).or_else(|| known(name.get(..2)?))
}
