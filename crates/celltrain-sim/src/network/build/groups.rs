//! Nodes by name, and groups whose members are paired by index.

use celltrain_language::suggestion;

use crate::network::model::{Node, NodeKind};
use crate::network::mtus::octets;
use crate::network::name::Name;
use crate::scenario::{Named, Problem, Scenario, Switch};

/// The most nodes, links, VCs or flows of a network.
const MOST: usize = 4_000_000;

/// Nodes by their names in the scenario: hosts, groups of hosts, switches, LANs, routers.
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    groups: Named<Group>,
}

/// The nodes that one name in a scenario stands for.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) nodes: Vec<usize>,
    /// Whether the group has a `count`, so that names made from it include the member's number.
    counted: bool,
}

impl Group {
    /// The node paired with member number `index` of another group.
    pub(super) fn member(&self, index: usize) -> usize {
        self.nodes[if self.counted { index } else { 0 }]
    }
}

impl Nodes {
    pub(super) fn new(scenario: &Scenario) -> Result<Self, Problem> {
        let mut nodes = Self {
            nodes: Vec::new(),
            groups: Named::new(),
        };
        for (name, host) in &scenario.hosts {
            let count = host.count.map(|count| count as usize);
            nodes.add(&format!("hosts.{name}"), name, count, NodeKind::Host)?;
        }
        for name in scenario.switches.keys() {
            nodes.add(&format!("switches.{name}"), name, None, NodeKind::Switch)?;
        }
        for name in scenario.lans.keys() {
            nodes.add(&format!("lans.{name}"), name, None, NodeKind::Lan)?;
        }
        for (name, router) in &scenario.routers {
            nodes.add(&format!("routers.{name}"), name, None, NodeKind::Router)?;
            if let Some(node) = nodes.nodes.last_mut() {
                node.mtu = octets(router.mtu);
            }
        }
        let mut names: Vec<&str> = nodes.nodes.iter().map(|node| node.name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Problem::at(
                "hosts",
                format!("two nodes are called \"{}\"", pair[0]),
            )),
            None => Ok(nodes),
        }
    }

    /// The section of the switch with this index; `None` for other nodes.
    pub(super) fn switch<'a>(&self, scenario: &'a Scenario, node: usize) -> Option<&'a Switch> {
        let Node { name, kind, .. } = &self.nodes[node];
        (*kind == NodeKind::Switch)
            .then(|| scenario.switches.get(name))
            .flatten()
    }

    fn add(
        &mut self,
        path: &str,
        name: &str,
        count: Option<usize>,
        kind: NodeKind,
    ) -> Result<(), Problem> {
        let first = self.nodes.len();
        let names = Name::members(name, count).map(|name| name.to_string());
        self.nodes.extend(names.map(|name| Node {
            name,
            kind,
            mtu: None,
            first,
        }));
        let group = Group {
            nodes: (first..self.nodes.len()).collect(),
            counted: count.is_some(),
        };
        if self.groups.insert(name.to_owned(), group).is_some() {
            return Err(Problem::at(
                path,
                format!("the name \"{name}\" is taken by another node"),
            ));
        }
        within_bounds(path, self.nodes.len())
    }

    /// The group called `name`, which may also be a single member of a group.
    fn group(&self, path: &str, name: &str) -> Result<Group, Problem> {
        if let Some(group) = self.groups.get(name) {
            return Ok(group.clone());
        }
        if let Some(node) = self.nodes.iter().position(|node| node.name == name) {
            return Ok(Group {
                nodes: vec![node],
                counted: false,
            });
        }
        let hint = suggestion(name, self.groups.keys().map(String::as_str));
        Err(Problem::at(
            path,
            format!("there is no node \"{name}\"{hint}"),
        ))
    }

    /// The groups called `names`, and their common size if any has a `count`.
    pub(super) fn side_by_side(
        &self,
        path: &str,
        names: &[&str],
    ) -> Result<(Vec<Group>, Option<usize>), Problem> {
        let find = |name: &&str| self.group(path, name);
        let groups = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let mut counted = names.iter().zip(&groups).filter(|(_, group)| group.counted);
        let Some((first, group)) = counted.next() else {
            return Ok((groups, None));
        };
        let size = group.nodes.len();
        match counted.find(|(_, group)| group.nodes.len() != size) {
            None => Ok((groups, Some(size))),
            Some((other, group)) => {
                let message = format!(
                    "groups that are taken side by side must have one size; \"{first}\" has {size} members, \
                     \"{other}\" has {}",
                    group.nodes.len()
                );
                Err(Problem::at(path, message))
            }
        }
    }
}

pub(super) fn within_bounds(path: &str, size: usize) -> Result<(), Problem> {
    let message =
        || format!("the network has more than {MOST} parts; lower a `count`, or `per_vc`");
    if size <= MOST {
        Ok(())
    } else {
        Err(Problem::at(path, message()))
    }
}
