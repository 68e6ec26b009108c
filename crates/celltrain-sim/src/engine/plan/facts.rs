//! The input of a plan.

use std::ops::Range;

use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::link::{Becn, Link};
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::ways::Ways;
use crate::network::Network;

/// A network and its elements at the start of a run. A plan reads them and changes none.
///
/// It reads the elements, not only the network, because they already know what follows from it: whether a queue is more
/// than a FIFO, what a node does with cells, and whether a source is that of a tunnel VC.
pub(in crate::engine) struct Facts<'a> {
    pub(super) network: &'a Network,
    ways: &'a Ways,
    pub(super) hops: &'a [Hop],
    pub(super) links: &'a [Link],
    pub(super) sources: &'a ByDirection<Source>,
    flows: &'a [Flow],
    /// By link: how many directions cross it.
    pub(super) crossings: Vec<u32>,
    /// By link: whether a probe observes it.
    pub(super) is_probed: Vec<bool>,
    /// By hop, with one entry after the last: whether cells can enter its link other than over the previous hop.
    pub(super) is_entrance: Vec<bool>,
}

impl<'a> Facts<'a> {
    pub(in crate::engine) fn new(
        network: &'a Network,
        ways: &'a Ways,
        hops: &'a [Hop],
        links: &'a [Link],
        sources: &'a ByDirection<Source>,
        flows: &'a [Flow],
    ) -> Self {
        let mut crossings = vec![0; links.len()];
        let mut is_entrance = vec![false; hops.len() + 1];
        for (index, hop) in hops.iter().enumerate() {
            crossings[hop.link as usize] += 1;
            if let Some(back) = hop.turn_round() {
                is_entrance[back as usize] = true;
            }
            is_entrance[index + 1] |= hop.virtual_end().is_some() || hop.shaper().is_some();
        }
        for (back, _) in links.iter().filter_map(Link::becn).flat_map(Becn::made) {
            is_entrance[back] = true;
        }
        Self {
            network,
            ways,
            hops,
            links,
            sources,
            flows,
            crossings,
            is_probed: network.probed_links(),
            is_entrance,
        }
    }

    /// The link of a hop.
    pub(super) fn link_of(&self, hop: usize) -> usize {
        self.hops[hop].link as usize
    }

    /// The hops of a direction.
    pub(super) fn way(&self, direction: usize) -> Range<usize> {
        self.ways.of(direction)
    }

    /// All directions, including those without hops.
    pub(super) fn directions(&self) -> Range<usize> {
        0..self.ways.len()
    }

    /// A value for each direction; all directions without hops share one.
    pub(super) fn by_direction<T>(&self, make: impl Fn(usize) -> T) -> ByDirection<T> {
        ByDirection::new(self.sources.places(), make)
    }

    /// By direction: whether a TCP sender waits for room at its source, where its segments are fragments.
    pub(super) fn counts_fragments(&self) -> Vec<bool> {
        let mut counts = vec![false; self.ways.len()];
        for flow in self.flows {
            if let FlowKind::Tcp(connection) = &flow.kind {
                counts[connection.data] |= connection.waits_for_host() && flow.fragments.is_some();
            }
        }
        counts
    }

    /// By direction: whether a TCP sender waits for room at its source.
    pub(super) fn awaited(&self) -> Vec<bool> {
        let mut is_awaited = vec![false; self.ways.len()];
        for flow in self.flows {
            if let FlowKind::Tcp(connection) = &flow.kind {
                is_awaited[connection.data] |= connection.waits_for_host();
            }
        }
        is_awaited
    }
}
