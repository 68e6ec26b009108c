//! The queue control function of ERICA+: two hyperbolas that meet at the target queue.

use core::cmp::Ordering;

use crate::units::{CELL_BITS, Cells, Rate, Span};

/// Its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct QueueFunction {
    /// T0: the queueing delay aimed at.
    pub(super) t0: Span,
    /// a, at least 1: how steeply the gain falls above the target.
    pub(super) a: f64,
    /// b, at least 1: the gain at an empty queue.
    pub(super) b: f64,
    /// QDLF, in \[0, 1\]: the queue drain limit factor, the least gain.
    pub(super) qdlf: f64,
}

impl QueueFunction {
    /// Q0 in cells: the queue that takes T0 to drain at `capacity`.
    pub(super) fn target(&self, capacity: Rate) -> f64 {
        capacity.bits_in(self.t0) / CELL_BITS as f64
    }

    /// The part of the capacity to hand out at a queue of `queue` with target `target` cells. It is
    /// b at an empty queue, exactly 1 at the target, and falls to QDLF.
    pub(super) fn gain(&self, queue: Cells, target: f64) -> f64 {
        let queue = queue.0 as f64;
        let hyperbola = |k: f64| k * target / ((k - 1.0) * queue + target);
        match queue.total_cmp(&target) {
            Ordering::Less => hyperbola(self.b),
            // Without this an empty queue with target zero, on a line at a standstill, is 0/0.
            Ordering::Equal => 1.0,
            Ordering::Greater => hyperbola(self.a).max(self.qdlf),
        }
    }
}
