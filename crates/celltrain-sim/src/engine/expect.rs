//! What links and sources expect: when the next cell can come, and when they are to act.

use celltrain_proto::units::Time;

use super::Simulation;
use super::port::Treatment;
use super::train::Destination;

impl Simulation<'_> {
    /// A cell may arrive `at` at the queue of a link that expected none so early: what comes behind may
    /// have to expect it earlier, too.
    #[inline]
    pub(super) fn stir(&mut self, link: usize, at: Time) {
        if at < self.ports[link].quiet {
            self.ports[link].quiet = at;
            self.announce(link);
            if let Treatment::Carrier(source) = self.ports[link].treatment {
                self.expect_source(source as usize);
            }
        }
    }

    /// The links behind a link learn when they can expect a cell from it.
    pub(super) fn announce(&mut self, link: usize) {
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

    /// What a source sends next has changed.
    pub(super) fn announce_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        if let Some(port) = source.port {
            return self.announce(port as usize);
        }
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

    /// No later than the next departure from a link that is not yet in a channel.
    pub(super) fn next_departure(&self, link: usize) -> Time {
        let port = &self.ports[link];
        if let Treatment::Carrier(source) = port.treatment {
            return match self.sources[source as usize].next_emission() {
                Time::NEVER => port.quiet,
                next => next.min(port.quiet),
            };
        }
        let of_arrival = port.quiet.saturating_add(port.transmission);
        if let Some(strict) = self.links[link].strict() {
            of_arrival.min(strict.next_departure())
        } else if port.treatment == Treatment::OneByOne && self.links[link].queued() > 0 {
            of_arrival.min(self.links[link].departure(1))
        } else {
            of_arrival
        }
    }

    /// When a source is to act next.
    pub(super) fn expect_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        if source.port.is_some() {
            return self.expect_carrier(direction);
        }
        let deadline = source.next_event().max(self.now);
        self.calendar.set(self.actors.sources + direction, deadline);
    }

    /// Looks again when the next marked cell in the queue can have come to the far end.
    pub(super) fn expect_departure(&mut self, link: usize) {
        let target = &self.links[link];
        let departure = match target.strict() {
            Some(strict) => strict.next_marked_departure(),
            None => {
                let first = self.ports[link].marks.first();
                first.map_or(Time::NEVER, |place| target.departure(place))
            }
        };
        let deadline = departure.saturating_add(target.delay());
        self.calendar.set(target.actor, deadline);
    }
}
