//! Null messages: if something may happen earlier upstream than was promised, the lookahead downstream is lowered where
//! this makes a difference (Chandy, Misra, Bryant).

use celltrain_proto::units::{Span, Time};

use crate::engine::queue::varying::Varying;
use crate::engine::simulation::Simulation;
use crate::engine::state::mode::{EventReach, Mode};
use crate::engine::trains::channel::{Channel, Destination, Origin};

impl Simulation<'_> {
    /// Propagates a change in what a source sends next.
    pub(in crate::engine) fn propagate_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        // The cells of other VCs that a tunnel VC carries count, too: its bound is that of its stage.
        if let Some(port) = source.port {
            return self.propagate_stage(port as usize);
        }
        // Its cells pass its own queue as they leave, so the null message starts downstream of the queue.
        if let EventReach::Queue(link) = source.event_reach {
            return self.propagate_stage(link as usize);
        }
        // Cells that are events as they leave need no lookahead.
        let Some((number, _)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        let channel = &self.trains.channels[number as usize];
        if let Destination::Link { link, input } = channel.destination {
            // Not the lookahead of the channel, which several sources of a source group may share.
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

    /// Sends null messages into all channels that a stage fills, because its next departure may be earlier.
    pub(in crate::engine) fn propagate_stage(&mut self, link: usize) {
        for number in 0..self.trains.ports[link].fills.len() {
            self.send_null_message(self.trains.ports[link].fills[number] as usize);
        }
    }

    /// Notes that a cell may arrive at a stage by this input at `at`, earlier than expected, and propagates it
    /// downstream.
    #[inline]
    pub(in crate::engine) fn propagate_arrival(&mut self, link: usize, input: u32, at: Time) {
        let port = &mut self.trains.ports[link];
        // Downstream relies only on the bound of the whole stage. If that is unchanged, it is known there.
        if port.lookahead.lower(at) {
            self.propagate_stage(link);
            // The deadline of a tunnel VC that waits for cells follows from this bound.
            if let Mode::Tunnel(source) = self.trains.ports[link].mode {
                self.set_source_deadline(source as usize);
            }
        } else if !port.lookahead.partly_fed.is_empty() {
            // The whole stage expects an earlier cell from another input, which may not lead to the same channels.
            self.propagate_input(link, input);
        }
    }

    /// Sends null messages into those channels that are fed by this input, but not by all inputs of the stage.
    fn propagate_input(&mut self, link: usize, input: u32) {
        for number in 0..self.trains.ports[link].lookahead.partly_fed.len() {
            let channel = self.trains.ports[link].lookahead.partly_fed[number] as usize;
            let feeders = self.trains.channels[channel].feeders.as_ref();
            if feeders.is_some_and(|inputs| inputs.contains(&input)) {
                self.send_null_message(channel);
            }
        }
    }

    /// Tells the stage at the end of a channel the earliest next arrival from the origin.
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

    /// A lower bound on the arrival, at the end of `channel`, of cells not yet in it, except event cells that are events
    /// there.
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

    /// A lower bound on the next cell that a source sends into `channel`, or into the queue at its start, and that is not
    /// an event at the end.
    fn next_of_source(&self, direction: usize, channel: &Channel) -> Time {
        let source = &self.sources[direction];
        if channel.is_passed {
            // The queue at the end takes event cells like all others, so they count, too.
            source.next_emission()
        } else {
            source.next_mid_pdu()
        }
    }

    /// A lower bound on the next cell that a tunnel VC sends, whether it waits already or has yet to arrive at its stage.
    fn next_of_tunnel(&self, direction: usize, port: usize) -> Time {
        let arrival = self.trains.ports[port].lookahead.lower_bound();
        match self.sources[direction].next_emission() {
            // No cell waits, but one that arrives may leave immediately.
            Time::NEVER => arrival,
            // A cell that arrives at an idle tunnel VC may pass before the VC's own next cell.
            next => next.min(arrival),
        }
    }

    /// A lower bound on the next departure from a link into `channel`, of cells not yet in it.
    fn next_of_stage(&self, link: usize, channel: &Channel) -> Time {
        let port = &self.trains.ports[link];
        // The queue is advanced with its owner, so the bound is that of the source plus the time in the queue.
        if let Some(owner) = port.owner {
            let next = self.next_of_source(owner as usize, channel);
            let fifo = self.links[link].fifo();
            return fifo.map_or(Time::NEVER, |fifo| {
                fifo.departure_after(next, Span::ZERO, 0)
            });
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
