//! What a part of a network uses of the limits of a run.
//!
//! Nothing is counted while cells move. A look goes over all elements of the part once, which costs a dozen instructions
//! for each; so it is due only after a number of events, of some hundred instructions, that grows with the elements.

use std::sync::Arc;

use crate::engine::error::RunError;
use crate::engine::record::watch::Progress;
use crate::engine::schedule::parts::Component;
use crate::engine::simulation::Simulation;
use crate::engine::state::room::{Exhausted, Room, make_room_in};
use crate::scenario::Limits;

/// Events for each element of a part until the next look: 0.1 % of the instructions of a run.
const EVENTS_AN_ELEMENT: u64 = 64;

impl Simulation<'_> {
    /// Watches over the limits of the network from now on, and tells `progress` how far the run is.
    pub(in crate::engine) fn be_watched(&mut self, progress: Option<Arc<Progress>>) {
        let limits = Some(self.network.limits).filter(|limits| *limits != Limits::NONE);
        let parts = self.schedule.parts.len();
        self.observation.watch.begin(limits, progress, parts);
    }

    /// Looks at what the active part uses, if that is due after `events` more.
    ///
    /// # Errors
    ///
    /// A limit was passed, now or before.
    pub(in crate::engine) fn watch_events(&mut self, events: u64) -> Result<(), RunError> {
        let (now, last) = (self.schedule.now, self.network.end);
        let (parts, watch) = (&self.schedule.parts, &mut self.observation.watch);
        watch.tell(now, last, parts.len());
        if watch.is_due(events, EVENTS_AN_ELEMENT * elements(&parts[watch.active])) {
            self.look_at_part();
        }
        self.observation.watch.verdict()
    }

    /// Looks at what the active part uses, if that is due after all of it was advanced once more, which takes as long as
    /// an event for each element.
    ///
    /// # Errors
    ///
    /// A limit was passed, now or before.
    pub(in crate::engine) fn watch_chunk(&mut self) -> Result<(), RunError> {
        self.watch_events(elements(
            &self.schedule.parts[self.observation.watch.active],
        ))
    }

    /// Looks at what the active part uses now; returns whether a limit was passed.
    pub(in crate::engine) fn passes_limit(&mut self) -> bool {
        self.look_at_part();
        self.observation.watch.is_passed()
    }

    #[cold]
    fn look_at_part(&mut self) {
        let number = self.observation.watch.active;
        let part = std::mem::take(&mut self.schedule.parts[number]);
        let (now, cells) = (self.schedule.now, self.cells_of(&part));
        let memory = self.memory_of(number, &part);
        self.schedule.parts[number] = part;
        match memory {
            Ok(memory) => self.observation.watch.note(now, cells, memory),
            Err(Exhausted) => self.observation.watch.exhaust(now),
        }
    }

    /// Cells that came to links, those that bypassed one not counted.
    fn cells_of(&self, part: &Component) -> u64 {
        let hops = self.hops_of(part).map(|hop| &self.paths.hops[hop]);
        hops.flat_map(|hop| hop.counts.offered).sum()
    }

    /// The octets of all that grows in a part.
    fn memory_of(&mut self, number: usize, part: &Component) -> Result<u64, Exhausted> {
        let mut octets = self.paths.rms.make_room()?;
        for &flow in &part.flows {
            octets += self.ends.flows[flow as usize].make_room()?;
            octets += self.ends.hosts.make_room(flow as usize)?;
        }
        for &link in &part.links {
            octets += self.links[link as usize].make_room()?;
        }
        for &port in &part.ports {
            octets += self.trains.ports[port as usize].make_room()?;
        }
        for &channel in &part.channels {
            octets += self.trains.channels[channel as usize].make_room()?;
        }
        for &direction in &part.sources {
            octets += self.sources[direction as usize].make_room()?;
            octets += make_room_in(self.ends.sinks[direction as usize].delays())?;
        }
        let hops: Vec<usize> = self.hops_of(part).collect();
        for hop in hops {
            let hop = &self.paths.hops[hop];
            let (end, shaper) = (hop.virtual_end(), hop.shaper());
            octets += make_room_in(end.map(|end| &mut self.paths.virtual_ends[end as usize]))?;
            octets += make_room_in(shaper.map(|shaper| &mut self.paths.shapers[shaper as usize]))?;
        }
        let recorders = self.observation.recorders.iter_mut();
        octets += make_room_in(recorders.filter(|recorder| recorder.part == number))?;
        // What no part has of its own counts with the first.
        if number == 0 {
            octets += self.ends.hosts.on_rings() + self.observation.observer.make_room()?;
        }
        Ok(octets)
    }

    /// The hops of a part's directions.
    fn hops_of<'a>(&'a self, part: &'a Component) -> impl Iterator<Item = usize> + 'a {
        let directions = part.sources.iter().map(|&direction| direction as usize);
        directions.flat_map(|direction| {
            let first = self.sources[direction].first_hop as usize;
            let last = first + self.network.direction(direction).links.len();
            // A direction in which no cell can come has no hops.
            let hops = &self.paths.hops;
            let is_own = move |&hop: &usize| {
                hops.get(hop)
                    .is_some_and(|it| it.direction as usize == direction)
            };
            (first..last).take_while(is_own)
        })
    }
}

/// The number of elements of a part.
fn elements(part: &Component) -> u64 {
    let lists = [
        &part.flows,
        &part.links,
        &part.ports,
        &part.channels,
        &part.sources,
    ];
    lists.map(Vec::len).iter().sum::<usize>() as u64
}
