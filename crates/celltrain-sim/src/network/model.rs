//! The network as data: nodes, links, VCs and their traffic, by index.

mod background;
mod flow;
mod link;
mod node;
mod probe;
mod shaper;
mod vc;
mod vp;

use std::collections::BTreeSet;

use celltrain_proto::units::{Span, Time};

use super::record::{LinkQuantity, Record};
use crate::scenario::{Host, Limits, Service, WarningCode};

pub use background::{Background, BackgroundGroup};
pub use flow::{Flow, Partner};
pub use link::{Frames, Line, Link, UNLIMITED};
pub use node::{Node, NodeKind};
pub use probe::{EVENT_FIELDS, Probe, SampleTimes, TIME_FIELD};
pub use shaper::{Shaped, ShapedCells, Shaper};
pub(super) use vc::BetweenEnds;
pub use vc::{Capacity, Carried, Refusal, Vc, VcDirection, VirtualEnds};
pub use vp::{InPath, PathPolice, Vp, VpDirection};

/// A network ready to be simulated. Nodes, links, VCs, flows and backgrounds are referred to by index.
#[derive(Clone, Debug)]
pub struct Network {
    /// Hosts, switches, LANs and routers.
    pub nodes: Vec<Node>,
    /// The sections of the hosts, which come first in `nodes`.
    pub hosts: Vec<Host>,
    /// One-way links.
    pub links: Vec<Link>,
    /// Virtual channel connections; the index breaks ties between cells.
    pub vcs: Vec<Vc>,
    /// Virtual paths.
    pub vps: Vec<Vp>,
    /// TCP connections.
    pub flows: Vec<Flow>,
    /// Cells below TCP.
    pub backgrounds: Vec<Background>,
    /// Recorded time series.
    pub probes: Vec<Probe>,
    /// Whether it runs without the VCs that are not admitted, and reports which they are.
    pub runs_without_refused: bool,
    /// VCs whose cell delays are measured.
    pub timed_vcs: BTreeSet<usize>,
    /// The fraction of cells that may be delayed by more than the largest delay in the peak-to-peak variation.
    pub delay_alpha: f64,
    /// Start of the measured interval.
    pub warm_up: Time,
    /// The number of parts of the interval that are measured separately; zero if there are none.
    pub parts: u32,
    /// End of the run.
    pub end: Time,
    /// Codes of warnings that are silenced.
    pub silence: Vec<WarningCode>,
    /// What a run may need; a run that passes a limit is stopped.
    pub limits: Limits,
}

/// The most links crossed by all directions of all VCs together.
pub const MOST_HOPS: usize = 1 << 24;

/// The path of a VC, forward.
#[derive(Clone, PartialEq, Debug)]
pub struct Route {
    /// The nodes that its cells pass, including those on the paths of tunnel VCs that carry it.
    pub nodes: Vec<usize>,
    /// The delay of all links and LANs, without transmission times.
    pub delay: Span,
    /// The delay without the time in switches and interleavers.
    pub propagation_delay: Span,
}

impl Network {
    /// The path of VC number `vc`.
    pub fn route(&self, vc: usize) -> Route {
        let vc = &self.vcs[vc];
        let ways = vc.directions[0].links.iter();
        let links = || ways.clone().map(|&link| &self.links[link]);
        let ends = [vc.nodes.first(), vc.nodes.last()].map(Option::<&usize>::copied);
        let [first, last] = ends;
        // A LAN leads from itself to itself; the other links or the ends name the nodes beside it.
        let inner = links().flat_map(|link| [link.from, link.to]);
        let mut nodes: Vec<usize> = first.into_iter().chain(inner).chain(last).collect();
        nodes.dedup();
        let sum = |of: fn(&Link) -> Span| links().map(of).fold(Span::ZERO, |sum, it| sum + it);
        let delay = sum(|link| link.delay);
        Route {
            nodes,
            delay,
            propagation_delay: delay - sum(|link| link.added_delay),
        }
    }

    /// The host by whose number those that share a LAN are known: the first of its group if they share a ring, or itself.
    pub(crate) fn sharing_host(&self, node: usize) -> Option<usize> {
        let host = self.hosts.get(node).filter(|host| host.takes_time())?;
        let ring = host.lan().and_then(|lan| lan.ring());
        Some(ring.map_or(node, |_| self.nodes[node].first))
    }

    /// By link: whether a probe observes more of it than its rate.
    pub(crate) fn probed_links(&self) -> Vec<bool> {
        let mut is_probed = vec![false; self.links.len()];
        for &(_, record) in self.probes.iter().flat_map(|probe| &probe.columns) {
            if let Record::Link(link, quantity) = record {
                is_probed[link] |= quantity != LinkQuantity::Rate;
            }
        }
        is_probed
    }

    /// The directions of the VCs whose cells are timed.
    pub(crate) fn timed_directions(&self) -> impl Iterator<Item = usize> + '_ {
        self.timed_vcs.iter().flat_map(|vc| [2 * vc, 2 * vc + 1])
    }

    /// All shapers within the network: those of VCs by direction and place, then those of virtual paths by direction.
    pub fn shapers(&self) -> impl Iterator<Item = Shaped<'_>> {
        let of_vcs = (0..2 * self.vcs.len()).flat_map(move |number| {
            let direction = self.direction(number);
            direction.shapers().iter().map(move |shaper| Shaped {
                of: ShapedCells::Vc(number),
                node: self.links[direction.links[shaper.place]].from,
                shaper,
            })
        });
        let of_paths = (0..2 * self.vps.len()).filter_map(move |number| {
            let path = self.path(number);
            Some(Shaped {
                of: ShapedCells::Path(number),
                node: self.links[path.links[0]].from,
                shaper: path.shaper.as_ref()?,
            })
        });
        of_vcs.chain(of_paths)
    }

    /// One direction of a VC: 2 x VC + (0 forward, 1 backward).
    pub fn direction(&self, number: usize) -> &VcDirection {
        &self.vcs[number / 2].directions[number % 2]
    }

    /// The direction of a VC whose weight the cells of direction `number` have on link number `at` of their path: their
    /// own, or that of the tunnel VC that carries them.
    pub fn tunnel_at(&self, number: usize, at: usize) -> usize {
        let carried = self.direction(number).carried_at(at);
        carried.map_or(number, |carried| carried.by)
    }

    /// The service that the cells of direction `number` of a VC receive on link number `at` of their path: their own, or
    /// that of the virtual path or the tunnel VC to which they belong there.
    pub fn service_at(&self, number: usize, at: usize) -> &Service {
        match self.direction(number).path_at(at) {
            Some(path) => &self.path(path.by).service,
            None => &self.direction(self.tunnel_at(number, at)).service,
        }
    }

    /// One direction of a virtual path: 2 x path + (0 forward, 1 backward).
    pub fn path(&self, number: usize) -> &VpDirection {
        &self.vps[number / 2].directions[number % 2]
    }

    /// The ends of the parts of the measured interval; the last is the end of the interval itself.
    pub fn part_ends(&self) -> impl Iterator<Item = Time> + '_ {
        let length = u128::from((self.end - self.warm_up).as_ps());
        let parts = u128::from(self.parts);
        (1..=parts).map(move |part| self.warm_up + Span::from_ps((length * part / parts) as u64))
    }
}
