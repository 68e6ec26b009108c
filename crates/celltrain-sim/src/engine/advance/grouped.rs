//! A stage advances the sources of its group.

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Kind;
use crate::engine::trains::channel::Origin;

impl Simulation<'_> {
    /// A port's source group takes cells of its sources before they come, as far as nobody looks at what these have sent.
    pub(in crate::engine) fn fill_group(&mut self, link: usize) {
        let group = self.trains.ports[link].group.as_ref();
        for input in group.map_or(0..0, |group| group.inputs.clone()) {
            let channel = self.trains.ports[link].channels[input] as usize;
            if let Origin::Source(direction) = self.trains.channels[channel].origin
                && !self.sources[direction as usize].is_of_group()
            {
                // Its cells come by a channel, from which the group takes them.
                self.advance_source(direction as usize, self.schedule.now);
            }
        }
        let port = &mut self.trains.ports[link];
        if let Some(group) = &mut port.group {
            // Not further: counters are read then, and cells that have not come would be counted.
            let look = self.schedule.end;
            let end = self.schedule.now.saturating_add(group.span).min(look);
            for member in &mut group.members {
                member.count_until(look);
            }
            let room = &mut self.trains.order;
            group.fill(
                &mut self.sources,
                &mut self.trains.channels,
                end,
                look,
                room,
            );
            port.lookahead.set_group(end);
        }
    }

    /// What a link has taken of its source group is counted at its hops.
    pub(in crate::engine) fn count_group(&mut self, link: usize) {
        let group = self.trains.ports[link].group.iter_mut();
        for member in group.flat_map(|group| &mut group.members) {
            let counts = &mut self.paths.hops[member.hop as usize].counts;
            counts.offered[Kind::Data as usize] += member.take_came();
        }
    }
}
