//! GFC commands in cells towards end systems.

use celltrain_proto::flow::gfc::Controlling;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;

impl Simulation<'_> {
    /// Writes the present GFC command into a cell that leaves the node downstream of `hop`, if the next link leads to an
    /// end system that obeys commands.
    pub(in crate::engine) fn give_command(&mut self, hop: usize, cell: &mut Cell) {
        let Some(link) = self.paths.hops[hop].action(|it| it.gfc) else {
            return;
        };
        let link = &mut self.links[link as usize];
        link.advance(self.schedule.now);
        let line = link.line.as_ref();
        if let Some(gfc) = line.and_then(|line| line.gfc.as_ref()) {
            cell.set_command(Controlling::command(gfc));
        }
    }
}
