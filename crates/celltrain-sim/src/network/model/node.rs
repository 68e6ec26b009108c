//! Nodes: hosts, switches, LANs and routers.

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An end system.
    Host,
    /// A node that forwards cells.
    Switch,
    /// A queue shared by all VCs that cross it in either direction.
    Lan,
    /// An end of tunnel VCs, which carry others.
    Router,
}

impl NodeKind {
    /// The name of its section in a scenario, in the singular.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Switch => "switch",
            Self::Lan => "lan",
            Self::Router => "router",
        }
    }
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name, with the member's number in a group.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// The longest IP packet that it forwards, in octets.
    pub mtu: Option<u32>,
    /// The first node of its group, which is itself outside a group.
    pub first: usize,
}
