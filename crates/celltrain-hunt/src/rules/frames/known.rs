//! What a draft says of frames.

use std::collections::{BTreeMap, BTreeSet};

use celltrain_proto::frame::Framing;
use serde_json::{Map, Value};

use super::super::table::{Table, quantity};
use super::choice::Crossings;
use crate::schema::Kind;

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
pub(crate) fn mtus(scenario: &Value) -> BTreeMap<String, u64> {
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
