//! The interface of a queue manager: its inputs and its decisions.

use super::verdict::Verdict;
use crate::random::Stream;
use crate::units::{Bytes, Span, Time};

/// How to create a manager, and what its kind needs.
pub trait Manager: Sized {
    /// The manager's parameters.
    type Parameters;
    /// Whether it makes random decisions.
    const IS_RANDOM: bool = false;
    /// Whether it uses the queueing delay at updates, which requires a link with a rate.
    const NEEDS_RATE: bool = false;

    /// Creates the manager of an empty queue. `stream` is for managers that make random decisions.
    fn build(parameters: Self::Parameters, stream: Stream) -> Self;
}

/// The manager of a queue. Times never decrease from one call to the next. By default every packet passes.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait QueueManager {
    /// A packet arrives after `backlog` octets on the line. `one_packet`: those of the largest packet.
    fn on_arrival(&mut self, now: Time, backlog: Bytes, one_packet: Bytes) -> Verdict {
        Verdict::Pass
    }
    /// An arriving cell finds no room.
    fn on_overflow(&mut self, now: Time) {}
    /// A packet is at the head when the line becomes free.
    ///
    /// After [`Verdict::Drop`] the next packet is at the head and must be shown in turn at the same `now`, until one
    /// passes or is marked. `sojourn`: how long the packet has waited; `backlog`: the octets after it; `one_packet`: those
    /// of the largest packet; a backlog of at most that is not a standing queue.
    fn on_dequeue(
        &mut self,
        now: Time,
        sojourn: Span,
        backlog: Bytes,
        one_packet: Bytes,
    ) -> Verdict {
        Verdict::Pass
    }
    /// The last cell has left: the line is idle from `now` on.
    fn on_empty(&mut self, now: Time) {}
    /// When [`QueueManager::on_update`] is due, [`Time::NEVER`] if never. May change after each call of it.
    fn next_update(&self) -> Time {
        Time::NEVER
    }
    /// Leaves out the updates due before `now` that would change nothing, if there was no delay at any of them.
    fn pass_idle_time(&mut self, now: Time) {}
    /// The periodic update, at or after [`QueueManager::next_update`]; `delay` is the current queueing delay.
    fn on_update(&mut self, now: Time, delay: Span) {}
}
