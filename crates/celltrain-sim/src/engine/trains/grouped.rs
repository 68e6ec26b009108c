//! Sources of a group are brought up to date.

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Kind;
use crate::engine::trains::channel::Origin;

impl Simulation<'_> {
    /// The sources of a port's source group send ahead, as far as nobody looks at what they have sent.
    pub(in crate::engine) fn fill_crowd(&mut self, link: usize) {
        let crowd = self.trains.ports[link].crowd.as_ref();
        for input in crowd.map_or(0..0, |crowd| crowd.inputs.clone()) {
            let channel = self.trains.ports[link].channels[input] as usize;
            if let Origin::Source(direction) = self.trains.channels[channel].origin
                && !self.sources[direction as usize].is_of_crowd()
            {
                self.catch_up_source(direction as usize, self.schedule.now);
            }
        }
        if let Some(crowd) = &mut self.trains.ports[link].crowd {
            let look = self.schedule.end;
            let end = self.schedule.now.saturating_add(crowd.span).min(look);
            for member in &mut crowd.members {
                member.count_until(look);
            }
            let room = &mut self.trains.order;
            crowd.fill(
                &mut self.sources,
                &mut self.trains.channels,
                end,
                look,
                room,
            );
            crowd.more = end;
        }
    }

    /// What a link has taken of its source group is counted at its hops.
    pub(in crate::engine) fn count_crowd(&mut self, link: usize) {
        let crowd = self.trains.ports[link].crowd.iter_mut();
        for member in crowd.flat_map(|crowd| &mut crowd.members) {
            let counts = &mut self.paths.hops[member.hop as usize].counts;
            counts.offered[Kind::Data as usize] += member.take_came();
        }
    }
}
