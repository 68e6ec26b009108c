//! Null messages: where something may happen earlier upstream than was thought, the lookahead downstream is lowered, as
//! far as it makes a difference (Chandy, Misra, Bryant).

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::varying::Varying;
use crate::engine::simulation::Simulation;
use crate::engine::source::Ahead;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Channel, Destination, Origin};

impl Simulation<'_> {
    /// What a source sends next has changed.
    pub(in crate::engine) fn propagate_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        // The cells of others that a tunnel VC transports count, too: its bound is that of its stage.
        if let Some(port) = source.port {
            return self.propagate_stage(port as usize);
        }
        // Its cells pass its own queue as they leave, so that the next to know of them is downstream of that.
        if let Ahead::Queue(link) = source.ahead {
            return self.propagate_stage(link as usize);
        }
        // Cells that are events bring themselves.
        let Some((number, _)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        let channel = &self.trains.channels[number as usize];
        if let Destination::Link { link, input } = channel.destination {
            // Not the lookahead of the channel: in a source group several sources share one in name.
            let next = self.next_of_source(direction, channel);
            let at = next.saturating_add(channel.delay);
            let port = &mut self.trains.ports[link as usize];
            let is_news = if port.is_in_group(input as usize) {
                port.lookahead.receive_of_group(at)
            } else {
                port.lookahead.set_upstream(input as usize, at)
            };
            if is_news {
                self.propagate_arrival(link as usize, input, at);
            }
        }
    }

    /// The next departures from a stage may be earlier: null messages go into all channels that it fills.
    pub(in crate::engine) fn propagate_stage(&mut self, link: usize) {
        for number in 0..self.trains.ports[link].fills.len() {
            self.send_null_message(self.trains.ports[link].fills[number] as usize);
        }
    }

    /// A cell may arrive `at` at a stage by this input, from which none was expected so early: stages downstream may have to
    /// expect it earlier, too.
    #[inline]
    pub(in crate::engine) fn propagate_arrival(&mut self, link: usize, input: u32, at: Time) {
        let port = &mut self.trains.ports[link];
        // Downstream counts on the bound of the whole stage alone: one that stays was told before.
        if port.lookahead.lower(at) {
            self.propagate_stage(link);
            // A tunnel VC that waits for cells has its deadline from this bound.
            if let Mode::Tunnel(source) = self.trains.ports[link].mode {
                self.set_source_deadline(source as usize);
            }
        } else if !port.lookahead.partly_fed.is_empty() {
            // The stage as a whole expects a cell earlier by another input, but that may not lead to the same channel.
            self.propagate_input(link, input);
        }
    }

    /// Null messages go into the channels to which not all inputs of a stage lead, but this one.
    fn propagate_input(&mut self, link: usize, input: u32) {
        for number in 0..self.trains.ports[link].lookahead.partly_fed.len() {
            let channel = self.trains.ports[link].lookahead.partly_fed[number] as usize;
            let feeders = self.trains.channels[channel].feeders.as_ref();
            if feeders.is_some_and(|inputs| inputs.contains(&input)) {
                self.send_null_message(channel);
            }
        }
    }

    /// The stage at the end of a channel learns when it can expect a cell from the origin.
    fn send_null_message(&mut self, number: usize) {
        let channel = &self.trains.channels[number];
        if let Destination::Link { link, input } = channel.destination {
            let at = self.lower_bound(channel);
            let lookahead = &mut self.trains.ports[link as usize].lookahead;
            if lookahead.receive(input as usize, at) {
                self.propagate_arrival(link as usize, input, at);
            }
        }
    }

    /// No cell that is not yet in `channel` arrives at its end before, event cells aside that are events there.
    #[expect(
        clippy::inline_always,
        reason = "a call of its own for each question is 0.2 % of the instructions of `lines`"
    )]
    #[inline(always)]
    pub(in crate::engine) fn lower_bound(&self, channel: &Channel) -> Time {
        let departure = match channel.origin {
            Origin::Source(direction) => match self.sources[direction as usize].port {
                Some(port) => self.next_of_tunnel(direction as usize, port as usize),
                None => self.next_of_source(direction as usize, channel),
            },
            Origin::Link(link) => self.next_of_stage(link as usize, channel),
        };
        departure.saturating_add(channel.delay)
    }

    /// No later than the next cell that a source sends into `channel`, or into the queue in front of that, and that is no
    /// event at its end.
    fn next_of_source(&self, direction: usize, channel: &Channel) -> Time {
        let source = &self.sources[direction];
        if channel.is_passed {
            // The queue at the end takes event cells as it does others: they count, too.
            source.next_emission()
        } else {
            source.next_mid_pdu()
        }
    }

    /// No later than the next cell that a tunnel VC sends, be it waiting or yet to come to its stage.
    fn next_of_tunnel(&self, direction: usize, port: usize) -> Time {
        let arrival = self.trains.ports[port].lookahead.lower_bound();
        match self.sources[direction].next_emission() {
            // None waits, but one that comes may leave at once.
            Time::NEVER => arrival,
            // A cell that comes to an idle tunnel VC may pass before its own next one.
            next => next.min(arrival),
        }
    }

    /// No later than the next departure from a link into `channel` that is not yet there.
    fn next_of_stage(&self, link: usize, channel: &Channel) -> Time {
        let port = &self.trains.ports[link];
        // The queue is advanced with the source that alone fills it, so the bound is that of the source, moved on by the queue.
        if let Some(owner) = port.owner {
            let next = self.next_of_source(owner as usize, channel);
            let fifo = self.links[link].fifo();
            return fifo.map_or(Time::NEVER, |fifo| {
                fifo.departure_behind(next, Span::ZERO, 0)
            });
        }
        // A cell takes this channel only if it came by one of its feeders: the others may bring cells sooner.
        let arrival = match &channel.feeders {
            None => port.lookahead.lower_bound(),
            Some(inputs) => {
                let bounds = inputs.iter();
                let bounds = bounds.map(|&input| port.lower_bound_of(input as usize));
                bounds.min().unwrap_or(Time::NEVER)
            }
        };
        // A cell that is yet to come takes its transmission; zero where that is not certain to the picosecond.
        let of_arrival = arrival.saturating_add(port.lookahead.latency);
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
}
