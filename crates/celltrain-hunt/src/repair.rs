//! Repairs drafts that the language refuses: what a problem is about is drawn again or left out.

use celltrain_sim::scenario::Problem;
use serde_json::{Map, Value, json};

use crate::palette;
use crate::rules::{frames, tables};
use crate::schema::{Kind, Shape, below};
use crate::times::scale;
use crate::values::Painter;

/// A draft being repaired.
pub(crate) struct Repair<'a> {
    pub(crate) scenario: &'a mut Value,
    pub(crate) shape: &'a Shape,
    pub(crate) painter: &'a mut Painter,
}

impl Repair<'_> {
    /// Changes what `problem` is about.
    pub(crate) fn problem(&mut self, problem: &Problem) {
        let message = problem.message.as_str();
        let path: Vec<&str> = problem.path.iter().map(String::as_str).collect();
        let names: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
        match (&path[..], &names[..]) {
            (["vcs"], _) if message.starts_with("nothing limits") => self.bound(),
            (["vcs"], [vc, ..]) if message.contains("is not admitted") => self.lower(vc),
            (["vcs"], [vc, ..]) if message.contains("end to end one way") => self.both_ways(vc),
            (["vcs"], [link, ..]) if message.starts_with("credits count") => {
                self.remove(&["links", link, "credit"]);
            }
            (["links", link, "gfc"], _) if message.starts_with("GFC acts") => {
                let link = self.name("links", link);
                self.remove(&["links", &link, "gfc"]);
            }
            (["links"], [one, ..]) if message.contains("both lead from") => {
                let link = self.name("links", one);
                self.remove(&["links", &link]);
            }
            _ if self.frames(&path, message) => {}
            (["measure", "duration"], _) => {
                if let Some(measure) = self.scenario["measure"].as_object_mut() {
                    scale(measure, "duration", 0.2);
                    measure.remove("warm_up");
                }
            }
            (["vps"], _) => self.remove(&["vps"]),
            (["vps", vp, ..], _) => self.remove(&["vps", vp]),
            (["measure", "cell_delays", "vcs"], _) => self.remove(&["measure", "cell_delays"]),
            (["links"], _) if message.contains("limits.memory_mib") => {
                // The estimate is seldom reached; a process that takes too much is a finding.
                self.put(&["limits"], json!({ "memory_mib": 1e12 }));
            }
            (["probes"], _) => {
                for (_, probe) in tables(self.scenario, "probes") {
                    scale(probe, "every", 10.0);
                }
                self.remove(&["limits"]);
            }
            (["vcs", vc, "route", ..], _) => self.remove_vc(vc),
            (["vcs", vc, way, "service"], _) => self.other_service(vc, way),
            ([.., "trace"], _) if message.starts_with("the trace repeats") => {
                self.later(&path[..path.len() - 1]);
            }
            (["links", ..], _) if message.starts_with("a link without") => self.remove(&path),
            (["flows", flow], _) => {
                let flow = self.name("flows", flow);
                self.remove(&["flows", &flow]);
            }
            (["vcs"], [vc, ..]) => {
                let vc = self.name("vcs", vc);
                self.remove_vc(&vc);
            }
            (["probes", _, "record", ..], _) => self.column(&path),
            (["flows" | "backgrounds", _, "vc"] | ["probes", ..], _) => self.remove(&path[..2]),
            _ => self.again(&path, message),
        }
    }

    /// Changes what cells and frames forbid each other; returns whether they do.
    fn frames(&mut self, path: &[&str], message: &str) -> bool {
        match path {
            ["links", link, "buffer"] if message.starts_with("the link carries frames") => {
                let link = self.name("links", link);
                let link = self.scenario["links"].get_mut(link);
                if let Some(link) = link.and_then(Value::as_object_mut) {
                    frames::refit(link, self.painter);
                }
            }
            ["links" | "vcs", _, key]
                if message.starts_with("this acts on cells") && *key != "route" =>
            {
                let name = self.name(path[0], path[1]);
                self.remove(&[path[0], &name, key]);
            }
            ["vcs", _, "route"] if message.contains(" on its path carries frames, and ") => {
                let cells = message.split_once("frames, and ").map_or("", |it| it.1);
                let cells = cells.split(' ').next().unwrap_or_default();
                let link = self.name("links", cells);
                // A LAN cannot carry frames.
                let link = self.scenario["links"].get_mut(link);
                let Some(link) = link.and_then(Value::as_object_mut) else {
                    return false;
                };
                frames::carry(link, self.painter);
            }
            _ => return false,
        }
        true
    }

    /// The table in a section that stands for `name`, which may be a member of its group.
    fn name(&self, section: &str, name: &str) -> String {
        let known = |name: &str| !self.scenario[section][name].is_null();
        let name = name.trim_end_matches(".back");
        let group = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let parts = (group.len()..name.len()).map(|end| &name[..end]);
        let found = [name].into_iter().chain(parts).find(|name| known(name));
        found.unwrap_or(name).to_owned()
    }

    fn remove(&mut self, path: &[&str]) {
        let Some((key, parents)) = path.split_last() else {
            return;
        };
        let mut at = &mut *self.scenario;
        for parent in parents {
            let next = match at {
                Value::Array(items) => parent
                    .parse()
                    .ok()
                    .and_then(|index: usize| items.get_mut(index)),
                other => other.get_mut(*parent),
            };
            let Some(next) = next else { return };
            at = next;
        }
        match at {
            Value::Object(table) => {
                table.shift_remove(*key);
            }
            Value::Array(items) => {
                if let Some(index) = key
                    .parse()
                    .ok()
                    .filter(|&index: &usize| index < items.len())
                {
                    items.remove(index);
                }
            }
            _ => {}
        }
    }

    fn remove_vc(&mut self, vc: &str) {
        self.remove(&["vcs", vc]);
        for section in ["flows", "backgrounds"] {
            if let Some(tables) = self
                .scenario
                .get_mut(section)
                .and_then(Value::as_object_mut)
            {
                tables.retain(|_, table| table["vc"] != vc);
            }
        }
    }

    /// Gives one of the links without a rate a rate and a queue.
    fn bound(&mut self) {
        let without = |link: &Map<String, Value>| {
            !link.contains_key("rate") && !link.contains_key("schedule")
        };
        let links = tables(self.scenario, "links").filter(|(_, link)| without(link));
        let mut links: Vec<_> = links.map(|(_, link)| link).collect();
        let Painter { dice, palette, .. } = &mut *self.painter;
        if links.is_empty() {
            return;
        }
        let index = dice.below(links.len());
        let rate = palette::text(Kind::Rate, palette.rate(dice));
        let buffer = palette::text(Kind::Cells, palette.cells(dice).max(1));
        links[index].insert("rate".to_owned(), json!(rate));
        links[index].insert("buffer".to_owned(), json!(buffer));
    }

    /// Lowers the guaranteed rate of a VC, or leaves it out.
    fn lower(&mut self, vc: &str) {
        let vc = self.name("vcs", vc);
        for way in ["forward", "backward"] {
            let Some(service) = self.scenario["vcs"][&vc].get_mut(way) else {
                continue;
            };
            let key = match service["service"].as_str() {
                Some("cbr") => "pcr",
                Some("abr") => "mcr",
                Some("rt-vbr" | "nrt-vbr") => "scr",
                _ => continue,
            };
            let rate = service[key].as_str().or(service["pcr"].as_str());
            let rate = rate
                .and_then(|rate| palette::value(Kind::Rate, rate))
                .unwrap_or(0);
            let low = rate / 5;
            if low < 50 {
                *service = json!({"service": "ubr"});
            } else if key != "mcr" || !service["mcr"].is_null() {
                service[key] = json!(palette::text(Kind::Rate, low));
            }
        }
    }

    /// Makes the trace in the table at `path` repeat later.
    fn later(&mut self, path: &[&str]) {
        let start: Option<&mut Value> = Some(&mut *self.scenario);
        let table = path.iter().fold(start, |at, name| at?.get_mut(*name));
        if let Some(table) = table.and_then(Value::as_object_mut) {
            scale(table, "repeat", 7.0);
        }
    }

    /// Draws a service other than ABR.
    fn other_service(&mut self, vc: &str, way: &str) {
        let path = format!("vcs.*.{way}");
        let shape = self.shape.key("vcs").and_then(|map| map.key("*"));
        let Some(shape) = shape.and_then(|vc| vc.key(way)) else {
            return;
        };
        for _ in 0..20 {
            let service = self.painter.value(shape, &path);
            if service["service"] != "abr" {
                return self.put(&["vcs", vc, way], service);
            }
        }
        self.remove(&["vcs", vc, way]);
    }

    fn both_ways(&mut self, vc: &str) {
        let vc = self.name("vcs", vc);
        let table = &mut self.scenario["vcs"][&vc];
        let end_to_end =
            |service: &Value| service["service"] == "abr" && service["turn_around_at"].is_null();
        let from = if end_to_end(&table["forward"]) {
            "forward"
        } else {
            "backward"
        };
        let other = if from == "forward" {
            "backward"
        } else {
            "forward"
        };
        table[other] = table[from].clone();
    }

    /// Removes a column that does not exist, and a probe without columns.
    fn column(&mut self, path: &[&str]) {
        self.remove(path);
        let record = &self.scenario["probes"][path[1]]["record"];
        if path.len() == 3 || record.as_array().is_some_and(Vec::is_empty) {
            self.remove(&path[..2]);
        }
    }

    /// Draws the value at `path` again, or removes it if it is optional.
    fn again(&mut self, path: &[&str], message: &str) {
        let missing = message
            .strip_prefix("the key \"")
            .and_then(|rest| rest.split_once("\" is missing"));
        let mut path = path.to_vec();
        path.extend(missing.map(|(key, _)| key));
        let shape = self.shape.clone();
        let place = place(&shape, self.scenario, &path);
        let known = &path[..place.depth];
        let is_section = place.depth <= 2;
        let may_go = !place.required && missing.is_none() && !is_section;
        if may_go && self.painter.dice.chance(0.4) {
            return self.remove(known);
        }
        let value = self.painter.value(place.shape, &place.path);
        if value.is_null() || (is_section && value.is_object()) {
            return self.forget(&path);
        }
        self.put(known, value);
    }

    fn put(&mut self, path: &[&str], value: Value) {
        let mut at = &mut *self.scenario;
        for name in path {
            let next = match at {
                Value::Array(items) => name
                    .parse()
                    .ok()
                    .and_then(|index: usize| items.get_mut(index)),
                Value::Object(table) => Some(table.entry(*name).or_insert(Value::Null)),
                _ => None,
            };
            let Some(next) = next else { return };
            at = next;
        }
        *at = value;
    }

    /// Removes what cannot be drawn again.
    fn forget(&mut self, path: &[&str]) {
        match path {
            ["vcs", vc] => self.remove_vc(vc),
            [_, _, table @ .., "at"] if !table.is_empty() => self.remove(&path[..path.len() - 1]),
            [_, _, ..] => self.remove(path),
            _ => {}
        }
    }
}

/// A place in the language.
struct Place<'a> {
    shape: &'a Shape,
    path: String,
    depth: usize,
    required: bool,
}

/// The deepest place along `path` that both the language and `scenario` have; its last key may be missing.
fn place<'a>(shape: &'a Shape, scenario: &Value, path: &[&str]) -> Place<'a> {
    let mut place = Place {
        shape,
        path: String::new(),
        depth: 0,
        required: true,
    };
    let mut at = scenario;
    for (index, name) in path.iter().enumerate() {
        let next = match at {
            Value::Array(items) => name.parse().ok().and_then(|item: usize| items.get(item)),
            other => other.get(*name),
        };
        let is_last = index + 1 == path.len();
        let Some((shape, inner, required)) = place.step(at, name) else {
            break;
        };
        if next.is_none() && !(is_last && at.is_object()) {
            break;
        }
        place = Place {
            shape,
            path: inner,
            depth: index + 1,
            required,
        };
        at = next.unwrap_or(&Value::Null);
    }
    place
}

impl<'a> Place<'a> {
    /// The shape and path of the key `name` of `value`, and whether it is required.
    fn step(&self, value: &Value, name: &str) -> Option<(&'a Shape, String, bool)> {
        let shape = match self.shape {
            Shape::OneOf(shapes) => Shape::variant(shapes, value)?,
            other => other,
        };
        let path = if matches!(self.shape, Shape::OneOf(_)) {
            shape.variant_path(&self.path)
        } else {
            self.path.clone()
        };
        match shape {
            Shape::Table(keys) => {
                let key = keys.iter().find(|key| key.name == name)?;
                Some((&key.shape, below(&path, name), key.required))
            }
            Shape::Map(inner) => Some((inner, below(&path, "*"), true)),
            Shape::List(item, _) => Some((item, path, true)),
            _ => None,
        }
    }
}
