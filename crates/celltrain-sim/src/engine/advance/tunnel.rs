//! Sources of tunnel VCs: the queue of a router in front of a VC with a rate of its own, which carries cells of other
//! VCs.

use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::time::{STEP, minus};
use crate::engine::state::train::Train;

impl Simulation<'_> {
    /// Takes up a cell now; it waits for its turn at the source of the tunnel VC.
    pub(in crate::engine) fn enter_tunnel(&mut self, tunnel: usize, cell: Cell) {
        self.advance_before_change(tunnel);
        // Of the cells that arrive now, none has passed.
        self.join_tunnel(tunnel, self.schedule.now, cell, 0);
        self.wake_source(tunnel);
    }

    fn join_tunnel(&mut self, tunnel: usize, at: Time, cell: Cell, still: u64) {
        *self.trains.came_to_tunnel.get_mut(cell.hop()) += 1;
        if !self.sources[tunnel].admit(cell, still) {
            self.paths.faults.get_mut(cell.hop()).refused[cell.kind() as usize] += 1;
            self.losses().forget(at, cell, LossCause::QueueFull);
        }
    }

    /// Lets a lazily evaluated tunnel VC take up mid-PDU cells.
    pub(in crate::engine) fn enter_tunnel_train(&mut self, tunnel: usize, train: Train) {
        let mut left = Train {
            first: train.first.at_hop_upstream(1),
            ..train
        };
        let direction = self.paths.hops[left.first.hop()].direction as usize;
        let is_before = self.trains.comes_before(direction, tunnel, &self.sources);
        let source = is_before.then_some(direction);
        if let Some(source) = source.filter(|_| left.last() == self.schedule.now) {
            // The tunnel VC has its turn after the source, which may have been woken at this instant.
            let woken = self.sources[source].woken;
            let tunnel = &mut self.sources[tunnel];
            tunnel.woken = tunnel.woken.max(woken);
        }
        loop {
            let cell = left.first;
            // Departures at the instant of an arrival come first, unless the source of the arriving cell acts before.
            let departed = match source {
                Some(_) => minus(cell.at, STEP),
                None => Some(cell.at),
            };
            if let Some(departed) = departed {
                self.advance_tunnel(tunnel, departed);
            }
            // A cell that came before at this instant and has passed left in the turn of the tunnel VC. So it is still there
            // when this source, which acts before, brings its own.
            let still = source.map_or(0, |_| self.sources[tunnel].leaving_at(cell.at));
            // It lets no cell pass at the instant at which one has: its next cell leaves later.
            let mut taken = self.pass_through(tunnel, &left);
            if taken == 0 && self.sources[tunnel].admit_train(&left, still) {
                let came = self.trains.came_to_tunnel.get_mut(cell.hop());
                *came += u64::from(left.count);
                return;
            }
            if taken == 0 {
                self.sources[tunnel].wake(cell.at);
                self.join_tunnel(tunnel, cell.at, cell, still);
                taken = 1;
            }
            if taken == left.count {
                return;
            }
            left.cut(taken);
        }
    }

    /// Passes as many of a train's first cells through a tunnel VC as it lets pass when they arrive; returns their
    /// number.
    fn pass_through(&mut self, tunnel: usize, train: &Train) -> u32 {
        // Of the cells that arrive now, only those whose turn has come may leave.
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

    /// Sends mid-PDU cells that leave the source of their tunnel VC at the times given by the train.
    fn resume(&mut self, train: Train) {
        let (channel, downstream) = self.paths.hops[train.first.hop()].resumes();
        let channel = channel as usize;
        let train = self.trains.channels[channel].at_end(train, downstream + 1);
        self.send(channel, train);
    }

    /// Sends the waiting cells of a tunnel VC that leave up to `until`.
    pub(in crate::engine) fn advance_tunnel(&mut self, tunnel: usize, until: Time) {
        while let Some(train) = self.sources[tunnel].take_aggregate(until) {
            self.resume(train);
        }
    }

    /// Handles a cell that may have arrived at a tunnel VC and makes it send event cells.
    pub(in crate::engine) fn on_tunnel(&mut self, tunnel: usize) {
        self.advance_source(tunnel, self.schedule.now);
        self.trains
            .set_tunnel_deadline(tunnel, &self.sources[tunnel], &mut self.schedule);
        self.propagate_source(tunnel);
    }
}
