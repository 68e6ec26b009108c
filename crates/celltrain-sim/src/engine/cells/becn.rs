//! Backward RM cells that a node makes and sends towards the source of their loop.

use celltrain_proto::cell::RmCell;

use crate::engine::link::ToSource;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};

impl Simulation<'_> {
    /// Handles a cell that comes to a queue from which RM cells are sent back.
    #[inline(never)]
    pub(super) fn enter_with_becn(&mut self, cell: Cell) {
        let becn = self.node().make_becn(cell);
        self.enqueue(cell);
        if let Some((to, rm)) = becn {
            self.send_becn(to, rm);
        }
    }

    /// Sends a backward RM cell of a switch to the source of its loop.
    fn send_becn(&mut self, to: ToSource, rm: RmCell) {
        match to {
            ToSource::Hop(hop) => self.send_backward_rm(hop as usize, rm, true),
            ToSource::VirtualEnd(end) => self.node().obey_at_virtual_end(end as usize, &rm),
        }
    }

    /// Sends a backward RM cell that a node makes over hop number `hop`, which leaves the node.
    pub(super) fn send_backward_rm(&mut self, hop: usize, rm: RmCell, clp: bool) {
        let mut cell = Cell::rm(hop as u32, Kind::BackwardRm, self.paths.rms.put(rm));
        if clp {
            cell.set_clp();
        }
        self.node().leave(hop - 1, &mut cell);
        self.enter(cell);
    }
}
