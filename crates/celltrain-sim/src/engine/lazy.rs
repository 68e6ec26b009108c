//! Lazy evaluation: sources and links are brought up to date when somebody asks, a train at a time.
//!
//! Only marked cells are events: RM cells, last cells of PDUs, and all cells that something ahead has to see
//! one by one. Before a marked cell enters a queue, the queue takes all cells that came before it, from
//! channels that in turn are first filled by the sources and links behind them. So every queue sees the
//! same cells at the same instants in the same order as if each cell were an event.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Span, Time};

use super::Simulation;
use super::cell::{Cell, Kind};
use super::fifo::Fate;
use super::hop::Load;
use super::link::Control;
use super::port::Treatment;
use super::train::{Destination, Origin, Train};

/// The smallest step of time.
const STEP: Span = Span::from_ps(1);

impl Simulation<'_> {
    /// The marked cell at the head of a channel arrives.
    pub(super) fn on_channel(&mut self, index: usize) {
        match self.channels[index].destination {
            Destination::Link { link, .. } => self.catch_up(link as usize, self.now),
            Destination::Sink(_) => self.drain(index, self.now),
        }
        let channel = &mut self.channels[index];
        let Some(cell) = channel.pop_marked() else {
            return;
        };
        self.calendar.set(channel.actor, channel.next_mark());
        if let Destination::Link { link, input } = channel.destination {
            let arrivals = &mut self.ports[link as usize].arrivals;
            arrivals.set(input as usize, channel.next_arrival());
        }
        let last = cell.at_hop_before(channel.transparent + 1);
        if !channel.leapt.is_empty() {
            self.passed[last.hop()][last.kind() as usize] += 1;
        }
        self.arrive(last);
    }

    /// A train leaves the origin of a channel; its cells are those that arrive at the channel's end.
    #[inline]
    fn send(&mut self, index: usize, train: Train) {
        let channel = &mut self.channels[index];
        let was_empty = channel.push(train);
        if train.is_marked && channel.next_mark() == train.first.at {
            self.calendar.set(channel.actor, train.first.at);
        }
        if was_empty && let Destination::Link { link, input } = channel.destination {
            let arrivals = &mut self.ports[link as usize].arrivals;
            arrivals.set(input as usize, train.first.at);
            self.stir(link as usize, train.first.at);
        }
    }

    /// A cell may arrive `at` at the queue of a link that expected none so early: what comes behind may
    /// have to expect it earlier, too.
    #[inline]
    fn stir(&mut self, link: usize, at: Time) {
        if at < self.ports[link].quiet {
            self.ports[link].quiet = at;
            self.announce(link);
        }
    }

    /// The links behind a link learn when they can expect a cell from it.
    fn announce(&mut self, link: usize) {
        let departure = self.next_departure(link);
        for number in 0..self.ports[link].fills.len() {
            let channel = &self.channels[self.ports[link].fills[number] as usize];
            if let Destination::Link { link: next, input } = channel.destination {
                let at = departure.saturating_add(channel.delay);
                let more = &mut self.ports[next as usize].more[input as usize];
                if at < *more {
                    *more = at;
                    self.stir(next as usize, at);
                }
            }
        }
    }

    /// No later than the next departure from a link that is not yet in a channel.
    fn next_departure(&self, link: usize) -> Time {
        let port = &self.ports[link];
        let of_arrival = port.quiet.saturating_add(port.transmission);
        if port.treatment == Treatment::OneByOne && self.links[link].queued() > 0 {
            of_arrival.min(self.links[link].departure(1))
        } else {
            of_arrival
        }
    }

    /// What a source sends next has changed.
    pub(super) fn announce_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        let Some((channel, _)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        let channel = &self.channels[channel as usize];
        if let Destination::Link { link, input } = channel.destination {
            let at = source.next_unmarked().saturating_add(channel.delay);
            let port = &mut self.ports[link as usize];
            if at != port.more[input as usize] {
                port.more[input as usize] = at;
                self.stir(link as usize, at);
            }
        }
    }

    /// A cell leaves the link of its hop at `at`.
    fn send_cell(&mut self, cell: Cell, at: Time) {
        let hop = &self.hops[cell.hop()];
        let is_marked = hop.shows_each || cell.kind() != Kind::Data || cell.is_end();
        let (channel, ahead) = (hop.channel as usize, hop.ahead);
        let arrival = at.saturating_add(self.channels[channel].delay);
        self.send(
            channel,
            Train::single(cell.at_hop_ahead(ahead, arrival), is_marked),
        );
    }

    /// A cell that a source sends now goes its way without being looked at on it.
    pub(super) fn send_from_source(&mut self, direction: usize, cell: Cell) {
        match self.sources[direction].way {
            Some((channel, ahead)) if !self.channels[channel as usize].is_at_once() => {
                let hop = &self.hops[cell.hop()];
                let is_marked = hop.shows_each || cell.kind() != Kind::Data || cell.is_end();
                let arrival = self
                    .now
                    .saturating_add(self.channels[channel as usize].delay);
                let cell = cell.at_hop_ahead(ahead, arrival);
                self.send(channel as usize, Train::single(cell, is_marked));
            }
            _ => self.enter(cell),
        }
    }

    /// A cell comes now to the queue of a link that is evaluated lazily.
    pub(super) fn enter_lazily(&mut self, link: usize, cell: Cell) {
        self.catch_up(link, self.now);
        let hop = &mut self.hops[cell.hop()];
        hop.counts.offered[cell.kind() as usize] += 1;
        if hop.load != Load::Unseen {
            self.show(self.now, cell);
        }
        let hop = &self.hops[cell.hop()];
        let target = &mut self.links[link];
        let is_taken = match self.ports[link].treatment {
            Treatment::OneByOne => {
                let is_marked = hop.shows_each || cell.kind() != Kind::Data || cell.is_end();
                let is_taken = target.enqueue(self.now, cell, hop.port_vc);
                if is_taken {
                    let queue = target.queue_of(hop.port_vc);
                    self.ports[link].marks.on_arrival(queue, is_marked);
                }
                is_taken
            }
            Treatment::Whole => {
                let fifo = target.line.as_mut().and_then(|line| line.fifo.as_mut());
                let departure = fifo.and_then(|fifo| fifo.accept(self.now));
                if let Some(departure) = departure {
                    self.send_cell(cell, departure);
                }
                departure.is_some()
            }
            _ => {
                self.send_cell(cell, self.now);
                true
            }
        };
        if !is_taken {
            self.lose(cell);
        } else if self.ports[link].treatment == Treatment::OneByOne {
            self.forward_departed(link);
            self.announce(link);
            self.expect_departure(link);
        }
    }

    /// Cells that have departed go on.
    fn forward_departed(&mut self, link: usize) {
        while let Some(cell) = self.links[link].take_departed() {
            let hop = &self.hops[cell.hop()];
            let is_marked = hop.shows_each || cell.kind() != Kind::Data || cell.is_end();
            let (channel, ahead) = (hop.channel as usize, hop.ahead);
            let queue = self.links[link].queue_of(hop.port_vc);
            self.ports[link].marks.on_departure(queue, is_marked);
            // The cell knows when it arrives at the link's far end; the channel may lead further.
            let further = self.channels[channel].delay - self.links[link].delay();
            let cell = cell.at_hop_ahead(ahead, cell.at.saturating_add(further));
            self.send(channel, Train::single(cell, is_marked));
        }
        if self.links[link].queued() == 0 {
            self.ports[link].marks.clear();
        }
    }

    /// Looks again when the next marked cell in the queue can have come to the far end.
    fn expect_departure(&mut self, link: usize) {
        let target = &self.links[link];
        let first = self.ports[link].marks.first();
        let departure = first.map_or(Time::NEVER, |place| target.departure(place));
        let deadline = departure.saturating_add(target.delay());
        self.calendar.set(target.actor, deadline);
    }

    /// A marked cell may have left the queue of a link.
    pub(super) fn on_lazy_link(&mut self, link: usize) {
        self.catch_up(link, self.now);
        self.links[link].advance(self.now);
        self.forward_departed(link);
        self.expect_departure(link);
    }

    /// The queue of a link takes all cells that arrive up to `time`; of those that arrive at the present
    /// instant, the ones whose turn it is before the present event.
    pub(super) fn catch_up(&mut self, link: usize, time: Time) {
        let port = &mut self.ports[link];
        if !port.is_lazy() {
            return;
        }
        if time == self.now {
            // What this event itself sends comes behind what it asks about.
            if port.event == self.events {
                return;
            }
            port.event = self.events;
        }
        if port.quiet <= time {
            self.ask_behind(link, time);
            self.merge(link, time);
            self.ports[link].find_quiet();
        }
        if self.ports[link].treatment == Treatment::OneByOne {
            self.links[link].advance(time);
            self.forward_departed(link);
        }
    }

    /// Brings up to date what may have more cells for a link than its channels hold.
    fn ask_behind(&mut self, link: usize, time: Time) {
        for input in 0..self.ports[link].channels.len() {
            if self.ports[link].more[input] > time {
                continue;
            }
            let channel = &self.channels[self.ports[link].channels[input] as usize];
            let (origin, delay) = (channel.origin, channel.delay);
            let more = match origin {
                Origin::Source(direction) => {
                    let direction = direction as usize;
                    if let Some(before) = minus(time, delay) {
                        self.catch_up_source(direction, before);
                    }
                    self.sources[direction].next_unmarked()
                }
                Origin::Link(origin) => {
                    let origin = origin as usize;
                    let shortest = self.ports[origin].transmission;
                    if let Some(before) = minus(time, delay + shortest) {
                        self.catch_up(origin, before);
                    }
                    self.next_departure(origin)
                }
            };
            self.ports[link].more[input] = more.saturating_add(delay);
        }
    }

    /// Takes the cells of all inputs in the order of their arrivals.
    fn merge(&mut self, link: usize, time: Time) {
        let mut last = usize::MAX;
        while let Some((input, train)) = self.next_train(link, time, last) {
            last = input;
            if self.ports[link].treatment == Treatment::OneByOne {
                self.take_one_by_one(link, train);
            } else {
                self.take_whole(link, train);
            }
        }
    }

    /// Takes the cells that come next to a link, up to `time`, out of the channel of the input that is told,
    /// too. Whether others come in between is looked at only where input `last` comes twice in a row.
    #[inline]
    fn next_train(&mut self, link: usize, time: Time, last: usize) -> Option<(usize, Train)> {
        let port = &mut self.ports[link];
        let (at, input) = port.arrivals.next();
        if at > time {
            return None;
        }
        let channel = &mut self.channels[port.channels[input] as usize];
        let mut until = time;
        if time == self.now && channel.actor > self.turn {
            if at == time {
                return None;
            }
            until = time - STEP;
        }
        let train = channel.first_mut().filter(|train| !train.is_marked)?;
        if train.count == 1 {
            let whole = *train;
            let next = channel.drop_first();
            port.arrivals.set(input, next);
            return Some((input, whole));
        }
        let count = if input == last {
            let (second, other) = port.arrivals.runner_up(input);
            let before = if input < other {
                second
            } else {
                second - STEP
            };
            train.count_until(until.min(before))
        } else {
            1
        };
        let taken = Train { count, ..*train };
        let next = if count == train.count {
            channel.drop_first()
        } else {
            train.cut(count);
            train.first.at
        };
        port.arrivals.set(input, next);
        Some((input, taken))
    }

    /// The queue of a link that looks at each cell takes cells of the middle of PDUs.
    #[inline]
    fn take_one_by_one(&mut self, link: usize, train: Train) {
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let (vc, load) = (hop.port_vc, hop.load);
        let mut cell = train.first;
        for number in 0..train.count {
            if number > 0 {
                cell = cell.behind(train.gap, 1);
            }
            let target = &mut self.links[link];
            if load != Load::Unseen {
                target.advance(cell.at);
                if let Some(control) = target.line.as_mut().and_then(|line| line.control.as_mut()) {
                    show_one(control, load, cell.at, vc);
                }
            }
            if target.enqueue(cell.at, cell, vc) {
                let queue = target.queue_of(vc);
                self.ports[link].marks.on_arrival(queue, false);
            } else {
                self.lose(cell);
            }
        }
    }

    /// The queue of a link takes cells of the middle of PDUs.
    #[inline]
    fn take_whole(&mut self, link: usize, train: Train) {
        let mut left = train;
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let (channel, ahead) = (hop.channel as usize, hop.ahead);
        if hop.load != Load::Unseen {
            self.show_train(link, &train);
        }
        let delay = self.channels[channel].delay;
        loop {
            let fifo = self.links[link]
                .line
                .as_mut()
                .and_then(|line| line.fifo.as_mut());
            let fate = match fifo {
                Some(fifo) => fifo.accept_train(left.first.at, left.gap, left.count),
                None => Fate::Leave {
                    first: left.first.at,
                    gap: left.gap,
                    count: left.count,
                },
            };
            let count = match fate {
                Fate::Leave { first, gap, count } => {
                    let first = left.first.at_hop_ahead(ahead, first.saturating_add(delay));
                    let train = Train {
                        first,
                        gap,
                        count,
                        is_marked: false,
                    };
                    self.send(channel, train);
                    count
                }
                Fate::Lost(count) => {
                    for number in 0..count {
                        self.lose(left.first.behind(Span::ZERO, number));
                    }
                    count
                }
            };
            if count == left.count {
                return;
            }
            left.first = left.first.behind(left.gap * u64::from(count), count);
            left.count -= count;
        }
    }

    /// The algorithm of a queue learns of cells of the middle of PDUs.
    fn show_train(&mut self, link: usize, train: &Train) {
        let hop = &self.hops[train.first.hop()];
        let (vc, load) = (hop.port_vc, hop.load);
        let rated = self.links[link].line.as_mut();
        let Some(control) = rated.and_then(|line| line.control.as_mut()) else {
            return;
        };
        for number in 0..train.count {
            let at = train.first.at + train.gap * u64::from(number);
            show_one(control, load, at, vc);
        }
    }

    /// A source sends what leaves up to `time`, but for marked cells; at the present instant only if its
    /// turn is before the present event.
    pub(super) fn catch_up_source(&mut self, direction: usize, time: Time) {
        let source = &mut self.sources[direction];
        let Some((channel, ahead)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        let mut until = time;
        if time == self.now && self.actors.sources + direction > self.turn {
            let Some(before) = minus(time, STEP) else {
                return;
            };
            until = before;
        }
        let delay = self.channels[channel as usize].delay;
        while let Some(mut train) = self.sources[direction].take_train(until) {
            let at = train.first.at.saturating_add(delay);
            train.first = train.first.at_hop_ahead(ahead, at);
            self.send(channel as usize, train);
        }
    }

    /// Something is about to change what a source sends: what came before is settled first.
    pub(super) fn settle_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        let Some((channel, _)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        self.catch_up_source(direction, self.now);
        let channel = &self.channels[channel as usize];
        if let Destination::Link { link, .. } = channel.destination
            && channel.is_at_once()
        {
            self.catch_up(link as usize, self.now);
        }
    }

    /// All queues on the way of a direction take what comes up to now.
    pub(super) fn settle_way(&mut self, direction: usize) {
        for link in &self.network.vcs[direction / 2].directions[direction % 2].links {
            self.catch_up(*link, self.now);
        }
    }

    /// Everything that happens before the present instant happens; before its first event.
    pub(super) fn settle(&mut self) {
        let now = self.now;
        let Some(before) = minus(now, STEP) else {
            return;
        };
        if !self.channels.is_empty() {
            for direction in 0..self.sources.len() {
                self.catch_up_source(direction, before);
            }
            for link in 0..self.ports.len() {
                self.catch_up(link, before);
            }
        }
        for link in 0..self.links.len() {
            self.links[link].advance(now);
            if self.ports[link].treatment == Treatment::OneByOne {
                self.forward_departed(link);
            }
        }
        for channel in 0..self.channels.len() {
            if let Destination::Sink(_) = self.channels[channel].destination {
                self.drain(channel, before);
            }
        }
    }

    /// The end of a direction takes the cells of the middle of PDUs that arrive up to `time`.
    fn drain(&mut self, index: usize, time: Time) {
        let Destination::Sink(direction) = self.channels[index].destination else {
            return;
        };
        while let Some(train) = self.channels[index].first().copied() {
            if train.is_marked || train.first.at > time {
                return;
            }
            let count = train.count_until(time);
            self.channels[index].consume(count);
            let sink = &mut self.sinks[direction as usize];
            sink.counts.cells[Kind::Data as usize] += u64::from(count);
            sink.destination.on_data(train.first.efci());
            sink.congestion_experienced |= train.first.congestion_experienced();
            sink.reassembly.on_cells(train.first.load, count);
        }
    }
}

/// The algorithm of a queue learns of a cell of the middle of a PDU.
#[inline]
fn show_one(control: &mut Control, load: Load, at: Time, vc: u32) {
    match load {
        Load::Unseen => {}
        Load::Counted => control.algorithm.on_cells(at, vc, 1),
        Load::Priority if control.counts_departures => {}
        Load::Priority => control.algorithm.on_priority_cells(at, 1),
    }
}

/// `time - span`, if that is not before the start.
fn minus(time: Time, span: Span) -> Option<Time> {
    (time - Time::ZERO >= span).then(|| time - span)
}
