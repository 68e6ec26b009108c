//! The paths of VCs: which links their cells cross, and where tunnel VCs carry them.
//!
//! A link joins two consecutive nodes of a route. A LAN joins the nodes before and after it. Two routers are joined by
//! the VC that ends at both, if there is one, and otherwise by a link. Of several such VCs, the one whose path follows
//! the route is used.

use std::collections::HashMap;
use std::sync::Arc;

use celltrain_language::suggestion;

use super::groups::Nodes;
use crate::network::model::{Carried, Link, NodeKind};
use crate::scenario::{Direction, Problem};

/// Links by the nodes that they join; a LAN is joined to itself.
type ByEnds = HashMap<(usize, usize), usize>;

/// A direction of a VC between routers, which can carry others, and its route. The direction is 2 x VC + (0 forward, 1
/// backward).
type Carrier = (usize, Vec<usize>);

/// The path along a route, shared by all VCs that take it.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) nodes: Arc<[usize]>,
    /// The links in both directions, forward first.
    pub(super) links: [Arc<[usize]>; 2],
    pub(super) carried: [Box<[Carried]>; 2],
    /// By node in the order of each direction: how many links lead to it. The next one leaves it.
    places: [Box<[usize]>; 2],
}

impl Way {
    /// The place of the link by which a direction leaves `node`, among the links of its path.
    pub(super) fn place_of(&self, node: usize, direction: Direction) -> usize {
        let places = &self.places[direction.index()];
        let at = self.nodes.iter().position(|&it| it == node);
        let at = at.expect("the node is on the route");
        match direction {
            Direction::Forward => places[at],
            Direction::Backward => places[self.nodes.len() - 1 - at],
        }
    }
}

/// One direction of a path.
#[derive(Default)]
struct OneWay {
    links: Vec<usize>,
    /// Where tunnel VCs carry its cells.
    stretches: Vec<Carried>,
    /// By node of the route: how many links lead to it.
    places: Vec<usize>,
}

/// How nodes are joined.
pub(super) struct Ways<'a> {
    nodes: &'a Nodes,
    by_ends: ByEnds,
    /// The paths found so far, by route.
    known: HashMap<Arc<[usize]>, Way>,
    /// The directions of VCs between routers, with their routes.
    carriers: HashMap<(usize, usize), Vec<Carrier>>,
}

impl<'a> Ways<'a> {
    /// The paths of VCs with these routes, in the order of their index.
    pub(super) fn new<'r>(
        nodes: &'a Nodes,
        links: &[Link],
        routes: impl Iterator<Item = &'r [usize]>,
    ) -> Self {
        let ends = links.iter().enumerate();
        let mut ways = Self {
            nodes,
            by_ends: ends
                .map(|(index, link)| ((link.from, link.to), index))
                .collect(),
            known: HashMap::new(),
            carriers: HashMap::new(),
        };
        for (index, route) in routes.enumerate() {
            if !ways.carries(route) {
                continue;
            }
            let back = route.iter().rev().copied().collect();
            for (own, route) in [(0, route.to_vec()), (1, back)] {
                let ends = (route[0], route[route.len() - 1]);
                let between = ways.carriers.entry(ends).or_default();
                between.push((2 * index + own, route));
            }
        }
        ways
    }

    pub(super) fn kind(&self, node: usize) -> NodeKind {
        self.nodes.nodes[node].kind
    }

    /// Whether a VC with this route carries others, because it joins two routers.
    pub(super) fn carries(&self, route: &[usize]) -> bool {
        let ends = [route[0], route[route.len() - 1]];
        ends.iter().all(|&end| self.kind(end) == NodeKind::Router)
    }

    /// The path along `route`; errors name the key `path`.
    pub(super) fn along(&mut self, path: &str, route: &[usize]) -> Result<Way, Problem> {
        if let Some(known) = self.known.get(route) {
            return Ok(known.clone());
        }
        let reversed: Vec<usize> = route.iter().rev().copied().collect();
        let forward = self.way(path, route, Direction::Forward)?;
        let backward = self.way(path, &reversed, Direction::Backward)?;
        let way = Way {
            nodes: route.into(),
            links: [forward.links.into(), backward.links.into()],
            carried: [forward.stretches.into(), backward.stretches.into()],
            places: [forward.places.into(), backward.places.into()],
        };
        self.known.insert(Arc::clone(&way.nodes), way.clone());
        Ok(way)
    }

    /// The switch or router called `name` between the ends of a path; errors name the key `path`.
    pub(super) fn inner_node(&self, path: &str, name: &str, way: &Way) -> Result<usize, Problem> {
        let inner = way.nodes[1..way.nodes.len() - 1].iter().copied();
        let inner = inner.filter(|&node| self.kind(node) != NodeKind::Lan);
        let found = inner.clone().find(|&node| self.name(node) == name);
        found.ok_or_else(|| {
            let hint = suggestion(name, inner.map(|node| self.name(node)));
            let message = format!("\"{name}\" is no switch or router on the route{hint}");
            Problem::at(path, message)
        })
    }

    pub(super) fn name(&self, node: usize) -> &str {
        &self.nodes.nodes[node].name
    }

    /// One direction of the path along a route.
    fn way(&self, path: &str, route: &[usize], direction: Direction) -> Result<OneWay, Problem> {
        let OneWay {
            mut links,
            mut stretches,
            mut places,
        } = OneWay::default();
        for (at, pair) in route.windows(2).enumerate() {
            let [here, next] = [pair[0], pair[1]];
            places.push(links.len());
            if self.kind(next) == NodeKind::Lan {
                continue; // The LAN leads from here to the next node.
            }
            if self.kind(here) == NodeKind::Lan {
                links.push(self.link(path, here, here)?);
                continue;
            }
            let is_own = route.len() == 2;
            let carrier = self.carrier(path, (here, next), direction)?;
            let Some((by, way)) = carrier.filter(|_| !is_own) else {
                links.push(self.link(path, here, next)?);
                continue;
            };
            if at == 0 {
                let message = "a VC that another one carries cannot start or end at the router where it is \
                               taken up";
                return Err(Problem::at(path, message));
            }
            let first = links.len();
            for pair in way.windows(2) {
                links.push(self.link(path, pair[0], pair[1])?);
            }
            stretches.push(Carried {
                first,
                links: links.len() - first,
                by: *by,
            });
        }
        places.push(links.len());
        Ok(OneWay {
            links,
            stretches,
            places,
        })
    }

    /// The direction of the tunnel VC from one router to another, with its route.
    fn carrier(
        &self,
        path: &str,
        ends: (usize, usize),
        direction: Direction,
    ) -> Result<Option<&Carrier>, Problem> {
        let Some(all) = self.carriers.get(&ends) else {
            return Ok(None);
        };
        let leads_there = |it: &&Carrier| it.0 % 2 == direction.index();
        let mut found: Vec<_> = all.iter().filter(leads_there).collect();
        if found.is_empty() {
            found = all.iter().collect();
        }
        if let [carrier] = found[..] {
            return Ok(Some(carrier));
        }
        let [here, next] = [self.name(ends.0), self.name(ends.1)];
        let message =
            format!("several VCs lead from \"{here}\" to \"{next}\"; one of them can carry");
        Err(Problem::at(path, message))
    }

    fn link(&self, path: &str, from: usize, to: usize) -> Result<usize, Problem> {
        let found = self.by_ends.get(&(from, to)).copied();
        found.ok_or_else(|| {
            let [from, to] = [from, to].map(|node| self.name(node));
            Problem::at(
                path,
                format!("there is no link from \"{from}\" to \"{to}\""),
            )
        })
    }
}
