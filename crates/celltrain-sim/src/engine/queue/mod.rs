//! Queues: disciplines, each with the cells that wait in it and their readings.

pub(in crate::engine) mod discipline;
pub(in crate::engine) mod fifo;
pub(in crate::engine) mod frames;
pub(in crate::engine) mod gauge;
pub(in crate::engine) mod managed;
pub(in crate::engine) mod priority;
pub(in crate::engine) mod varying;

use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use discipline::Discipline;
use fifo::Fifo;
use frames::Frames;
use managed::Managed;
use priority::PriorityQueue;
use varying::Varying;

/// The queue of a line. A new discipline whose departures are known ahead has a row here; one that looks at each cell is a
/// [`Managed`] one.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Queue {
    /// First come, first served: cells wait in the ring of their link, and each departure is looked at.
    Ring,
    /// More than that, and each departure is looked at: classes and shares, discards, queue management, credits.
    Managed(Box<Managed>),
    /// First come, first served at a constant rate, behind a discard that judges frames, if there is one.
    Fifo(Fifo, Option<Box<Frames>>),
    /// Classes at a constant rate.
    Priority(Box<PriorityQueue>),
    /// First come, first served at a rate that changes.
    Varying(Box<Varying>),
}

/// Does something with a queue that knows its departures, whichever it is; something else with the others.
macro_rules! known {
    ($queue:expr, $it:ident => $known:expr, $other:expr) => {
        match $queue {
            Self::Fifo($it, _) => $known,
            Self::Priority($it) => $known,
            Self::Varying($it) => $known,
            Self::Ring | Self::Managed(_) => $other,
        }
    };
}

impl Queue {
    /// Readings are about `now` from here on; false for a queue of which each departure is looked at, up to then.
    #[inline]
    pub(in crate::engine) fn look(&mut self, now: Time) -> bool {
        known!(self, it => { it.look(now); true }, false)
    }

    /// Cells that it keeps itself, the one in transmission included; `ring` of those that wait in the ring.
    #[inline]
    pub(in crate::engine) fn queued(&self, ring: u32) -> u32 {
        known!(self, it => it.queued(), self.managed().map_or(ring, Managed::queued))
    }

    /// Cells that have left, and the integral of the queue in cell picoseconds, where the queue knows.
    pub(in crate::engine) fn counted(&self) -> Option<(u64, i128)> {
        known!(self, it => Some((it.departed(), it.area())), None)
    }

    /// The largest queue since the last call, where the queue knows.
    pub(in crate::engine) fn take_maximum(&mut self) -> Option<u32> {
        known!(self, it => Some(it.take_maximum()), None)
    }

    /// The cells that wait in it, and not in the ring, in no particular order.
    pub(in crate::engine) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let managed = self.managed().into_iter().flat_map(Managed::cells);
        let classes = self.priority().into_iter().flat_map(PriorityQueue::cells);
        let varying = self.varying().into_iter().flat_map(Varying::cells);
        managed.chain(classes).chain(varying)
    }

    /// The queue, where it is first come, first served at a constant rate.
    #[inline]
    pub(in crate::engine) fn fifo(&self) -> Option<&Fifo> {
        match self {
            Self::Fifo(fifo, _) => Some(fifo),
            _ => None,
        }
    }

    /// The queue, where a line of constant rate serves classes.
    #[inline]
    pub(in crate::engine) fn priority(&self) -> Option<&PriorityQueue> {
        match self {
            Self::Priority(priority) => Some(priority),
            _ => None,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(in crate::engine) fn priority_mut(&mut self) -> Option<&mut PriorityQueue> {
        match self {
            Self::Priority(priority) => Some(priority),
            _ => None,
        }
    }

    /// The queue, where its cells are kept only until the rate has changed.
    #[inline]
    pub(in crate::engine) fn varying(&self) -> Option<&Varying> {
        match self {
            Self::Varying(varying) => Some(varying),
            _ => None,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(in crate::engine) fn varying_mut(&mut self) -> Option<&mut Varying> {
        match self {
            Self::Varying(varying) => Some(varying),
            _ => None,
        }
    }

    /// The queue, where it does more than first come, first served, and looks at each departure.
    #[inline]
    pub(in crate::engine) fn managed(&self) -> Option<&Managed> {
        match self {
            Self::Managed(managed) => Some(managed),
            _ => None,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(in crate::engine) fn managed_mut(&mut self) -> Option<&mut Managed> {
        match self {
            Self::Managed(managed) => Some(managed),
            _ => None,
        }
    }
}
