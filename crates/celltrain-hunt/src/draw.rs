//! Draws networks: any key of the language, with any kind of value.

use serde_json::{Map, Value, json};

use crate::dice::Dice;
use crate::palette::{self, Palette};
use crate::records;
use crate::rules;
use crate::schema::{Kind, Shape};
use crate::topology::{self, Topology, Wishes};
use crate::values::Painter;

/// Draws networks from the language.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The language.
    pub shape: Shape,
    /// All its keys and values, as paths.
    pub leaves: Vec<String>,
    /// About the most cells that a network sends, summed over its links.
    pub cells: f64,
}

impl Generator {
    /// Draws networks that send up to about `cells` cells.
    pub fn new(cells: f64) -> Self {
        let shape = Shape::scenario();
        let leaves = crate::coverage::leaves(&shape);
        Self {
            shape,
            leaves,
            cells,
        }
    }

    /// A first draft of a network with `musts`, which the language may refuse.
    pub fn draft(&self, mut dice: Dice, musts: &[String]) -> (Value, Painter) {
        let cells = dice.log_uniform(self.cells / 30.0, self.cells);
        let palette = Palette::new(&mut dice, cells);
        let further = (0..dice.whole(1, 4)).map(|_| dice.pick(&self.leaves).clone());
        let musts: Vec<String> = musts.iter().cloned().chain(further).collect();
        let wants = |section: &str, p: f64, dice: &mut Dice| {
            musts.iter().any(|must| must.starts_with(section)) || dice.chance(p)
        };
        let wishes = Wishes {
            lans: wants("lans", 0.12, &mut dice),
            routers: wants("routers", 0.12, &mut dice),
            groups: wants("hosts.*.count", 0.2, &mut dice)
                || musts.iter().any(|must| must.contains("distance_to_last")),
            switches: usize::from(musts.iter().any(|must| {
                must.contains("switches")
                    || must.contains("virtual_ends")
                    || must.contains("turn_round")
            })),
        };
        let topology = Topology::draw(&mut dice, wishes);
        let mut painter = Painter::new(dice, palette, musts);
        let draft = Drawing {
            shape: &self.shape,
            painter: &mut painter,
            topology: &topology,
        }
        .scenario();
        (draft, painter)
    }
}

/// A network while it is drawn.
struct Drawing<'a> {
    shape: &'a Shape,
    painter: &'a mut Painter,
    topology: &'a Topology,
}

type Table = Map<String, Value>;

impl Drawing<'_> {
    fn scenario(mut self) -> Value {
        let mut root = Table::new();
        root.insert("measure".to_owned(), self.measure());
        for (section, is_one) in SECTIONS {
            let nodes = self.topology.nodes.iter().filter(|node| is_one(&node.kind));
            let nodes: Vec<_> = nodes.cloned().collect();
            let mut tables = Table::new();
            for node in nodes {
                let mut table = Table::new();
                if let topology::Kind::Host(Some(count)) = node.kind {
                    table.insert("count".to_owned(), json!(count));
                }
                self.fill(section, &mut table, &["count"]);
                tables.insert(node.name, Value::Object(table));
            }
            if !tables.is_empty() {
                root.insert(section.to_owned(), Value::Object(tables));
            }
        }
        root.insert("links".to_owned(), self.links());
        root.insert("vcs".to_owned(), self.vcs());
        self.traffic(&mut root);
        let shape = self.shape.key("limits").expect("limits are a section");
        if self.painter.includes(shape, "limits") {
            let limits = self.painter.value(shape, "limits");
            root.insert("limits".to_owned(), limits);
        }
        let mut scenario = Value::Object(root);
        rules::apply(&mut scenario, self.painter);
        records::probes(&mut scenario, self.shape, self.painter);
        scenario
    }

    /// Fills a table of a section whose keys are names.
    fn fill(&mut self, section: &str, table: &mut Table, skip: &[&str]) {
        let shape = self.shape.key(section).and_then(|map| map.key("*"));
        let shape = shape.expect("a section of tables");
        self.painter
            .fill(shape, &format!("{section}.*"), table, skip);
    }

    fn measure(&mut self) -> Value {
        let horizon = self.painter.palette.horizon;
        let mut table = Table::new();
        let duration = if self.painter.dice.chance(0.4) {
            (horizon / 10_000_000_000).max(1) * 10_000_000_000
        } else {
            horizon
        };
        table.insert(
            "duration".to_owned(),
            json!(palette::text(Kind::Time, duration)),
        );
        let shape = self.shape.key("measure").expect("measure is a section");
        self.painter.fill(shape, "measure", &mut table, &[]);
        Value::Object(table)
    }

    fn links(&mut self) -> Value {
        let mut links = Table::new();
        let topology = self.topology;
        for (index, &(one, other)) in topology.edges.iter().enumerate() {
            let (one, other) = (&topology.nodes[one], &topology.nodes[other]);
            if [one.kind, other.kind].contains(&topology::Kind::Lan) {
                continue;
            }
            let dice = &mut self.painter.dice;
            let mut ends = vec![(format!("l{index}"), one.name.clone())];
            if let topology::Kind::Host(Some(count)) = one.kind
                && dice.chance(0.15)
                && !matches!(other.kind, topology::Kind::Host(_))
            {
                let member = |member| {
                    (
                        format!("l{index}m{member}"),
                        format!("{}{member}", one.name),
                    )
                };
                ends = (1..=count).map(member).collect();
            }
            for (name, end) in ends {
                self.link(&mut links, &name, [&end, &other.name]);
            }
        }
        Value::Object(links)
    }

    /// One link both ways, or one each way.
    fn link(&mut self, links: &mut Table, name: &str, ends: [&str; 2]) {
        let must_part = self.painter.must("links.*.from") || self.painter.must("links.*.to");
        if !must_part && self.painter.dice.chance(0.55) {
            let table = Table::from_iter([("between".to_owned(), json!(ends))]);
            return self.line(links, name, table);
        }
        for (suffix, [from, to]) in [("f", ends), ("b", [ends[1], ends[0]])] {
            let table = Table::from_iter([
                ("from".to_owned(), json!(from)),
                ("to".to_owned(), json!(to)),
            ]);
            self.line(links, &format!("{name}{suffix}"), table);
        }
    }

    fn line(&mut self, links: &mut Table, name: &str, mut table: Table) {
        let painter = &mut *self.painter;
        let wants_distance =
            painter.must("links.*.distance") || painter.must("links.*.distance_to_last");
        let (key, kind) = if wants_distance || painter.dice.chance(0.35) {
            ("distance", Kind::Distance)
        } else {
            ("delay", Kind::Time)
        };
        let value = if painter.dice.chance(0.25) {
            palette::text(kind, 0)
        } else {
            let shape = Shape::Quantity(kind);
            let value = painter.value(&shape, &format!("links.*.{key}"));
            value.as_str().unwrap_or_default().to_owned()
        };
        table.insert(key.to_owned(), json!(value));
        if painter.dice.chance(0.7) {
            let shape = self.shape.key("links").and_then(|map| map.key("*"));
            for name in ["rate", "buffer"] {
                let shape = shape
                    .and_then(|link| link.key(name))
                    .expect("a key of links");
                let value = painter.value(shape, &format!("links.*.{name}"));
                table.insert(name.to_owned(), value);
            }
        }
        self.fill(
            "links",
            &mut table,
            &["from", "to", "between", "distance", "delay"],
        );
        links.insert(name.to_owned(), Value::Object(table));
    }

    fn vcs(&mut self) -> Value {
        let mut vcs = Table::new();
        for (index, route) in self.topology.routes.iter().enumerate() {
            let mut table = Table::from_iter([("route".to_owned(), json!(route))]);
            let shape = self.shape.key("vcs").and_then(|map| map.key("*"));
            for way in ["forward", "backward"] {
                let path = format!("vcs.*.{way}");
                if self.painter.must(&path) || self.painter.dice.chance(0.5) {
                    let shape = shape.and_then(|vc| vc.key(way)).expect("a key of VCs");
                    let service = self.painter.value(shape, &path);
                    table.insert(way.to_owned(), service);
                }
            }
            let skip = ["forward", "backward"];
            self.fill("vcs", &mut table, &skip);
            vcs.insert(format!("v{index}"), Value::Object(table));
        }
        Value::Object(vcs)
    }

    /// Connections, packets and cells on the VCs.
    fn traffic(&mut self, root: &mut Table) {
        let (mut flows, mut backgrounds) = (Table::new(), Table::new());
        let wants_udp = self.painter.must("flows.*.udp");
        for index in 0..self.topology.routes.len() {
            let dice = &mut self.painter.dice;
            let is_between_routers = self.topology.routes[index][0].starts_with('r');
            let weights = if is_between_routers {
                [0, 0, 1, 5]
            } else {
                [6, if wants_udp { 9 } else { 2 }, 4, 1]
            };
            let kind = dice.weighted(&weights);
            let number = 1 + usize::from(dice.chance(if kind == 2 { 0.4 } else { 0.15 }));
            for nth in 0..number {
                let mut table = Table::from_iter([("vc".to_owned(), json!(format!("v{index}")))]);
                if kind == 2 && nth == 1 {
                    let first = backgrounds[&format!("b{index}x0")]["direction"] == "backward";
                    let other = if first { "forward" } else { "backward" };
                    table.insert("direction".to_owned(), json!(other));
                }
                match kind {
                    0 | 1 => {
                        let udp = if kind == 1 { "application" } else { "udp" };
                        if kind == 1 {
                            self.packets(&mut table);
                        }
                        self.fill("flows", &mut table, &[udp]);
                        flows.insert(format!("f{index}x{nth}"), Value::Object(table));
                    }
                    2 => {
                        self.fill("backgrounds", &mut table, &[]);
                        backgrounds.insert(format!("b{index}x{nth}"), Value::Object(table));
                    }
                    _ => {}
                }
            }
        }
        for (section, tables) in [("flows", flows), ("backgrounds", backgrounds)] {
            if !tables.is_empty() {
                root.insert(section.to_owned(), Value::Object(tables));
            }
        }
    }

    fn packets(&mut self, table: &mut Table) {
        let flow = self.shape.key("flows").and_then(|map| map.key("*"));
        let shape = flow
            .and_then(|flow| flow.key("udp"))
            .expect("a key of flows");
        let mut udp = self.painter.value(shape, "flows.*.udp");
        while udp["traffic"]["process"] == "greedy" {
            // Packets need a rate.
            udp = self.painter.value(shape, "flows.*.udp");
        }
        table.insert("udp".to_owned(), udp);
    }
}

/// Whether a node belongs to a section.
type IsOne = fn(&topology::Kind) -> bool;

/// The sections of nodes.
const SECTIONS: [(&str, IsOne); 4] = [
    ("hosts", |kind| matches!(kind, topology::Kind::Host(_))),
    ("switches", |kind| *kind == topology::Kind::Switch),
    ("lans", |kind| *kind == topology::Kind::Lan),
    ("routers", |kind| *kind == topology::Kind::Router),
];
