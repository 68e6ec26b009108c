//! What queues have done with cells, kept until it is reported to the rest of the simulation.

use celltrain_proto::units::{Span, Time};

use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;

/// What happened to cells that a queue took, to be reported.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Served {
    /// Departing cells, to be passed on as these trains.
    pub(in crate::engine) left: Vec<Train>,
    /// Cells that have been refused.
    pub(in crate::engine) refused: Vec<Train>,
}

impl Served {
    /// Adds a cell that leaves at `departure`, merged into the last train if it continues it at this gap.
    #[inline]
    pub(in crate::engine) fn leaves(
        &mut self,
        cell: Cell,
        departure: Time,
        is_event: bool,
        gap: Span,
    ) {
        let train = Train::single(cell.leaving(departure), is_event);
        let last = self.left.last_mut();
        if !last.is_some_and(|last| last.goes_on_with(&train, gap)) {
            self.left.push(train);
        }
    }

    /// Adds a cell that has been refused.
    #[inline]
    pub(in crate::engine) fn refuses(&mut self, cell: Cell) {
        self.refused.push(Train::single(cell, cell.is_event()));
    }
}
