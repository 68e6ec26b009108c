//! What switch algorithms learn from single cells, and what they write into them.

use celltrain_proto::abr::Destination;
use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Time;

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Cell;

impl Simulation<'_> {
    /// Lets the algorithm of a queue write into a backward RM cell of the VC that it knows by number `vc`.
    #[inline]
    pub(super) fn mark_backward_rm(&mut self, link: usize, vc: u32, cell: Cell) {
        let now = self.schedule.now;
        let algorithm = self.links[link].algorithm();
        let counts_until = algorithm.map_or(Time::ZERO, |algorithm| algorithm.counts_until());
        let port = &self.trains.ports[link];
        // The algorithm may not have been told of forward RM cells that have arrived.
        let stands = port.is_lazy() && !port.passes_event_cells && now < counts_until;
        if !stands {
            self.advance_stage(link, now);
            self.links[link].advance(now);
        }
        let link = &mut self.links[link];
        let state = link.state();
        if let Some(algorithm) = link.algorithm() {
            let rm = self.paths.rms.get_mut(cell.load());
            algorithm.on_backward_rm(now, vc, rm, &state);
        }
    }

    /// The local loop: the node lets the algorithm of the queue for the data write into a forward RM cell, turns it
    /// around and sends it back at once.
    pub(in crate::engine) fn turn_around_locally(&mut self, cell: Cell, back: u32) {
        let next = &self.paths.hops[cell.at_next_hop().hop()];
        let (vc, index) = (next.port_vc, next.link as usize);
        self.ends.sinks[next.direction as usize]
            .packets()
            .turned_around += 1;
        self.advance_stage(index, self.schedule.now);
        let link = &mut self.links[index];
        link.advance(self.schedule.now);
        let state = link.state();
        let mut control = link.algorithm();
        let mut forward = self.paths.rms.take(cell.load());
        if let Some(control) = &mut control {
            control.on_activity(self.schedule.now, vc);
            control.on_forward_rm(self.schedule.now, vc, &mut forward, &state);
        }
        let mut backward = Destination::default().on_forward_rm(forward);
        if let Some(control) = control {
            control.on_backward_rm(self.schedule.now, vc, &mut backward, &state);
        }
        self.send_backward_rm(back as usize, backward, false);
    }
}
