//! The contents of RM cells on their way: cells carry an index into this store.

use celltrain_proto::cell::RmCell;

/// A store of RM contents that reuses freed places.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct RmStore {
    cells: Vec<RmCell>,
    free: Vec<u32>,
}

impl RmStore {
    pub(in crate::engine) fn put(&mut self, rm: RmCell) -> u32 {
        if let Some(index) = self.free.pop() {
            self.cells[index as usize] = rm;
            return index;
        }
        self.cells.push(rm);
        (self.cells.len() - 1) as u32
    }

    pub(in crate::engine) fn get_mut(&mut self, index: u32) -> &mut RmCell {
        &mut self.cells[index as usize]
    }

    pub(in crate::engine) fn take(&mut self, index: u32) -> RmCell {
        self.free.push(index);
        self.cells[index as usize]
    }

    /// The number of RM cells on their way.
    pub(in crate::engine) fn len(&self) -> usize {
        self.cells.len() - self.free.len()
    }
}
