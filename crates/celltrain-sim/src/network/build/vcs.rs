//! The VCs of a network: their paths, and the service of each direction.

use std::sync::Arc;

use celltrain_language::suggestion;
use celltrain_proto::adaptation::Adaptation;

use super::groups::{Group, Nodes, within_bounds};
use super::vc_groups::VcGroups;
use super::ways::{Way, Ways};
use crate::network::model::{
    BetweenEnds, Link, MOST_HOPS, Node, NodeKind, Vc, VcDirection, VirtualEnds,
};
use crate::network::mtus::octets;
use crate::network::name::Name;
use crate::scenario::{self, Direction, Police, Problem, Scenario, Service};

/// All VCs of a scenario.
pub(super) fn vcs(
    scenario: &Scenario,
    nodes: &Nodes,
    links: &[Link],
) -> Result<(Vec<Vc>, VcGroups), Problem> {
    let mut written = Vec::new();
    let mut vc_groups = VcGroups::new();
    for (name, vc) in &scenario.vcs {
        let path = format!("vcs.{name}.route");
        let names: Vec<&str> = vc.route.iter().map(String::as_str).collect();
        if names.len() < 2 {
            return Err(Problem::at(
                &path,
                "expected at least two nodes: the host at each end",
            ));
        }
        let (groups, size) = nodes.side_by_side(&path, &names)?;
        let terms = Arc::new(Terms::new(vc));
        let first = written.len();
        for (index, member) in Name::members(name, size).enumerate() {
            let nodes_on_it: Vec<usize> = groups.iter().map(|group| group.member(index)).collect();
            check_route(&path, nodes, &nodes_on_it)?;
            written.push(Written {
                name,
                member,
                vc,
                terms: Arc::clone(&terms),
                virtual_ends: virtual_ends(name, vc, nodes, &groups, index)?,
                route: nodes_on_it,
            });
        }
        vc_groups.insert(
            name.clone(),
            ((first..written.len()).collect(), size.is_some()),
        );
        within_bounds(&path, written.len())?;
    }
    let mut ways = Ways::new(nodes, links, written.iter().map(|it| it.route.as_slice()));
    let mut vcs = Vec::with_capacity(written.len());
    for written in written {
        vcs.push(ways.vc(written)?);
    }
    check_hops(&vcs)?;
    check_carriers(&vcs)?;
    Ok((vcs, vc_groups))
}

/// A VC as written, with its names resolved to groups.
struct Written<'a> {
    /// Its name in the scenario, and the name of this member of its group.
    name: &'a str,
    member: Name,
    vc: &'a scenario::Vc,
    terms: Arc<Terms>,
    route: Vec<usize>,
    virtual_ends: Option<Box<VirtualEnds>>,
}

/// What all VCs of a group have in common.
struct Terms {
    /// The services of both directions, forward first.
    services: [Arc<Service>; 2],
    police: Option<(Direction, Arc<Police>)>,
}

impl Terms {
    fn new(vc: &scenario::Vc) -> Self {
        let police = vc.police.as_ref();
        Self {
            services: [&vc.forward, &vc.backward].map(|service| Arc::new(service.clone())),
            police: police.map(|police| (police.direction, Arc::new(police.clone()))),
        }
    }
}

impl Ways<'_> {
    fn vc(&mut self, written: Written<'_>) -> Result<Vc, Problem> {
        let (name, vc) = (written.name, written.vc);
        let way = self.along(&format!("vcs.{name}.route"), &written.route)?;
        let mut directions = [
            self.direction(name, Direction::Forward, &written.terms, &way)?,
            self.direction(name, Direction::Backward, &written.terms, &way)?,
        ];
        for (direction, own) in
            { directions.iter_mut() }.zip([Direction::Forward, Direction::Backward])
        {
            let ends = written.virtual_ends.as_deref();
            let shapers = self.shapers(name, vc, ends, &way, own)?;
            if !shapers.is_empty() {
                direction.between_ends_mut().shapers = shapers;
            }
        }
        let is_plain = directions[0].links.len() + 1 == written.route.len()
            && directions[0].carried().is_empty()
            && !self.carries(&written.route);
        if !is_plain && written.virtual_ends.is_some() {
            let message = "virtual ends need a route of hosts and switches only";
            return Err(Problem::at(&format!("vcs.{name}.virtual_ends"), message));
        }
        if vc.police.as_ref().is_some_and(|it| it.dynamic.is_some()) {
            self.check_policed(name, &written.route, directions[0].links.len())?;
        }
        Ok(Vc {
            name: written.member,
            nodes: way.nodes,
            adaptation: Adaptation {
                aal: vc.aal.into(),
                encapsulation: vc.encapsulation.0,
            },
            mtu: octets(vc.mtu),
            weight: vc.weight.0,
            source_buffer: vc.source_buffer.map_or(u64::MAX, |buffer| buffer.0.0),
            source_drop: vc.source_drop,
            virtual_ends: written.virtual_ends,
            gfc_group: vc.gfc_group,
            refusal: None,
            directions,
        })
    }

    /// The place of the link over which cells come to the policer of a direction.
    fn policed_after(
        &self,
        vc: &str,
        police: Option<&(Direction, Arc<Police>)>,
        way: &Way,
    ) -> Result<usize, Problem> {
        let Some((direction, police)) = police else {
            return Ok(0);
        };
        let Some(at) = &police.at else { return Ok(0) };
        let node = self.inner_node(&format!("vcs.{vc}.police.at"), at, way)?;
        Ok(way.place_of(node, *direction) - 1)
    }

    /// Checks that the cells of an ABR source and the RM cells that return to it pass a node between its ends.
    fn check_policed(&self, vc: &str, route: &[usize], links: usize) -> Result<(), Problem> {
        // A LAN stands in the route, but it is a link.
        let message = if links < 2 {
            "the policer follows the RM cells that pass it, but no switch is between the ends of the VC"
        } else if self.carries(route) {
            "the VC carries the cells of others between routers, which the policer does not see"
        } else {
            return Ok(());
        };
        Err(Problem::at(&format!("vcs.{vc}.police.dynamic"), message))
    }

    fn direction(
        &self,
        vc: &str,
        direction: Direction,
        terms: &Terms,
        way: &Way,
    ) -> Result<VcDirection, Problem> {
        let links = Arc::clone(&way.links[direction.index()]);
        let carried = way.carried[direction.index()].clone();
        let service = &terms.services[direction.index()];
        let path = format!("vcs.{vc}.{}", direction.as_str());
        if !carried.is_empty() && matches!(**service, Service::Abr(_)) {
            let message = "a VC that another one carries between routers has no ABR loop of its own; expected \
                           \"ubr\", or another service that is not \"abr\"";
            return Err(Problem::at(&format!("{path}.service"), message));
        }
        let mut loop_links = links.len();
        if let Service::Abr(abr) = &**service
            && let Some(name) = &abr.turn_around_at
        {
            let route: Vec<usize> = match direction {
                Direction::Forward => way.nodes.to_vec(),
                Direction::Backward => way.nodes.iter().rev().copied().collect(),
            };
            loop_links = self.loop_links(&path, name, &route)?;
        }
        let police = terms.police.as_ref();
        let police = police.filter(|police| police.0 == direction);
        let between_ends = BetweenEnds {
            carried,
            policed_after: self.policed_after(vc, police, way)?,
            ..BetweenEnds::default()
        };
        Ok(VcDirection {
            links,
            between_ends: (between_ends != BetweenEnds::default()).then(|| Box::new(between_ends)),
            service: Arc::clone(service),
            police: police.map(|police| Arc::clone(&police.1)),
            loop_links,
        })
    }

    /// The number of links that forward RM cells cross up to the switch called `name`.
    fn loop_links(&self, path: &str, name: &str, route: &[usize]) -> Result<usize, Problem> {
        let path = format!("{path}.turn_around_at");
        if route.iter().any(|&node| self.kind(node) == NodeKind::Lan) {
            let message = "a local loop needs a route without LANs";
            return Err(Problem::at(&path, message));
        }
        let inner = &route[1..route.len() - 1];
        let known = || inner.iter().map(|&node| self.name(node));
        let at = known().position(|known| known == name).ok_or_else(|| {
            let hint = suggestion(name, known());
            Problem::at(&path, format!("\"{name}\" is no switch on the route{hint}"))
        })?;
        Ok(at + 1)
    }
}

/// The virtual ends of a VC along its route.
fn virtual_ends(
    name: &str,
    vc: &scenario::Vc,
    nodes: &Nodes,
    route: &[Group],
    index: usize,
) -> Result<Option<Box<VirtualEnds>>, Problem> {
    let Some(written) = &vc.virtual_ends else {
        return Ok(None);
    };
    let path = format!("vcs.{name}.virtual_ends.at");
    let is_abr =
        |service: &Service| matches!(service, Service::Abr(abr) if abr.turn_around_at.is_none());
    if !is_abr(&vc.forward) || !is_abr(&vc.backward) {
        let message = "virtual ends need `service = \"abr\"` from end to end in both directions";
        return Err(Problem::at(&path, message));
    }
    let inner: Vec<usize> = route[1..route.len() - 1]
        .iter()
        .map(|it| it.member(index))
        .collect();
    let find = |switch: &String| {
        let found = inner
            .iter()
            .find(|&&node| nodes.nodes[node].name == *switch);
        let known = inner.iter().map(|&node| nodes.nodes[node].name.as_str());
        let message = || {
            format!(
                "\"{switch}\" is no switch on the route{}",
                suggestion(switch, known.clone())
            )
        };
        found.copied().ok_or_else(|| Problem::at(&path, message()))
    };
    Ok(Some(Box::new(VirtualEnds {
        at: written.at.iter().map(find).collect::<Result<_, _>>()?,
        queue_target: written.queue_target.0,
        buffer: written.buffer.map(|buffer| buffer.0.0),
    })))
}

fn check_route(path: &str, nodes: &Nodes, route: &[usize]) -> Result<(), Problem> {
    for (position, &node) in route.iter().enumerate() {
        let Node { name, kind, .. } = &nodes.nodes[node];
        let is_end = position == 0 || position + 1 == route.len();
        let wrong = match kind {
            NodeKind::Host if !is_end => Some("a host in the middle"),
            NodeKind::Switch if is_end => Some("a switch at the end"),
            NodeKind::Lan if is_end => Some("a LAN at the end"),
            _ => None,
        };
        if let Some(what) = wrong {
            let rule = "a route goes from a host over switches to a host";
            return Err(Problem::at(path, format!("{rule}; \"{name}\" is {what}")));
        }
        let is_lan = |&node: &usize| nodes.nodes[node].kind == NodeKind::Lan;
        if is_lan(&node) && is_lan(&route[position + 1]) {
            let message =
                format!("a LAN follows the LAN \"{name}\"; put a switch or router between");
            return Err(Problem::at(path, message));
        }
        if route[..position].contains(&node) {
            return Err(Problem::at(
                path,
                format!("the route passes \"{name}\" twice"),
            ));
        }
    }
    Ok(())
}

fn check_hops(vcs: &[Vc]) -> Result<(), Problem> {
    let hops: usize = vcs
        .iter()
        .flat_map(|vc| &vc.directions)
        .map(|direction| direction.links.len())
        .sum();
    if hops < MOST_HOPS {
        return Ok(());
    }
    let message =
        format!("the VCs cross {hops} links in total, more than {MOST_HOPS}; lower a `count`");
    Err(Problem::at("vcs", message))
}

/// Checks that a tunnel VC is not carried by another, crosses no LAN, and has no end of a control loop on its path.
fn check_carriers(vcs: &[Vc]) -> Result<(), Problem> {
    let directions = vcs.iter().flat_map(|vc| &vc.directions);
    for by in directions.flat_map(VcDirection::carried) {
        let carrier = &vcs[by.by / 2];
        let nested = carrier.directions.iter().any(|it| !it.carried().is_empty());
        if nested || carrier.directions[0].links.len() + 1 != carrier.nodes.len() {
            let message = format!(
                "\"{}\" carries other VCs between its routers; its own route may have only switches between them",
                carrier.name
            );
            return Err(Problem::at("vcs", message));
        }
    }
    Ok(())
}
