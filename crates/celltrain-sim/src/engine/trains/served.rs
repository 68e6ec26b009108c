//! What queues have done with cells, kept until it is reported to the rest of the simulation.

use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;

/// What happened to cells that a queue took, to be reported.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Served {
    /// Departing cells, to be passed on as these trains.
    pub(in crate::engine) left: Vec<Train>,
    /// Cells that have been refused.
    pub(in crate::engine) refused: Vec<Train>,
    /// Channels that were empty before cells entered them.
    pub(in crate::engine) filled: Vec<u32>,
    /// Channels that event cells have entered.
    pub(in crate::engine) event_cells: Vec<u32>,
}

impl Served {
    /// Adds a mid-PDU cell that leaves at `departure`.
    #[inline]
    pub(in crate::engine) fn leaves(&mut self, cell: Cell, departure: Time) {
        self.left
            .push(Train::single(cell.leaving(departure), false));
    }

    /// Adds a cell that has been refused.
    #[inline]
    pub(in crate::engine) fn refuses(&mut self, cell: Cell) {
        self.refused.push(Train::single(cell, cell.is_event()));
    }
}
