//! The paths of VCs: those of tunnel VCs between routers, and all others.

use crate::dice::Dice;
use crate::style::Style;
use crate::topology::{Kind, Topology};

/// The most VCs in a section, so that their names have one digit.
const MOST_VCS: usize = 10;

/// The pairs of routers joined by a tunnel VC, in each direction in which it may be used.
type Tunnels = Vec<(usize, usize)>;

impl Topology {
    /// Draws the paths of tunnel VCs, and those of VCs from end to end.
    pub(crate) fn ways(&mut self, dice: &mut Dice, style: Style) {
        let of_kind = |kind: fn(&Kind) -> bool| -> Vec<usize> {
            let all = 0..self.nodes.len();
            all.filter(|&node| kind(&self.nodes[node].kind)).collect()
        };
        let routers = of_kind(|kind| *kind == Kind::Router);
        let hosts = of_kind(|kind| matches!(kind, Kind::Host(_)));
        let tunnels = self.tunnels(dice, &routers);
        self.tunnels = self.routes.len();
        let wanted = match style {
            Style::Simple => 1 + dice.weighted(&[6, 3, 1]),
            Style::Shared | Style::Controlled => 2 + dice.weighted(&[3, 4, 3, 2, 1]),
            _ => 1 + dice.weighted(&[5, 5, 4, 2, 2, 1, 1]),
        };
        for _ in 0..wanted {
            // VCs may end at routers, too.
            let end = |dice: &mut Dice| {
                let at_router = !routers.is_empty() && dice.chance(0.12);
                *dice.pick(if at_router { &routers } else { &hosts })
            };
            let (mut from, mut to) = (end(dice), end(dice));
            if from == to {
                continue;
            }
            // Most go in the same direction.
            if style.shares_a_line() && from > to && dice.chance(0.7) {
                (from, to) = (to, from);
            }
            if let Some(way) = self.way(dice, from, to, &tunnels, true) {
                self.route(dice, &way);
                // Several VCs often share the whole path.
                while dice.chance(0.25) {
                    self.route(dice, &way);
                }
            }
        }
        if self.routes.len() == self.tunnels {
            self.join(hosts[0], hosts[1]);
            self.route(dice, &[hosts[0], hosts[1]]);
        }
        self.routes.truncate(MOST_VCS);
    }

    /// Draws tunnel VCs: between neighbours in the list of routers, and occasionally between any two; in one direction,
    /// or one for each direction.
    fn tunnels(&mut self, dice: &mut Dice, routers: &[usize]) -> Tunnels {
        let mut tunnels = Vec::new();
        for (index, &one) in routers.iter().enumerate() {
            for (other_index, &other) in routers.iter().enumerate().skip(index + 1) {
                let p = if other_index == index + 1 { 0.9 } else { 0.3 };
                if !dice.chance(p) {
                    continue;
                }
                let both = dice.chance(0.3);
                for (from, to) in [(one, other), (other, one)]
                    .into_iter()
                    .take(1 + usize::from(both))
                {
                    if let Some(way) = self.way(dice, from, to, &[], false) {
                        self.routes.push(self.names(&way));
                        tunnels.push((from, to));
                    }
                }
            }
        }
        tunnels
    }

    /// A path without cycles between two nodes, over links and, where there are any, tunnel VCs.
    fn way(
        &self,
        dice: &mut Dice,
        from: usize,
        to: usize,
        tunnels: &[(usize, usize)],
        lans: bool,
    ) -> Option<Vec<usize>> {
        let mut way = vec![from];
        let mut open = vec![self.next(dice, from, tunnels)];
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
                open.push(self.next(dice, next, tunnels));
            }
        }
        None
    }

    fn next(&self, dice: &mut Dice, node: usize, tunnels: &[(usize, usize)]) -> Vec<usize> {
        let edges = self.edges.iter().chain(tunnels);
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

    /// Adds a path as a route. If the groups at its ends differ in size, single members are used.
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
