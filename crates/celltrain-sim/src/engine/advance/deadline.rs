//! Deadlines of event cells in the calendar, for sources, links and channels. A deadline is a lower bound: if it is too
//! early, nothing is found and the next one is set.

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::varying::Varying;
use crate::engine::simulation::Simulation;
use crate::engine::source::Source;
use crate::engine::state::mode::{EventReach, Mode};
use crate::engine::trains::channel::Destination;

impl Simulation<'_> {
    /// Sets the deadline of a source, or of a channel downstream if event cells only become events there.
    pub(in crate::engine) fn set_source_deadline(&mut self, direction: usize) {
        let source = &self.sources[direction];
        if source.port.is_some() {
            return self.set_tunnel_deadline(direction);
        }
        let (channel, departure) = match (source.event_reach, source.way) {
            // It sends no event cells.
            (EventReach::Group, _) => return,
            (EventReach::Queue(link), _) => {
                let hop = &self.paths.hops[source.first_hop as usize];
                (
                    hop.channel,
                    self.departure_of_event_cell(source, link as usize),
                )
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

    /// A lower bound on when the source's next event cell leaves the queue that it alone fills.
    fn departure_of_event_cell(&self, source: &Source, link: usize) -> Time {
        match (source.before_next_event_cell(), self.links[link].fifo()) {
            (Some((at, gap, cells)), Some(fifo)) => fifo.departure_after(at, gap, cells),
            _ => Time::NEVER,
        }
    }

    /// Sets when a tunnel VC acts next, and when it is examined again for cells that may arrive.
    pub(in crate::engine) fn set_tunnel_deadline(&mut self, tunnel: usize) {
        let source = &self.sources[tunnel];
        let Some(port) = source.port else { return };
        let port = &self.trains.ports[port as usize];
        let (acts, looks) = if source.waits() {
            (source.next_event_carried(), Time::NEVER)
        } else {
            let arrival = port.lookahead.lower_bound();
            (
                source.next_emission(),
                source.next_event_idle(arrival, port.spacing),
            )
        };
        let now = self.schedule.now;
        let actor = self.schedule.actors.sources + tunnel;
        // A cell that has arrived unseen by then can make the source send one of its own, in the source's turn, which is
        // before that of the port. The port's turn is for cells that arrive at this very instant.
        let before = if looks > now { looks } else { Time::NEVER };
        self.schedule.calendar.set(actor, acts.min(before).max(now));
        // If all cells arrive one by one, the port is not an actor: every arrival is an event.
        if !port.channels.is_empty() {
            self.schedule.calendar.set(port.actor, looks.max(now));
        }
    }

    /// Sets the deadline of a link to the earliest time at which the next event cell in its queue can reach the far end.
    pub(in crate::engine) fn set_departure_deadline(&mut self, link: usize) {
        let target = &self.links[link];
        let departure = if let Some(priority) = target.priority() {
            priority.next_event_departure()
        } else if self.trains.ports[link].mode == Mode::Varying {
            target.change_awaited(Varying::waits_with_event_cell)
        } else {
            let first = self.trains.ports[link].event_cells.first();
            first.map_or(Time::NEVER, |place| target.departure(place))
        };
        let deadline = departure.saturating_add(target.delay());
        self.schedule.calendar.set(target.actor, deadline);
    }
}
