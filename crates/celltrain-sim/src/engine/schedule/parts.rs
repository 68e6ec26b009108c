//! The parts of a network, between which nothing passes, take turns: each runs up to the end before the next one does.

use celltrain_proto::units::Time;

use crate::engine::state::rm_store::RmStore;

/// Fewer actors are no part of their own, which would only take more memory.
///
/// A choice within a flat optimum: the workload `lines` in `benches` takes 0.94 times the CPU time with parts of one actor,
/// 1.03 times with 256, 1.2 times with 1,024 and 1.9 times as one part, for caches have to hold a whole part; `many` takes
/// 1.1 times with 256 and 1.4 times as one part. Small networks stay one part, which spares them what parts need.
pub(in crate::engine) const LEAST: u32 = 64;

/// What belongs to a part, by number; of the last three nothing in a network that is evaluated cell by cell.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Component {
    pub(in crate::engine) flows: Vec<u32>,
    pub(in crate::engine) links: Vec<u32>,
    pub(in crate::engine) directions: Vec<u32>,
    pub(in crate::engine) ports: Vec<u32>,
    pub(in crate::engine) channels: Vec<u32>,
    /// What the simulation has of it in its turn, where there are several parts.
    pub(in crate::engine) resting: Resting,
}

/// What each part has of its own. Were it one for all, events and RM cells of a part would be numbered by what others
/// have done before it.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Resting {
    pub(in crate::engine) rms: RmStore,
    /// Events so far.
    pub(in crate::engine) events: u64,
    /// When everything in it is advanced next, so that channels stay short.
    pub(in crate::engine) next_chunk: Time,
}

impl Component {
    /// What belongs to any of these parts.
    pub(in crate::engine) fn of_all(parts: &[Self]) -> Self {
        let all = |of: fn(&Self) -> &Vec<u32>| {
            let mut all: Vec<u32> = parts.iter().flat_map(of).copied().collect();
            all.sort_unstable();
            all
        };
        Self {
            flows: all(|part| &part.flows),
            links: all(|part| &part.links),
            directions: all(|part| &part.directions),
            ports: all(|part| &part.ports),
            channels: all(|part| &part.channels),
            resting: Resting::default(),
        }
    }
}
