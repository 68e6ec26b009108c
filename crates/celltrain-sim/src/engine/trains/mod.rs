//! What trains of cells are moved by: channels between stages, lookahead, the merge of inputs, source groups.

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

/// What lazy evaluation keeps of each link and between them.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Trains {
    /// How each link is evaluated.
    pub(in crate::engine) ports: Vec<Port>,
    pub(in crate::engine) channels: Vec<Channel>,
    /// For each hop that a channel bypasses last: cells that have come to the channel's end, by kind.
    pub(in crate::engine) passed: Sparse<[u64; KINDS]>,
    /// For each hop downstream of which a tunnel VC takes up cells: how many came there.
    pub(in crate::engine) came_to_tunnel: Sparse<u64>,
    /// For each link that channels bypass.
    pub(in crate::engine) bypassed: Vec<BypassedCounts>,
    pub(in crate::engine) served: Served,
    /// Room that is used again where inputs are merged.
    pub(in crate::engine) coming: Vec<InputTrain>,
    /// The same where cells of source groups are put in order.
    pub(in crate::engine) order: Sorter,
}

impl Trains {
    /// Those of a network of so many hops and links, in which nothing is under way.
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
