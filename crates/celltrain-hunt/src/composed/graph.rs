//! Nodes, what is between them, and the ways through them.

use std::collections::{BTreeMap, VecDeque};

use super::framing::Framing;
use super::pen::Pen;
use super::taste::Wish;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Host,
    Switch,
    Router,
    Lan,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The members of a group of hosts.
    pub(super) count: Option<u64>,
}

/// What the VCs must know of a queue or delay that they cross.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its name in probes.
    pub(super) name: String,
    /// The link that it belongs to.
    pub(super) link: String,
    /// Its usual and its lowest rate in bit/s; `None` for a mere delay.
    pub(super) rate: Option<u64>,
    pub(super) floor: u64,
    /// The rate guaranteed to VCs so far.
    pub(super) booked: u64,
    pub(super) mtu: u64,
    pub(super) credit: bool,
    /// Whether it discards or manages by frames of AAL5.
    pub(super) frames: bool,
    /// The framing of packets, if it carries no cells.
    pub(super) framing: Option<Framing>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// Pairs of nodes with something between them, lower number first.
    pub(super) edges: Vec<[usize; 2]>,
    near: Vec<Vec<usize>>,
    pub(super) lines: Vec<Line>,
    /// The line from a node to another.
    pub(super) line: BTreeMap<(usize, usize), usize>,
}

impl Graph {
    /// Draws nodes and edges.
    pub(super) fn new(pen: &mut Pen) -> Self {
        let mut graph = Self::default();
        let core = graph.core(pen);
        // A pair of hosts without a node between them is the smallest network.
        if core.is_empty() {
            let (a, b) = (graph.add(Kind::Host, None), graph.add(Kind::Host, None));
            graph.join(a, b);
            return graph;
        }
        let count = pen.wants(Wish::Groups).then(|| pen.pick(&[1, 2, 2, 3, 5]));
        let sites = pen.pick(&[2, 2, 2, 3, 4, 6]);
        for site in 0..sites {
            // The first two are at the ends, so that long ways are common.
            let at = match site {
                0 => core[0],
                1 => core[core.len() - 1],
                _ => pen.pick(&core),
            };
            graph.site(pen, at, count);
        }
        graph
    }

    fn add(&mut self, kind: Kind, count: Option<u64>) -> usize {
        let letter = match kind {
            Kind::Host => "h",
            Kind::Switch => "s",
            Kind::Router => "r",
            Kind::Lan => "lan",
        };
        let number = self.nodes.iter().filter(|it| it.kind == kind).count();
        // The members of a group are called by its name and a number, so the name must not end with one.
        let name = format!("{letter}{number}x");
        self.nodes.push(Node { name, kind, count });
        self.near.push(Vec::new());
        self.nodes.len() - 1
    }

    fn join(&mut self, a: usize, b: usize) {
        let edge = [a.min(b), a.max(b)];
        if a != b && !self.edges.contains(&edge) {
            self.edges.push(edge);
            self.near[a].push(b);
            self.near[b].push(a);
        }
    }

    /// The nodes between the sites: a chain, star, ring, tree or mesh.
    fn core(&mut self, pen: &mut Pen) -> Vec<usize> {
        let size = pen.pick(&[0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7]);
        let core: Vec<usize> = (0..size)
            .map(|at| {
                // Routers with one switch between them give chains of tunnels.
                let ends_tunnel = at % 2 == 0 && pen.wants(Wish::Tunnels);
                let is_router =
                    size > 1 && (ends_tunnel || pen.wants(Wish::Routers) && pen.chance(0.2));
                self.add(
                    if is_router {
                        Kind::Router
                    } else {
                        Kind::Switch
                    },
                    None,
                )
            })
            .collect();
        let shape = pen.dice.below(6);
        for at in 1..core.len() {
            let before = match shape {
                3 => 0,
                4 => pen.dice.below(at as u64) as usize,
                _ => at - 1,
            };
            self.join(core[before], core[at]);
        }
        match (shape, core.as_slice()) {
            (1, [first, .., last]) => self.join(*first, *last),
            (5, [_, _, ..]) => {
                for _ in 0..core.len() {
                    let (a, b) = (pen.pick(&core), pen.pick(&core));
                    self.join(a, b);
                }
            }
            _ => {}
        }
        core
    }

    /// Hosts at a node of the core, directly or behind a router, a LAN or both.
    fn site(&mut self, pen: &mut Pen, core: usize, count: Option<u64>) {
        let mut at = core;
        if pen.wants(Wish::Routers) {
            let router = self.add(Kind::Router, None);
            self.join(at, router);
            at = router;
        }
        if pen.wants(Wish::Lans) {
            let lan = self.add(Kind::Lan, None);
            self.join(at, lan);
            at = lan;
        }
        for _ in 0..pen.pick(&[1, 1, 1, 2, 3]) {
            let host = self.add(Kind::Host, count);
            self.join(at, host);
        }
    }

    pub(super) fn name(&self, node: usize) -> &str {
        &self.nodes[node].name
    }

    pub(super) fn is(&self, node: usize, kind: Kind) -> bool {
        self.nodes[node].kind == kind
    }

    /// The nodes of a kind.
    pub(super) fn all(&self, kind: Kind) -> Vec<usize> {
        (0..self.nodes.len())
            .filter(|&node| self.is(node, kind))
            .collect()
    }

    /// A way between two nodes through others that forward cells: a short one, or any.
    pub(super) fn way(&self, pen: &mut Pen, from: usize, to: usize) -> Option<Vec<usize>> {
        let is_long = pen.chance(0.25);
        let mut before = vec![None; self.nodes.len()];
        let mut next = VecDeque::from([from]);
        before[from] = Some(from);
        while let Some(node) = if is_long {
            next.pop_back()
        } else {
            next.pop_front()
        } {
            if node == to {
                break;
            }
            if node != from && self.is(node, Kind::Host) {
                continue;
            }
            let mut near = self.near[node].clone();
            pen.dice.shuffle(&mut near);
            for other in near {
                if before[other].is_none() {
                    before[other] = Some(node);
                    next.push_back(other);
                }
            }
        }
        let mut way = vec![to];
        let mut node = to;
        while node != from {
            node = before[node]?;
            way.push(node);
        }
        way.reverse();
        Some(way)
    }

    /// The lines that a way crosses.
    pub(super) fn lines_of(&self, way: &[usize]) -> Vec<usize> {
        let steps = way
            .windows(2)
            .filter_map(|pair| self.line.get(&(pair[0], pair[1])));
        let mut lines: Vec<usize> = steps.copied().collect();
        // A LAN is the line of the step to it and of the step from it.
        lines.dedup();
        lines
    }
}
