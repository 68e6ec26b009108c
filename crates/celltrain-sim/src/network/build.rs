//! From names to indices: expands groups and finds routes.

mod backgrounds;
mod flows;
mod groups;
mod links;
mod loops;
mod probes;
mod vc_groups;
mod vcs;
mod ways;

use std::iter::repeat_n;

use celltrain_proto::units::{Span, Time};

use self::groups::Nodes;
use super::model::{Link, Network};
use super::record::Names;
use crate::scenario::{self, Problem, Scenario};

pub use flows::ETHERNET_MTU;

/// Builds the network of a scenario whose single values have been checked.
pub(super) fn network(scenario: &Scenario) -> Result<Network, Problem> {
    let nodes = Nodes::new(scenario)?;
    let links = links::links(scenario, &nodes)?;
    let (vcs, vc_groups) = vcs::vcs(scenario, &nodes, &links)?;
    let flows = flows::flows(scenario, &vc_groups)?;
    flows::check_ends(&flows, &vcs, &nodes)?;
    flows::check_frames(&hosts(scenario), &flows, &vcs, &nodes)?;
    let backgrounds = backgrounds::backgrounds(scenario, &vc_groups, &flows, &vcs)?;
    loops::check(&vcs, &links)?;
    let names = Names {
        links: links.iter().map(Link::unique_name).collect(),
        vcs: vcs.iter().map(|vc| vc.name.to_string()).collect(),
        flows: flows.iter().map(|flow| flow.name.clone()).collect(),
    };
    let at = |span: Span| Time::ZERO + span;
    Ok(Network {
        probes: probes::probes(scenario, &names, &flows)?,
        hosts: hosts(scenario),
        nodes: nodes.nodes,
        links,
        vcs,
        flows,
        backgrounds,
        warm_up: at(scenario.measure.warm_up.0),
        parts: scenario.measure.parts.unwrap_or(0),
        end: at(scenario.measure.duration.0),
        silence: scenario.silence.clone(),
    })
}

/// The section of each host, in the order of the nodes; hosts come first.
fn hosts(scenario: &Scenario) -> Vec<scenario::Host> {
    let each = scenario.hosts.values();
    each.flat_map(|host| repeat_n(*host, host.count.unwrap_or(1) as usize))
        .collect()
}
