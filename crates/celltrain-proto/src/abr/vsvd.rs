//! Virtual destination and virtual source: a node that ends one ABR loop and starts the next (TM 4.0
//! §5.10.7).
//!
//! Loop 1 comes from upstream and ends at the virtual destination; loop 2 starts at the virtual source and continues
//! downstream. Between them the cells of the VC wait in a queue of their own.

use super::turn_around::TurnAround;
use super::{Destination, NextCell, Parameters, Source};
use crate::cell::RmCell;
use crate::units::{Cells, Rate, Span, Time};

/// How the rate of loop 1 follows loop 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coupling {
    /// q0: what the VC's queue may hold without lowering the rate of loop 1.
    pub queue_target: Cells,
    /// RTT1: the round-trip time of loop 1, within which the excess queue is to drain.
    pub round_trip: Span,
    /// Whether the allocation of this node also bounds the virtual source: ER2 = min(ER2, VAL2).
    pub limits_source: bool,
}

/// The virtual destination of loop 1 and the virtual source of loop 2.
#[derive(Clone, PartialEq, Debug)]
pub struct VirtualEnds {
    coupling: Coupling,
    destination: Destination,
    source: Source,
    /// VAL2: what this node allocates to the VC on the path of loop 2.
    allocation: Rate,
}

impl VirtualEnds {
    /// Creates virtual ends without an allocation; `parameters` are those of loop 2.
    pub fn new(parameters: Parameters, coupling: Coupling) -> Self {
        Self {
            coupling,
            destination: Destination::default(),
            source: Source::new(parameters),
            allocation: Rate::bps(f64::MAX),
        }
    }

    /// Sets VAL2, the rate that this node's algorithm allocates to the VC, for RM cells from now on.
    pub fn set_allocation(&mut self, val2: Rate) {
        self.allocation = val2;
    }

    /// A data cell of loop 1 arrives. Its EFCI ends here: it becomes CI of loop 1, and the cell enters the queue with
    /// EFCI = 0.
    #[inline]
    pub fn on_data(&mut self, efci: bool) {
        self.destination.on_data(efci);
    }

    /// Returns the backward RM cell that answers a forward RM cell of loop 1, which arrives while `queue` cells of the
    /// VC wait. ER is never raised, and never lowered below MCR.
    #[must_use]
    pub fn on_forward_rm(&mut self, _now: Time, rm: RmCell, queue: Cells) -> RmCell {
        let mut backward = self.destination.on_forward_rm(rm);
        let granted = self.allocation.min(self.rate_that_drains(queue));
        backward.er = backward.er.min(granted.max(backward.mcr));
        backward
    }

    /// ACR2, minus the rate that brings the queue down to its target within one round trip of loop 1.
    fn rate_that_drains(&self, queue: Cells) -> Rate {
        let excess = queue.0.saturating_sub(self.coupling.queue_target.0);
        if excess == 0 {
            return self.source.acr();
        }
        let drain = Rate::cells_per_s(excess as f64 / self.coupling.round_trip.as_secs());
        self.source.acr() - drain
    }

    /// A backward RM cell of loop 2 has returned to the virtual source.
    pub fn on_backward_rm(&mut self, now: Time, rm: &RmCell) {
        let mut rm = *rm;
        if self.coupling.limits_source {
            rm.er = rm.er.min(self.allocation);
        }
        self.source.on_backward_rm(now, &rm);
    }

    /// Queues a turned-around RM cell of the other direction for loop 2 ([`Source::turn_around`]).
    pub fn turn_around(&mut self, rm: RmCell) -> TurnAround {
        self.source.turn_around(rm)
    }

    /// As [`VirtualEnds::turn_around`], for one that came with CLP = 1 ([`Source::turn_around_out_of_rate`]).
    pub fn turn_around_out_of_rate(&mut self, rm: RmCell) -> TurnAround {
        self.source.turn_around_out_of_rate(rm)
    }

    /// ACR2, the rate of the virtual source.
    pub fn acr(&self) -> Rate {
        self.source.acr()
    }

    /// When [`VirtualEnds::next_cell`] next has a cell to send; see [`Source::next_deadline`].
    #[inline]
    #[must_use]
    pub fn next_deadline(&self, data_waits: bool) -> Option<Time> {
        self.source.next_deadline(data_waits)
    }

    /// The in-rate cell of loop 2 sent at `now`: data from the VC's queue, or an RM cell.
    #[inline]
    pub fn next_cell(&mut self, now: Time, data_waits: bool) -> Option<NextCell> {
        self.source.next_cell(now, data_waits)
    }

    /// When [`VirtualEnds::out_of_rate_cell`] next has a cell; see [`Source::next_out_of_rate`].
    #[must_use]
    pub fn next_out_of_rate(&self, data_waits: bool) -> Option<Time> {
        self.source.next_out_of_rate(data_waits)
    }

    /// The forward RM cell of loop 2 sent at `now` with CLP = 1 (source rule 11).
    pub fn out_of_rate_cell(&mut self, now: Time, data_waits: bool) -> Option<RmCell> {
        self.source.out_of_rate_cell(now, data_waits)
    }
}
