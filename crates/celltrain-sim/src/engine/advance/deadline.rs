//! Deadlines of event cells in the calendar, for sources and for channels farther downstream. A deadline is a lower bound:
//! if it is too early, nothing is found and the next one is set.

use celltrain_proto::units::{Span, Time};

use crate::engine::simulation::Simulation;
use crate::engine::state::mode::EventReach;
use crate::engine::trains::channel::Destination;

impl Simulation<'_> {
    /// Sets the deadline of a source, or of a channel downstream if event cells only become events there.
    pub(in crate::engine) fn set_source_deadline(&mut self, direction: usize) {
        let source = &self.sources[direction];
        if source.port.is_some() {
            return self
                .trains
                .set_tunnel_deadline(direction, source, &mut self.schedule);
        }
        let (channel, departure) = match (source.event_reach, source.way) {
            // It sends no event cells.
            (EventReach::Group, _) => return,
            (EventReach::Queue(link), _) => {
                let hop = &self.paths.hops[source.first_hop as usize];
                let queue = self.links[link as usize].fifo();
                // The source alone fills this queue, so the cells before the event cell are known.
                let departure = match (source.before_next_event_cell(), queue) {
                    (Some((at, gap, cells)), Some(fifo)) => fifo.departure_after(at, gap, cells),
                    _ => Time::NEVER,
                };
                (hop.channel, departure)
            }
            (EventReach::Channel, Some((channel, _))) => (channel, source.next_event_cell()),
            _ => {
                let deadline = source.next_event().max(self.schedule.now);
                let actor = self.schedule.actors.sources + direction;
                return self.schedule.calendar.set(actor, deadline);
            }
        };
        let mut channel = &self.trains.channels[channel as usize];
        let mut next = departure
            .saturating_add(channel.delay)
            .min(channel.next_event_cell());
        // Queues that pass event cells move the event to the channel downstream of the last such queue.
        while channel.is_passed
            && let Destination::Link { link, .. } = channel.destination
        {
            let hop = &self.paths.hops[channel.ends[0] as usize];
            channel = &self.trains.channels[hop.channel as usize];
            let latency = self.trains.ports[link as usize].lookahead.latency;
            let departure = match self.links[link as usize].fifo() {
                Some(fifo) => fifo.departure_after(next, Span::ZERO, 0),
                None => next.saturating_add(latency),
            };
            next = departure
                .saturating_add(channel.delay)
                .min(channel.next_event_cell());
        }
        self.schedule
            .calendar
            .set(channel.actor, next.max(self.schedule.now));
    }
}
