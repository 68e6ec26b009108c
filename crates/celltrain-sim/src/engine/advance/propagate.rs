//! Null messages: if something may happen earlier upstream than was promised, the lookahead downstream is lowered where
//! this makes a difference (Chandy, Misra, Bryant).

use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::mode::{EventReach, Mode};
use crate::engine::trains::channel::Destination;

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
            let next = source.next_on_demand(channel.is_passed);
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
            let at = self.trains.lower_bound(channel, &self.links, &self.sources);
            let lookahead = &mut self.trains.ports[link as usize].lookahead;
            if lookahead.receive(input as usize, at) {
                self.propagate_arrival(link as usize, input, at);
            }
        }
    }
}
