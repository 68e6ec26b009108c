//! A stage advances the sources of its source group.

use crate::engine::simulation::Simulation;
use crate::engine::trains::channel::Origin;

impl Simulation<'_> {
    /// Fills a port's source group with cells of its sources ahead of time, up to the next instant at which counters are
    /// read.
    pub(in crate::engine) fn fill_group(&mut self, link: usize) {
        let group = self.trains.ports[link].group.as_ref();
        for input in group.map_or(0..0, |group| group.inputs.clone()) {
            let channel = self.trains.ports[link].channels[input] as usize;
            if let Origin::Source(direction) = self.trains.channels[channel].origin
                && !self.sources[direction as usize].is_of_group()
            {
                // Its cells come through a channel, from which the group takes them.
                self.advance_source(direction as usize, self.schedule.now);
            }
        }
        let port = &mut self.trains.ports[link];
        if let Some(group) = &mut port.group {
            // No further: counters are read then and would include cells that have not arrived.
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
}
