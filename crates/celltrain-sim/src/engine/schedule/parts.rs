//! The parts of a network, between which nothing passes, take turns: each runs to the end before the next one starts.

use celltrain_proto::units::Time;

use crate::engine::state::rm_store::RmStore;

/// The fewest actors that form a separate part; smaller parts would only take more memory.
///
/// The value lies in a flat optimum. The workload `lines` in `benches` takes 0.94 times the CPU time with parts of one
/// actor, 1.03 times with 256, 1.2 times with 1,024 and 1.9 times as one part, because the caches must hold a whole part.
/// `many` takes 1.1 times with parts of 256 and 1.4 times as one part. Small networks stay one part and avoid the
/// overhead.
pub(in crate::engine) const LEAST: u32 = 64;

/// What belongs to a part, by number. In the cell engine the last three lists are empty.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Component {
    pub(in crate::engine) flows: Vec<u32>,
    pub(in crate::engine) links: Vec<u32>,
    /// The directions that have a source of their own.
    pub(in crate::engine) sources: Vec<u32>,
    pub(in crate::engine) directions: Vec<u32>,
    pub(in crate::engine) ports: Vec<u32>,
    pub(in crate::engine) channels: Vec<u32>,
    /// The part's own state while it is not active, if there are several parts.
    pub(in crate::engine) resting: Resting,
}

/// The state that each part has of its own. If it were shared, the numbers of events and RM cells in a part would depend
/// on what other parts did before.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Resting {
    pub(in crate::engine) rms: RmStore,
    /// Events so far.
    pub(in crate::engine) events: u64,
    /// When everything in the part is advanced next, so that channels stay short.
    pub(in crate::engine) next_chunk: Time,
}

impl Component {
    /// What belongs to any of the given parts.
    pub(in crate::engine) fn of_all(parts: &[Self]) -> Self {
        let all = |of: fn(&Self) -> &Vec<u32>| {
            let mut all: Vec<u32> = parts.iter().flat_map(of).copied().collect();
            all.sort_unstable();
            all
        };
        Self {
            flows: all(|part| &part.flows),
            links: all(|part| &part.links),
            sources: all(|part| &part.sources),
            directions: all(|part| &part.directions),
            ports: all(|part| &part.ports),
            channels: all(|part| &part.channels),
            resting: Resting::default(),
        }
    }
}
