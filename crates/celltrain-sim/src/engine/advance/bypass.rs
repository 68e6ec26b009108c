//! Readings of bypassed and transparent links.

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Kind;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::arrived::Arrived;
use crate::engine::trains::bypassed::{BypassedHop, BypassedLink};

impl Simulation<'_> {
    /// What has arrived at the ends of channels.
    pub(in crate::engine) fn arrived(&self) -> Arrived<'_> {
        Arrived {
            paths: &self.paths,
            trains: &self.trains,
            sources: &self.sources,
            sinks: &self.ends.sinks,
        }
    }

    /// The counts so far at bypassed hops and links, by hop and by link.
    pub(in crate::engine) fn read_bypassed(&mut self) -> (Sparse<BypassedHop>, Vec<BypassedLink>) {
        let mut hops = Sparse::new(self.paths.hops.len());
        let mut links = vec![BypassedLink::default(); self.links.len()];
        let arrived = self.arrived();
        for channel in &self.trains.channels {
            if !channel.bypassed.is_empty() {
                arrived.add(channel, &mut hops, &mut links);
            }
        }
        self.trains
            .add_passing(self.schedule.now, &mut hops, &mut links);
        self.trains.note_maxima(&self.paths.hops, &hops, &mut links);
        (hops, links)
    }

    /// Counts, at transparent links, the cells that have reached the ends of channels right downstream of them.
    pub(in crate::engine) fn count_transparent(&mut self) {
        for channel in 0..self.trains.channels.len() {
            let transparent = self.trains.channels[channel].transparent as usize;
            for end in 0..self.trains.channels[channel].ends.len() {
                let end = self.trains.channels[channel].ends[end] as usize;
                for hop in end - transparent..end {
                    if !self.paths.hops[hop].shows_each {
                        let came = self.arrived().came_to(hop, end);
                        self.paths.hops[hop].counts.offered[Kind::Data as usize] = came;
                    }
                }
            }
        }
    }
}
