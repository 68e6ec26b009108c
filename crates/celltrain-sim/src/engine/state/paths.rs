//! What cells encounter on their paths besides links.

use celltrain_proto::flow::credit;

use crate::engine::state::hop::{Faults, Hop};
use crate::engine::state::rm_store::RmStore;
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
    /// The RM cells on their way in the active part.
    pub(in crate::engine) rms: RmStore,
}
