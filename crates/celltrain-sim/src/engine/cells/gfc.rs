//! GFC commands in cells towards end systems.

use celltrain_proto::flow::gfc::Controlling;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;

impl Simulation<'_> {
    /// Writes the present GFC command into a cell that leaves the node downstream of `hop`, if the next link leads to an
    /// end system that obeys commands.
    pub(in crate::engine) fn give_command(&mut self, hop: usize, cell: &mut Cell) {
        let Some(commanding) = self.paths.hops[hop].action(|it| it.gfc) else {
            return;
        };
        let queue = &mut self.links[commanding as usize];
        queue.advance(self.schedule.now);
        let gfc = queue.line.as_ref().and_then(|line| line.gfc.as_ref());
        cell.set_command(gfc.map(Controlling::command).unwrap_or_default());
    }
}
