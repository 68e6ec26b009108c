//! Lower bounds on what comes next through a channel: the lookahead that its origin can promise.

use celltrain_proto::units::{Span, Time};

use crate::engine::link::Link;
use crate::engine::queue::fifo::Fifo;
use crate::engine::queue::varying::Varying;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::mode::Mode;
use crate::engine::trains::Trains;
use crate::engine::trains::channel::{Channel, Origin};
use crate::engine::trains::port::Port;

impl Trains {
    /// A lower bound on the arrival, at the end of `channel`, of cells not yet in it, except event cells that are events
    /// there.
    #[expect(
        clippy::inline_always,
        reason = "a call of its own for each question is 0.2 % of the instructions of `lines`"
    )]
    #[inline(always)]
    pub(in crate::engine) fn lower_bound(
        &self,
        channel: &Channel,
        links: &[Link],
        sources: &ByDirection<Source>,
    ) -> Time {
        let departure = match channel.origin {
            Origin::Source(direction) => {
                let source = &sources[direction as usize];
                match source.port {
                    Some(port) => next_of_tunnel(source, &self.ports[port as usize]),
                    None => source.next_on_demand(channel.is_passed),
                }
            }
            Origin::Link(link) => self.next_of_stage(link as usize, channel, links, sources),
        };
        departure.saturating_add(channel.delay)
    }

    /// A lower bound on the next departure from a link into `channel`, of cells not yet in it.
    fn next_of_stage(
        &self,
        link: usize,
        channel: &Channel,
        links: &[Link],
        sources: &ByDirection<Source>,
    ) -> Time {
        let (port, link) = (&self.ports[link], &links[link]);
        // The queue is advanced with its owner, so the bound is that of the source plus the time in the queue.
        if let Some(owner) = port.owner {
            let next = sources[owner as usize].next_on_demand(channel.is_passed);
            let after = |fifo: &Fifo| fifo.departure_after(next, Span::ZERO, 0);
            return link.fifo().map_or(Time::NEVER, after);
        }
        // Only cells from its feeders enter this channel; the other inputs may bring earlier ones.
        let arrival = match &channel.feeders {
            None => port.lookahead.lower_bound(),
            Some(inputs) => {
                let bounds = inputs.iter();
                let bounds = bounds.map(|&input| port.lower_bound_of(input as usize));
                bounds.min().unwrap_or(Time::NEVER)
            }
        };
        // A cell that has yet to arrive takes its transmission time; the latency is zero if that is not certain to the
        // picosecond.
        let of_arrival = arrival.saturating_add(port.lookahead.latency);
        // If departures are not known on arrival, waiting cells leave even if no cell arrives.
        if let Some(priority) = link.priority() {
            of_arrival.min(priority.next_departure())
        } else if port.mode == Mode::Varying {
            of_arrival.min(link.change_awaited(Varying::waits))
        } else if port.mode == Mode::OneByOne && link.queued() > 0 {
            of_arrival.min(link.departure(1))
        } else {
            of_arrival
        }
    }
}

/// A lower bound on the next cell that a tunnel VC sends, whether it waits already or has yet to arrive at its stage.
fn next_of_tunnel(source: &Source, port: &Port) -> Time {
    let arrival = port.lookahead.lower_bound();
    match source.next_emission() {
        // No cell waits, but one that arrives may leave immediately.
        Time::NEVER => arrival,
        // A cell that arrives at an idle tunnel VC may pass before the VC's own next cell.
        next => next.min(arrival),
    }
}
