//! The flows of a network, and what they require of its VCs and hosts.

use std::iter::repeat_n;
use std::sync::Arc;

use super::groups::{Nodes, within_bounds};
use super::vc_groups::{VcGroups, group_of};
use crate::network::model::{Flow, NodeKind, Partner, Vc};
use crate::network::name::Name;
use crate::scenario::{self, Problem, Scenario};

/// The flows of a scenario, with groups expanded.
pub(super) fn flows(scenario: &Scenario, vcs: &VcGroups) -> Result<Vec<Flow>, Problem> {
    let mut flows = Vec::new();
    for (name, flow) in &scenario.flows {
        let (indices, counted) = group_of(&format!("flows.{name}.vc"), &flow.vc, vcs)?;
        let per_vc = flow.per_vc.unwrap_or(1) as usize;
        let size = indices.len() * per_vc;
        if flow.per_vc.is_some() {
            within_bounds(&format!("flows.{name}.per_vc"), flows.len() + size)?;
        }
        let is_group = *counted || flow.per_vc.is_some();
        let names = Name::members(name, is_group.then_some(size));
        let each = indices.iter().flat_map(|&vc| repeat_n(vc, per_vc));
        for (vc, name) in each.zip(names) {
            let forth = Flow {
                name: name.to_string(),
                group: Arc::clone(name.group()),
                vc,
                direction: flow.direction,
                dscp: flow.dscp,
                start: flow.start.clone(),
                duration: flow.duration.map(|duration| duration.0),
                at_end: flow.at_end,
                tcp: flow.tcp.clone(),
                application: flow.application.clone(),
                sockets: flow.sockets.clone(),
                udp: flow.udp.clone(),
                partner: None,
            };
            match &flow.back {
                None => flows.push(forth),
                Some(back) => flows.extend(both_ways(forth, back, flows.len())),
            }
        }
    }
    Ok(flows)
}

/// The two directions of a connection; the first has flow number `first`.
fn both_ways(forth: Flow, back: &scenario::Back, first: usize) -> [Flow; 2] {
    let partner = |flow, opens| Some(Partner { flow, opens });
    let back = Flow {
        name: format!("{}.back", forth.name),
        group: format!("{}.back", forth.group).into(),
        direction: forth.direction.reverse(),
        start: back.start.clone(),
        duration: back.duration.map(|duration| duration.0),
        at_end: scenario::AtEnd::Close,
        sockets: back.sockets.clone(),
        partner: partner(first, false),
        ..forth.clone()
    };
    let forth = Flow {
        partner: partner(first + 1, true),
        ..forth
    };
    [forth, back]
}

/// Checks that flows start and end at hosts.
pub(super) fn check_ends(flows: &[Flow], vcs: &[Vc], nodes: &Nodes) -> Result<(), Problem> {
    let ends = |flow: &Flow| {
        let route = &vcs[flow.vc].nodes;
        [route[0], route[route.len() - 1]]
    };
    let is_host = |&end: &usize| nodes.nodes[end].kind == NodeKind::Host;
    match flows.iter().find(|flow| !ends(flow).iter().all(is_host)) {
        None => Ok(()),
        Some(flow) => {
            let message = format!(
                "the VC \"{}\" ends at a router; packets need a host at each end",
                vcs[flow.vc].name
            );
            Err(Problem::at(&format!("flows.{}.vc", flow.name), message))
        }
    }
}
