//! The connected components of a network, between which nothing passes. Each runs by itself, so that its state stays in
//! the caches however large the network is.

use petgraph::unionfind::UnionFind;

use crate::engine::host::flow::Flow;
use crate::engine::schedule::parts::Component;
use crate::engine::schedule::timed::Timed;
use crate::engine::simulation::Simulation;
use crate::engine::state::mode::Mode;
use crate::engine::trains::Trains;
use crate::engine::trains::channel::Origin;
use crate::network::{Probe, Record, SampleTimes};

impl Simulation<'_> {
    /// Finds the parts, stores the elements of each together, and gives each its own calendar.
    pub(super) fn divide(&mut self) {
        let part_of = self.part_of_elements();
        let count = part_of.iter().max().map_or(1, |&last| last as usize + 1);
        self.schedule.parts = self.members(&part_of, count);
        if count == 1 {
            return;
        }
        for part in &mut self.schedule.parts {
            part.resting.next_chunk = self.schedule.next_chunk;
        }
        for probe in 0..self.observation.recorders.len() {
            let written = &self.network.probes[probe];
            let element = self.elements().of_probe(written, &self.ends.flows);
            self.observation.recorders[probe].part = part_of[element] as usize;
        }
        let mut actors = vec![Vec::new(); count];
        for (actor, element) in self.actors() {
            actors[part_of[element] as usize].push(actor as u32);
        }
        for actors in &mut actors {
            actors.sort_unstable();
        }
        let directions = self.schedule.actors.sources..self.schedule.actors.virtual_ends;
        let sources = actors.iter().flatten().map(|&actor| actor as usize);
        let sources = sources.filter(|actor| directions.contains(actor));
        let places = self.sources.places();
        let places = places.in_order(sources.map(|actor| actor - directions.start));
        self.sources.arrange(&places);
        self.ends.sinks.arrange(&places);
        // Sources whose cells a source group takes never act.
        let acts = |&actor: &u32| {
            let actor = actor as usize;
            !directions.contains(&actor) || !self.sources[actor - directions.start].is_of_group()
        };
        let actors = actors.into_iter();
        let actors = actors.map(|actors| actors.into_iter().filter(acts).collect());
        self.schedule.calendar.divide(actors.collect());
    }

    /// The elements of the network.
    pub(in crate::engine) fn elements(&self) -> Elements<'_> {
        Elements {
            vcs: self.network.vcs.len(),
            trains: &self.trains,
        }
    }

    /// The part of each VC, followed by that of each link.
    pub(in crate::engine) fn part_of_elements(&self) -> Vec<u32> {
        let set_of = self.joined().into_labeling();
        let mut actors = vec![0_u32; set_of.len()];
        for (_, element) in self.actors() {
            actors[set_of[element]] += 1;
        }
        let mut part_of_set = vec![None; set_of.len()];
        let (mut part, mut filled) = (0, 0);
        let has_outside = self.ends.flows.len() > self.network.flows.len();
        let parts = set_of.into_iter().map(|set| {
            *part_of_set[set].get_or_insert_with(|| {
                if filled >= self.schedule.least_part && !has_outside {
                    (part, filled) = (part + 1, 0);
                }
                filled += actors[set];
                part
            })
        });
        parts.collect()
    }

    /// The elements of each of `count` parts.
    fn members(&self, part_of: &[u32], count: usize) -> Vec<Component> {
        let mut parts = vec![Component::default(); count];
        let part = |element: usize| part_of[element] as usize;
        for (flow, number) in self.ends.flows.iter().zip(0..) {
            parts[part(flow.kind.data() / 2)].flows.push(number);
        }
        for link in 0..self.links.len() {
            parts[part(self.elements().of_link(link))]
                .links
                .push(link as u32);
        }
        for direction in 0..self.sources.directions() {
            if self.sources.has_own(direction) {
                parts[part(direction / 2)].sources.push(direction as u32);
            }
        }
        if self.trains.channels.is_empty() {
            return parts;
        }
        for part in &mut parts {
            part.directions.clone_from(&part.sources);
        }
        for port in 0..self.trains.ports.len() {
            parts[part(self.elements().of_port(port))]
                .ports
                .push(port as u32);
        }
        for number in 0..self.trains.channels.len() {
            parts[part(self.elements().of_channel(number))]
                .channels
                .push(number as u32);
        }
        parts
    }

    /// The sets of VCs and links that can affect each other.
    fn joined(&self) -> UnionFind<usize> {
        let mut sets = UnionFind::new(self.elements().of_link(self.links.len()));
        let is_probed = self.network.probed_links();
        for probe in &self.network.probes {
            let mut elements = self.elements().recorded(probe, &self.ends.flows);
            if let Some(first) = elements.next() {
                for element in elements {
                    sets.union(first, element);
                }
            }
        }
        let (shaped, policed) = (self.paths.shaped_vcs(), self.paths.policed_vcs());
        for hop in &self.paths.hops {
            let vc = hop.direction as usize / 2;
            let link = hop.link as usize;
            // Cells that only pass do not meet.
            let is_passed =
                self.links[link].is_transparent() || self.trains.ports[link].mode == Mode::Bypassed;
            if !is_passed || is_probed[link] {
                sets.union(vc, self.elements().of_link(link));
            }
            // Those of virtual paths join the VCs of a path.
            if let Some(shaper) = hop.shaper() {
                sets.union(shaped[shaper as usize].unwrap_or(vc), vc);
            }
            if let Some(policer) = hop.policer() {
                sets.union(policed[policer as usize].unwrap_or(vc), vc);
            }
            if let Some(tunnel) = hop.entered_tunnel() {
                sets.union(vc, tunnel as usize / 2);
            }
        }
        for terminal in &self.ends.terminals {
            let vcs: Vec<usize> = terminal.members.iter().map(|&it| it as usize / 2).collect();
            for pair in vcs.windows(2) {
                sets.union(pair[0], pair[1]);
            }
        }
        // Hosts come first among the nodes.
        let mut first_at = vec![None; self.network.hosts.len()];
        for (vc, written) in self.network.vcs.iter().enumerate() {
            for node in [written.nodes.first(), written.nodes.last()] {
                let node = node.copied().unwrap_or(usize::MAX);
                if let Some(host) = self.network.sharing_host(node) {
                    sets.union(*first_at[host].get_or_insert(vc), vc);
                }
            }
        }
        sets
    }

    /// All actors that can have a deadline, each with a VC or link to which it belongs.
    fn actors(&self) -> impl Iterator<Item = (usize, usize)> {
        let (actors, elements) = (self.schedule.actors, self.elements());
        let probes = 0..self.observation.recorders.len();
        let written = &self.network.probes;
        let probes = probes.map(move |number| {
            (
                number,
                elements.of_probe(&written[number], &self.ends.flows),
            )
        });
        let flows = self.ends.flows.iter().enumerate();
        let flows = flows.flat_map(move |(number, flow)| {
            let vc = flow.kind.data() / 2;
            [actors.senders, actors.receivers].map(|first| (first + number, vc))
        });
        let directions = 0..self.sources.directions();
        let directions = directions.filter(|&direction| self.sources.has_own(direction));
        let sources = directions.map(move |direction| (actors.sources + direction, direction / 2));
        let ends = self.paths.virtual_ends.iter().enumerate();
        let ends = ends.map(move |(number, end)| {
            let before = &self.paths.hops[end.next_hop as usize - 1];
            (actors.virtual_ends + number, before.direction as usize / 2)
        });
        let shapers = self.paths.shaped_vcs().into_iter().enumerate();
        let shapers = shapers.filter_map(move |(number, vc)| Some((actors.shapers + number, vc?)));
        let links = self.schedule.timed.iter().enumerate();
        let links = links.map(move |(number, timed)| {
            let element = match *timed {
                Timed::Link(link) => self.elements().of_link(link as usize),
                Timed::Channel(channel) => self.elements().of_channel(channel as usize),
                Timed::Port(port) => self.elements().of_port(port as usize),
            };
            (actors.links + number, element)
        });
        let probes = probes.chain(flows).chain(sources);
        probes.chain(ends).chain(shapers).chain(links)
    }
}

/// The elements of a network: its VCs, followed by its links. What belongs to which of them.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Elements<'a> {
    vcs: usize,
    trains: &'a Trains,
}

impl Elements<'_> {
    /// The number of a link among the elements.
    pub(in crate::engine) fn of_link(self, link: usize) -> usize {
        self.vcs + link
    }

    /// The link of a port, or the VC whose source it belongs to.
    pub(in crate::engine) fn of_port(self, port: usize) -> usize {
        match self.trains.ports[port].mode {
            Mode::Tunnel(direction) => direction as usize / 2,
            _ => self.of_link(port),
        }
    }

    /// The VC or link that fills a channel.
    pub(in crate::engine) fn of_channel(self, channel: usize) -> usize {
        match self.trains.channels[channel].origin {
            Origin::Source(direction) => direction as usize / 2,
            Origin::Link(link) => self.of_link(link as usize),
        }
    }

    /// The VCs and links from which a probe records something, given all flows.
    fn recorded(self, probe: &Probe, flows: &[Flow]) -> impl Iterator<Item = usize> {
        let vc_of = |flow: usize| flows[flow].kind.data() / 2;
        let of_events = match probe.at {
            SampleTimes::Every(_) => None,
            SampleTimes::EventsOf(flow) => Some(vc_of(flow)),
        };
        let columns = probe.columns.iter().map(move |&(_, record)| match record {
            Record::Link(link, _) => self.of_link(link),
            Record::Vc(vc, ..) => vc,
            Record::Flow(flow, _) => vc_of(flow),
        });
        of_events.into_iter().chain(columns)
    }

    /// A VC or link that a probe observes; the first element if it observes none.
    fn of_probe(self, probe: &Probe, flows: &[Flow]) -> usize {
        self.recorded(probe, flows).next().unwrap_or(0)
    }
}
