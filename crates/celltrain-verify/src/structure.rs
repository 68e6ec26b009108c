//! The structure of a scenario: its topology and its options, without names and amounts.
//!
//! Scenarios with the same structure exercise the same code of the engines, as far as can be told without running them.
//! An amount counts as zero or nonzero, a group as one member or several.

use std::collections::HashMap;

use celltrain_sim::scenario::Scenario;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The version of the form; structures of different versions never match.
const FORM: u32 = 1;

/// Sections with named members, and how the members are named in a structure.
const SECTIONS: [(&str, &str, Kind); 9] = [
    ("hosts", "host", Kind::Node),
    ("switches", "switch", Kind::Node),
    ("lans", "lan", Kind::Node),
    ("routers", "router", Kind::Node),
    ("links", "link", Kind::Link),
    ("vcs", "vc", Kind::Vc),
    ("flows", "flow", Kind::Flow),
    ("backgrounds", "background", Kind::Other),
    ("probes", "probe", Kind::Other),
];

/// The kind of element that a name stands for. Nodes share one namespace; each other kind has its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Node,
    Link,
    Vc,
    Flow,
    Other,
}

/// The structure of a scenario, as plain data.
pub fn structure(scenario: &Scenario) -> Value {
    let canonical = serde_json::to_value(scenario).unwrap_or(Value::Null);
    let mut names = Names::of(&canonical);
    let mut sections = Map::new();
    sections.insert("form".to_owned(), FORM.into());
    sections.insert("measure".to_owned(), classes(&canonical["measure"]));
    if let Some(vps) = canonical["vps"].as_object() {
        let vps = vps.values().map(|vp| names.without(vp));
        sections.insert("vps".to_owned(), Value::Array(vps.collect()));
    }
    if canonical["admission"].is_object() {
        sections.insert("admission".to_owned(), classes(&canonical["admission"]));
    }
    for (section, _, _) in SECTIONS {
        let members = canonical[section].as_object().into_iter().flatten();
        let members = members.map(|(_, member)| names.without(member));
        sections.insert(section.to_owned(), Value::Array(members.collect()));
    }
    Value::Object(sections)
}

/// SHA-256 of the structure, as 64 hexadecimal digits.
pub fn hash(scenario: &Scenario) -> String {
    let octets = Sha256::digest(structure(scenario).to_string());
    octets
        .iter()
        .fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
}

/// The names of a scenario and their replacements.
struct Names {
    known: HashMap<(Kind, String), String>,
    /// Members of groups that are named individually, numbered in order of appearance.
    members: HashMap<(Kind, String), usize>,
}

impl Names {
    fn of(canonical: &Value) -> Self {
        let mut known = HashMap::new();
        for (section, word, kind) in SECTIONS {
            let members = canonical[section].as_object().into_iter().flatten();
            for (number, (name, _)) in members.enumerate() {
                known.insert((kind, name.clone()), format!("{word}{number}"));
            }
        }
        Self {
            known,
            members: HashMap::new(),
        }
    }

    /// The replacement of a name, or of a member of a group.
    fn find(&mut self, kind: Kind, name: &str) -> Option<String> {
        let key = (kind, name.to_owned());
        if let Some(found) = self.known.get(&key) {
            return Some(found.clone());
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let cuts = stem.len()..name.len();
        let group = cuts
            .rev()
            .find_map(|cut| self.known.get(&(kind, name[..cut].to_owned())))?
            .clone();
        let next = self.members.len();
        let member = self.members.entry(key).or_insert(next);
        Some(format!("{group}.{member}"))
    }

    /// A member of a section, with its names replaced and its amounts given as classes.
    fn without(&mut self, value: &Value) -> Value {
        let Value::Object(fields) = value else {
            return classes(value);
        };
        let fields = fields.iter().map(|(key, value)| {
            let renamed = match (key.as_str(), value) {
                ("from" | "to" | "between" | "route" | "at" | "turn_around_at", _)
                    if is_text(value) =>
                {
                    self.renamed(Kind::Node, value)
                }
                ("vc" | "vcs", _) if is_text(value) => self.renamed(Kind::Vc, value),
                ("events_of", Value::String(_)) => self.renamed(Kind::Flow, value),
                ("record", Value::Array(records)) => {
                    let records = records.iter().filter_map(Value::as_str);
                    Value::Array(records.map(|text| self.record(text)).collect())
                }
                ("shape", Value::Array(shapers)) => {
                    Value::Array(shapers.iter().map(|shaper| self.without(shaper)).collect())
                }
                (_, Value::Object(_)) => self.without(value),
                _ => classes(value),
            };
            (key.clone(), renamed)
        });
        Value::Object(fields.collect())
    }

    /// A name, or a list of names, replaced.
    fn renamed(&mut self, kind: Kind, value: &Value) -> Value {
        match value {
            Value::String(name) => self
                .find(kind, name)
                .map_or_else(|| classes(value), Value::String),
            Value::Array(names) => {
                Value::Array(names.iter().map(|name| self.renamed(kind, name)).collect())
            }
            _ => classes(value),
        }
    }

    /// What a probe records, such as `links.up.queue_cells`, with the name replaced.
    fn record(&mut self, text: &str) -> Value {
        let (section, rest) = text.split_once('.').unwrap_or((text, ""));
        let kind = match section {
            "links" => Kind::Link,
            "vcs" => Kind::Vc,
            _ => Kind::Flow,
        };
        let mut dots = rest.match_indices('.').rev();
        let found = dots.find_map(|(dot, _)| Some((self.find(kind, &rest[..dot])?, &rest[dot..])));
        let found = found.unwrap_or((String::new(), rest));
        Value::String(format!("{section}.{}{}", found.0, found.1))
    }
}

/// Whether a value is text, or a list that contains only text.
fn is_text(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(Value::is_string),
        _ => value.is_string(),
    }
}

/// A value with its amounts replaced by their classes. In a list of amounts, each class is kept once.
fn classes(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(class_of(number.as_f64().unwrap_or(f64::NAN))),
        Value::String(text) => Value::String(class_of_text(text)),
        Value::Array(items) => {
            let mut kinds: Vec<Value> = Vec::new();
            for item in items.iter().map(classes) {
                if !kinds.contains(&item) {
                    kinds.push(item);
                }
            }
            Value::Array(kinds)
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| {
                let is_trace = key == "trace" && value.is_string();
                let value = if is_trace {
                    "trace".into()
                } else {
                    classes(value)
                };
                (key.clone(), value)
            });
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

fn class_of(number: f64) -> &'static str {
    match number {
        0.0 => "zero",
        1.0 => "one",
        it if it < 1.0 => "below one",
        _ => "more",
    }
}

/// The class of a quantity, which canonical text writes as number, space and unit. Other text, such as `4.4bsd`, is an
/// option and stays.
fn class_of_text(text: &str) -> String {
    let quantity = text.split_once(' ').and_then(|(number, unit)| {
        let number = number.parse::<f64>().ok()?;
        Some((number, unit))
    });
    match quantity {
        Some((0.0, _)) => "zero".to_owned(),
        // A queue of one cell has no room except for the cell in transmission.
        Some((1.0, "cells")) => "one cell".to_owned(),
        Some(_) => "some".to_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use celltrain_sim::scenario::Source;

    const LINE: &str = r#"
        [measure]
        warm_up = "1 s"
        duration = "3 s"
        [hosts]
        a = { count = 2 }
        b = { count = 2 }
        [switches]
        s = {}
        [links.in]
        between = ["a", "s"]
        delay = "0 s"
        [links.line]
        between = ["s", "b"]
        delay = "5 ms"
        rate = { process = "uniform", low = "1 Mbit/s", high = "2 Mbit/s", every = "100 ms" }
        buffer = "2000 cells"
        [vcs.vc]
        route = ["a", "s", "b"]
        [flows.upload]
        vc = "vc"
        start = { uniform = ["0 s", "0.1 s"] }
        [probes.queue]
        every = "100 ms"
        record = ["links.line1.queue_cells", "flows.upload1.cwnd_bytes"]
    "#;

    fn hash_of(text: &str) -> String {
        hash(&Source::toml(text, "test").read().expect("a scenario"))
    }

    /// Whether the structure stays the same when `old` is replaced by `new` in the scenario.
    fn stays(old: &str, new: &str) -> bool {
        assert!(LINE.contains(old), "{old}");
        hash_of(LINE) == hash_of(&LINE.replace(old, new))
    }

    #[test]
    fn names_do_not_count() {
        let renamed = LINE
            .replace("\"a\"", "\"pc\"")
            .replace("a = {", "pc = {")
            .replace("upload", "u")
            .replace("\"s\"", "\"hub\"")
            .replace("s = {}", "hub = {}")
            .replace("line", "adsl")
            .replace("vc = \"vc\"", "vc = \"pvc\"")
            .replace("vcs.vc", "vcs.pvc");
        assert_ne!(renamed, LINE);
        assert_eq!(hash_of(&renamed), hash_of(LINE));
    }

    #[test]
    fn amounts_count_as_zero_or_some() {
        assert!(stays("5 ms", "7 ms"));
        assert!(stays("1 Mbit/s", "3 kbit/s"));
        assert!(stays("warm_up = \"1 s\"", "warm_up = \"2 s\""));
        assert!(!stays("5 ms", "0 ms"));
        assert!(!stays("warm_up = \"1 s\"", "warm_up = \"0 s\""));
        assert!(!stays("2000 cells", "1 cells"));
    }

    #[test]
    fn a_group_counts_as_one_or_several() {
        assert!(stays("count = 2", "count = 50"));
        assert!(!stays("count = 2", "count = 1"));
        assert!(!stays("count = 2", ""));
    }

    #[test]
    fn options_count() {
        assert!(!stays("vc = \"vc\"", "vc = \"vc\"\ntcp.variant = \"sack\""));
        let variant = |name: &str| {
            LINE.replace(
                "vc = \"vc\"",
                &format!("vc = \"vc\"\ntcp.variant = \"{name}\""),
            )
        };
        assert_ne!(
            hash_of(&variant("4.4bsd")),
            hash_of(&variant("4.3bsd-reno"))
        );
        assert!(!stays("vc = \"vc\"", "vc = \"vc\"\ntcp.ecn = true"));
        assert!(!stays("queue_cells", "rate_bps"));
        assert!(!stays(
            "vc = \"vc\"",
            "vc = \"vc\"\ndirection = \"backward\""
        ));
    }

    #[test]
    fn the_topology_counts() {
        let one = LINE.replace("between = [\"a\", \"s\"]", "from = \"a\"\nto = \"s\"");
        assert_ne!(hash_of(&one), hash_of(LINE));
        assert!(!stays(
            "route = [\"a\", \"s\", \"b\"]",
            "route = [\"b\", \"s\", \"a\"]"
        ));
    }

    #[test]
    fn members_of_a_group_that_are_named_stay_apart() {
        let two = |second: &str| {
            let other = format!(
                "[links.other]\nbetween = [\"{second}\", \"s\"]\ndelay = \"0 s\"\n[vcs.vc]"
            );
            let text = LINE.replace("between = [\"a\", \"s\"]", "between = [\"a1\", \"s\"]");
            hash_of(&text.replace("[vcs.vc]", &other))
        };
        assert_ne!(two("a1"), two("a2"));
    }

    #[test]
    fn lists_of_amounts_count_by_their_classes() {
        let list = |rates: &str| {
            LINE.replace("{ process = \"uniform\", low = \"1 Mbit/s\", high = \"2 Mbit/s\", every = \"100 ms\" }",
            &format!("{{ process = \"list\", rates = [{rates}] }}"))
        };
        let step = |at: &str, rate: &str| format!("{{ at = \"{at}\", rate = \"{rate}\" }}");
        let [first, second, third, outage] = [
            ("0 s", "1 Mbit/s"),
            ("1 s", "2 Mbit/s"),
            ("2 s", "3 Mbit/s"),
            ("2 s", "0 bit/s"),
        ]
        .map(|(at, rate)| step(at, rate));
        let two = hash_of(&list(&[first.clone(), second.clone()].join(",")));
        assert_eq!(
            two,
            hash_of(&list(&[first.clone(), second.clone(), third].join(",")))
        );
        assert_ne!(two, hash_of(&list(&[first, second, outage].join(","))));
    }
}
