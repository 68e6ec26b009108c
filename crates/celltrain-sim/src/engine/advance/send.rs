//! Cells leave sources and links through channels.

use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::mode::EventReach;
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Destination;
use crate::engine::trains::put::put;

impl Simulation<'_> {
    /// Puts a train that leaves a channel's origin into the channel; its times and hops must be those at the channel's
    /// end.
    #[inline]
    pub(in crate::engine) fn send(&mut self, index: usize, train: Train) {
        let channel = &mut self.trains.channels[index];
        let was_empty = channel.push(train);
        if train.is_event && channel.next_event_cell() == train.first.at && !channel.is_passed {
            self.schedule.calendar.set(channel.actor, train.first.at);
        }
        if was_empty {
            self.arrive_at_empty(index);
        }
    }

    /// [`Simulation::send`], but mid-PDU cells are taken immediately at the end of their direction if that makes no
    /// difference.
    #[inline]
    pub(in crate::engine) fn send_or_put(&mut self, index: usize, train: Train) {
        if train.is_event {
            self.send(index, train);
        } else if put(
            &mut self.trains.channels[index],
            train,
            &self.paths.hops,
            &mut self.ends.sinks,
            self.schedule.end,
        ) {
            self.arrive_at_empty(index);
        }
    }

    /// Updates the bounds downstream when cells enter a channel that was empty.
    #[inline]
    pub(in crate::engine) fn arrive_at_empty(&mut self, index: usize) {
        let channel = &self.trains.channels[index];
        if let Destination::Link { link, input } = channel.destination {
            let at = channel.next_arrival();
            let port = &mut self.trains.ports[link as usize];
            // A source group asks its sources for more when it runs out of cells.
            if !port.is_in_group(input as usize) {
                port.lookahead.set_first(input as usize, at);
                self.propagate_arrival(link as usize, input, at);
            }
        }
    }

    /// Reports the cells that a queue has refused and passes on those that leave it.
    pub(in crate::engine) fn pass_on(&mut self) {
        let mut served = std::mem::take(&mut self.trains.served);
        for train in served.refused.drain(..) {
            self.lose_train(&train);
        }
        for train in served.left.drain(..) {
            let hop = &self.paths.hops[train.first.hop()];
            let (number, downstream) = (hop.channel as usize, hop.ahead);
            let train = self.trains.channels[number].at_end(train, downstream);
            self.send_or_put(number, train);
        }
        self.trains.served = served;
    }

    /// Sends a cell that leaves the link of its hop at `at`.
    pub(in crate::engine) fn send_cell(&mut self, cell: Cell, at: Time) {
        let hop = &self.paths.hops[cell.hop()];
        let is_event = hop.is_event(cell);
        let (channel, downstream) = (hop.channel as usize, hop.ahead);
        let arrival = at.saturating_add(self.trains.channels[channel].delay);
        self.send(
            channel,
            Train::single(cell.at_hop_downstream(downstream, arrival), is_event),
        );
    }

    /// Sends a cell of a source along its path now, without an event on the way. If that path takes no time, the end of
    /// the direction first takes what the source has sent before, because no event at the end of the channel does so.
    pub(in crate::engine) fn send_from_source(&mut self, direction: usize, cell: Cell) {
        let source = &self.sources[direction];
        let (event_reach, way) = (source.event_reach, source.way);
        if let EventReach::Queue(link) = event_reach {
            let is_event = self.paths.hops[cell.hop()].is_event(cell);
            let train = Train::single(cell.leaving(self.schedule.now), is_event);
            return self.pass_own_queue(link as usize, train);
        }
        match way {
            Some((channel, downstream)) if !self.trains.channels[channel as usize].is_at_once() => {
                let hop = &self.paths.hops[cell.hop()];
                let is_event = hop.is_event(cell);
                let delay = self.trains.channels[channel as usize].delay;
                let arrival = self.schedule.now.saturating_add(delay);
                let cell = cell.at_hop_downstream(downstream, arrival);
                self.send(channel as usize, Train::single(cell, is_event));
            }
            Some((channel, _)) => {
                self.trains
                    .drain(channel as usize, self.schedule.now, &mut self.ends.sinks);
                self.enter(cell);
            }
            None => self.enter(cell),
        }
    }

    /// Sends a cell of another VC that leaves the source of its tunnel VC.
    pub(in crate::engine) fn send_carried(&mut self, direction: usize, cell: Cell) {
        if !self.sources[direction].is_lazy {
            return self.enter(cell.at_next_hop());
        }
        let (channel, downstream) = self.paths.hops[cell.hop()].resumes();
        if self.trains.channels[channel as usize].is_at_once() {
            self.trains
                .drain(channel as usize, self.schedule.now, &mut self.ends.sinks);
            return self.enter(cell.at_next_hop());
        }
        let is_event = cell.is_event();
        let delay = self.trains.channels[channel as usize].delay;
        let arrival = self.schedule.now.saturating_add(delay);
        let cell = cell.at_hop_downstream(downstream + 1, arrival);
        self.send(channel as usize, Train::single(cell, is_event));
    }
}
