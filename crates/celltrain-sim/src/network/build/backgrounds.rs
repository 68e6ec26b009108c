//! The backgrounds of a network. No two share a direction of a VC.

use std::collections::BTreeSet;
use std::sync::Arc;

use celltrain_proto::traffic::TrafficSource;

use super::vc_groups::{VcGroups, group_of};
use crate::network::model::{Background, BackgroundGroup, Flow, Vc, VcDirection};
use crate::scenario::{Direction, Problem, Scenario};

/// The backgrounds of a scenario, with groups expanded.
pub(super) fn backgrounds(
    scenario: &Scenario,
    vc_groups: &VcGroups,
    flows: &[Flow],
    vcs: &[Vc],
) -> Result<Vec<Background>, Problem> {
    let groups = scenario.backgrounds.values();
    let sizes = groups.map(|it| vc_groups.get(&it.vc).map_or(0, |vcs| vcs.0.len()));
    let mut backgrounds: Vec<Background> = Vec::with_capacity(sizes.sum());
    let both = [Direction::Forward, Direction::Backward].map(Direction::index);
    let mut taken: BTreeSet<(usize, usize)> = flows
        .iter()
        .flat_map(|flow| both.map(|direction| (flow.vc, direction)))
        .collect();
    let carried = vcs.iter().flat_map(|vc| &vc.directions);
    let carried = carried.flat_map(VcDirection::carried);
    taken.extend(carried.map(|it| (it.by / 2, it.by % 2)));
    for (name, background) in &scenario.backgrounds {
        let path = format!("backgrounds.{name}.vc");
        let (indices, counted) = group_of(&path, &background.vc, vc_groups)?;
        let direction = background.direction;
        let group = Arc::new(BackgroundGroup {
            name: name.clone(),
            direction,
            start: background.start.clone(),
            traffic: background.traffic.clone(),
        });
        for (&vc, member) in indices.iter().zip(1..) {
            if !taken.insert((vc, direction.index())) {
                let message = format!(
                    "the VC \"{}\" already carries other traffic {}; give the background a VC of its own",
                    background.vc,
                    direction.as_str()
                );
                return Err(Problem::at(&path, message));
            }
            let service = &vcs[vc].directions[direction.index()].service;
            if background.traffic.is_greedy() && service.is_unshaped() {
                let message = format!(
                    "a greedy background sends as fast as its VC allows, and nothing limits \"{}\" {}; give it a `pcr`",
                    background.vc,
                    direction.as_str()
                );
                return Err(Problem::at(&path, message));
            }
            backgrounds.push(Background {
                group: Arc::clone(&group),
                member: counted.then_some(member),
                vc: vc as u32,
            });
        }
    }
    Ok(backgrounds)
}
