//! Connections, packets and cells on the VCs.

use serde_json::{Value, json};

use crate::draw::{Drawing, Table};
use crate::style::Style;

/// What a VC carries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Connection,
    Packets,
    Cells,
}

impl Drawing<'_> {
    pub(crate) fn traffic(&mut self, root: &mut Table) {
        let (mut flows, mut backgrounds) = (Table::new(), Table::new());
        for index in 0..self.topology.routes.len() {
            let is_tunnel = index < self.topology.tunnels;
            let number = self.number(is_tunnel);
            let mut taken: Option<(What, Value)> = None;
            for nth in 0..number {
                let vc = self.vc(index);
                let mut table = Table::from_iter([("vc".to_owned(), json!(vc))]);
                let what = match taken {
                    // Packets need a host at each end.
                    _ if !self.has_hosts(index) => What::Cells,
                    Some((what, _)) if self.painter.dice.chance(0.7) => what,
                    _ => self.what(),
                };
                // Cells need a direction for themselves.
                if let Some((before, direction)) = &taken
                    && (*before == What::Cells || what == What::Cells)
                {
                    let other = if direction == "backward" {
                        "forward"
                    } else {
                        "backward"
                    };
                    table.insert("direction".to_owned(), json!(other));
                }
                let (section, name) = match what {
                    What::Cells => {
                        self.fill("backgrounds", &mut table, &[]);
                        (&mut backgrounds, format!("b{index}x{nth}"))
                    }
                    What::Packets => {
                        self.packets(&mut table);
                        let skip = ["application", "tcp", "sockets"];
                        self.fill("flows", &mut table, &skip);
                        (&mut flows, format!("f{index}x{nth}"))
                    }
                    What::Connection => {
                        self.fill("flows", &mut table, &["udp"]);
                        (&mut flows, format!("f{index}x{nth}"))
                    }
                };
                let direction = table.get("direction").cloned().unwrap_or_default();
                taken.get_or_insert((what, direction));
                section.insert(name, Value::Object(table));
            }
        }
        for (section, tables) in [("flows", flows), ("backgrounds", backgrounds)] {
            if !tables.is_empty() {
                root.insert(section.to_owned(), Value::Object(tables));
            }
        }
    }

    /// The number of flows and backgrounds of a VC; tunnel VCs seldom have their own.
    fn number(&mut self, is_tunnel: bool) -> usize {
        let dice = &mut self.painter.dice;
        if is_tunnel {
            return dice.weighted(&[6, 1]);
        }
        dice.weighted(&[1, 12, 4, 1])
    }

    fn has_hosts(&self, index: usize) -> bool {
        let route = &self.topology.routes[index];
        let ends = [route.first(), route.last()];
        ends.iter().flatten().all(|end| end.starts_with('h'))
    }

    /// The name of VC number `index`, or occasionally of one member of its group.
    fn vc(&mut self, index: usize) -> String {
        let has_group = |name: &String| {
            let nodes = &mut self.topology.nodes.iter();
            nodes.any(|it| {
                it.name == *name && matches!(it.kind, crate::topology::Kind::Host(Some(_)))
            })
        };
        let is_group = self.topology.routes[index].iter().any(has_group);
        if is_group && self.painter.dice.chance(0.1) {
            return format!("v{index}1");
        }
        format!("v{index}")
    }

    fn what(&mut self) -> What {
        let painter = &mut *self.painter;
        let [udp, tcp, cells] = ["flows.*.udp", "flows.*.tcp", "backgrounds"]
            .map(|path| if painter.must(path) { 6 } else { 0 });
        let all = [What::Connection, What::Packets, What::Cells];
        let more = if self.style == Style::Shared { 8 } else { 0 };
        all[painter.dice.weighted(&[6 + tcp, 2 + udp, 4 + cells + more])]
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
