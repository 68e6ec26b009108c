//! Advances the connected components of a network.

use celltrain_proto::units::Time;

use crate::engine::error::Stop;
use crate::engine::host::flow::FlowKind;
use crate::engine::simulation::Simulation;
use crate::engine::state::time::{STEP, minus};
use crate::engine::trains::channel::Destination;
use crate::engine::trains::group::Member;

impl Simulation<'_> {
    /// Advances a part through everything before `now`, which becomes the present instant.
    ///
    /// # Errors
    ///
    /// [`Stop::OrderLost`] if the order of cells was lost on a link, which must then be evaluated cell by cell.
    pub(in crate::engine) fn advance_part(&mut self, number: usize, now: Time) -> Result<(), Stop> {
        self.schedule.now = now;
        self.schedule.events += 1;
        self.schedule.turns.begin(self.schedule.events);
        let Some(before) = minus(now, STEP) else {
            return Ok(());
        };
        let part = std::mem::take(&mut self.schedule.parts[number]);
        for &flow in &part.flows {
            if let FlowKind::Tcp(connection) = &mut self.ends.flows[flow as usize].kind {
                connection.advance(before);
            }
        }
        for &direction in &part.directions {
            self.advance_source(direction as usize, before);
        }
        for &port in &part.ports {
            self.advance_stage(port as usize, before);
        }
        for &link in &part.links {
            self.advance_departures(link as usize, now);
        }
        for &channel in &part.channels {
            match self.trains.channels[channel as usize].destination {
                Destination::Sink(_) => {
                    self.trains
                        .drain(channel as usize, before, &mut self.ends.sinks);
                }
                Destination::Counters => self.trains.count(
                    channel as usize,
                    before,
                    &self.paths.hops,
                    &mut self.ends.sinks,
                ),
                Destination::Link { .. } | Destination::Node => {}
            }
        }
        for &port in &part.ports {
            self.trains.count_group(port as usize, &mut self.paths.hops);
            let group = self.trains.ports[port as usize].group.iter_mut();
            for (direction, passed) in group
                .flat_map(|group| &mut group.members)
                .map(Member::take_passed)
            {
                self.ends.sinks[direction].add(&passed);
            }
        }
        let ports = &self.trains.ports;
        let are_lost = |&&port: &&u32| ports[port as usize].turns.are_lost();
        let lost = part.ports.iter().find(are_lost).copied();
        self.schedule.parts[number] = part;
        lost.map_or(Ok(()), |link| Err(Stop::OrderLost(link as usize)))
    }
}
