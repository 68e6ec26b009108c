//! Lazy evaluation: sources and links are advanced on demand, a train at a time.
//!
//! Only event cells are events: RM cells, last cells of PDUs, and cells that something downstream must see one by one.
//! Before an event cell enters a queue, the queue takes all cells that arrived before it, from channels that the sources
//! and links upstream fill first. So every queue sees the same cells at the same instants and in the same order as if
//! each cell were an event.

use celltrain_proto::units::Time;

use crate::engine::queue::discipline::Admission;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::hop::Shown;
use crate::engine::state::mode::Mode;
use crate::engine::state::time::minus;
use crate::engine::state::train::Train;
use crate::engine::trains::channel::{Destination, Origin};

impl Simulation<'_> {
    /// Handles an event cell that may have reached the end of a channel.
    pub(in crate::engine) fn on_channel(&mut self, index: usize) {
        let sender = self.trains.channels[index].sender;
        let sender = sender.map(|direction| direction as usize);
        // If an event cell is known to arrive now, later ones are fetched another time, many at once.
        if let Some(direction) = sender
            && self.trains.channels[index].next_event_cell() > self.schedule.now
        {
            match self.trains.channels[index].origin {
                Origin::Link(link) if self.trains.ports[link as usize].passes_event_cells => {
                    self.advance_stage(link as usize, self.schedule.now);
                }
                _ => {
                    if let Some(before) =
                        minus(self.schedule.now, self.trains.channels[index].delay)
                    {
                        self.advance_source(direction, before);
                    }
                }
            }
        }
        self.on_arrival(index);
        if let Some(direction) = sender {
            self.set_source_deadline(direction);
            self.propagate_source(direction);
        }
    }

    /// Handles the event cell at the head of a channel if it arrives now.
    fn on_arrival(&mut self, index: usize) {
        if self.trains.channels[index].next_event_cell() > self.schedule.now {
            return;
        }
        match self.trains.channels[index].destination {
            Destination::Link { link, .. } => self.advance_stage(link as usize, self.schedule.now),
            Destination::Sink(_) => {
                self.trains
                    .drain(index, self.schedule.now, &mut self.ends.sinks);
            }
            Destination::Node | Destination::Counters => {}
        }
        let channel = &mut self.trains.channels[index];
        let Some(cell) = channel.pop_event_cell() else {
            return;
        };
        channel.event_in = self.schedule.events;
        self.schedule
            .calendar
            .set(channel.actor, channel.next_event_cell());
        if let Destination::Link { link, input } = channel.destination {
            let lookahead = &mut self.trains.ports[link as usize].lookahead;
            lookahead.set_first(input as usize, channel.next_arrival());
        }
        let last = cell.at_hop_upstream(channel.transparent + 1);
        if !channel.bypassed.is_empty() {
            self.trains.passed.get_mut(last.hop())[last.kind() as usize] += 1;
        }
        self.arrive(last);
    }

    /// Offers a cell to the queue of a lazily evaluated link now.
    pub(in crate::engine) fn enter_lazily(&mut self, link: usize, cell: Cell) {
        self.advance_stage(link, self.schedule.now);
        let hop = &mut self.paths.hops[cell.hop()];
        hop.counts.offered[cell.kind() as usize] += 1;
        let target = &mut self.links[link];
        if hop.load != Shown::Unseen {
            target.show(self.schedule.now, cell, hop, &mut self.paths.rms);
        }
        let is_taken = match self.trains.ports[link].mode {
            Mode::OneByOne => {
                let is_event = hop.is_event(cell);
                let is_taken = target.enqueue(self.schedule.now, cell, hop.port_vc);
                if is_taken {
                    let queue = target.queue_of(hop.port_vc);
                    self.trains.ports[link]
                        .event_cells
                        .on_arrival(queue, is_event);
                }
                is_taken
            }
            Mode::Priority => {
                self.advance_priority(link, self.schedule.now);
                self.offer(link, cell)
            }
            Mode::Varying | Mode::Batched => self.offer(link, cell),
            _ => {
                let channel = hop.channel;
                self.trains.ports[link]
                    .turns
                    .leave(channel, self.schedule.now, self.schedule.now);
                self.send_cell(cell, self.schedule.now);
                true
            }
        };
        if !is_taken {
            self.lose(self.schedule.now, cell);
        } else if self.trains.ports[link].mode.keeps_cells() {
            self.advance_departures(link, self.schedule.now);
            self.propagate_stage(link);
            self.trains
                .set_departure_deadline(link, &self.links[link], &mut self.schedule);
        }
    }

    /// Offers a cell to the queue of a link now; the queue must be advanced. False if the cell is refused.
    fn offer(&mut self, link: usize, cell: Cell) -> bool {
        let hop = &self.paths.hops[cell.hop()];
        let (vc, is_event) = (hop.port_vc, hop.is_event(cell));
        let coming = cell.leaving(self.schedule.now);
        let rated = self.links[link].line.as_mut();
        match rated.map(|line| line.offer(coming, vc, is_event)) {
            Some(Admission::Leaves(departure)) => self.send_cell(cell, departure),
            Some(Admission::Waits) => {}
            Some(Admission::Refused) | None => return false,
        }
        true
    }

    /// Passes on cells that have departed.
    fn forward_departed(&mut self, link: usize) {
        while let Some(cell) = self.links[link].take_departed() {
            let hop = &self.paths.hops[cell.hop()];
            let is_event = hop.is_event(cell);
            let (channel, downstream) = (hop.channel as usize, hop.ahead);
            let queue = self.links[link].queue_of(hop.port_vc);
            self.trains.ports[link]
                .event_cells
                .on_departure(queue, is_event);
            if self.trains.channels[channel].destination != Destination::Counters {
                self.trains.ports[link]
                    .turns
                    .leave(channel as u32, cell.at, cell.at);
            }
            // The cell's `at` is its arrival at the far end of the link; the channel may lead further.
            let further = self.trains.channels[channel].delay - self.links[link].delay();
            let cell = cell.at_hop_downstream(downstream, cell.at.saturating_add(further));
            self.send_or_put(channel, Train::single(cell, is_event));
        }
        if self.links[link].queued() == 0 {
            self.trains.ports[link].event_cells.clear();
        }
    }

    /// Passes on the cells that depart up to `time`, from a link that takes cells one by one.
    pub(in crate::engine) fn advance_departures(&mut self, link: usize, time: Time) {
        match self.trains.ports[link].mode {
            Mode::Priority => self.advance_priority(link, time),
            Mode::Varying => self.advance_varying(link, time),
            Mode::OneByOne => {
                self.links[link].advance(time);
                self.forward_departed(link);
            }
            _ => self.links[link].advance(time),
        }
    }

    /// Handles an event cell that may have left the queue of a link.
    pub(in crate::engine) fn on_lazy_link(&mut self, link: usize) {
        self.advance_stage(link, self.schedule.now);
        self.advance_departures(link, self.schedule.now);
        self.trains
            .set_departure_deadline(link, &self.links[link], &mut self.schedule);
    }

    /// Lets the queue of a link take all cells that arrive up to `time`; of those that arrive at the present instant,
    /// only cells whose turn comes before the present event.
    pub(in crate::engine) fn advance_stage(&mut self, link: usize, time: Time) {
        let port = &mut self.trains.ports[link];
        if !port.is_lazy() {
            return;
        }
        if let Some(owner) = port.owner {
            return self.advance_source(owner as usize, time);
        }
        if time == self.schedule.now {
            // Advancing again would find nothing: sources that this event wakes have their turn later. It saves 6 % of the
            // instructions of a run of `lan`, and 4 % of those of `adsl`.
            if port.event == self.schedule.events {
                return;
            }
            port.event = self.schedule.events;
        }
        // Nothing can have arrived before the lookahead, so upstream need not be asked.
        if port.lookahead.lower_bound() <= time {
            self.ask_upstream(link, time);
            self.merge(link, time);
            self.trains.ports[link].renew_lookahead();
        }
        match self.trains.ports[link].mode {
            mode if mode.keeps_cells() => {
                self.advance_departures(link, time);
                if self.trains.ports[link].passes_event_cells {
                    self.trains
                        .set_departure_deadline(link, &self.links[link], &mut self.schedule);
                }
            }
            Mode::Tunnel(source) => {
                let direction = source as usize;
                let woken = self.sources[direction].woken;
                if let Some(until) = self.schedule.until(direction, woken, time) {
                    self.advance_tunnel(direction, until);
                }
            }
            _ => {}
        }
    }

    /// Advances the origins that may have more cells for a stage than its channels hold, each up to the instant that matters
    /// here.
    fn ask_upstream(&mut self, link: usize, time: Time) {
        let port = &self.trains.ports[link];
        if port.group.is_some() && port.lookahead.group() <= time {
            self.fill_group(link);
        }
        let mut from = 0;
        while let Some(input) = self.trains.ports[link].lookahead.next_to_ask(from, time) {
            from = input + 1;
            let number = self.trains.ports[link].channels[input] as usize;
            let channel = &self.trains.channels[number];
            let (origin, delay) = (channel.origin, channel.delay);
            match origin {
                Origin::Source(direction) => {
                    if let Some(before) = minus(time, delay) {
                        self.advance_source(direction as usize, before);
                    }
                }
                Origin::Link(origin) => {
                    // Cells that arrive there later do not leave in time, so each request upstream is for an earlier
                    // instant.
                    let latency = self.trains.ports[origin as usize].lookahead.latency;
                    if let Some(before) = minus(time, delay + latency) {
                        self.advance_stage(origin as usize, before);
                    }
                }
            }
            let channel = &self.trains.channels[number];
            let at = self.trains.lower_bound(channel, &self.links, &self.sources);
            self.trains.ports[link].lookahead.set_upstream(input, at);
        }
    }

    /// Lets all queues on the path of a direction take what arrives up to now.
    pub(in crate::engine) fn advance_path(&mut self, direction: usize) {
        let first = self.sources[direction].first_hop as usize;
        let count = self.network.direction(direction).links.len();
        for hop in first..first + count {
            let hop = &self.paths.hops[hop];
            let tunnel = hop.entered_tunnel();
            self.advance_stage(hop.link as usize, self.schedule.now);
            if let Some(tunnel) = tunnel {
                self.advance_source(tunnel as usize, self.schedule.now);
            }
        }
    }
}
