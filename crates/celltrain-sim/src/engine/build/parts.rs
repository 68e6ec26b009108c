//! The parts of a network between which nothing passes. Each runs by itself, so that its state stays in the nearest
//! caches however large the network is.

use super::super::Simulation;
use super::super::hop::Actions;
use super::layout::Timed;
use crate::network::{Probe, Record, SampleTimes};
use crate::scenario::Host;

/// Fewer actors are no part of their own, which would only take more memory.
const LEAST: usize = 64;

/// Sets of elements, which become fewer as they are joined (union by index, path halving).
struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    fn new(elements: usize) -> Self {
        Self {
            parents: (0..elements as u32).collect(),
        }
    }

    /// The least element of the set of this one.
    fn first(&mut self, mut element: usize) -> usize {
        while self.parents[element] as usize != element {
            let parent = self.parents[element] as usize;
            self.parents[element] = self.parents[parent];
            element = parent;
        }
        element
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.parents[one.max(other)] = one.min(other) as u32;
    }
}

impl Simulation<'_> {
    /// What belongs to one part lies together; cell by cell, each part has a calendar.
    pub(super) fn divide(&mut self) {
        let parts = self.parts();
        if parts.len() < 2 {
            return;
        }
        let directions = self.actors.sources..self.actors.virtual_ends;
        let actors = parts.iter().flatten().map(|&actor| actor as usize);
        let sources = actors.filter(|actor| directions.contains(actor));
        let places = self.sources.places();
        let places = places.in_order(sources.map(|actor| actor - directions.start));
        self.sources.arrange(&places);
        self.sinks.arrange(&places);
        let is_lazy = !self.channels.is_empty();
        let has_outside = self.flows.len() > self.network.flows.len();
        if !is_lazy && !has_outside {
            self.calendar.divide(parts);
        }
    }

    /// The actors of each part, ascending.
    fn parts(&self) -> Vec<Box<[u32]>> {
        let mut sets = self.joined();
        let mut actors = vec![Vec::new(); self.network.vcs.len() + self.links.len()];
        for (actor, element) in self.elements() {
            actors[sets.first(element)].push(actor as u32);
        }
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for actors in actors.into_iter().filter(|actors| !actors.is_empty()) {
            match parts.last_mut() {
                Some(last) if last.len() < LEAST => last.extend(actors),
                _ => parts.push(actors),
            }
        }
        let sorted = parts.into_iter().map(|mut actors| {
            actors.sort_unstable();
            actors.into()
        });
        sorted.collect()
    }

    /// VCs, and behind them links: those of which one can change what becomes of the other are in one set.
    fn joined(&self) -> Sets {
        let vcs = self.network.vcs.len();
        let mut sets = Sets::new(vcs + self.links.len());
        let mut is_recorded = vec![false; self.links.len()];
        for probe in &self.network.probes {
            let mut elements = self.recorded(probe);
            if let Some(first) = elements.next() {
                elements.for_each(|element| sets.join(first, element));
            }
            for &(_, record) in &probe.columns {
                if let Record::Link(link, _) = record {
                    is_recorded[link] = true;
                }
            }
        }
        for hop in &self.hops {
            let vc = hop.direction as usize / 2;
            let link = hop.link as usize;
            if !self.links[link].is_transparent() || is_recorded[link] {
                sets.join(vc, vcs + link);
            }
            for element in hop.actions.iter().flat_map(|actions| met(actions, vcs)) {
                sets.join(vc, element);
            }
        }
        // Hosts come first among the nodes.
        let mut first_at = vec![None; self.network.hosts.len()];
        for (vc, written) in self.network.vcs.iter().enumerate() {
            for node in [written.nodes.first(), written.nodes.last()] {
                let node = node.copied().unwrap_or(usize::MAX);
                let host = self.network.hosts.get(node);
                if host.is_some_and(Host::takes_time) {
                    sets.join(*first_at[node].get_or_insert(vc), vc);
                }
            }
        }
        sets
    }

    /// The VCs and links of which a probe records something.
    fn recorded(&self, probe: &Probe) -> impl Iterator<Item = usize> {
        let vc_of = |flow: usize| self.flows[flow].kind.data() / 2;
        let of_events = match probe.at {
            SampleTimes::Every(_) => None,
            SampleTimes::EventsOf(flow) => Some(vc_of(flow)),
        };
        let columns = probe.columns.iter().map(move |&(_, record)| match record {
            Record::Link(link, _) => self.network.vcs.len() + link,
            Record::Vc(vc, ..) => vc,
            Record::Flow(flow, _) => vc_of(flow),
        });
        of_events.into_iter().chain(columns)
    }

    /// All actors that can have a deadline, each with a VC or link that it belongs to.
    fn elements(&self) -> impl Iterator<Item = (usize, usize)> {
        let vcs = self.network.vcs.len();
        let actors = self.actors;
        let probes = self.network.probes.iter().enumerate();
        let probes =
            probes.filter_map(|(number, probe)| Some((number, self.recorded(probe).next()?)));
        let flows = self
            .flows
            .iter()
            .enumerate()
            .flat_map(move |(number, flow)| {
                let vc = flow.kind.data() / 2;
                [
                    (actors.senders + number, vc),
                    (actors.receivers + number, vc),
                ]
            });
        let directions = 0..self.sources.directions();
        let directions = directions.filter(|&direction| self.sources.has_own(direction));
        let sources = directions.map(move |direction| (actors.sources + direction, direction / 2));
        let ends = self
            .virtual_ends
            .iter()
            .enumerate()
            .map(move |(number, end)| {
                let before = &self.hops[end.next_hop as usize - 1];
                (actors.virtual_ends + number, before.direction as usize / 2)
            });
        let links = self.timed.iter().enumerate();
        let links = links.filter_map(move |(number, timed)| match *timed {
            Timed::Link(link) => Some((actors.links + number, vcs + link as usize)),
            Timed::Channel(_) | Timed::Port(_) => None,
        });
        probes.chain(flows).chain(sources).chain(ends).chain(links)
    }
}

/// The VCs and links that cells meet behind a hop, beside their own; links are numbered behind the `vcs` VCs.
fn met(actions: &Actions, vcs: usize) -> impl Iterator<Item = usize> {
    let marks = actions.marks.map(|(link, _)| vcs + link as usize);
    let gfc = actions.gfc.map(|link| vcs + link as usize);
    let carrier = actions.taken_up.map(|direction| direction as usize / 2);
    marks.into_iter().chain(gfc).chain(carrier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_are_joined_have_one_first_element() {
        let mut sets = Sets::new(6);
        sets.join(4, 2);
        sets.join(5, 4);
        sets.join(0, 1);
        let firsts: Vec<_> = (0..6).map(|element| sets.first(element)).collect();
        assert_eq!(firsts, [0, 0, 2, 3, 2, 2]);
        sets.join(1, 5);
        assert_eq!([2, 3, 5].map(|element| sets.first(element)), [0, 3, 0]);
    }
}
