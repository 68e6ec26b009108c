//! Lazily evaluated sources send cells on demand.

use celltrain_proto::units::Time;

use crate::engine::queue::fifo::Outcome;
use crate::engine::schedule::Schedule;
use crate::engine::simulation::Simulation;
use crate::engine::state::mode::EventReach;
use crate::engine::state::time::{STEP, minus};
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Destination;

impl Simulation<'_> {
    /// Lets a source send what leaves up to `time`, except event cells that are events as they leave. At the present
    /// instant it sends only if its turn comes before the present event.
    pub(in crate::engine) fn advance_source(&mut self, direction: usize, time: Time) {
        let source = &self.sources[direction];
        if let Some(port) = source.port {
            return self.advance_stage(port as usize, time);
        }
        // Cells that go into a source group are advanced with the group's port.
        let may = source.is_lazy && !source.is_of_group();
        let Some((channel, downstream)) = source.way.filter(|_| may) else {
            return;
        };
        let until = if source.is_process() {
            // Nothing changes what a process sends, and nothing is read before the horizon.
            let Schedule {
                now, ahead, end, ..
            } = self.schedule;
            let horizon = now.saturating_add(ahead).min(end);
            minus(horizon, STEP)
        } else {
            self.schedule.until(direction, source.woken, time)
        };
        let Some(until) = until else { return };
        let way = (channel as usize, downstream);
        loop {
            while let Some(train) = self.sources[direction].take_train(until) {
                let source = &mut self.sources[direction];
                source
                    .transit
                    .pass_train(train.first.at, train.gap, train.count);
                if source.is_timed {
                    let Train {
                        first, gap, count, ..
                    } = train;
                    let sink = &mut self.ends.sinks[direction];
                    sink.time_departure(first.load(), first.at, gap, count);
                }
                self.let_go(direction, way, train);
            }
            let source = &mut self.sources[direction];
            let at = source.next_emission();
            if at > until || source.event_reach == EventReach::Departure {
                return;
            }
            let Some(emission) = source.emit(at) else {
                return;
            };
            let cell = self.emitted(direction, at, &emission);
            let is_event = self.paths.hops[cell.hop()].is_event(cell);
            self.let_go(direction, way, Train::single(cell.leaving(at), is_event));
        }
    }

    /// Puts cells that leave a source into its own queue or its channel.
    #[inline]
    fn let_go(&mut self, direction: usize, (channel, downstream): (usize, u32), train: Train) {
        match self.sources[direction].event_reach {
            EventReach::Queue(link) => self.pass_own_queue(link as usize, train),
            EventReach::Channel | EventReach::Departure | EventReach::Group => {
                let train = self.trains.channels[channel].at_end(train, downstream);
                self.send(channel, train);
            }
        }
    }

    /// Passes cells through the queue that their source alone fills, as they leave the source.
    pub(in crate::engine) fn pass_own_queue(&mut self, link: usize, mut train: Train) {
        let hop = &mut self.paths.hops[train.first.hop()];
        hop.counts.offered[train.first.kind() as usize] += u64::from(train.count);
        let (number, downstream) = (hop.channel as usize, hop.ahead);
        while let Some(line) = &mut self.links[link].line
            && let Some(fifo) = line.plain_fifo()
        {
            let count = match fifo.accept_train(train.first.at, train.gap, train.count) {
                Outcome::Leave { first, gap, count } => {
                    let left = train.leaving(first, gap, count);
                    let left = self.trains.channels[number].at_end(left, downstream);
                    self.send_or_put(number, left);
                    count
                }
                Outcome::Lost(count) => {
                    self.lose_train(&Train { count, ..train });
                    count
                }
            };
            if count == train.count {
                return;
            }
            train.cut(count);
        }
    }

    /// Advances a source before something changes what it sends; also a stage that its cells reach without delay.
    pub(in crate::engine) fn advance_before_change(&mut self, direction: usize) {
        let source = &self.sources[direction];
        let Some((channel, _)) = source.way.filter(|_| source.is_lazy) else {
            return;
        };
        self.advance_source(direction, self.schedule.now);
        let channel = &self.trains.channels[channel as usize];
        if let Destination::Link { link, .. } = channel.destination
            && channel.is_at_once()
        {
            self.advance_stage(link as usize, self.schedule.now);
        }
    }
}
