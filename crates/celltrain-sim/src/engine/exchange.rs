//! A part moves from one simulation to another of the same network: what it consists of changes places with what stands
//! there in its stead.

use std::collections::BTreeSet;
use std::mem::swap;
use std::ops::Range;

use crate::engine::simulation::Simulation;

/// What belongs to a part, by number: all that anything in it may change.
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
    recorders: Vec<u32>,
    /// Hosts that take time.
    accesses: BTreeSet<u32>,
}

impl Holding {
    /// The links of the part.
    pub(in crate::engine) fn links(&self) -> impl Iterator<Item = usize> {
        self.links.iter().map(|&link| link as usize)
    }
}

impl Simulation<'_> {
    /// What belongs to each part.
    pub(in crate::engine) fn holdings(&self) -> Vec<Holding> {
        let part_of = self.part_of_elements();
        let part = |element: usize| part_of[element] as usize;
        let mut all = vec![Holding::default(); self.parts.len()];
        for (number, flow) in self.flows.iter().enumerate() {
            let vc = flow.kind.data() / 2;
            all[part(vc)].flows.push(number as u32);
        }
        for link in 0..self.links.len() {
            all[part(self.element_of_link(link))]
                .links
                .push(link as u32);
        }
        for port in 0..self.ports.len() {
            all[part(self.element_of_port(port))]
                .ports
                .push(port as u32);
        }
        for channel in 0..self.channels.len() {
            all[part(self.filler(channel))]
                .channels
                .push(channel as u32);
        }
        for direction in 0..self.sources.directions() {
            if self.sources.has_own(direction) {
                let holding = &mut all[part(direction / 2)];
                holding.directions.push(direction as u32);
                holding.accesses.extend(self.hosts.accesses_of(direction));
            }
        }
        for (number, recorder) in self.recorders.iter().enumerate() {
            all[recorder.part].recorders.push(number as u32);
        }
        for (number, hop) in self.hops.iter().enumerate() {
            let holding = &mut all[part(hop.direction as usize / 2)];
            match holding.hops.last_mut() {
                Some(last) if last.end == number => last.end += 1,
                _ => holding.hops.push(number..number + 1),
            }
            holding
                .policers
                .extend(hop.action(|actions| actions.policer));
            holding.credits.extend(hop.credit());
            holding.virtual_ends.extend(hop.virtual_end());
        }
        all
    }

    /// Changes places of a part here and there, while all parts rest.
    pub(in crate::engine) fn exchange(&mut self, other: &mut Self, part: usize, held: &Holding) {
        self.exchange_hops(other, held);
        // Each field is named, so that a new one is thought of.
        let Self {
            // The same for all parts: of the interval, or of the whole run.
            network: _,
            end: _,
            chunk: _,
            least_part: _,
            actors: _,
            timed: _,
            waiting: _,
            // Changes only where counters are read.
            bypassed: _,
            observer: _,
            // Set, or filled and emptied, within a turn.
            now: _,
            turns: _,
            coming: _,
            order: _,
            served: _,
            // Put with the part at the end of its turn.
            next_chunk: _,
            rms: _,
            events: _,
            // Done above.
            hops: _,
            faults: _,
            passed: _,
            came_to_tunnel: _,
            parts,
            calendar,
            links,
            ports,
            channels,
            sources,
            sinks,
            flows,
            hosts,
            policers,
            credits,
            virtual_ends,
            recorders,
        } = self;
        swap(&mut parts[part], &mut other.parts[part]);
        calendar.exchange(&mut other.calendar, part);
        exchange(links, &mut other.links, &held.links);
        exchange(ports, &mut other.ports, &held.ports);
        exchange(channels, &mut other.channels, &held.channels);
        exchange(flows, &mut other.flows, &held.flows);
        exchange(policers, &mut other.policers, &held.policers);
        exchange(credits, &mut other.credits, &held.credits);
        exchange(virtual_ends, &mut other.virtual_ends, &held.virtual_ends);
        exchange(recorders, &mut other.recorders, &held.recorders);
        for direction in held.directions.iter().map(|&it| it as usize) {
            swap(&mut sources[direction], &mut other.sources[direction]);
            swap(&mut sinks[direction], &mut other.sinks[direction]);
        }
        hosts.exchange(&mut other.hosts, &held.flows, &held.accesses);
    }

    fn exchange_hops(&mut self, other: &mut Self, held: &Holding) {
        for range in &held.hops {
            self.hops[range.clone()].swap_with_slice(&mut other.hops[range.clone()]);
            self.faults.exchange(&mut other.faults, range);
            self.passed.exchange(&mut other.passed, range);
            self.came_to_tunnel
                .exchange(&mut other.came_to_tunnel, range);
        }
    }
}

/// Changes places of elements here and there.
fn exchange<T>(here: &mut [T], there: &mut [T], numbers: &[u32]) {
    for number in numbers.iter().map(|&it| it as usize) {
        swap(&mut here[number], &mut there[number]);
    }
}
