//! A VC, as the sources that use it must know it.

use super::graph::{Graph, Kind};

/// What a VC has to do with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Alone,
    /// It carries others between two routers.
    Carries,
    /// Another one carries it on a part of its way.
    Carried,
}

/// A VC that sources can use.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    pub(super) name: String,
    pub(super) way: Vec<usize>,
    /// The number of VCs, if it is a group.
    pub(super) count: Option<u64>,
    /// The lines that each direction crosses.
    pub(super) lines: [Vec<usize>; 2],
    pub(super) services: [Service; 2],
    pub(super) role: Role,
    pub(super) mtu: u64,
    /// Whether its packets are in frames.
    pub(super) is_framed: bool,
    /// Whether its packets are in AAL3/4.
    pub(super) is_aal34: bool,
    /// Whether a policer or shaper of its own stands on its way.
    pub(super) is_paced: bool,
}

impl Circuit {
    /// Whether a line on its way is `wanted`.
    pub(super) fn crosses(&self, graph: &Graph, wanted: fn(&super::graph::Line) -> bool) -> bool {
        self.lines
            .iter()
            .flatten()
            .any(|&line| wanted(&graph.lines[line]))
    }

    /// The rate in bit/s that a direction cannot exceed; `None` if nothing limits it.
    pub(super) fn limit(&self, graph: &Graph, direction: usize) -> Option<u64> {
        let rates = self.lines[direction]
            .iter()
            .filter_map(|&line| graph.lines[line].rate);
        rates.chain(self.services[direction].pcr).min()
    }

    pub(super) fn carries(&self) -> bool {
        self.role == Role::Carries
    }

    pub(super) fn is_carried(&self) -> bool {
        self.role == Role::Carried
    }

    pub(super) fn is_abr(&self) -> bool {
        self.services.iter().any(|it| it.name == "abr")
    }
}

/// The service of a direction.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) name: &'static str,
    pub(super) pcr: Option<u64>,
    /// The switch that ends a local loop.
    pub(super) turns_at: Option<String>,
}

impl Service {
    pub(super) fn ubr() -> Self {
        Self {
            name: "ubr",
            pcr: None,
            turns_at: None,
        }
    }
}

/// The switches on the way of a VC.
pub(super) fn inner_switches<'a>(graph: &'a Graph, circuit: &Circuit) -> Vec<&'a str> {
    let inner = &circuit.way[1..circuit.way.len() - 1];
    let switches = inner.iter().filter(|&&node| graph.is(node, Kind::Switch));
    switches.map(|&node| graph.name(node)).collect()
}
