//! The parts of a link that others look at.

use celltrain_proto::switch::Algorithm;

use crate::engine::link::{Becn, Link};
use crate::engine::queue::fifo::Fifo;
use crate::engine::queue::managed::Managed;
use crate::engine::queue::priority::PriorityQueue;

impl Link {
    /// The queue, if it is a FIFO at a constant rate.
    #[inline]
    pub(in crate::engine) fn fifo(&self) -> Option<&Fifo> {
        self.line.as_ref()?.queue.fifo()
    }

    /// The queue, if it serves classes at a constant rate.
    #[inline]
    pub(in crate::engine) fn priority(&self) -> Option<&PriorityQueue> {
        self.line.as_ref()?.queue.priority()
    }

    /// The queue, if it is managed.
    #[inline]
    pub(in crate::engine) fn managed(&self) -> Option<&Managed> {
        self.line.as_ref()?.queue.managed()
    }

    /// The switch algorithm.
    #[inline]
    pub(in crate::engine) fn algorithm(&mut self) -> Option<&mut Algorithm> {
        let control = self.line.as_mut()?.control.as_mut()?;
        Some(&mut control.algorithm)
    }

    /// The backward RM cells of the switch.
    #[inline]
    pub(in crate::engine) fn becn(&self) -> Option<&Becn> {
        self.line.as_ref()?.becn.as_deref()
    }
}
