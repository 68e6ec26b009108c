//! Backward RM cells that leave a node towards the source of their loop: those that the node makes, and what a policer
//! learns from them.

use celltrain_proto::cell::RmCell;
use celltrain_proto::units::Cells;

use crate::engine::link::ToSource;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};

impl Simulation<'_> {
    /// Handles a cell that comes to a queue from which RM cells are sent back.
    #[inline(never)]
    pub(super) fn enter_with_becn(&mut self, cell: Cell) {
        let becn = self.make_becn(cell);
        self.enqueue(cell);
        if let Some((to, rm)) = becn {
            self.send_becn(to, rm);
        }
    }

    /// The backward RM cell that the switch upstream of a link makes because a cell of an ABR source comes to its
    /// congested queue, which does not hold it yet.
    fn make_becn(&mut self, cell: Cell) -> Option<(ToSource, RmCell)> {
        let hop = &self.paths.hops[cell.hop()];
        let link = &mut self.links[hop.link as usize];
        let queue = link.becn()?.queue;
        if cell.kind() == Kind::BackwardRm {
            return None;
        }
        link.advance(self.schedule.now);
        let queue = Cells(u64::from(link.queued_in(queue)));
        let becn = link.line.as_mut()?.becn.as_mut()?;
        becn.on_cell(self.schedule.now, hop.control_vc, queue)
    }

    /// Sends a backward RM cell of a switch to the source of its loop.
    fn send_becn(&mut self, to: ToSource, rm: RmCell) {
        match to {
            ToSource::Hop(hop) => self.send_backward_rm(hop as usize, rm, true),
            ToSource::VirtualEnd(end) => self.obey_at_virtual_end(end as usize, &rm),
        }
    }

    /// Sends a backward RM cell that a node makes over hop number `hop`, which leaves the node.
    pub(super) fn send_backward_rm(&mut self, hop: usize, rm: RmCell, clp: bool) {
        let mut cell = Cell::rm(hop as u32, Kind::BackwardRm, self.paths.rms.put(rm));
        if clp {
            cell.set_clp();
        }
        self.leave_node(hop - 1, &mut cell);
        self.enter(cell);
    }

    /// What the node downstream of hop number `hop` does with each cell that leaves it, whether it came or was made here.
    pub(super) fn leave_node(&mut self, hop: usize, cell: &mut Cell) {
        self.give_command(hop, cell);
        self.inform_policer(hop, *cell);
    }

    /// Tells the policer of the other direction of a backward RM cell that leaves the node downstream of hop number `hop`.
    pub(super) fn inform_policer(&mut self, hop: usize, cell: Cell) {
        if let Some(policer) = self.paths.hops[hop].action(|it| it.followed_by)
            && cell.kind() == Kind::BackwardRm
        {
            let rm = self.paths.rms.get_mut(cell.load());
            self.paths.policers[policer as usize].on_backward_rm(self.schedule.now, rm);
        }
    }
}
