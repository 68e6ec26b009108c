//! Cells that come to shapers within the network and leave them.

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::loss_cause::LossCause;

impl Simulation<'_> {
    /// Handles a cell that comes to a shaper at the node downstream of its hop.
    pub(super) fn arrive_at_shaper(&mut self, index: usize, cell: Cell) {
        let now = self.schedule.now;
        if self.paths.shapers[index].accept(now, cell) {
            return self.wake_shaper(index);
        }
        self.paths.faults.get_mut(cell.hop()).refused[cell.kind() as usize] += 1;
        self.forget(now, cell, LossCause::QueueFull);
    }

    /// Lets the first cell leave a shaper if it is due.
    pub(in crate::engine) fn on_shaper(&mut self, index: usize) {
        let cell = self.paths.shapers[index].release(self.schedule.now);
        self.wake_shaper(index);
        if let Some(mut cell) = cell {
            self.leave_node(cell.hop(), &mut cell);
            self.enter(cell.at_next_hop());
        }
    }

    fn wake_shaper(&mut self, index: usize) {
        let deadline = self.paths.shapers[index].deadline(self.schedule.now);
        let actor = self.schedule.actors.shapers + index;
        self.schedule.calendar.set(actor, deadline);
    }
}
