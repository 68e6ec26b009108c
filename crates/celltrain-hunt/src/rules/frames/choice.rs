//! Which VCs of a network have frames.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::table::{Table, tables};
use crate::palette;
use crate::schema::Kind;
use crate::values::Painter;

/// A VC with the links that it crosses.
pub(super) struct Crossing {
    pub(super) vc: String,
    /// The links with a rate, in either direction.
    pub(super) links: BTreeSet<String>,
    /// The links without one.
    delays: BTreeSet<String>,
    /// Whether nothing but hosts, switches and links is on its way.
    is_fit: bool,
}

/// All VCs with the links that they cross.
pub(super) struct Crossings(pub(super) Vec<Crossing>);

/// The name of a node, or of the group that it is a member of.
fn group(name: &str) -> &str {
    if name.starts_with('h') {
        name.trim_end_matches(|c: char| c.is_ascii_digit())
    } else {
        name
    }
}

/// Two nodes in any order.
fn pair(one: &str, other: &str) -> [String; 2] {
    let mut pair = [one, other].map(|name| group(name).to_owned());
    pair.sort_unstable();
    pair
}

/// The nodes that a link joins.
fn ends(link: &Value) -> Option<[String; 2]> {
    let [one, other] = match link["between"].as_array() {
        Some(ends) => [ends.first()?, ends.get(1)?],
        None => [&link["from"], &link["to"]],
    };
    Some(pair(one.as_str()?, other.as_str()?))
}

/// Whether a link has a rate of its own or in a recording.
pub(super) fn is_rated(link: &Value) -> bool {
    let trace = link["schedule"]["trace"].as_str().unwrap_or_default();
    let header = trace.lines().next().unwrap_or_default();
    !link["rate"].is_null() || header.contains("rate")
}

impl Crossings {
    pub(super) fn of(scenario: &Value) -> Self {
        let none = Map::new();
        let section = |name: &str| scenario[name].as_object().unwrap_or(&none);
        let links = section("links");
        let joined = |pair: &[String; 2]| -> Vec<(&String, &Value)> {
            let links = links.iter();
            let joining = links.filter(|(_, link)| ends(link).as_ref() == Some(pair));
            joining.collect()
        };
        let crossing = |(name, vc): (&String, &Value)| {
            let route = vc["route"].as_array().into_iter().flatten();
            let route: Vec<&str> = route.filter_map(Value::as_str).collect();
            let pairs = route.windows(2).map(|it| pair(it[0], it[1]));
            let pairs: Vec<_> = pairs.collect();
            let is_host = |end: Option<&&str>| end.is_some_and(|it| it.starts_with('h'));
            let crossed = pairs.iter().flat_map(joined);
            let (rated, delays): (Vec<_>, Vec<_>) = crossed.partition(|(_, link)| is_rated(link));
            let names = |links: Vec<(&String, &Value)>| {
                let names = links.into_iter().map(|(name, _)| name.clone());
                names.collect()
            };
            Crossing {
                vc: name.clone(),
                links: names(rated),
                delays: names(delays),
                is_fit: is_host(route.first())
                    && is_host(route.last())
                    && pairs.iter().all(|pair| !joined(pair).is_empty()),
            }
        };
        Self(section("vcs").iter().map(crossing).collect())
    }

    /// The links with a rate that these VCs cross.
    pub(super) fn links(&self, vcs: &BTreeSet<String>) -> BTreeSet<String> {
        let of = self.0.iter().filter(|it| vcs.contains(&it.vc));
        of.flat_map(|it| it.links.clone()).collect()
    }

    /// The VCs in parts: those that share a link with a rate are in one.
    fn parts(&self) -> Vec<Vec<&Crossing>> {
        let mut parts: Vec<Vec<&Crossing>> = Vec::new();
        for crossing in &self.0 {
            let shares = |part: &Vec<&Crossing>| {
                part.iter().any(|it| !it.links.is_disjoint(&crossing.links))
            };
            let (mut with, without): (Vec<_>, Vec<_>) = parts.into_iter().partition(shares);
            with.push(vec![crossing]);
            parts = without;
            parts.push(with.concat());
        }
        parts
    }
}

/// The links with a rate that no VC crosses.
pub(super) fn idle(scenario: &Value) -> BTreeSet<String> {
    let crossed = Crossings::of(scenario).0;
    let links = scenario["links"].as_object().into_iter().flatten();
    let idle = links.filter(|(name, link)| {
        is_rated(link) && !crossed.iter().any(|it| it.links.contains(*name))
    });
    idle.map(|(name, _)| name.clone()).collect()
}

/// Chooses the VCs whose links carry frames: all that can, or, where they share no line with others, some.
pub(super) fn choose(scenario: &mut Value, painter: &mut Painter) -> BTreeSet<String> {
    let is_part = painter.dice.chance(0.5);
    if is_part && painter.dice.chance(0.6) {
        part(scenario, painter);
    }
    rate(scenario, painter);
    let crossings = Crossings::of(scenario);
    let (mut chosen, mut others, mut unfit) = (Vec::new(), Vec::new(), BTreeSet::new());
    for part in crossings.parts() {
        let fit: Vec<&&Crossing> = part.iter().filter(|it| it.is_fit).collect();
        let has_line = fit.iter().any(|it| !it.links.is_empty());
        let is_whole = fit.len() == part.len();
        // The others of a part must go.
        if !has_line || !(is_whole || painter.dice.chance(0.6)) {
            continue;
        }
        let names = fit.iter().map(|it| it.vc.clone());
        let names: BTreeSet<String> = names.collect();
        if is_part && painter.dice.chance(0.5) {
            others.push(names);
            continue;
        }
        let gone = part.iter().filter(|it| !it.is_fit);
        unfit.extend(gone.map(|it| it.vc.clone()));
        chosen.push(names);
    }
    if chosen.is_empty() {
        let whole = |names: &BTreeSet<String>| {
            let all = crossings.parts();
            let mut of = all.iter().filter(|it| names.contains(&it[0].vc));
            of.all(|it| it.len() == names.len())
        };
        chosen.extend(others.into_iter().find(whole));
    }
    remove(scenario, &unfit);
    chosen.into_iter().flatten().collect()
}

/// Gives links a rate, if no VC that can have frames crosses one with a rate.
fn rate(scenario: &mut Value, painter: &mut Painter) {
    let crossings = Crossings::of(scenario).0;
    let fit: Vec<&Crossing> = crossings.iter().filter(|it| it.is_fit).collect();
    if fit.is_empty() || fit.iter().any(|it| !it.links.is_empty()) {
        return;
    }
    let delays = &painter.dice.pick(&fit).delays;
    for (name, link) in tables(scenario, "links") {
        if delays.contains(name) && (painter.dice.chance(0.5) || delays.len() == 1) {
            let rate = painter.palette.rate(&mut painter.dice);
            link.insert("rate".to_owned(), palette::text(Kind::Rate, rate).into());
        }
    }
}

/// Makes mere delays of the links that one VC shares with others, if others have a line of their own, too.
fn part(scenario: &mut Value, painter: &mut Painter) {
    let crossings = Crossings::of(scenario).0;
    if crossings.is_empty() {
        return;
    }
    let one = painter.dice.pick(&crossings);
    let others = crossings.iter().filter(|it| it.vc != one.vc);
    let others: BTreeSet<&String> = others.flat_map(|it| &it.links).collect();
    let shared: BTreeSet<&String> = { one.links.iter() }
        .filter(|it| others.contains(it))
        .collect();
    if shared.len() == one.links.len() || shared.len() == others.len() {
        return;
    }
    for (name, link) in tables(scenario, "links") {
        if shared.contains(name) {
            delay(link);
        }
    }
}

/// Makes a mere delay of a link.
fn delay(link: &mut Table) {
    for key in ["rate", "schedule"] {
        link.shift_remove(key);
    }
    if !link.contains_key("distance") {
        link.entry("delay").or_insert_with(|| "1 ms".into());
    }
}

/// Removes VCs with what they carry.
fn remove(scenario: &mut Value, gone: &BTreeSet<String>) {
    let known = scenario["vcs"].clone();
    for section in ["flows", "backgrounds"] {
        if let Some(all) = scenario.get_mut(section).and_then(Value::as_object_mut) {
            all.retain(|_, it| {
                let name = it["vc"].as_str().unwrap_or_default();
                vc_of(&known, name).is_none_or(|vc| !gone.contains(vc))
            });
        }
    }
    if let Some(vcs) = scenario.get_mut("vcs").and_then(Value::as_object_mut) {
        vcs.retain(|name, _| !gone.contains(name));
    }
}

/// The entry of `vcs` that a flow names, which may be a member of a group.
pub(crate) fn vc_of<'a>(vcs: &'a Value, name: &str) -> Option<&'a String> {
    let vcs = vcs.as_object()?;
    let known = |name: &str| vcs.get_key_value(name).map(|it| it.0);
    known(name).or_else(|| known(name.get(..2)?))
}
