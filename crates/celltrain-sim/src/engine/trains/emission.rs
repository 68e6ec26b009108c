//! Sources that are evaluated lazily send what has left when somebody asks.

use celltrain_proto::units::Time;

use crate::engine::queue::fifo::Outcome;
use crate::engine::simulation::Simulation;
use crate::engine::source::Ahead;
use crate::engine::state::time::{CHUNK, STEP, minus};
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Destination;

impl Simulation<'_> {
    /// A source sends what leaves up to `time`, but for event cells that are events as they leave; at the present instant
    /// only if its turn is before the present event.
    pub(in crate::engine) fn catch_up_source(&mut self, direction: usize, time: Time) {
        let source = &self.sources[direction];
        if let Some(port) = source.port {
            return self.catch_up(port as usize, time);
        }
        // What a source group takes of a source is up to date when its port is.
        let may = source.is_lazy && !source.is_of_crowd();
        let Some((channel, ahead)) = source.way.filter(|_| may) else {
            return;
        };
        let until = if source.is_process() {
            // Nothing changes what it sends, and nobody looks before.
            let ahead = self.now.saturating_add(CHUNK).min(self.end);
            minus(ahead, STEP)
        } else {
            self.until(direction, time)
        };
        let Some(until) = until else { return };
        let way = (channel as usize, ahead);
        loop {
            while let Some(train) = self.sources[direction].take_train(until) {
                let transit = &mut self.sources[direction].transit;
                transit.pass_train(train.first.at, train.gap, train.count);
                self.let_go(direction, way, train);
            }
            let source = &mut self.sources[direction];
            let at = source.next_emission();
            if at > until || source.ahead == Ahead::No {
                return;
            }
            let Some(emission) = source.emit(at) else {
                return;
            };
            let cell = self.emitted(direction, at, emission);
            let is_event = self.hops[cell.hop()].is_event(cell);
            self.let_go(direction, way, Train::single(cell.leaving(at), is_event));
        }
    }

    /// Cells that have left a source go its way.
    #[inline]
    fn let_go(&mut self, direction: usize, (channel, ahead): (usize, u32), train: Train) {
        match self.sources[direction].ahead {
            Ahead::Queue(link) => self.pass_own_queue(link as usize, train),
            Ahead::Channel | Ahead::No | Ahead::Group => {
                let train = self.channels[channel].at_end(train, ahead);
                self.send(channel, train);
            }
        }
    }

    /// Cells leave a source that has a queue of its own, and pass that.
    pub(in crate::engine) fn pass_own_queue(&mut self, link: usize, mut train: Train) {
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[train.first.kind() as usize] += u64::from(train.count);
        let (number, ahead) = (hop.channel as usize, hop.ahead);
        while let Some(line) = &mut self.links[link].line
            && let Some(fifo) = line.plain_fifo()
        {
            let count = match fifo.accept_train(train.first.at, train.gap, train.count) {
                Outcome::Leave { first, gap, count } => {
                    let left = train.leaving(first, gap, count);
                    let left = self.channels[number].at_end(left, ahead);
                    self.send_or_put(number, left);
                    count
                }
                Outcome::Lost(count) => {
                    for cell in train.cells().take(count as usize) {
                        self.lose(cell.at, cell);
                    }
                    count
                }
            };
            if count == train.count {
                return;
            }
            train.cut(count);
        }
    }

    /// Something is about to change what a source sends: what came before is settled first.
    pub(in crate::engine) fn settle_source(&mut self, direction: usize) {
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
}
