//! Renamed elements.

use std::collections::BTreeMap;

use celltrain_proto::traffic::TrafficSource;
use celltrain_sim::network::Network;
use serde_json::{Map, Value};

use super::chance::{is_random_flow, is_random_host, is_random_link, is_random_start};
use super::edit::entries;
use super::outcome::{self, Found, Unlike, same_numbers};

/// The suffix of new names.
const SUFFIX: &str = "-renamed";
/// Longer names are not renamed, because the suffix would make them too long.
const LONGEST: usize = 50;

/// New names by old names, for one section of the scenario; names not listed stay.
type Renaming = BTreeMap<String, String>;

/// New names for what `may` be renamed in a section.
fn renaming(scenario: &Value, section: &str, may: impl Fn(&str) -> bool) -> Renaming {
    let names = entries(scenario, section).map(|(name, _)| name);
    let short = names.filter(|name| name.len() <= LONGEST && may(name));
    short
        .map(|name| (name.clone(), format!("{name}{SUFFIX}")))
        .collect()
}

/// Whether `name` is the written name or that of a member of its group.
fn is_of(name: &str, written: &str) -> bool {
    name.strip_prefix(written)
        .is_some_and(|number| number.chars().all(|it| it.is_ascii_digit()))
}

/// The new name for `name`, which may be that of a group or of a member.
fn renamed_to(names: &Renaming, name: &str) -> String {
    if let Some(new) = names.get(name) {
        return new.clone();
    }
    let group = names.keys().rev().find(|written| is_of(name, written));
    group.map_or_else(
        || name.to_owned(),
        |written| format!("{}{}", names[written], &name[written.len()..]),
    )
}

fn rename_text(names: &Renaming, value: &mut Value) {
    match value {
        Value::String(text) => *text = renamed_to(names, text),
        Value::Array(items) => items.iter_mut().for_each(|item| rename_text(names, item)),
        _ => {}
    }
}

/// Renames the entries of a section, keeping their order.
fn rename_keys(names: &Renaming, section: &mut Value) {
    if let Some(old) = section.as_object() {
        let new = old
            .iter()
            .map(|(name, entry)| (renamed_to(names, name), entry.clone()));
        *section = Value::Object(new.collect::<Map<_, _>>());
    }
}

/// The new names of a scenario, by section.
struct Names {
    nodes: Renaming,
    links: Renaming,
    vcs: Renaming,
    flows: Renaming,
    backgrounds: Renaming,
}

impl Names {
    /// New names for everything except what draws random numbers by its name.
    fn new(scenario: &Value, network: &Network) -> Self {
        let of_links = |name: &str| {
            let mut links = network.links.iter().filter(|link| is_of(&link.name, name));
            !links.any(is_random_link)
        };
        let mut nodes = renaming(scenario, "hosts", |name| {
            let mut hosts = network.hosts.iter().zip(&network.nodes);
            !hosts.any(|(host, node)| is_of(&node.name, name) && is_random_host(host))
        });
        nodes.extend(renaming(scenario, "switches", |_| true));
        nodes.extend(renaming(scenario, "routers", |_| true));
        // A LAN is a link, too.
        nodes.extend(renaming(scenario, "lans", of_links));
        Self {
            nodes,
            links: renaming(scenario, "links", of_links),
            vcs: renaming(scenario, "vcs", |_| true),
            flows: renaming(scenario, "flows", |name| {
                !network
                    .flows
                    .iter()
                    .any(|flow| is_of(&flow.name, name) && is_random_flow(flow))
            }),
            backgrounds: renaming(scenario, "backgrounds", |name| {
                let mut of = network.backgrounds.iter().map(|it| &it.group);
                !of.any(|it| {
                    it.name == name && (it.traffic.is_random() || is_random_start(&it.start))
                })
            }),
        }
    }

    fn apply(&self, scenario: &mut Value) {
        for section in ["hosts", "switches", "routers", "lans"] {
            each_section(scenario, section, |section| {
                rename_keys(&self.nodes, section);
            });
        }
        for (section, keys, names) in [
            ("links", &["from", "to", "between"][..], &self.links),
            ("vcs", &["route"], &self.vcs),
            ("flows", &["vc"], &self.flows),
            ("backgrounds", &["vc"], &self.backgrounds),
        ] {
            let of_keys = if keys.contains(&"vc") {
                &self.vcs
            } else {
                &self.nodes
            };
            each_section(scenario, section, |section| {
                for entry in section
                    .as_object_mut()
                    .into_iter()
                    .flat_map(Map::values_mut)
                {
                    for key in keys {
                        if let Some(value) = entry.get_mut(key) {
                            rename_text(of_keys, value);
                        }
                    }
                    self.rename_ends(entry);
                }
                rename_keys(names, section);
            });
        }
        each_section(scenario, "vps", |section| {
            let paths = section.as_object_mut().into_iter().flatten();
            for path in paths.map(|(_, path)| path) {
                rename_text(&self.nodes, &mut path["route"]);
                rename_text(&self.vcs, &mut path["vcs"]);
                self.rename_ends(path);
            }
        });
        if let Some(timed) = scenario["measure"].get_mut("cell_delays") {
            rename_text(&self.vcs, &mut timed["vcs"]);
        }
        each_section(scenario, "probes", |section| {
            for probe in section
                .as_object_mut()
                .into_iter()
                .flat_map(Map::values_mut)
            {
                self.rename_probe(probe);
            }
        });
    }

    /// Renames the switches where the loops of a VC end.
    fn rename_ends(&self, vc: &mut Value) {
        let shapers = vc.get_mut("shape").and_then(Value::as_array_mut);
        for shaper in shapers.into_iter().flatten() {
            rename_text(&self.nodes, &mut shaper["at"]);
        }
        for (table, key) in [
            ("forward", "turn_around_at"),
            ("backward", "turn_around_at"),
            ("virtual_ends", "at"),
            ("police", "at"),
        ] {
            if let Some(value) = vc.get_mut(table).and_then(|table| table.get_mut(key)) {
                rename_text(&self.nodes, value);
            }
        }
    }

    fn rename_probe(&self, probe: &mut Value) {
        if let Some(flow) = probe.get_mut("events_of") {
            rename_text(&self.flows, flow);
        }
        let Some(record) = probe.get_mut("record").and_then(Value::as_array_mut) else {
            return;
        };
        for item in record {
            let Some(mut parts) = item
                .as_str()
                .map(|it| it.split('.').map(str::to_owned).collect::<Vec<_>>())
            else {
                continue;
            };
            if let [kind, name, ..] = &mut parts[..] {
                *name = match kind.as_str() {
                    "links" if self.nodes.keys().any(|it| it == name) => {
                        renamed_to(&self.nodes, name)
                    }
                    "links" => renamed_to(&self.links, name),
                    "vcs" => renamed_to(&self.vcs, name),
                    _ => renamed_to(&self.flows, name),
                };
            }
            *item = Value::String(parts.join("."));
        }
    }

    fn is_empty(&self) -> bool {
        let all = [
            &self.nodes,
            &self.links,
            &self.vcs,
            &self.flows,
            &self.backgrounds,
        ];
        all.iter().all(|names| names.is_empty())
    }
}

fn each_section(scenario: &mut Value, name: &str, change: impl FnOnce(&mut Value)) {
    if let Some(section) = scenario.get_mut(name) {
        change(section);
    }
}

/// Claimed for all scenarios. Random numbers are drawn by name for TCP flows (the phases of their timers), random
/// processes and hosts with random processing times. These keep their names; everything else is renamed.
pub(super) fn renamed(scenario: &Value, network: &Network, seed: u64) -> Found {
    let names = Names::new(scenario, network);
    if names.is_empty() {
        return Ok(false);
    }
    let mut other = scenario.clone();
    names.apply(&mut other);
    let Some(other) = outcome::network(&other) else {
        return Err(Unlike(
            "the scenario is refused under other names".to_owned(),
        ));
    };
    let [one, other] = [outcome::run(network, seed)?, outcome::run(&other, seed)?];
    for (one, other) in one
        .tables
        .iter()
        .chain(&one.traces)
        .zip(other.tables.iter().chain(&other.traces))
    {
        same_numbers(one, other)?;
    }
    Ok(true)
}
