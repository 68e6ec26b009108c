//! Queueing disciplines, each with its waiting cells and its readings.

pub(in crate::engine) mod discipline;
pub(in crate::engine) mod fifo;
pub(in crate::engine) mod flow_queue;
pub(in crate::engine) mod foreseen_frames;
pub(in crate::engine) mod frame_fifo;
pub(in crate::engine) mod frames;
pub(in crate::engine) mod gauge;
pub(in crate::engine) mod managed;
pub(in crate::engine) mod octets;
pub(in crate::engine) mod priority;
pub(in crate::engine) mod served;
pub(in crate::engine) mod varying;

use celltrain_proto::units::{CELL_OCTETS, Time};

use crate::engine::state::cell::Cell;
use crate::engine::state::room::{Exhausted, Room};
use crate::engine::state::train::Train;
use discipline::Discipline;
use fifo::Fifo;
use flow_queue::FlowQueue;
use foreseen_frames::ForeseenFrames;
use frame_fifo::FrameFifo;
use frames::Frames;
use managed::Managed;
use octets::{OctetCounts, OctetMeter};
use priority::PriorityQueue;
use varying::Varying;

/// The queue of a line. A new discipline whose departures are known in advance gets a variant here; any other is a
/// [`Managed`] queue.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Queue {
    /// FIFO: cells wait in the ring of their link, and the queue is advanced at each departure.
    Ring,
    /// FIFO of frames, which wait in the ring of their link; advanced at each departure.
    Frames(Box<FrameFifo>),
    /// Frames in queues by flow, advanced at each departure.
    Flows(Box<FlowQueue>),
    /// Anything more, advanced at each departure: classes and shares, discard policies, queue management, credits.
    Managed(Box<Managed>),
    /// FIFO at a constant rate, with a discard policy that decides by frame, if any.
    Fifo(Fifo, Option<Box<Frames>>),
    /// FIFO of frames at a constant rate.
    ForeseenFrames(Box<ForeseenFrames>),
    /// Strict-priority classes at a constant rate.
    Priority(Box<PriorityQueue>),
    /// FIFO whose rate changes.
    Varying(Box<Varying>),
}

/// Evaluates the first expression for a queue that knows its departures, the second for the others.
macro_rules! known {
    ($queue:expr, $it:ident => $known:expr, $other:expr) => {
        match $queue {
            Self::Fifo($it, _) => $known,
            Self::ForeseenFrames($it) => $known,
            Self::Priority($it) => $known,
            Self::Varying($it) => $known,
            Self::Ring | Self::Frames(_) | Self::Flows(_) | Self::Managed(_) => $other,
        }
    };
}

impl Queue {
    /// Sets the instant of the readings to `now`; false for a queue that must be advanced to each departure up to then.
    #[inline]
    pub(in crate::engine) fn look(&mut self, now: Time) -> bool {
        known!(self, it => { it.look(now); true }, false)
    }

    /// The number of cells in the queue, the one in transmission included; `ring` is the number that wait in the ring.
    #[inline]
    pub(in crate::engine) fn queued(&self, ring: u32) -> u32 {
        known!(self, it => it.queued(), match self {
            Self::Managed(managed) => managed.queued(),
            Self::Flows(flows) => flows.queued(),
            _ => ring,
        })
    }

    /// The number of cells that have left, and the integral of the queue in cell picoseconds, if the queue knows them.
    pub(in crate::engine) fn counted(&self) -> Option<(u64, i128)> {
        known!(self, it => Some((it.departed(), it.area())), None)
    }

    /// The largest queue since the last call, if the queue knows it.
    pub(in crate::engine) fn take_maximum(&mut self) -> Option<u32> {
        known!(self, it => Some(it.take_maximum()), None)
    }

    /// The cells that wait in the queue itself, not in the ring, in arbitrary order.
    pub(in crate::engine) fn trains(&self) -> impl Iterator<Item = Train> + '_ {
        let managed = self.managed().into_iter().flat_map(Managed::cells);
        let managed = managed.map(|cell| Train::single(cell, cell.is_event()));
        let flows = self.flows().into_iter().flat_map(FlowQueue::cells);
        let flows = flows.map(|frame| Train::single(frame, true));
        let classes = self.priority().into_iter().flat_map(PriorityQueue::trains);
        let varying = self.varying().into_iter().flat_map(Varying::trains);
        managed.chain(flows).chain(classes).chain(varying)
    }

    /// The queue, if it is a FIFO at a constant rate.
    #[inline]
    pub(in crate::engine) fn fifo(&self) -> Option<&Fifo> {
        match self {
            Self::Fifo(fifo, _) => Some(fifo),
            _ => None,
        }
    }

    /// The queue, if it serves classes at a constant rate.
    #[inline]
    pub(in crate::engine) fn priority(&self) -> Option<&PriorityQueue> {
        match self {
            Self::Priority(priority) => Some(priority),
            _ => None,
        }
    }

    /// The queue, mutable, if it serves classes at a constant rate.
    #[inline]
    pub(in crate::engine) fn priority_mut(&mut self) -> Option<&mut PriorityQueue> {
        match self {
            Self::Priority(priority) => Some(priority),
            _ => None,
        }
    }

    /// The queue, if it is a FIFO whose rate changes.
    #[inline]
    pub(in crate::engine) fn varying(&self) -> Option<&Varying> {
        match self {
            Self::Varying(varying) => Some(varying),
            _ => None,
        }
    }

    /// The queue, mutable, if it is a FIFO whose rate changes.
    #[inline]
    pub(in crate::engine) fn varying_mut(&mut self) -> Option<&mut Varying> {
        match self {
            Self::Varying(varying) => Some(varying),
            _ => None,
        }
    }

    /// The instant of the readings, if each departure is known on arrival.
    pub(in crate::engine) fn foreseen_until(&self) -> Option<Time> {
        match self {
            Self::Fifo(fifo, _) => Some(fifo.now()),
            Self::ForeseenFrames(frames) => Some(frames.now()),
            _ => None,
        }
    }

    /// Whether it holds frames.
    pub(in crate::engine) fn carries_frames(&self) -> bool {
        matches!(
            self,
            Self::Frames(_) | Self::ForeseenFrames(_) | Self::Flows(_)
        )
    }

    /// What it counts in octets, if it holds frames and is advanced to each departure.
    pub(in crate::engine) fn octets(&self) -> Option<&OctetMeter> {
        match self {
            Self::Frames(frames) => Some(&frames.meter),
            Self::Flows(flows) => Some(flows.meter()),
            _ => None,
        }
    }

    /// The octets on the line of what it holds, of which there are `queued`.
    pub(in crate::engine) fn queued_octets(&self, queued: u32) -> u64 {
        match self {
            Self::ForeseenFrames(frames) => frames.queued_octets(),
            _ => self
                .octets()
                .map_or(u64::from(queued) * CELL_OCTETS, OctetMeter::queued),
        }
    }

    /// What it has counted in octets up to `now`, to which it must have been advanced, if it holds frames.
    pub(in crate::engine) fn read_octets(&mut self, now: Time) -> Option<OctetCounts> {
        match self {
            Self::Frames(frames) => Some(frames.meter.read(now)),
            Self::ForeseenFrames(frames) => Some(frames.read_octets(now)),
            Self::Flows(flows) => Some(flows.read_octets(now)),
            _ => None,
        }
    }

    /// Whether each octet that came is accounted for; `ring` has the frames that wait in the ring of the link.
    pub(in crate::engine) fn is_balanced(&self, ring: impl Iterator<Item = Cell>) -> bool {
        match self {
            Self::Frames(frames) => frames.meter.is_balanced(ring),
            Self::ForeseenFrames(frames) => frames.is_balanced(),
            Self::Flows(flows) => flows.meter().is_balanced(flows.cells()),
            _ => true,
        }
    }

    /// The queue, if it holds frames by flow.
    #[inline]
    pub(in crate::engine) fn flows(&self) -> Option<&FlowQueue> {
        match self {
            Self::Flows(flows) => Some(flows),
            _ => None,
        }
    }

    /// The queue, mutable, if it holds frames by flow.
    #[inline]
    pub(in crate::engine) fn flows_mut(&mut self) -> Option<&mut FlowQueue> {
        match self {
            Self::Flows(flows) => Some(flows),
            _ => None,
        }
    }

    /// The queue, mutable, if it is a FIFO of frames.
    #[inline]
    pub(in crate::engine) fn frames_mut(&mut self) -> Option<&mut FrameFifo> {
        match self {
            Self::Frames(frames) => Some(frames),
            _ => None,
        }
    }

    /// The queue, if it is managed.
    #[inline]
    pub(in crate::engine) fn managed(&self) -> Option<&Managed> {
        match self {
            Self::Managed(managed) => Some(managed),
            _ => None,
        }
    }

    /// The queue, mutable, if it is managed.
    #[inline]
    pub(in crate::engine) fn managed_mut(&mut self) -> Option<&mut Managed> {
        match self {
            Self::Managed(managed) => Some(managed),
            _ => None,
        }
    }
}

impl Room for Queue {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        match self {
            // Cells wait in the ring, or their departures are known.
            Self::Ring | Self::Frames(_) | Self::Fifo(..) => Ok(0),
            Self::ForeseenFrames(frames) => frames.make_room(),
            Self::Flows(flows) => Ok(flows.memory()),
            Self::Managed(managed) => managed.make_room(),
            Self::Priority(priority) => priority.make_room(),
            Self::Varying(varying) => varying.make_room(),
        }
    }
}
