//! Cells that come to shapers within the network and leave them.

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::loss_cause::LossCause;

impl Simulation<'_> {
    /// Handles a cell that comes to a shaper at the node downstream of its hop.
    pub(super) fn arrive_at_shaper(&mut self, index: usize, cell: Cell) {
        let now = self.schedule.now;
        let shaper = &mut self.paths.shapers[index];
        if shaper.accept(now, cell) {
            return self.schedule.wake_shaper(index, shaper);
        }
        self.paths.faults.get_mut(cell.hop()).refused[cell.kind() as usize] += 1;
        self.losses().forget(now, cell, LossCause::QueueFull);
    }

    /// Lets the first cell leave a shaper if it is due.
    pub(in crate::engine) fn on_shaper(&mut self, index: usize) {
        let shaper = &mut self.paths.shapers[index];
        let cell = shaper.release(self.schedule.now);
        self.schedule.wake_shaper(index, shaper);
        if let Some(mut cell) = cell {
            self.node().leave(cell.hop(), &mut cell);
            self.enter(cell.at_next_hop());
        }
    }
}
