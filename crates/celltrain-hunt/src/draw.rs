//! Draws networks with any key of the language and any kind of value.

use serde_json::{Map, Value, json};

use crate::dice::Dice;
use crate::palette::{self, Palette};
use crate::paths;
use crate::records;
use crate::rules;
use crate::schema::{Kind, Shape};
use crate::style::Style;
use crate::topology::{self, Topology, Wishes};
use crate::values::Painter;

/// Draws networks from the language.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The language.
    pub shape: Shape,
    /// All its keys and values, as paths.
    pub leaves: Vec<String>,
    /// The approximate maximum number of cells that a network sends, summed over its links.
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

    /// A first draft of a network with `musts`; the language may refuse it.
    pub fn draft(&self, mut dice: Dice, musts: &[String]) -> (Value, Painter) {
        let cells = dice.log_uniform(self.cells / 30.0, self.cells);
        let palette = Palette::new(&mut dice, cells);
        let style = Style::draw(&mut dice);
        let further = style.musts(&mut dice, &self.leaves);
        let musts: Vec<String> = musts.iter().cloned().chain(further).collect();
        let wants = |section: &str, p: f64, dice: &mut Dice| {
            musts.iter().any(|must| must.starts_with(section)) || dice.chance(p)
        };
        let p = if style == Style::Simple { 0.02 } else { 0.2 };
        let (lans, routers) = (wants("lans", p, &mut dice), wants("routers", p, &mut dice));
        let wishes = Wishes {
            style: if lans || routers { Style::Usual } else { style },
            lans,
            routers,
            groups: wants("hosts.*.count", 0.2, &mut dice)
                || musts.iter().any(|must| must.contains("distance_to_last")),
            switches: least_switches(&musts),
        };
        let topology = Topology::draw(&mut dice, wishes);
        let density = style.density(&mut dice);
        let lines = Lines::draw(&mut dice, style);
        let mut painter = Painter::new(dice, palette, musts, density);
        let draft = Drawing {
            shape: &self.shape,
            painter: &mut painter,
            topology: &topology,
            lines,
            style,
        }
        .scenario();
        (draft, painter)
    }
}

/// The fewest switches that these keys need.
fn least_switches(musts: &[String]) -> usize {
    let needs = [
        "switches",
        "gfc_group",
        "virtual_ends",
        "turn_around",
        "police.dynamic",
        "police.at",
        "vcs.*.shape",
    ];
    if musts.iter().any(|must| must.starts_with("vps")) {
        2
    } else {
        usize::from(
            musts
                .iter()
                .any(|must| needs.iter().any(|key| must.contains(key))),
        )
    }
}

/// Probabilities of the properties of links in a network: separate links for each direction, no delay, the length of the
/// first link, a rate (for links to hosts and for others), and a service order. Also the probability that a VC has a
/// given service: if many have one, cells of several classes meet.
#[derive(Clone, Copy, Debug)]
struct Lines {
    apart: f64,
    no_delay: f64,
    alike: f64,
    rated: [f64; 2],
    scheduled: f64,
    served: f64,
}

impl Lines {
    fn draw(dice: &mut Dice, style: Style) -> Self {
        if style.shares_a_line() {
            return Self {
                apart: *dice.pick(&[0.0, 0.2, 1.0]),
                no_delay: *dice.pick(&[0.1, 0.3, 1.0]),
                alike: 0.8,
                rated: [*dice.pick(&[0.0, 0.2, 0.5]), 1.0],
                scheduled: *dice.pick(&[0.0, 0.9]),
                served: *dice.pick(&[0.5, 0.9]),
            };
        }
        let inner = *dice.pick(&[0.4, 0.7, 0.9, 1.0]);
        let outer = *dice.pick(&[0.05, 0.4, 0.7, 0.9]);
        Self {
            apart: *dice.pick(&[0.0, 0.2, 0.5, 1.0]),
            no_delay: *dice.pick(&[0.05, 0.25, 0.25, 0.8]),
            alike: *dice.pick(&[0.0, 0.0, 0.5]),
            rated: [outer, inner],
            scheduled: *dice.pick(&[0.0, 0.0, 0.0, 0.9]),
            served: *dice.pick(&[0.2, 0.5, 0.9]),
        }
    }
}

/// A network being drawn.
pub(crate) struct Drawing<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) painter: &'a mut Painter,
    pub(crate) topology: &'a Topology,
    pub(crate) style: Style,
    lines: Lines,
}

pub(crate) type Table = Map<String, Value>;

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
        for key in ["limits", "silence", "admission"] {
            let shape = self.shape.key(key).expect("a key of scenarios");
            if self.painter.includes(shape, key) {
                let value = self.painter.value(shape, key);
                root.insert(key.to_owned(), value);
            }
        }
        let mut scenario = Value::Object(root);
        rules::frames::apply(&mut scenario, self.shape, self.painter);
        rules::apply(&mut scenario, self.painter);
        paths::add(&mut scenario, self.shape, self.painter);
        records::timed_vcs(&mut scenario, self.painter);
        records::probes(&mut scenario, self.shape, self.painter);
        scenario
    }

    /// Fills a table in a section whose keys are names.
    pub(crate) fn fill(&mut self, section: &str, table: &mut Table, skip: &[&str]) {
        let shape = self.shape.key(section).and_then(|map| map.key("*"));
        let shape = shape.expect("a section of tables");
        self.painter
            .fill(shape, &format!("{section}.*"), table, skip);
    }

    fn measure(&mut self) -> Value {
        let horizon = self.painter.palette.horizon;
        let mut table = Table::new();
        let duration = if self.painter.dice.chance(0.015) {
            // Shorter than a cell time.
            *self.painter.dice.pick(&[1, 2, 1_000, 1_000_000])
        } else if self.painter.dice.chance(0.4) {
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

    /// Adds one link for both directions, or one for each.
    fn link(&mut self, links: &mut Table, name: &str, ends: [&str; 2]) {
        // A queue with GFC is the first one of all VCs that cross it, so it must lead one way.
        let one_way = ["links.*.from", "links.*.to", "vcs.*.gfc_group"];
        let must_part = one_way.iter().any(|key| self.painter.must(key));
        let is_outer = ends.iter().any(|end| end.starts_with('h'));
        if !must_part && !self.painter.dice.chance(self.lines.apart) {
            let table = Table::from_iter([("between".to_owned(), json!(ends))]);
            return self.line(links, name, table, is_outer);
        }
        for (suffix, [from, to]) in [("f", ends), ("b", [ends[1], ends[0]])] {
            let table = Table::from_iter([
                ("from".to_owned(), json!(from)),
                ("to".to_owned(), json!(to)),
            ]);
            self.line(links, &format!("{name}{suffix}"), table, is_outer);
        }
    }

    fn line(&mut self, links: &mut Table, name: &str, mut table: Table, is_outer: bool) {
        let painter = &mut *self.painter;
        let own = self.shape.key("links").and_then(|map| map.key("*"));
        let wants_distance =
            painter.must("links.*.distance") || painter.must("links.*.distance_to_last");
        let is_alike = !wants_distance && painter.dice.chance(self.lines.alike);
        let alike = links.values().next().filter(|_| is_alike);
        let alike = ["distance", "delay"].map(|key| Some((key, alike?.get(key)?.clone())));
        let (key, value) = alike.into_iter().flatten().next().unwrap_or_else(|| {
            let (key, kind) = if wants_distance || painter.dice.chance(0.35) {
                ("distance", Kind::Distance)
            } else {
                ("delay", Kind::Time)
            };
            if painter.dice.chance(self.lines.no_delay) {
                return (key, json!(palette::text(kind, 0)));
            }
            let shape = own.and_then(|link| link.key(key));
            let shape = shape.expect("a key of links");
            (key, painter.value(shape, &format!("links.*.{key}")))
        });
        table.insert(key.to_owned(), value);
        if painter
            .dice
            .chance(self.lines.rated[usize::from(!is_outer)])
        {
            let is_scheduled = painter.dice.chance(self.lines.scheduled);
            let further = is_scheduled.then_some("scheduling");
            for name in ["rate", "buffer"].into_iter().chain(further) {
                let shape = own.and_then(|link| link.key(name)).expect("a key of links");
                let value = painter.value(shape, &format!("links.*.{name}"));
                table.insert(name.to_owned(), value);
            }
        }
        self.fill(
            "links",
            &mut table,
            // Whether a link carries frames depends on the others.
            &[
                "from", "to", "between", "distance", "delay", "frames", "queue",
            ],
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
                let is_served = self.painter.dice.chance(self.lines.served);
                if is_served || self.painter.must(&path) {
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
