//! Lazy evaluation: sources and links are brought up to date when somebody asks, a train at a time.
//!
//! Only event cells are events: RM cells, last cells of PDUs, and all cells that something ahead has to see
//! one by one. Before an event cell enters a queue, the queue takes all cells that came before it, from
//! channels that in turn are first filled by the sources and links behind them. So every queue sees the
//! same cells at the same instants in the same order as if each cell were an event.

use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::hop::Shown;
use crate::engine::state::mode::Mode;
use crate::engine::state::time::{STEP, minus};
use crate::engine::state::train::Train;
use crate::engine::trains::channel::{Destination, Origin};

impl Simulation<'_> {
    /// An event cell may have come to the end of a channel.
    pub(in crate::engine) fn on_channel(&mut self, index: usize) {
        let sender = self.channels[index].sender;
        let sender = sender.map(|direction| direction as usize);
        // Where an event cell is known to come now, those behind it are looked for later, many at once.
        if let Some(direction) = sender
            && self.channels[index].next_event_cell() > self.now
        {
            match self.channels[index].origin {
                Origin::Link(link) if self.ports[link as usize].passes_event_cells => {
                    self.catch_up(link as usize, self.now);
                }
                _ => {
                    if let Some(before) = minus(self.now, self.channels[index].delay) {
                        self.catch_up_source(direction, before);
                    }
                }
            }
        }
        self.on_arrival(index);
        if let Some(direction) = sender {
            self.expect_source(direction);
            self.announce_source(direction);
        }
    }

    /// The event cell at the head of a channel arrives, if it does so now.
    fn on_arrival(&mut self, index: usize) {
        if self.channels[index].next_event_cell() > self.now {
            return;
        }
        match self.channels[index].destination {
            Destination::Link { link, .. } => self.catch_up(link as usize, self.now),
            Destination::Sink(_) => self.drain(index, self.now),
            Destination::Node | Destination::Counters => {}
        }
        let channel = &mut self.channels[index];
        let Some(cell) = channel.pop_event_cell() else {
            return;
        };
        channel.event_in = self.events;
        self.calendar.set(channel.actor, channel.next_event_cell());
        if let Destination::Link { link, input } = channel.destination {
            let inputs = &mut self.ports[link as usize].inputs;
            inputs.set_arrival(input as usize, channel.next_arrival());
        }
        let last = cell.at_hop_before(channel.transparent + 1);
        if !channel.bypassed.is_empty() {
            self.passed.get_mut(last.hop())[last.kind() as usize] += 1;
        }
        self.arrive(last);
    }

    /// A cell comes now to the queue of a link that is evaluated lazily.
    pub(in crate::engine) fn enter_lazily(&mut self, link: usize, cell: Cell) {
        self.catch_up(link, self.now);
        let hop = &mut self.hops[cell.hop()];
        hop.counts.offered[cell.kind() as usize] += 1;
        if hop.load != Shown::Unseen {
            self.show(self.now, cell);
        }
        let hop = &self.hops[cell.hop()];
        let target = &mut self.links[link];
        let is_taken = match self.ports[link].mode {
            Mode::OneByOne => {
                let is_event = hop.is_event(cell);
                let is_taken = target.enqueue(self.now, cell, hop.port_vc);
                if is_taken {
                    let queue = target.queue_of(hop.port_vc);
                    self.ports[link].event_cells.on_arrival(queue, is_event);
                }
                is_taken
            }
            Mode::Priority => self.accept_strictly(link, cell),
            Mode::Varying => self.accept_varying(link, cell),
            Mode::Batched => {
                let rated = target.line.as_mut();
                let departure = rated.and_then(|line| line.accept(cell, self.now, hop.port_vc));
                if let Some(departure) = departure {
                    self.send_cell(cell, departure);
                }
                departure.is_some()
            }
            _ => {
                let channel = hop.channel;
                self.ports[link].turns.leave(channel, self.now, self.now);
                self.send_cell(cell, self.now);
                true
            }
        };
        if !is_taken {
            self.lose(self.now, cell);
        } else if self.ports[link].mode.keeps_cells() {
            self.let_depart(link, self.now);
            self.announce(link);
            self.expect_departure(link);
        }
    }

    /// Cells that have departed go on.
    fn forward_departed(&mut self, link: usize) {
        while let Some(cell) = self.links[link].take_departed() {
            let hop = &self.hops[cell.hop()];
            let is_event = hop.is_event(cell);
            let (channel, ahead) = (hop.channel as usize, hop.ahead);
            let queue = self.links[link].queue_of(hop.port_vc);
            self.ports[link].event_cells.on_departure(queue, is_event);
            if self.channels[channel].destination != Destination::Counters {
                self.ports[link]
                    .turns
                    .leave(channel as u32, cell.at, cell.at);
            }
            // The cell knows when it arrives at the link's far end; the channel may lead further.
            let further = self.channels[channel].delay - self.links[link].delay();
            let cell = cell.at_hop_ahead(ahead, cell.at.saturating_add(further));
            self.send_or_put(channel, Train::single(cell, is_event));
        }
        if self.links[link].queued() == 0 {
            self.ports[link].event_cells.clear();
        }
    }

    /// What departs up to `time` goes on, from a link that takes cells one by one.
    pub(in crate::engine) fn let_depart(&mut self, link: usize, time: Time) {
        match self.ports[link].mode {
            Mode::Priority => self.serve(link, time),
            Mode::Varying => self.vary(link, time),
            Mode::OneByOne => {
                self.links[link].advance(time);
                self.forward_departed(link);
            }
            _ => self.links[link].advance(time),
        }
    }

    /// An event cell may have left the queue of a link.
    pub(in crate::engine) fn on_lazy_link(&mut self, link: usize) {
        self.catch_up(link, self.now);
        self.let_depart(link, self.now);
        self.expect_departure(link);
    }

    /// The queue of a link takes all cells that arrive up to `time`; of those that arrive at the present
    /// instant, the ones whose turn it is before the present event.
    pub(in crate::engine) fn catch_up(&mut self, link: usize, time: Time) {
        let port = &mut self.ports[link];
        if !port.is_lazy() {
            return;
        }
        if let Some(owner) = port.owner {
            return self.catch_up_source(owner as usize, time);
        }
        if time == self.now {
            // What this event itself sends comes after what it asks about: a second look would take that, too.
            if port.event == self.events {
                return;
            }
            port.event = self.events;
        }
        // Nothing can have come before the lookahead: no question is needed.
        if port.quiet <= time {
            self.ask_behind(link, time);
            self.merge(link, time);
            self.ports[link].find_quiet();
        }
        match self.ports[link].mode {
            mode if mode.keeps_cells() => {
                self.let_depart(link, time);
                if self.ports[link].passes_event_cells {
                    self.expect_departure(link);
                }
            }
            Mode::Tunnel(source) => {
                if let Some(until) = self.until(source as usize, time) {
                    self.carry_on(source as usize, until);
                }
            }
            _ => {}
        }
    }

    /// Up to when a source sends if it is asked about `time`: at the present instant only if its turn is
    /// before the present event, and was since it was woken.
    pub(in crate::engine) fn until(&self, direction: usize, time: Time) -> Option<Time> {
        let (actor, woken) = (
            self.actors.sources + direction,
            self.sources[direction].woken,
        );
        if time == self.now && !self.turns.has_acted(actor, woken) {
            minus(time, STEP)
        } else {
            Some(time)
        }
    }

    /// Brings up to date what may have more cells for a link than its channels hold.
    fn ask_behind(&mut self, link: usize, time: Time) {
        let crowd = self.ports[link].crowd.as_ref();
        if crowd.is_some_and(|crowd| crowd.more <= time) {
            self.fill_crowd(link);
        }
        let mut from = 0;
        while let Some(input) = self.ports[link].inputs.next_with_more(from, time) {
            from = input + 1;
            let number = self.ports[link].channels[input] as usize;
            let channel = &self.channels[number];
            let (origin, delay) = (channel.origin, channel.delay);
            let more = match origin {
                Origin::Source(direction) => {
                    let direction = direction as usize;
                    if let Some(before) = minus(time, delay) {
                        self.catch_up_source(direction, before);
                    }
                    match self.sources[direction].port {
                        Some(port) => self.next_departure(port as usize, &self.channels[number]),
                        None => self.next_into(direction, &self.channels[number]),
                    }
                }
                Origin::Link(origin) => {
                    let origin = origin as usize;
                    let shortest = self.ports[origin].transmission;
                    if let Some(before) = minus(time, delay + shortest) {
                        self.catch_up(origin, before);
                    }
                    self.next_departure(origin, &self.channels[number])
                }
            };
            let inputs = &mut self.ports[link].inputs;
            inputs.set_more(input, more.saturating_add(delay));
        }
    }

    /// All queues on the way of a direction take what comes up to now.
    pub(in crate::engine) fn settle_way(&mut self, direction: usize) {
        let first = self.sources[direction].first_hop as usize;
        let count = self.network.direction(direction).links.len();
        for hop in first..first + count {
            let hop = &self.hops[hop];
            let tunnel = hop.taken_up();
            self.catch_up(hop.link as usize, self.now);
            if let Some(tunnel) = tunnel {
                self.catch_up_source(tunnel as usize, self.now);
            }
        }
    }

    /// The ends of directions count the cells that arrive up to `time`.
    pub(in crate::engine) fn count(&mut self, index: usize, time: Time) {
        let mut trains = self.channels[index].take_trains();
        trains.retain_mut(|train| {
            if train.first.at > time {
                return true;
            }
            let direction = self.hops[train.first.hop() - 1].direction as usize;
            let (taken, are_all) = train.take_until(time);
            self.sinks[direction].take_data(taken.first, taken.gap, taken.count);
            !are_all
        });
        self.channels[index].put_back(trains);
    }

    /// The end of a direction takes the cells of the middle of PDUs that arrive up to `time`.
    pub(in crate::engine) fn drain(&mut self, index: usize, time: Time) {
        let Destination::Sink(direction) = self.channels[index].destination else {
            return;
        };
        while let Some(train) = self.channels[index].first().copied() {
            if train.is_event || train.first.at > time {
                return;
            }
            let count = train.count_until(time);
            self.channels[index].consume(count);
            let sink = &mut self.sinks[direction as usize];
            sink.take_data(train.first, train.gap, count);
            sink.reassembly.on_cells(train.first.load(), count);
        }
    }
}
