//! Moves a part from one simulation to another of the same network, by swapping its elements with their counterparts
//! there.

use std::collections::BTreeSet;
use std::mem::swap;
use std::ops::Range;

use crate::engine::host::EndSystems;
use crate::engine::schedule::Schedule;
use crate::engine::simulation::Simulation;
use crate::engine::state::paths::Paths;
use crate::engine::trains::Trains;

/// The elements of a part, by number: everything that it can change.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Holding {
    flows: Vec<u32>,
    links: Vec<u32>,
    ports: Vec<u32>,
    channels: Vec<u32>,
    directions: Vec<u32>,
    hops: Vec<Range<usize>>,
    policers: Vec<u32>,
    credits: Vec<u32>,
    virtual_ends: Vec<u32>,
    shapers: Vec<u32>,
    recorders: Vec<u32>,
    /// End systems under generic flow control.
    terminals: BTreeSet<u32>,
    /// Hosts with processing times.
    accesses: BTreeSet<u32>,
}

impl Holding {
    /// The links of the part.
    pub(in crate::engine) fn links(&self) -> impl Iterator<Item = usize> {
        self.links.iter().map(|&link| link as usize)
    }
}

impl Simulation<'_> {
    /// The elements of each part.
    pub(in crate::engine) fn holdings(&self) -> Vec<Holding> {
        let part_of = self.part_of_elements();
        let elements = self.elements();
        let part = |element: usize| part_of[element] as usize;
        let mut all = vec![Holding::default(); self.schedule.parts.len()];
        for (number, flow) in self.ends.flows.iter().enumerate() {
            let vc = flow.kind.data() / 2;
            all[part(vc)].flows.push(number as u32);
        }
        for link in 0..self.links.len() {
            all[part(elements.of_link(link))].links.push(link as u32);
        }
        for port in 0..self.trains.ports.len() {
            all[part(elements.of_port(port))].ports.push(port as u32);
        }
        for channel in 0..self.trains.channels.len() {
            all[part(elements.of_channel(channel))]
                .channels
                .push(channel as u32);
        }
        for direction in 0..self.sources.directions() {
            if self.sources.has_own(direction) {
                let holding = &mut all[part(direction / 2)];
                holding.directions.push(direction as u32);
                holding
                    .accesses
                    .extend(self.ends.hosts.accesses_of(direction));
                let held = self.sources[direction].gfc.as_deref();
                holding.terminals.extend(held.map(|held| held.terminal));
            }
        }
        for (number, recorder) in self.observation.recorders.iter().enumerate() {
            all[recorder.part].recorders.push(number as u32);
        }
        for (number, hop) in self.paths.hops.iter().enumerate() {
            let holding = &mut all[part(hop.direction as usize / 2)];
            match holding.hops.last_mut() {
                Some(last) if last.end == number => last.end += 1,
                _ => holding.hops.push(number..number + 1),
            }
            holding.credits.extend(hop.credit());
            holding.virtual_ends.extend(hop.virtual_end());
        }
        // Hops of several directions lead to those of virtual paths.
        for (number, vc) in self.paths.shaped_vcs().into_iter().enumerate() {
            if let Some(vc) = vc {
                all[part(vc)].shapers.push(number as u32);
            }
        }
        for (number, vc) in self.paths.policed_vcs().into_iter().enumerate() {
            if let Some(vc) = vc {
                all[part(vc)].policers.push(number as u32);
            }
        }
        all
    }

    /// Swaps a part between two simulations. No part of either may be active.
    pub(in crate::engine) fn exchange(&mut self, other: &mut Self, part: usize, held: &Holding) {
        // Each field is named, so that a new one cannot be forgotten.
        let Self {
            // Equal for all parts.
            network: _,
            observation,
            schedule,
            links,
            paths,
            trains,
            sources,
            ends,
        } = self;
        schedule.exchange(&mut other.schedule, part);
        exchange(links, &mut other.links, &held.links);
        paths.exchange(&mut other.paths, held);
        trains.exchange(&mut other.trains, held);
        let watch = &mut observation.watch;
        if let Some(seen) = watch.parts.get_mut(part) {
            swap(seen, &mut other.observation.watch.parts[part]);
        }
        let recorders = &mut observation.recorders;
        exchange(recorders, &mut other.observation.recorders, &held.recorders);
        for direction in held.directions.iter().map(|&it| it as usize) {
            swap(&mut sources[direction], &mut other.sources[direction]);
        }
        ends.exchange(&mut other.ends, held);
    }
}

impl Schedule {
    fn exchange(&mut self, other: &mut Self, part: usize) {
        let Self {
            // Equal for all parts: they belong to the interval or to the whole run.
            end: _,
            chunk: _,
            ahead: _,
            least_part: _,
            actors: _,
            timed: _,
            // Set during a turn.
            now: _,
            turns: _,
            // Stored in the part at the end of its turn.
            next_chunk: _,
            events: _,
            parts,
            calendar,
        } = self;
        swap(&mut parts[part], &mut other.parts[part]);
        calendar.exchange(&mut other.calendar, part);
    }
}

impl Paths {
    fn exchange(&mut self, other: &mut Self, held: &Holding) {
        let Self {
            // Stored in the part at the end of its turn.
            rms: _,
            hops,
            faults,
            policers,
            credits,
            virtual_ends,
            shapers,
        } = self;
        for range in &held.hops {
            hops[range.clone()].swap_with_slice(&mut other.hops[range.clone()]);
            faults.exchange(&mut other.faults, range);
        }
        exchange(policers, &mut other.policers, &held.policers);
        exchange(credits, &mut other.credits, &held.credits);
        exchange(virtual_ends, &mut other.virtual_ends, &held.virtual_ends);
        exchange(shapers, &mut other.shapers, &held.shapers);
    }
}

impl Trains {
    fn exchange(&mut self, other: &mut Self, held: &Holding) {
        let Self {
            // Changes only when counters are read.
            bypassed: _,
            // Filled and emptied during a turn.
            coming: _,
            order: _,
            served: _,
            filled: _,
            event_cells: _,
            ports,
            channels,
            passed,
            came_to_tunnel,
        } = self;
        exchange(ports, &mut other.ports, &held.ports);
        exchange(channels, &mut other.channels, &held.channels);
        for range in &held.hops {
            passed.exchange(&mut other.passed, range);
            came_to_tunnel.exchange(&mut other.came_to_tunnel, range);
        }
    }
}

impl EndSystems {
    fn exchange(&mut self, other: &mut Self, held: &Holding) {
        let Self {
            // Equal for all parts.
            waiting: _,
            sinks,
            flows,
            hosts,
            terminals,
        } = self;
        exchange(flows, &mut other.flows, &held.flows);
        for number in held.terminals.iter().map(|&it| it as usize) {
            swap(&mut terminals[number], &mut other.terminals[number]);
        }
        for direction in held.directions.iter().map(|&it| it as usize) {
            swap(&mut sinks[direction], &mut other.sinks[direction]);
        }
        hosts.exchange(&mut other.hosts, &held.flows, &held.accesses);
    }
}
/// Swaps elements between two arrays.
fn exchange<T>(here: &mut [T], there: &mut [T], numbers: &[u32]) {
    for number in numbers.iter().map(|&it| it as usize) {
        swap(&mut here[number], &mut there[number]);
    }
}
