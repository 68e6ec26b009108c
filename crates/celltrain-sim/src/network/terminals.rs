//! The end systems on which generic flow control acts, and what it requires of a network.

use std::collections::BTreeMap;

use super::model::Network;
use crate::scenario::{Gfc, GfcScope, Host, Problem};

/// An end system that obeys GFC commands: the sources that one command acts on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Terminal {
    /// The link whose queue the commands follow from.
    pub(crate) link: usize,
    /// The directions of VCs that start there, in ascending order: 2 x VC + (0 forward, 1 backward).
    pub(crate) members: Vec<usize>,
}

impl Network {
    /// The end systems on which GFC acts.
    pub(crate) fn terminals(&self) -> Vec<Terminal> {
        let mut terminals: Vec<Terminal> = Vec::new();
        // By link from a host to its switch: the terminal, where commands act on the whole host.
        let mut of_hosts: BTreeMap<usize, usize> = BTreeMap::new();
        for (direction, link, gfc) in self.sources_under_gfc() {
            let access = self.direction(direction).links[0];
            let number = match gfc.scope() {
                GfcScope::Vc => None,
                GfcScope::Host => Some(*of_hosts.entry(access).or_insert(terminals.len())),
            };
            match number.and_then(|number| terminals.get_mut(number)) {
                Some(terminal) => terminal.members.push(direction),
                None => terminals.push(Terminal {
                    link,
                    members: vec![direction],
                }),
            }
        }
        // The other VCs of a host do not cross the queue.
        for direction in (0..2 * self.vcs.len()).filter(|_| !of_hosts.is_empty()) {
            if let Some(access) = self.direction(direction).links.first()
                && let Some(&number) = of_hosts.get(access)
                && self.gfc_of(direction).is_none()
            {
                terminals[number].members.push(direction);
            }
        }
        for terminal in &mut terminals {
            terminal.members.sort_unstable();
        }
        terminals
    }

    /// The directions that start at end systems that obey GFC, and whose first queue in the network gives commands.
    fn sources_under_gfc(&self) -> impl Iterator<Item = (usize, usize, &Gfc)> {
        let directions = 0..2 * self.vcs.len();
        directions.filter_map(|direction| {
            let (link, gfc) = self.gfc_of(direction)?;
            Some((direction, link, gfc))
        })
    }

    /// The link whose GFC commands the source of a direction obeys because its cells cross the queue.
    fn gfc_of(&self, direction: usize) -> Option<(usize, &Gfc)> {
        let link = *self.direction(direction).links.get(1)?;
        let gfc = self.gfc_at(link)?;
        self.obeys_gfc(direction).then_some((link, gfc))
    }

    fn gfc_at(&self, link: usize) -> Option<&Gfc> {
        self.links[link].line.as_ref()?.gfc.as_ref()
    }

    /// Whether the end system at which a direction starts obeys GFC. Routers do.
    fn obeys_gfc(&self, direction: usize) -> bool {
        let nodes = &self.vcs[direction / 2].nodes;
        let node = if direction.is_multiple_of(2) {
            nodes.first()
        } else {
            nodes.last()
        };
        // Hosts come first among the nodes.
        let host = node.and_then(|&node| self.hosts.get(node));
        host.is_none_or(Host::obeys_gfc)
    }
}

/// Finds the first requirement of GFC that a network does not meet.
pub(super) fn check(network: &Network) -> Result<(), Problem> {
    elsewhere(network)?;
    let terminals = network.terminals();
    two_queues(network, &terminals)?;
    groups(network, &terminals)
}

/// Checks that a link with GFC leads from the first switch of each VC that crosses it.
fn elsewhere(network: &Network) -> Result<(), Problem> {
    let directions = network.vcs.iter().flat_map(|vc| &vc.directions);
    let deep = directions.into_iter().find_map(|direction| {
        let mut links = direction.links.iter().enumerate();
        links.find(|&(at, &link)| at != 1 && network.gfc_at(link).is_some())
    });
    deep.map_or(Ok(()), |(_, &link)| {
        let name = &network.links[link].name;
        let message = "GFC acts between hosts and their first switch; a VC crosses this link elsewhere on its path";
        Err(Problem::at(&format!("links.{name}.gfc"), message))
    })
}

/// Checks that only one queue gives commands to a host that obeys them as a whole.
fn two_queues(network: &Network, terminals: &[Terminal]) -> Result<(), Problem> {
    let is_of_host = |terminal: &Terminal| {
        let gfc = network.gfc_at(terminal.link);
        gfc.is_some_and(|gfc| gfc.scope() == GfcScope::Host)
    };
    let of_hosts = terminals.iter().filter(|terminal| is_of_host(terminal));
    let access = |direction: usize| network.direction(direction).links[0];
    let of_hosts: BTreeMap<usize, usize> = of_hosts
        .filter_map(|terminal| Some((access(*terminal.members.first()?), terminal.link)))
        .collect();
    for (direction, link, _) in network.sources_under_gfc() {
        let Some(&first) = of_hosts.get(&access(direction)) else {
            continue;
        };
        if link != first {
            let [one, other] = [first, link].map(|link| network.links[link].unique_name());
            let host = &network.nodes[network.links[access(direction)].from].name;
            let message = format!(
                "\"host\" lets one queue command all VCs of {host}, but its VCs cross two queues with GFC, \"{one}\" and \
                 \"{other}\"; give both `scope = \"vc\"`, or only one of them `gfc`"
            );
            let name = &network.links[first].name;
            return Err(Problem::at(&format!("links.{name}.gfc.scope"), message));
        }
    }
    Ok(())
}

/// Checks that each controlled VC has a counter wherever commands act on it, and that they do somewhere.
fn groups(network: &Network, terminals: &[Terminal]) -> Result<(), Problem> {
    let mut is_commanded = vec![false; network.vcs.len()];
    for terminal in terminals {
        for vc in terminal.members.iter().map(|direction| direction / 2) {
            is_commanded[vc] = true;
            let Some(group) = network.vcs[vc].gfc_group else {
                continue;
            };
            let gfc = network.gfc_at(terminal.link);
            if gfc.is_some_and(|gfc| gfc.counter(group.group()).is_none()) {
                let (name, link) = (
                    network.vcs[vc].name.group(),
                    &network.links[terminal.link].name,
                );
                let group = group.as_str();
                let message = format!(
                    "the VC is in group {group}, which gets no SET at links.{link}, so it could not send; give \
                     links.{link}.gfc a `group_{group}`, such as {{ set_below = \"100 cells\" }}"
                );
                return Err(Problem::at(&format!("vcs.{name}.gfc_group"), message));
            }
        }
    }
    let mut vcs = network.vcs.iter().zip(is_commanded);
    let idle = vcs.find(|(vc, is_commanded)| vc.gfc_group.is_some() && !is_commanded);
    idle.map_or(Ok(()), |(vc, _)| {
        let message = "no GFC command acts on the VC, so its group means nothing; expected a link with `gfc` from the \
                       first switch of its route, or of the way back, and a host there that is not \"uncontrolled\"";
        let path = format!("vcs.{}.gfc_group", vc.name.group());
        Err(Problem::at(&path, message))
    })
}
