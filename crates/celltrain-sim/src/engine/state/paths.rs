//! What cells encounter on their paths besides links.

use celltrain_proto::flow::credit;

use crate::engine::state::hop::{Faults, Hop};
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::shaper::Shaper;
use crate::engine::state::sparse::Sparse;
use crate::engine::state::upc::Upc;
use crate::engine::state::virtual_end::VirtualEnd;

/// The hops of all directions, and what happens to cells there.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Paths {
    pub(in crate::engine) hops: Vec<Hop>,
    /// By hop.
    pub(in crate::engine) faults: Sparse<Faults>,
    pub(in crate::engine) policers: Vec<Upc>,
    /// Accounts of credit-based flow control, each at the far end of a link.
    pub(in crate::engine) credits: Vec<credit::Receiver>,
    pub(in crate::engine) virtual_ends: Vec<VirtualEnd>,
    pub(in crate::engine) shapers: Vec<Shaper>,
    /// The RM cells on their way in the active part.
    pub(in crate::engine) rms: RmStore,
}

impl Paths {
    /// By shaper: the VC of the first hop that leads to it; `None` if none does.
    pub(in crate::engine) fn shaped_vcs(&self) -> Vec<Option<usize>> {
        self.first_vcs(self.shapers.len(), Hop::shaper)
    }

    /// By policer: the VC of the first hop that leads to it.
    pub(in crate::engine) fn policed_vcs(&self) -> Vec<Option<usize>> {
        self.first_vcs(self.policers.len(), Hop::policer)
    }

    /// The first VC that each of `count` elements acts on, which `of` gives by hop.
    fn first_vcs(&self, count: usize, of: fn(&Hop) -> Option<u32>) -> Vec<Option<usize>> {
        let mut vcs = vec![None; count];
        for hop in &self.hops {
            if let Some(element) = of(hop) {
                vcs[element as usize].get_or_insert(hop.direction as usize / 2);
            }
        }
        vcs
    }
}
