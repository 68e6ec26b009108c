//! The network that carries real packets: that of a scenario without the flows that they replace.

use celltrain_proto::units::{Span, Time};
use celltrain_sim::network::{Link, Network};
use celltrain_sim::scenario::Direction;

/// A network, and the VC whose ends are the two hosts.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// The network: flows on the VC are omitted, the others and all backgrounds continue alongside the real packets. It
    /// has no probes.
    pub network: Network,
    /// Index of the VC.
    pub vc: usize,
}

impl Carrier {
    /// Creates the network of a scenario in which the VC named `vc` carries the packets; without a name, the only VC
    /// not used by a background.
    ///
    /// # Errors
    ///
    /// Returns an error message if there is no such VC, or more than one.
    pub fn new(network: &Network, vc: Option<&str>) -> Result<Self, String> {
        let vc = match vc {
            Some(name) => named(network, name)?,
            None => only(network)?,
        };
        if !network.vcs[vc].is_admitted() {
            return Err(format!(
                "VC {} is not admitted and carries nothing; choose another, or see [admission]",
                network.vcs[vc].name
            ));
        }
        if let Some(background) = network.backgrounds.iter().find(|it| it.vc as usize == vc) {
            return Err(format!(
                "VC {} carries the cells of backgrounds.{} and has no room for packets; choose another",
                network.vcs[vc].name,
                background.name()
            ));
        }
        let mut network = network.clone();
        network.flows.retain(|flow| flow.vc != vc);
        network.probes.clear();
        (network.warm_up, network.parts, network.end) = (Time::ZERO, 0, Time::NEVER);
        Ok(Self { network, vc })
    }

    /// The links of one direction of the VC.
    pub fn links(&self, direction: Direction) -> &[usize] {
        &self.network.vcs[self.vc].directions[direction.index()].links
    }

    /// The nodes at the two ends of the VC, starting with that of the forward direction.
    pub fn ends(&self) -> [&str; 2] {
        let nodes = &self.network.vcs[self.vc].nodes;
        [nodes[0], nodes[nodes.len() - 1]].map(|node| self.network.nodes[node].name.as_str())
    }

    /// The shortest propagation delay from one end to the other.
    pub fn propagation(&self, direction: Direction) -> Span {
        let links = self.links(direction).iter();
        links.fold(Span::ZERO, |sum, &link| {
            sum + self.network.links[link].delay
        })
    }

    /// The longest IP packet that the VC's encapsulation, the networks on its path and the LANs of its hosts carry, in
    /// octets. Kernels cut longer ones themselves.
    pub fn mtu(&self) -> u64 {
        let longest = self.network.vcs[self.vc].adaptation.encapsulation.mtu();
        let path = self.network.path_mtu(self.vc);
        path.map_or(longest, |mtu| longest.min(mtu.into()))
    }
}

/// The links that have a rate or a delay, whose cells can be captured.
pub fn visible_links(network: &Network) -> Vec<usize> {
    let takes_time = |link: &Link| link.line.is_some() || link.longest_delay() > Span::ZERO;
    let numbered = network.links.iter().enumerate();
    let visible = numbered.filter(|(_, link)| takes_time(link));
    visible.map(|(index, _)| index).collect()
}

fn named(network: &Network, name: &str) -> Result<usize, String> {
    let position = network
        .vcs
        .iter()
        .position(|vc| vc.name.to_string() == name);
    position.ok_or_else(|| format!("there is no VC {name:?}; there are {}", names(network)))
}

fn only(network: &Network) -> Result<usize, String> {
    let is_taken = |vc: usize| network.backgrounds.iter().any(|it| it.vc as usize == vc);
    let mut free = (0..network.vcs.len()).filter(|&vc| !is_taken(vc));
    match (free.next(), free.next()) {
        (Some(vc), None) => Ok(vc),
        (None, _) => Err("backgrounds use every VC; packets need one of their own".to_owned()),
        (Some(_), Some(_)) => Err(format!(
            "there are several VCs; name the one that carries the packets (--vc): {}",
            names(network)
        )),
    }
}

fn names(network: &Network) -> String {
    let names: Vec<_> = network.vcs.iter().map(|vc| vc.name.to_string()).collect();
    names.join(", ")
}
