//! From names to indices: expands groups and finds routes.

mod adaptations;
mod backgrounds;
mod flows;
mod frames;
mod groups;
mod links;
mod loops;
mod probes;
mod shapers;
mod vc_groups;
mod vcs;
mod vps;
mod ways;

use std::collections::BTreeSet;
use std::iter::repeat_n;

use celltrain_proto::units::{Span, Time};

use self::groups::Nodes;
use self::vc_groups::{VcGroups, group_of};
use super::model::{Link, Network, Vc, VcDirection};
use super::record::Names;
use crate::scenario::{self, Admission, CellDelays, Problem, Scenario};

/// Builds the network of a scenario whose single values have been checked.
pub(super) fn network(scenario: &Scenario) -> Result<Network, Problem> {
    let nodes = Nodes::new(scenario)?;
    let links = links::links(scenario, &nodes)?;
    let (mut vcs, vc_groups) = vcs::vcs(scenario, &nodes, &links)?;
    let vps = vps::vps(scenario, &nodes, &links, &vc_groups, &mut vcs)?;
    let flows = flows::flows(scenario, &vc_groups)?;
    flows::check_ends(&flows, &vcs, &nodes)?;
    adaptations::check(&vcs, &links)?;
    let backgrounds = backgrounds::backgrounds(scenario, &vc_groups, &flows, &vcs)?;
    loops::check(&vcs, &links)?;
    let names = Names {
        links: links.iter().map(Link::unique_name).collect(),
        vcs: vcs.iter().map(|vc| vc.name.to_string()).collect(),
        flows: flows.iter().map(|flow| flow.name.clone()).collect(),
    };
    let delays = scenario.measure.cell_delays.clone().unwrap_or_default();
    let timed_vcs = timed_vcs(&delays, &vc_groups, &vcs)?;
    frames::mark(&mut vcs, &links, &nodes.nodes)?;
    frames::check_sources(&vcs, &backgrounds, &timed_vcs)?;
    let at = |span: Span| Time::ZERO + span;
    Ok(Network {
        probes: probes::probes(scenario, &names, &flows)?,
        hosts: hosts(scenario),
        nodes: nodes.nodes,
        links,
        vcs,
        vps,
        flows,
        backgrounds,
        runs_without_refused: scenario
            .admission
            .as_ref()
            .is_some_and(Admission::runs_without_refused),
        timed_vcs,
        delay_alpha: delays.alpha,
        warm_up: at(scenario.measure.warm_up.0),
        parts: scenario.measure.parts.unwrap_or(0),
        end: at(scenario.measure.duration.0),
        silence: scenario.silence.clone(),
        limits: scenario.limits,
    })
}

/// The VCs whose cell delays are measured.
fn timed_vcs(
    delays: &CellDelays,
    groups: &VcGroups,
    vcs: &[Vc],
) -> Result<BTreeSet<usize>, Problem> {
    const PATH: &str = "measure.cell_delays.vcs";
    let mut timed = BTreeSet::new();
    for name in &delays.vcs {
        timed.extend(&group_of(PATH, name, groups)?.0);
    }
    let directions = vcs.iter().flat_map(|vc| &vc.directions);
    let carried = directions.flat_map(VcDirection::carried);
    if let Some(carried) = carried.into_iter().find(|it| timed.contains(&(it.by / 2))) {
        let message = format!(
            "the VC \"{}\" carries cells of other VCs and has none of its own to measure; name those VCs",
            vcs[carried.by / 2].name
        );
        return Err(Problem::at(PATH, message));
    }
    Ok(timed)
}

/// The section of each host, in the order of the nodes; hosts come first.
fn hosts(scenario: &Scenario) -> Vec<scenario::Host> {
    let each = scenario.hosts.values();
    each.flat_map(|host| repeat_n(host.clone(), host.count.unwrap_or(1) as usize))
        .collect()
}
