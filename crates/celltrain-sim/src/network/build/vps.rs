//! Virtual paths, and where the cells of VCs belong to them.

use std::collections::BTreeSet;
use std::sync::Arc;

use celltrain_language::suggestion;

use super::groups::Nodes;
use super::vc_groups::{VcGroups, group_of};
use crate::network::model::{
    InPath, Link, NodeKind, PathPolice, Shaper, Vc, VcDirection, Vp, VpDirection,
};
use crate::scenario::{self, Direction, Problem, Scenario, Service};

/// The virtual paths of a scenario. Notes in each VC where its cells belong to one.
pub(super) fn vps(
    scenario: &Scenario,
    nodes: &Nodes,
    links: &[Link],
    groups: &VcGroups,
    vcs: &mut [Vc],
) -> Result<Vec<Vp>, Problem> {
    let mut vps = Vec::with_capacity(scenario.vps.len());
    let given = scenario.vps.values().filter_map(|vp| vp.vpi);
    let mut taken: BTreeSet<u8> = given.collect();
    let mut seen = BTreeSet::new();
    for (number, (name, written)) in scenario.vps.iter().enumerate() {
        let path = format!("vps.{name}");
        let vpi = match written.vpi {
            Some(vpi) if !seen.insert(vpi) => {
                let message = format!("another path has the VPI {vpi}");
                return Err(Problem::at(&format!("{path}.vpi"), message));
            }
            Some(vpi) => vpi,
            None => {
                let free = (1..=u8::MAX).find(|vpi| !taken.contains(vpi));
                free.ok_or_else(|| Problem::at("vps", "there are more than 255 paths"))?
            }
        };
        taken.insert(vpi);
        let vp = Route::new(&path, nodes, links, &written.route)?.vp(&path, name, vpi, written)?;
        for (index, vc) in written.vcs.iter().enumerate() {
            let key = format!("{path}.vcs.{index}");
            for &member in &group_of(&key, vc, groups)?.0 {
                join(&key, &vp, number, &mut vcs[member], nodes)?;
            }
        }
        vps.push(vp);
    }
    check_carriers(vcs)?;
    Ok(vps)
}

/// The nodes of a path and its links in both directions.
struct Route<'a> {
    nodes: &'a Nodes,
    nodes_on_it: Vec<usize>,
    links: [Vec<usize>; 2],
}

impl<'a> Route<'a> {
    fn new(
        path: &str,
        nodes: &'a Nodes,
        links: &[Link],
        names: &[String],
    ) -> Result<Self, Problem> {
        let path = format!("{path}.route");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (groups, _) = nodes.side_by_side(&path, &names)?;
        let route: Vec<usize> = groups.iter().map(|group| group.member(0)).collect();
        for (at, &node) in route.iter().enumerate() {
            let known = &nodes.nodes[node];
            if !matches!(known.kind, NodeKind::Switch | NodeKind::Router) {
                let kind = known.kind.as_str();
                let message = format!(
                    "expected switches and routers, found the {kind} \"{}\"",
                    known.name
                );
                return Err(Problem::at(&path, message));
            }
            if route[..at].contains(&node) {
                let message = format!("the route passes \"{}\" twice", known.name);
                return Err(Problem::at(&path, message));
            }
        }
        let link = |from: usize, to: usize| {
            let found = links
                .iter()
                .position(|link| (link.from, link.to) == (from, to));
            found.ok_or_else(|| {
                let [from, to] = [from, to].map(|node| &nodes.nodes[node].name);
                Problem::at(
                    &path,
                    format!("there is no link from \"{from}\" to \"{to}\""),
                )
            })
        };
        let pairs = || route.windows(2);
        let forward = pairs().map(|pair| link(pair[0], pair[1]));
        let backward = pairs().rev().map(|pair| link(pair[1], pair[0]));
        let links = [
            forward.collect::<Result<_, _>>()?,
            backward.collect::<Result<_, _>>()?,
        ];
        Ok(Self {
            nodes,
            nodes_on_it: route,
            links,
        })
    }

    fn vp(self, path: &str, name: &str, vpi: u8, written: &scenario::Vp) -> Result<Vp, Problem> {
        let directions = [
            self.direction(path, written, Direction::Forward)?,
            self.direction(path, written, Direction::Backward)?,
        ];
        Ok(Vp {
            name: name.to_owned(),
            vpi,
            is_admitted: true,
            nodes: self.nodes_on_it.into(),
            directions,
        })
    }

    fn direction(
        &self,
        path: &str,
        written: &scenario::Vp,
        direction: Direction,
    ) -> Result<VpDirection, Problem> {
        let service = match direction {
            Direction::Forward => &written.forward,
            Direction::Backward => &written.backward,
        };
        let police = written.police.as_ref();
        let police = police.filter(|police| police.direction == direction);
        let police = police.map(|police| {
            Ok(PathPolice {
                after: self.policed_after(&format!("{path}.police.at"), police)?,
                cdvt: police.cdvt.0,
                sustained: police.sustained,
                action: police.action,
            })
        });
        Ok(VpDirection {
            links: self.links[direction.index()].as_slice().into(),
            service: Arc::new(service.clone()),
            shaper: written.shape.and_then(|shape| shaper(&shape, service)),
            police: police.transpose()?,
        })
    }

    /// The place of the link over which cells come to the policer.
    fn policed_after(&self, path: &str, police: &scenario::PolicedPath) -> Result<usize, Problem> {
        let Some(name) = &police.at else { return Ok(0) };
        let mut route = self.nodes_on_it.clone();
        if police.direction == Direction::Backward {
            route.reverse();
        }
        let known = route[1..]
            .iter()
            .map(|&node| self.nodes.nodes[node].name.as_str());
        let found = known.clone().position(|known| known == name);
        found.ok_or_else(|| {
            let hint = suggestion(name, known);
            let message = format!("\"{name}\" is no node of the route after its first{hint}");
            Problem::at(path, message)
        })
    }
}

/// The shaper of a direction with this service, if it has a contract.
fn shaper(written: &scenario::ShapedPath, service: &Service) -> Option<Shaper> {
    let demand = service.demand();
    let is_sustained = demand.mean < demand.peak;
    Some(Shaper {
        place: 0,
        pcr: service.pcr()?,
        cdvt: written.cdvt.0,
        sustained: is_sustained.then_some((demand.mean, demand.burst)),
        buffer: written.buffer.0.0,
    })
}

/// Notes in both directions of a VC where it belongs to path number `number`.
fn join(key: &str, vp: &Vp, number: usize, vc: &mut Vc, nodes: &Nodes) -> Result<(), Problem> {
    let name = vc.name.to_string();
    let refuse = |message: String| Err(Problem::at(key, message));
    let is_forward = vc.directions[0].place_of(&vp.directions[0].links).is_some();
    for (own, direction) in vc.directions.iter_mut().enumerate() {
        let way = if is_forward { own } else { 1 - own };
        let path = &vp.directions[way];
        let Some(first) = direction.place_of(&path.links).filter(|&first| first > 0) else {
            let names = vp.nodes.iter().map(|&node| nodes.nodes[node].name.as_str());
            let names: Vec<&str> = names.collect();
            return refuse(format!(
                "the route of \"{name}\" does not pass {} between its ends, one after the other",
                names.join(", ")
            ));
        };
        let stretch = InPath {
            first,
            links: path.links.len(),
            by: 2 * number + way,
        };
        if matches!(*direction.service, Service::Abr(_)) {
            return refuse(format!(
                "\"{name}\" is ABR, and its loop would pass a path with another service; expected VCs without ABR"
            ));
        }
        let mut places = first..first + path.links.len();
        let is_taken = |at: usize| {
            direction.carried_at(at).is_some() || direction.paths().iter().any(|it| it.has(at))
        };
        if places.any(is_taken) {
            return refuse(format!(
                "\"{name}\" belongs to another path there, or another VC carries its cells"
            ));
        }
        if path.shaper.is_some() && direction.shapers().iter().any(|it| it.place == first) {
            return refuse(format!(
                "\"{name}\" has a shaper of its own where the path is shaped; leave one of them out"
            ));
        }
        let policed = path.police.map(|police| first + police.after);
        if direction.police.is_some() && policed == Some(direction.policed_after()) {
            return refuse(format!(
                "\"{name}\" is policed by itself where the path is policed; leave one of them out"
            ));
        }
        let mut paths = direction.paths().to_vec();
        paths.push(stretch);
        paths.sort_by_key(|it| it.first);
        direction.between_ends_mut().paths = paths.into();
    }
    Ok(())
}

/// Checks that no VC of a path carries others: their cells would not belong to the path.
fn check_carriers(vcs: &[Vc]) -> Result<(), Problem> {
    let directions = vcs.iter().flat_map(|vc| &vc.directions);
    let carriers = directions.flat_map(VcDirection::carried);
    for carrier in carriers.map(|carried| &vcs[carried.by / 2]) {
        if !carrier.directions[0].paths().is_empty() {
            let message = format!(
                "\"{}\" carries other VCs between routers; it cannot belong to a virtual path",
                carrier.name
            );
            return Err(Problem::at("vps", message));
        }
    }
    Ok(())
}
