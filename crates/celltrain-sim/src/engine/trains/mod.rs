//! How trains of cells move: channels between stages, lookahead, the merge of inputs, source groups.

pub(in crate::engine) mod bypassed;
pub(in crate::engine) mod channel;
pub(in crate::engine) mod ends;
pub(in crate::engine) mod group;
pub(in crate::engine) mod ingress;
pub(in crate::engine) mod lookahead;
pub(in crate::engine) mod merge;
pub(in crate::engine) mod port;
pub(in crate::engine) mod put;
pub(in crate::engine) mod served;

use crate::engine::state::cell::KINDS;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::bypassed::BypassedCounts;
use crate::engine::trains::channel::Channel;
use crate::engine::trains::group::Sorter;
use crate::engine::trains::merge::InputTrain;
use crate::engine::trains::port::Port;
use crate::engine::trains::served::Served;

/// What lazy evaluation keeps for each link and between links.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Trains {
    /// The evaluation of each link.
    pub(in crate::engine) ports: Vec<Port>,
    pub(in crate::engine) channels: Vec<Channel>,
    /// For the last hop that each channel bypasses: cells that have reached the channel's end, by kind.
    pub(in crate::engine) passed: Sparse<[u64; KINDS]>,
    /// For each hop downstream of which a tunnel VC takes up cells: how many arrived there.
    pub(in crate::engine) came_to_tunnel: Sparse<u64>,
    /// The counts of bypassed links.
    pub(in crate::engine) bypassed: Vec<BypassedCounts>,
    pub(in crate::engine) served: Served,
    /// Working memory of merges.
    pub(in crate::engine) coming: Vec<InputTrain>,
    /// Working memory for sorting cells of source groups.
    pub(in crate::engine) order: Sorter,
}

impl Trains {
    /// The trains of a network with this number of hops and links, in which no cell is on its way.
    pub(in crate::engine) fn new(
        ports: Vec<Port>,
        channels: Vec<Channel>,
        hops: usize,
        links: usize,
    ) -> Self {
        Self {
            ports,
            channels,
            passed: Sparse::new(hops),
            came_to_tunnel: Sparse::new(hops),
            bypassed: vec![BypassedCounts::default(); links],
            served: Served::default(),
            coming: Vec::new(),
            order: Sorter::default(),
        }
    }
}
