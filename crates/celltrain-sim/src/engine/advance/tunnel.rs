//! Sources that carry cells of other VCs on: the queue of a router in front of a VC with a rate of its own.

use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::train::Train;

impl Simulation<'_> {
    /// A router takes a cell up now: it waits for its turn at the source of the VC that carries it on.
    pub(in crate::engine) fn take_up(&mut self, tunnel: usize, cell: Cell) {
        self.advance_before_change(tunnel);
        self.join_tunnel(tunnel, self.schedule.now, cell);
        self.wake_source(tunnel);
    }

    fn join_tunnel(&mut self, tunnel: usize, at: Time, cell: Cell) {
        *self.trains.came_to_tunnel.get_mut(cell.hop()) += 1;
        if !self.sources[tunnel].take_up(cell) {
            self.paths.faults.get_mut(cell.hop()).not_taken_up += 1;
            self.forget(at, cell, LossCause::QueueFull);
        }
    }

    /// A tunnel VC that is evaluated lazily takes up cells of the middle of PDUs.
    pub(in crate::engine) fn take_up_train(&mut self, tunnel: usize, train: Train) {
        let mut left = Train {
            first: train.first.at_hop_upstream(1),
            ..train
        };
        loop {
            let cell = left.first;
            // What leaves at the instant at which the cell comes leaves before.
            self.advance_tunnel(tunnel, cell.at);
            let mut taken = self.pass_through(tunnel, &left);
            if taken == 0 && self.sources[tunnel].take_up_train(&left) {
                let came = self.trains.came_to_tunnel.get_mut(cell.hop());
                *came += u64::from(left.count);
                return;
            }
            if taken == 0 {
                self.sources[tunnel].wake(cell.at);
                self.join_tunnel(tunnel, cell.at, cell);
                taken = 1;
            }
            if taken == left.count {
                return;
            }
            left.cut(taken);
        }
    }

    /// How many of the first cells of a train a tunnel VC lets pass as they come.
    fn pass_through(&mut self, tunnel: usize, train: &Train) -> u32 {
        // Of those that come now, only cells whose turn it is may leave.
        let soon = train.count_before(self.schedule.now) as u32;
        if soon == 0 {
            return 0;
        }
        let at = train.first.at;
        let count = self.sources[tunnel].pass(at, train.gap, soon);
        if count > 0 {
            let hop = train.first.hop();
            *self.trains.came_to_tunnel.get_mut(hop) += u64::from(count);
            self.resume(Train { count, ..*train });
        }
        count
    }

    /// Cells of the middle of PDUs leave the source that carries them on, at the instants of their train.
    fn resume(&mut self, train: Train) {
        let (channel, downstream) = self.paths.hops[train.first.hop()].resumes();
        let channel = channel as usize;
        let train = self.trains.channels[channel].at_end(train, downstream + 1);
        self.send(channel, train);
    }

    /// A tunnel VC sends the other cells that leave up to `until`.
    pub(in crate::engine) fn advance_tunnel(&mut self, tunnel: usize, until: Time) {
        while let Some(train) = self.sources[tunnel].take_carried(until) {
            self.resume(train);
        }
    }

    /// A cell may have come to a tunnel VC that makes it send more than cells of the middle of PDUs.
    pub(in crate::engine) fn on_tunnel(&mut self, tunnel: usize) {
        self.advance_source(tunnel, self.schedule.now);
        self.set_tunnel_deadline(tunnel);
        self.propagate_source(tunnel);
    }
}
