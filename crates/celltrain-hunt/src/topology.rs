//! Which nodes a network has, what joins them, and which ways its VCs take.

use crate::dice::Dice;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A host, or a group of so many.
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
    /// Pairs of nodes that something joins.
    pub edges: Vec<(usize, usize)>,
    /// The ways of VCs, as names of nodes.
    pub routes: Vec<Vec<String>>,
}

/// What a topology shall have.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wishes {
    /// LANs.
    pub lans: bool,
    /// Routers.
    pub routers: bool,
    /// A group of hosts.
    pub groups: bool,
    /// Switches, at least so many.
    pub switches: usize,
}

impl Topology {
    /// A topology with what `wishes` ask for.
    pub fn draw(dice: &mut Dice, wishes: Wishes) -> Self {
        let mut it = Self::default();
        let switches = match dice.weighted(&[4, 25, 28, 20, 12, 8, 4]) {
            6 => dice.whole(6, 12) as usize,
            number => number,
        };
        it.trunks(dice, switches.max(wishes.switches));
        if wishes.routers {
            it.routers(dice);
        }
        if wishes.lans {
            for index in 0..dice.whole(1, 2) {
                let lan = it.add(format!("lan{index}"), Kind::Lan);
                if let Some(next) = it.inner(dice, lan) {
                    it.edges.push((lan, next));
                }
            }
        }
        it.hosts(dice, wishes.groups);
        it.ways(dice);
        it
    }

    fn add(&mut self, name: String, kind: Kind) -> usize {
        self.nodes.push(Node { name, kind });
        self.nodes.len() - 1
    }

    /// Switches in a chain, a star, a ring, a tree or a mesh.
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

    fn join(&mut self, one: usize, other: usize) {
        let known = |edge: &(usize, usize)| *edge == (one, other) || *edge == (other, one);
        if one != other && !self.edges.iter().any(known) {
            self.edges.push((one, other));
        }
    }

    /// Two or three routers, behind switches or side by side.
    fn routers(&mut self, dice: &mut Dice) {
        let mut routers = Vec::new();
        for index in 0..dice.whole(2, 3) {
            let next = self.inner(dice, usize::MAX);
            let router = self.add(format!("r{index}"), Kind::Router);
            match next {
                Some(next) if index == 0 || dice.chance(0.9) => self.join(next, router),
                _ => {}
            }
            if let Some(&other) = routers.last()
                && dice.chance(0.25)
            {
                self.join(other, router);
            }
            routers.push(router);
        }
    }

    /// A switch or router; behind a LAN one other than itself.
    fn inner(&self, dice: &mut Dice, except: usize) -> Option<usize> {
        let is_inner = |index: &usize| {
            matches!(self.nodes[*index].kind, Kind::Switch | Kind::Router) && *index != except
        };
        let inner: Vec<usize> = (0..self.nodes.len()).filter(is_inner).collect();
        (!inner.is_empty()).then(|| *dice.pick(&inner))
    }

    fn hosts(&mut self, dice: &mut Dice, groups: bool) {
        let places: Vec<usize> = (0..self.nodes.len()).collect();
        let hosts = 2 + dice.weighted(&[6, 4, 4, 2, 1]);
        let size = dice.whole(1, 4) as u32;
        for index in 0..hosts {
            let is_group = groups && dice.chance(0.5);
            let other = dice.whole(1, 4) as u32;
            let count = if dice.chance(0.8) { size } else { other };
            let name = format!("h{}", char::from(b'A' + index as u8));
            let host = self.add(name, Kind::Host(is_group.then_some(count)));
            if places.is_empty() || dice.chance(0.02) {
                if index % 2 == 1 {
                    self.join(host - 1, host);
                }
                continue;
            }
            let place = *dice.pick(&places);
            self.edges.push((host, place));
            if dice.chance(0.05) {
                self.join(host, *dice.pick(&places));
            }
        }
    }

    fn is_host(&self, node: usize) -> bool {
        matches!(self.nodes[node].kind, Kind::Host(_))
    }

    /// The ways of VCs: of those between routers, which carry others, and of those between hosts.
    fn ways(&mut self, dice: &mut Dice) {
        let of_kind = |kind: fn(&Kind) -> bool| -> Vec<usize> {
            let all = 0..self.nodes.len();
            all.filter(|&node| kind(&self.nodes[node].kind)).collect()
        };
        let routers = of_kind(|kind| *kind == Kind::Router);
        let hosts = of_kind(|kind| matches!(kind, Kind::Host(_)));
        let mut carriers = Vec::new();
        for pair in routers.windows(2) {
            if let Some(way) = self.way(dice, pair[0], pair[1], &[], false) {
                self.routes.push(self.names(&way));
                carriers.push((pair[0], pair[1]));
            }
        }
        let wanted = 1 + dice.weighted(&[5, 5, 4, 2, 1, 1]);
        for _ in 0..wanted {
            let from = *dice.pick(&hosts);
            let to = *dice.pick(&hosts);
            if from == to {
                continue;
            }
            if let Some(way) = self.way(dice, from, to, &carriers, true) {
                self.route(dice, &way);
            }
        }
        if !self.routes.iter().any(|route| route[0].starts_with('h')) {
            self.join(hosts[0], hosts[1]);
            self.route(dice, &[hosts[0], hosts[1]]);
        }
    }

    /// A way from node to node without a circle, by links and, where there are some, over VCs between routers.
    fn way(
        &self,
        dice: &mut Dice,
        from: usize,
        to: usize,
        carriers: &[(usize, usize)],
        lans: bool,
    ) -> Option<Vec<usize>> {
        let mut way = vec![from];
        let mut open = vec![self.next(dice, from, carriers)];
        while let Some(choices) = open.last_mut() {
            let Some(next) = choices.pop() else {
                open.pop();
                way.pop();
                continue;
            };
            if next == to {
                way.push(to);
                return Some(way);
            }
            let here = way[way.len() - 1];
            let is_lan = |node: usize| self.nodes[node].kind == Kind::Lan;
            let is_router = self.nodes[next].kind == Kind::Router;
            let is_barred = way.contains(&next)
                || self.is_host(next)
                || (is_lan(here) && is_lan(next))
                || (!lans && (is_lan(next) || is_router));
            if !is_barred {
                way.push(next);
                open.push(self.next(dice, next, carriers));
            }
        }
        None
    }

    fn next(&self, dice: &mut Dice, node: usize, carriers: &[(usize, usize)]) -> Vec<usize> {
        let edges = self.edges.iter().chain(carriers);
        let ends = edges.filter_map(|&(one, other)| match node {
            _ if node == one => Some(other),
            _ if node == other => Some(one),
            _ => None,
        });
        let mut next: Vec<usize> = ends.collect();
        dice.shuffle(&mut next);
        next
    }

    fn names(&self, way: &[usize]) -> Vec<String> {
        way.iter()
            .map(|&node| self.nodes[node].name.clone())
            .collect()
    }

    /// Takes a way between hosts as a route; of groups that do not agree, single members.
    fn route(&mut self, dice: &mut Dice, way: &[usize]) {
        let mut names = self.names(way);
        let ends = [0, way.len() - 1];
        let sizes = ends.map(|end| match self.nodes[way[end]].kind {
            Kind::Host(count) => count,
            _ => None,
        });
        let agree = sizes[0].is_none() || sizes[1].is_none() || sizes[0] == sizes[1];
        let single = dice.chance(0.1);
        for (end, size) in ends.into_iter().zip(sizes) {
            if let Some(size) = size.filter(|_| !agree || single) {
                names[end] = format!("{}{}", names[end], dice.whole(1, u64::from(size)));
            }
        }
        self.routes.push(names);
    }
}
