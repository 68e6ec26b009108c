//! The contents of RM cells on their way: cells carry an index into this store.

use celltrain_proto::cell::RmCell;
use slab::Slab;

use crate::engine::state::room::{Exhausted, Room};

/// A store of RM contents that reuses freed places.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct RmStore(Slab<RmCell>);

impl RmStore {
    pub(in crate::engine) fn put(&mut self, rm: RmCell) -> u32 {
        self.0.insert(rm) as u32
    }

    pub(in crate::engine) fn get_mut(&mut self, index: u32) -> &mut RmCell {
        &mut self.0[index as usize]
    }

    pub(in crate::engine) fn take(&mut self, index: u32) -> RmCell {
        self.0.remove(index as usize)
    }

    /// The number of RM cells on their way.
    pub(in crate::engine) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Room for RmStore {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        // Switches and sources have few RM cells on their way: one for each 32 cells.
        Ok((self.0.capacity() * size_of::<RmCell>()) as u64)
    }
}
