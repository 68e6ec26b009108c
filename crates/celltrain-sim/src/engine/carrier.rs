//! Sources that carry cells of other VCs on: the queue of a router in front of a VC with a rate of its own.

use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::Cell;
use super::external::LossCause;
use super::train::Train;

impl Simulation<'_> {
    /// A router takes a cell up now: it waits for its turn at the source of the VC that carries it on.
    pub(super) fn take_up(&mut self, carrier: usize, cell: Cell) {
        self.settle_source(carrier);
        self.join_carrier(carrier, self.now, cell);
        self.wake_source(carrier);
    }

    fn join_carrier(&mut self, carrier: usize, at: Time, cell: Cell) {
        self.came_to_carrier[cell.hop()] += 1;
        if !self.sources[carrier].take_up(cell) {
            self.faults[cell.hop()].not_taken_up += 1;
            self.forget(at, cell, LossCause::QueueFull);
        }
    }

    /// A carrier that is evaluated lazily takes up cells of the middle of PDUs.
    pub(super) fn take_up_train(&mut self, carrier: usize, train: Train) {
        let mut cell = train.first.at_hop_before(1);
        for number in 0..train.count {
            if number > 0 {
                cell = cell.behind(train.gap, 1);
            }
            // What leaves at the instant at which the cell comes leaves before.
            self.carry_on(carrier, cell.at);
            self.sources[carrier].wake(cell.at);
            self.join_carrier(carrier, cell.at, cell);
        }
    }

    /// A carrier sends the unmarked cells that leave up to `until`.
    pub(super) fn carry_on(&mut self, carrier: usize, until: Time) {
        loop {
            let Some(cell) = self.sources[carrier].take_carried(until, Cell::is_marked) else {
                return;
            };
            let (channel, ahead) = self.hops[cell.hop()].resumes;
            let at = cell
                .at
                .saturating_add(self.channels[channel as usize].delay);
            let cell = cell.at_hop_ahead(ahead + 1, at);
            self.send(channel as usize, Train::single(cell, false));
        }
    }

    /// A cell may have come to a carrier that makes it send more than cells of the middle of PDUs.
    pub(super) fn on_carrier(&mut self, carrier: usize) {
        self.catch_up_source(carrier, self.now);
        self.expect_carrier(carrier);
        self.announce_source(carrier);
    }

    /// When a carrier is to act next, and when it is to be looked at again for what may come to it.
    pub(super) fn expect_carrier(&mut self, carrier: usize) {
        let source = &self.sources[carrier];
        let Some(port) = source.port else { return };
        let port = &self.ports[port as usize];
        let (acts, looks) = if source.waits() {
            (source.next_marked_carried(Cell::is_marked), Time::NEVER)
        } else {
            (source.next_emission(), source.next_marked_idle(port.quiet))
        };
        self.calendar.set(port.actor, looks.max(self.now));
        let actor = self.actors.sources + carrier;
        self.calendar.set(actor, acts.max(self.now));
    }
}
