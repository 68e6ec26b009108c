//! Which nodes a network has, what joins them, and the paths of its VCs.

use crate::dice::Dice;
use crate::style::Style;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A host, or a group of hosts of this size.
    Host(Option<u32>),
    /// A switch.
    Switch,
    /// A LAN, which needs no links.
    Lan,
    /// A router.
    Router,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// The graph of a network.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Topology {
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Pairs of nodes that are joined.
    pub edges: Vec<(usize, usize)>,
    /// The routes of VCs, as names of nodes.
    pub routes: Vec<Vec<String>>,
    /// How many of them belong to tunnel VCs, which come first.
    pub tunnels: usize,
}

/// What a topology must have.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// The number of nodes and VCs.
    pub style: Style,
    /// Whether it has LANs.
    pub lans: bool,
    /// Whether it has routers.
    pub routers: bool,
    /// Whether it has a group of hosts.
    pub groups: bool,
    /// The minimum number of switches.
    pub switches: usize,
}

/// The most hosts of a group.
const LARGEST_GROUP: f64 = 40.0;

impl Topology {
    /// Draws a topology that follows `wishes`.
    pub fn draw(dice: &mut Dice, wishes: Wishes) -> Self {
        let mut it = Self::default();
        if wishes.style == Style::Simple {
            it.chain(dice, wishes);
        } else if wishes.style.shares_a_line() {
            it.dumbbell(dice, wishes);
        } else {
            let switches = match dice.weighted(&[4, 25, 28, 20, 12, 8, 4]) {
                6 => dice.whole(6, 12) as usize,
                number => number,
            };
            it.trunks(dice, switches.max(wishes.switches));
            if wishes.routers {
                it.routers(dice);
            }
            if wishes.lans {
                it.lans(dice);
            }
            it.hosts(dice, wishes.groups);
        }
        it.ways(dice, wishes.style);
        it
    }

    fn add(&mut self, name: String, kind: Kind) -> usize {
        self.nodes.push(Node { name, kind });
        self.nodes.len() - 1
    }

    fn host(&mut self, index: usize, count: Option<u32>) -> usize {
        let name = format!("h{}", char::from(b'A' + index as u8));
        self.add(name, Kind::Host(count))
    }

    /// Adds two to four nodes: hosts at both ends of up to two switches.
    fn chain(&mut self, dice: &mut Dice, wishes: Wishes) {
        let switches = dice.weighted(&[3, 6, 3]).max(wishes.switches.min(2));
        for index in 0..switches {
            let switch = self.add(format!("s{index}"), Kind::Switch);
            if index > 0 {
                self.edges.push((switch - 1, switch));
            }
        }
        let hosts = if switches == 1 {
            dice.whole(2, 3) as usize
        } else {
            2
        };
        let size = dice.whole(1, 4) as u32;
        for index in 0..hosts {
            let count = (wishes.groups && dice.chance(0.6)).then_some(size);
            let host = self.host(index, count);
            match switches {
                0 if index > 0 => self.edges.push((host - 1, host)),
                0 => {}
                _ => self
                    .edges
                    .push((host, if index == 0 { 0 } else { switches - 1 })),
            }
        }
    }

    /// Adds hosts at both ends of one to three links between switches.
    fn dumbbell(&mut self, dice: &mut Dice, wishes: Wishes) {
        let last = 1 + dice.weighted(&[6, 3, 1]);
        for index in 0..=last {
            let switch = self.add(format!("s{index}"), Kind::Switch);
            if index > 0 {
                self.edges.push((switch - 1, switch));
            }
        }
        let size = dice.whole(2, 4) as u32;
        let (left, right) = (dice.whole(1, 4), dice.whole(1, 2));
        for index in 0..left + right {
            let count = (wishes.groups && dice.chance(0.6)).then_some(size);
            let host = self.host(index as usize, count);
            self.edges.push((host, if index < left { 0 } else { last }));
        }
    }

    /// Adds switches in a chain, a star, a ring, a tree or a mesh.
    fn trunks(&mut self, dice: &mut Dice, switches: usize) {
        let shape = dice.below(5);
        for index in 0..switches {
            let switch = self.add(format!("s{index}"), Kind::Switch);
            if index == 0 {
                continue;
            }
            let to = match shape {
                0 | 1 => index - 1,
                2 => 0,
                _ => dice.below(index),
            };
            self.edges.push((to, switch));
            if shape == 4 && index > 1 && dice.chance(0.4) {
                self.join(dice.below(index), switch);
            }
        }
        if shape == 1 && switches > 2 {
            self.edges.push((switches - 1, 0));
        }
    }

    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let known = |edge: &(usize, usize)| *edge == (one, other) || *edge == (other, one);
        if one != other && !self.edges.iter().any(known) {
            self.edges.push((one, other));
        }
    }

    /// Adds two to four routers, behind switches or side by side.
    fn routers(&mut self, dice: &mut Dice) {
        let mut routers = Vec::new();
        for index in 0..2 + dice.weighted(&[5, 3, 1]) {
            let next = self.inner(dice, usize::MAX);
            let router = self.add(format!("r{index}"), Kind::Router);
            match next {
                Some(next) if index == 0 || dice.chance(0.9) => self.join(next, router),
                _ => {}
            }
            if let Some(&other) = routers.last()
                && dice.chance(0.3)
            {
                self.join(other, router);
            }
            routers.push(router);
        }
    }

    /// Adds one to three LANs, mostly behind routers, some between two.
    fn lans(&mut self, dice: &mut Dice) {
        let is_router = |node: &usize| self.nodes[*node].kind == Kind::Router;
        let routers: Vec<usize> = (0..self.nodes.len()).filter(is_router).collect();
        for index in 0..dice.whole(1, 3) {
            let lan = self.add(format!("lan{index}"), Kind::Lan);
            for _ in 0..=dice.weighted(&[3, 1]) {
                let next = if !routers.is_empty() && dice.chance(0.7) {
                    Some(*dice.pick(&routers))
                } else {
                    self.inner(dice, lan)
                };
                if let Some(next) = next {
                    self.join(lan, next);
                }
            }
        }
    }

    /// A switch or router other than `except`.
    fn inner(&self, dice: &mut Dice, except: usize) -> Option<usize> {
        let is_inner = |index: &usize| {
            matches!(self.nodes[*index].kind, Kind::Switch | Kind::Router) && *index != except
        };
        let inner: Vec<usize> = (0..self.nodes.len()).filter(is_inner).collect();
        (!inner.is_empty()).then(|| *dice.pick(&inner))
    }

    fn hosts(&mut self, dice: &mut Dice, groups: bool) {
        let places: Vec<usize> = (0..self.nodes.len()).collect();
        let is_edge = |node: &&usize| matches!(self.nodes[**node].kind, Kind::Lan | Kind::Router);
        let edges: Vec<usize> = places.iter().filter(is_edge).copied().collect();
        let hosts = 2 + dice.weighted(&[6, 4, 4, 2, 1]);
        let size = group_size(dice);
        for index in 0..hosts {
            let is_group = groups && dice.chance(0.5);
            let other = group_size(dice);
            let count = if dice.chance(0.8) { size } else { other };
            let host = self.host(index, is_group.then_some(count));
            if places.is_empty() || dice.chance(0.02) {
                if index % 2 == 1 {
                    self.join(host - 1, host);
                }
                continue;
            }
            let near = if !edges.is_empty() && dice.chance(0.5) {
                &edges
            } else {
                &places
            };
            self.edges.push((host, *dice.pick(near)));
            if dice.chance(0.08) {
                self.join(host, *dice.pick(&places));
            }
        }
    }

    pub(crate) fn is_host(&self, node: usize) -> bool {
        matches!(self.nodes[node].kind, Kind::Host(_))
    }
}

fn group_size(dice: &mut Dice) -> u32 {
    if dice.chance(0.9) {
        dice.whole(1, 4) as u32
    } else {
        dice.log_uniform(5.0, LARGEST_GROUP) as u32
    }
}
