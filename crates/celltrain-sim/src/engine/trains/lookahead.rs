//! Lookahead: lower bounds on when the next cell can come, handed downstream as null messages (Chandy, Misra, Bryant), and
//! when sources and links are to act.
//!
//! A bound that is too early costs a question; one that is too late changes the order of cells.

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::varying::Varying;
use crate::engine::simulation::Simulation;
use crate::engine::source::{Ahead, Source};
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Channel, Destination};

impl Simulation<'_> {
    /// A cell may arrive `at` at the queue of a link by this input, from which none was expected so early: what
    /// comes behind may have to expect it earlier, too.
    #[inline]
    pub(in crate::engine) fn stir(&mut self, link: usize, input: u32, at: Time) {
        let port = &mut self.trains.ports[link];
        // Downstream counts on the earlier bound alone: a later one was never told.
        if at < port.quiet {
            port.quiet = at;
            self.announce(link);
            if let Mode::Tunnel(source) = self.trains.ports[link].mode {
                self.expect_source(source as usize);
            }
        } else if !port.split.is_empty() {
            // The link as a whole expects a cell earlier, but a channel that not all inputs feed may not have.
            self.announce_input(link, input);
        }
    }

    /// Tells downstream links their earliest possible next arrival.
    pub(in crate::engine) fn announce(&mut self, link: usize) {
        for number in 0..self.trains.ports[link].fills.len() {
            self.announce_into(link, self.trains.ports[link].fills[number] as usize);
        }
    }

    /// The same for those links only to which not all inputs lead, but this one.
    fn announce_input(&mut self, link: usize, input: u32) {
        for number in 0..self.trains.ports[link].split.len() {
            let channel = self.trains.ports[link].split[number] as usize;
            let feeders = self.trains.channels[channel].feeders.as_ref();
            if feeders.is_some_and(|inputs| inputs.contains(&input)) {
                self.announce_into(link, channel);
            }
        }
    }

    /// The link at the end of a channel learns when it can expect a cell from the one at its start.
    fn announce_into(&mut self, link: usize, channel: usize) {
        let channel = &self.trains.channels[channel];
        if let Destination::Link { link: next, input } = channel.destination {
            let departure = self.next_departure(link, channel);
            let at = departure.saturating_add(channel.delay);
            let inputs = &mut self.trains.ports[next as usize].inputs;
            // Only what is earlier is news: a later bound is asked for when the earlier one has passed.
            if at < inputs.more(input as usize) {
                inputs.set_more(input as usize, at);
                self.stir(next as usize, input, at);
            }
        }
    }

    /// What a source sends next has changed.
    pub(in crate::engine) fn announce_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        if let Some(port) = source.port {
            return self.announce(port as usize);
        }
        if let Ahead::Queue(link) = source.ahead {
            return self.announce(link as usize);
        }
        let Some((channel, _)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        let channel = &self.trains.channels[channel as usize];
        if let Destination::Link { link, input } = channel.destination {
            let at = self
                .next_into(direction, channel)
                .saturating_add(channel.delay);
            let port = &mut self.trains.ports[link as usize];
            let is_news = if let Some(group) = port.group_at(input as usize) {
                let is_earlier = at < group.more;
                group.more = group.more.min(at);
                is_earlier
            } else {
                let is_other = at != port.inputs.more(input as usize);
                port.inputs.set_more(input as usize, at);
                is_other
            };
            if is_news {
                self.stir(link as usize, input, at);
            }
        }
    }

    /// No later than the next departure from a link into `channel` that is not yet there.
    pub(in crate::engine) fn next_departure(&self, link: usize, channel: &Channel) -> Time {
        let port = &self.trains.ports[link];
        if let Mode::Tunnel(source) = port.mode {
            return match self.sources[source as usize].next_emission() {
                Time::NEVER => port.quiet,
                next => next.min(port.quiet),
            };
        }
        // The queue is advanced with the source that alone fills it, so the bound is that of the source, moved on by the queue.
        if let Some(owner) = port.owner {
            let next = self.next_into(owner as usize, channel);
            let fifo = self.links[link].fifo();
            return fifo.map_or(Time::NEVER, |fifo| {
                fifo.departure_behind(next, Span::ZERO, 0)
            });
        }
        // A cell takes this channel only if it came by one of its feeders: the others may bring cells sooner.
        let quiet = match &channel.feeders {
            None => port.quiet,
            Some(inputs) => {
                let quiet = inputs.iter().map(|&input| port.quiet_of(input as usize));
                quiet.min().unwrap_or(Time::NEVER)
            }
        };
        // A cell that is yet to come takes its transmission; zero where that is not certain to the picosecond.
        let of_arrival = quiet.saturating_add(port.transmission);
        // Where departures are not known when cells come, those that wait leave although none comes.
        if let Some(priority) = self.links[link].priority() {
            of_arrival.min(priority.next_departure())
        } else if port.mode == Mode::Varying {
            of_arrival.min(self.links[link].change_awaited(Varying::waits))
        } else if port.mode == Mode::OneByOne && self.links[link].queued() > 0 {
            of_arrival.min(self.links[link].departure(1))
        } else {
            of_arrival
        }
    }

    /// When a source is to act next, or the channel behind it if that knows first.
    pub(in crate::engine) fn expect_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        if source.port.is_some() {
            return self.expect_tunnel(direction);
        }
        let (channel, departure) = match (source.ahead, source.way) {
            (Ahead::Group, _) => return,
            (Ahead::Queue(link), _) => {
                let hop = &self.paths.hops[source.first_hop as usize];
                (
                    hop.channel,
                    self.departure_of_event_cell(source, link as usize),
                )
            }
            (Ahead::Channel, Some((channel, _))) => (channel, source.next_marked()),
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
        // Queues that pass event cells move the event on, to the channel downstream of the last of them.
        while channel.is_passed
            && let Destination::Link { link, .. } = channel.destination
        {
            let hop = &self.paths.hops[channel.ends[0] as usize];
            channel = &self.trains.channels[hop.channel as usize];
            let departure = match self.links[link as usize].fifo() {
                Some(fifo) => fifo.departure_behind(next, Span::ZERO, 0),
                None => next.saturating_add(self.trains.ports[link as usize].transmission),
            };
            next = departure
                .saturating_add(channel.delay)
                .min(channel.next_event_cell());
        }
        self.schedule
            .calendar
            .set(channel.actor, next.max(self.schedule.now));
    }

    /// No later than the next cell that a source sends into `channel`, or the queue in front of that, and that is no event
    /// at its end.
    pub(in crate::engine) fn next_into(&self, direction: usize, channel: &Channel) -> Time {
        let source = &self.sources[direction];
        if channel.is_passed {
            source.next_emission()
        } else {
            source.next_unmarked()
        }
    }

    /// No later than the next event cell of a source leaves its own queue.
    fn departure_of_event_cell(&self, source: &Source, link: usize) -> Time {
        match (source.before_next_event_cell(), self.links[link].fifo()) {
            (Some((at, gap, cells)), Some(fifo)) => fifo.departure_behind(at, gap, cells),
            _ => Time::NEVER,
        }
    }

    /// Looks again when the next event cell in the queue can have come to the far end.
    pub(in crate::engine) fn expect_departure(&mut self, link: usize) {
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
