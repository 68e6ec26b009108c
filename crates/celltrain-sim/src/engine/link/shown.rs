//! What a queue's switch algorithm is told of mid-PDU cells.

use celltrain_proto::switch::{PortState, SwitchAlgorithm};
use celltrain_proto::units::{Cells, Rate, Time};

use crate::engine::link::{Control, Link};
use crate::engine::queue::discipline::Discipline;
use crate::engine::queue::priority::PriorityQueue;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::hop::{Hop, Shown};
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::train::Train;

/// Whether the algorithm is told of mid-PDU cells.
#[inline]
pub(in crate::engine) fn is_shown(control: &Control, load: Shown) -> bool {
    load != Shown::Unseen && control.algorithm.counts_cells()
}

/// Tells the algorithm of all cells of a train as they arrive.
pub(in crate::engine) fn show_train(control: &mut Control, hop: &Hop, train: &Train) {
    if is_shown(control, hop.load) && !show_together(control, hop, train) {
        for cell in train.cells() {
            show_one(control, hop.load, cell.at, hop.control_vc);
        }
    }
}

/// Tells the algorithm of all cells of a train at once, if it may learn of them ahead of time.
#[inline]
pub(in crate::engine) fn show_together(control: &mut Control, hop: &Hop, train: &Train) -> bool {
    let last = train.last();
    let stands = hop.load == Shown::Counted && last < control.algorithm.counts_until();
    if stands {
        let count = u64::from(train.count);
        control.algorithm.on_cells(last, hop.control_vc, count);
    }
    stands
}

/// Tells the algorithm of a strict-priority queue of a cell that arrives at its `at`, with the contents of a forward RM
/// cell. The queue must be advanced; `rate` is that of the line.
pub(in crate::engine) fn show_event_cell(
    control: &mut Control,
    hop: &Hop,
    cell: Cell,
    (priority, rate): (&mut PriorityQueue, Rate),
    rms: &mut RmStore,
) {
    show_one(control, hop.load, cell.at, hop.control_vc);
    if shows_contents(hop, cell) {
        priority.look(cell.at);
        let queue = Cells(u64::from(priority.controlled(control.queue)));
        let state = PortState { queue, rate };
        let rm = rms.get_mut(cell.load());
        let algorithm = &mut control.algorithm;
        algorithm.on_forward_rm(cell.at, hop.control_vc, rm, &state);
    }
}

/// Tells the algorithm of a strict-priority queue of cells of higher priority that have left by `until`.
#[inline]
pub(in crate::engine) fn show_departures(
    control: &mut Control,
    priority: &mut PriorityQueue,
    until: Time,
) {
    while let Some((last, count)) = priority.take_noted(until, control.algorithm.counts_until()) {
        control.algorithm.on_priority_cells(last, count);
    }
}

impl Link {
    /// Tells the algorithm of the queue of a cell that arrives at `now`.
    #[inline(never)]
    pub(in crate::engine) fn show(&mut self, now: Time, cell: Cell, hop: &Hop, rms: &mut RmStore) {
        self.advance(now);
        if let Some(control) = self.line.as_mut().and_then(|line| line.control.as_mut()) {
            show_one(control, hop.load, now, hop.control_vc);
        }
        // The state of the queue is read for these few cells alone, because that takes longer than all of the above.
        if shows_contents(hop, cell) {
            let state = self.state();
            if let Some(algorithm) = self.algorithm() {
                let rm = rms.get_mut(cell.load());
                algorithm.on_forward_rm(now, hop.control_vc, rm, &state);
            }
        }
    }
}

/// Whether the algorithm reads and writes the contents of `cell`: it is a forward RM cell of the load.
#[inline]
fn shows_contents(hop: &Hop, cell: Cell) -> bool {
    hop.load == Shown::Counted && cell.kind() == Kind::ForwardRm
}

/// Tells the algorithm of a mid-PDU cell.
#[inline]
pub(in crate::engine) fn show_one(control: &mut Control, load: Shown, at: Time, vc: u32) {
    match load {
        Shown::Unseen => {}
        Shown::Counted => control.algorithm.on_cells(at, vc, 1),
        Shown::Priority if control.counts_departures => {}
        Shown::Priority => control.algorithm.on_priority_cells(at, 1),
    }
}
