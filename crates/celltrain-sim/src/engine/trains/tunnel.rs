//! Sources that carry cells of other VCs on: the queue of a router in front of a VC with a rate of its own.

use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::train::Train;

impl Simulation<'_> {
    /// A router takes a cell up now: it waits for its turn at the source of the VC that carries it on.
    pub(in crate::engine) fn take_up(&mut self, carrier: usize, cell: Cell) {
        self.settle_source(carrier);
        self.join_carrier(carrier, self.now, cell);
        self.wake_source(carrier);
    }

    fn join_carrier(&mut self, carrier: usize, at: Time, cell: Cell) {
        *self.came_to_carrier.get_mut(cell.hop()) += 1;
        if !self.sources[carrier].take_up(cell) {
            self.faults.get_mut(cell.hop()).not_taken_up += 1;
            self.forget(at, cell, LossCause::QueueFull);
        }
    }

    /// A carrier that is evaluated lazily takes up cells of the middle of PDUs.
    pub(in crate::engine) fn take_up_train(&mut self, carrier: usize, train: Train) {
        let mut left = Train {
            first: train.first.at_hop_before(1),
            ..train
        };
        loop {
            let cell = left.first;
            // What leaves at the instant at which the cell comes leaves before.
            self.carry_on(carrier, cell.at);
            let mut taken = self.pass_through(carrier, &left);
            if taken == 0 && self.sources[carrier].take_up_train(&left) {
                let came = self.came_to_carrier.get_mut(cell.hop());
                *came += u64::from(left.count);
                return;
            }
            if taken == 0 {
                self.sources[carrier].wake(cell.at);
                self.join_carrier(carrier, cell.at, cell);
                taken = 1;
            }
            if taken == left.count {
                return;
            }
            left.cut(taken);
        }
    }

    /// How many of the first cells of a train a carrier lets pass as they come.
    fn pass_through(&mut self, carrier: usize, train: &Train) -> u32 {
        // Of those that come now, only cells whose turn it is may leave.
        let soon = train.count_before(self.now) as u32;
        if soon == 0 {
            return 0;
        }
        let at = train.first.at;
        let count = self.sources[carrier].pass(at, train.gap, soon);
        if count > 0 {
            let hop = train.first.hop();
            *self.came_to_carrier.get_mut(hop) += u64::from(count);
            self.resume(Train { count, ..*train });
        }
        count
    }

    /// Cells of the middle of PDUs leave the source that carries them on, at the instants of their train.
    fn resume(&mut self, train: Train) {
        let (channel, ahead) = self.hops[train.first.hop()].resumes();
        let channel = channel as usize;
        let train = self.channels[channel].at_end(train, ahead + 1);
        self.send(channel, train);
    }

    /// A carrier sends the unmarked cells that leave up to `until`.
    pub(in crate::engine) fn carry_on(&mut self, carrier: usize, until: Time) {
        while let Some(train) = self.sources[carrier].take_carried(until) {
            self.resume(train);
        }
    }

    /// A cell may have come to a carrier that makes it send more than cells of the middle of PDUs.
    pub(in crate::engine) fn on_carrier(&mut self, carrier: usize) {
        self.catch_up_source(carrier, self.now);
        self.expect_carrier(carrier);
        self.announce_source(carrier);
    }

    /// When a carrier is to act next, and when it is to be looked at again for what may come to it.
    pub(in crate::engine) fn expect_carrier(&mut self, carrier: usize) {
        let source = &self.sources[carrier];
        let Some(port) = source.port else { return };
        let port = &self.ports[port as usize];
        let (acts, looks) = if source.waits() {
            (source.next_marked_carried(), Time::NEVER)
        } else {
            (
                source.next_emission(),
                source.next_marked_idle(port.quiet, port.spacing),
            )
        };
        // Where cells come one by one alone, the port is no actor: nothing comes to it without an event.
        if !port.channels.is_empty() {
            self.calendar.set(port.actor, looks.max(self.now));
        }
        let actor = self.actors.sources + carrier;
        self.calendar.set(actor, acts.max(self.now));
    }
}
