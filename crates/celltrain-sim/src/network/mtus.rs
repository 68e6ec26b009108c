//! The longest IP packets that the networks on a path carry whole.

use celltrain_proto::ip::Fragment;
use celltrain_proto::units::Bytes;

use super::model::{Flow, Network, NodeKind};
use crate::scenario::{Host, Problem, Text};

/// Octets of IP and TCP headers without options.
const HEADERS: u64 = 40;

/// What limits the length of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// The network between a host, the node with this number, and its VCs.
    Host(usize),
    Router(usize),
    Link(usize),
    Vc(usize),
}

/// The MTUs along one direction of a VC, in octets.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Mtus {
    /// That of the network of the sending host.
    pub(crate) sender: Option<u32>,
    /// Those between the hosts that are smaller than all before them.
    pub(crate) path: Vec<u32>,
    /// That of the network of the receiving host.
    pub(crate) receiver: Option<u32>,
}

impl Mtus {
    /// Whether a packet of this many octets is cut.
    pub(crate) fn cut(&self, octets: u32) -> bool {
        let all = self.path.iter().chain(&self.sender).chain(&self.receiver);
        all.into_iter().any(|&mtu| mtu < octets)
    }

    /// The number of fragments in which a packet of this many octets enters the VC; 1 if it is whole.
    pub(crate) fn pieces(&self, octets: u32) -> usize {
        if self.cut(octets) {
            self.fragments(octets).len()
        } else {
            1
        }
    }

    /// The fragments of a packet as they enter the VC.
    fn fragments(&self, octets: u32) -> Vec<Fragment> {
        let whole = vec![Fragment::whole(octets)];
        let mtus = self.sender.iter().chain(&self.path);
        mtus.fold(whole, |parts, &mtu| {
            let parts = parts.into_iter();
            parts.flat_map(|part| part.cut(mtu)).collect()
        })
    }
}

impl Network {
    /// The MTUs along a direction of a VC: 2 x VC + (0 forward, 1 backward).
    pub(crate) fn mtus(&self, direction: usize) -> Mtus {
        let sender = self.vcs[direction / 2].ends()[direction % 2];
        let (mut mtus, mut least) = (Mtus::default(), u32::MAX);
        for (place, mtu) in self.limits(direction) {
            match place {
                Place::Host(node) if node == sender => mtus.sender = Some(mtu),
                Place::Host(_) => mtus.receiver = Some(mtu),
                _ if mtu < least => mtus.path.push(mtu),
                _ => {}
            }
            least = least.min(mtu);
        }
        mtus
    }

    /// The smallest MTU between the hosts at the ends of a VC, in octets, theirs included.
    pub fn path_mtu(&self, vc: usize) -> Option<u32> {
        let limits = [2 * vc, 2 * vc + 1].map(|direction| self.limits(direction));
        limits.into_iter().flatten().map(|(_, mtu)| mtu).min()
    }

    /// The number of cells in which a packet of `octets` octets leaves for a direction of a VC, if `fragments` says that
    /// it may be cut.
    pub fn packet_cells(&self, direction: usize, octets: u64, fragments: bool) -> u64 {
        let adaptation = self.vcs[direction / 2].adaptation;
        let mtus = if fragments {
            self.mtus(direction)
        } else {
            Mtus::default()
        };
        if !mtus.cut(octets as u32) {
            return adaptation.cells_for_ip(octets);
        }
        let parts = mtus.fragments(octets as u32).into_iter();
        let cells = |part: Fragment| adaptation.cells_for_ip(part.octets().into());
        parts.map(cells).sum()
    }

    /// What limits the packets of a direction, from its first node to its last.
    fn limits(&self, direction: usize) -> Vec<(Place, u32)> {
        let vc = &self.vcs[direction / 2];
        let mut nodes = vc.nodes.to_vec();
        if direction % 2 == 1 {
            nodes.reverse();
        }
        let mut limits = Vec::new();
        let mut add = |place, mtu: Option<u32>| limits.extend(mtu.map(|mtu| (place, mtu)));
        let lan = |node: usize| self.hosts.get(node).and_then(Host::lan);
        let host = |node: usize| lan(node).map(|lan| lan.mtu());
        add(Place::Host(nodes[0]), host(nodes[0]));
        add(Place::Vc(direction / 2), vc.mtu);
        let (direction, mut at) = (self.direction(direction), 0);
        // A VC that is not admitted has no links.
        for pair in nodes.windows(2).take_while(|_| vc.is_admitted()) {
            let is_lan = |node: usize| self.nodes[node].kind == NodeKind::Lan;
            add(Place::Router(pair[0]), self.nodes[pair[0]].mtu);
            if is_lan(pair[1]) {
                continue; // The LAN is a link from here to the next node.
            }
            let carried = direction.carried().iter();
            let stretch = carried
                .filter(|_| !is_lan(pair[0]))
                .find(|it| it.first == at);
            if let Some(stretch) = stretch {
                add(Place::Vc(stretch.by / 2), self.vcs[stretch.by / 2].mtu);
            }
            let count = stretch.map_or(1, |stretch| stretch.links);
            for &link in &direction.links[at..at + count] {
                add(Place::Link(link), self.links[link].mtu);
            }
            at += count;
        }
        let last = nodes[nodes.len() - 1];
        add(Place::Router(last), self.nodes[last].mtu);
        add(Place::Host(last), host(last));
        limits
    }

    /// Its name in messages.
    fn name_of(&self, place: Place) -> String {
        match place {
            Place::Host(node) => {
                let lan = self.hosts[node].lan();
                let kind = lan.map_or("LAN", |lan| lan.shown());
                format!("the {kind} of {}", self.nodes[node].name)
            }
            Place::Router(node) => format!("routers.{}", self.nodes[node].name),
            Place::Link(link) if self.nodes[self.links[link].from].kind == NodeKind::Lan => {
                format!("lans.{}", self.links[link].name)
            }
            Place::Link(link) => format!("links.{}", self.links[link].name),
            Place::Vc(vc) => format!("vcs.{}", self.vcs[vc].name),
        }
    }

    /// Checks that the segments of connections fit through the networks on their paths, or may be cut.
    pub(super) fn check_mtus(&self) -> Result<(), Problem> {
        for flow in self.flows.iter().filter(|flow| !flow.is_cut()) {
            let direction = 2 * flow.vc + flow.direction.index();
            let octets = flow.tcp.agreed_mss().0 + HEADERS;
            let limits = self.limits(direction).into_iter();
            let Some((place, mtu)) = limits.min_by_key(|limit| limit.1) else {
                continue;
            };
            let mtu = u64::from(mtu);
            if octets > mtu {
                let message = format!(
                    "its segments in packets of {octets} bytes do not fit through {}, whose MTU is {mtu} bytes; give \
                     `tcp.mss` at most {} bytes, or `tcp.fragments = true`",
                    self.name_of(place),
                    mtu - HEADERS,
                );
                return Err(Problem::at(&format!("flows.{}", flow.name), message));
            }
        }
        Ok(())
    }
}

impl Flow {
    /// Whether packets that are longer than an MTU are cut into fragments.
    pub fn is_cut(&self) -> bool {
        self.udp.is_some() || self.tcp.fragments
    }
}

/// An MTU as written, which has been checked, in octets.
pub(super) fn octets(mtu: Option<Text<Bytes>>) -> Option<u32> {
    mtu.map(|Text(Bytes(octets))| octets as u32)
}
