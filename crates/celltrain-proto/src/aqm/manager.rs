//! What a queue manager is told, and what it decides.

use super::verdict::Verdict;
use crate::random::Stream;
use crate::units::{Cells, Span, Time};

/// How a manager is made, and what its kind needs.
pub trait Manager: Sized {
    /// Its parameters.
    type Parameters;
    /// Whether it acts by chance.
    const IS_RANDOM: bool = false;
    /// Whether it is told the queueing delay at updates, which takes a line with a rate.
    const NEEDS_RATE: bool = false;

    /// The manager of an empty queue. `stream` is for those that act by chance.
    fn build(parameters: Self::Parameters, stream: Stream) -> Self;
}

/// The manager of a queue. Times never decrease from one call to the next. By default it lets everything pass.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait QueueManager {
    /// A packet arrives behind `backlog` cells. `one_packet`: the cells of the largest packet.
    fn on_arrival(&mut self, now: Time, backlog: Cells, one_packet: Cells) -> Verdict {
        Verdict::Pass
    }
    /// A cell arrives that finds no room.
    fn on_overflow(&mut self, now: Time) {}
    /// A packet is at the head when the line is free.
    ///
    /// On [`Verdict::Drop`] the packet after it is at the head, and has to be shown in turn at the same `now`, until
    /// one passes or is marked. `sojourn`: how long the packet has waited; `backlog`: the cells after it;
    /// `one_packet`: the cells of the largest packet, a backlog of which is no standing queue.
    fn on_dequeue(
        &mut self,
        now: Time,
        sojourn: Span,
        backlog: Cells,
        one_packet: Cells,
    ) -> Verdict {
        Verdict::Pass
    }
    /// The last cell has left: the line is idle from `now` on.
    fn on_empty(&mut self, now: Time) {}
    /// When [`QueueManager::on_update`] is due, [`Time::NEVER`] if it never is. May change after each call of it.
    fn next_update(&self) -> Time {
        Time::NEVER
    }
    /// The regular update, at or after [`QueueManager::next_update`]; `delay` is the queueing delay now.
    fn on_update(&mut self, now: Time, delay: Span) {}
}
