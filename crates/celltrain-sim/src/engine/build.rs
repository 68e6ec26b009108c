//! From a network to the arrays of a simulation.

mod ahead;
mod hop;
mod host;
mod link;
mod parts;
mod source;
mod tcp;

use celltrain_proto::abr::{Coupling, VirtualEnds};
use celltrain_proto::flow::credit;
use celltrain_proto::police::Policer;
use celltrain_proto::units::{Cells, Span, Time};

use crate::engine::build::hop::Hops;
use crate::engine::cells::virtual_end::VirtualEnd;
use crate::engine::host::external::External;
use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::host::sink::Sink;
use crate::engine::link::Link;
use crate::engine::observe::capture::Observer;
use crate::engine::observe::probe::Recorder;
use crate::engine::plan::{self, ByCell, Explained, Layout};
use crate::engine::schedule::calendar::Calendar;
use crate::engine::schedule::timed::Timed;
use crate::engine::schedule::turns::Turns;
use crate::engine::simulation::{Actors, Engine, Simulation};
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::{END, Hop};
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::sparse::Sparse;
use crate::engine::state::ways::Ways;
use crate::engine::trains::bypassed::BypassedCounts;
use crate::engine::trains::channel::Origin;
use crate::engine::trains::group::Sorter;
use crate::engine::trains::serve::Served;
use crate::network::{self, Network, abr_parameters};
use crate::scenario::Service;

pub use tcp::tcp_configs;

/// What a network is made of, before it is known how it is evaluated.
struct Elements {
    ways: Ways,
    hops: Vec<Hop>,
    policers: Vec<Policer>,
    credits: Vec<credit::Receiver>,
    virtual_ends: Vec<VirtualEnd>,
    links: Vec<Link>,
    sources: ByDirection<Source>,
}

/// The elements of a network, at the start of a run.
fn elements(network: &Network, flows: &[Flow], seed: u64) -> Elements {
    let ways = Ways::new(network, flows.iter().map(|flow| flow.kind.data()));
    let Hops {
        all: mut hops,
        policers,
        credits,
    } = hop::hops(network, &ways);
    let virtual_ends = virtual_ends(network, &ways, &mut hops);
    let mut links: Vec<Link> = crossing(network)
        .into_iter()
        .enumerate()
        .map(|(index, crossing)| link::link(network, index, &crossing, seed))
        .collect();
    for hop in hops.iter().filter(|hop| hop.credit().is_some()) {
        if hop.next_link != END {
            links[hop.next_link as usize].grant_credits();
        }
    }
    let sources = source::sources(network, &ways, seed);
    Elements {
        ways,
        hops,
        policers,
        credits,
        virtual_ends,
        links,
        sources,
    }
}

impl Elements {
    /// Plans how an engine evaluates them.
    fn lay(&mut self, network: &Network, engine: Engine, by_cell: &ByCell) -> Layout {
        let (links, sources) = (&mut self.links, &mut self.sources);
        match engine {
            Engine::Cells => plan::each(network, &self.hops, links, sources),
            Engine::Trains => {
                plan::lazy(network, &self.ways, &mut self.hops, links, sources, by_cell)
            }
        }
    }
}

/// How the train engine evaluates a network: the mode of each link and of each source, and why.
pub(in crate::engine) fn explained(network: &Network) -> Explained {
    let flows = flows(network, 0, Vec::new());
    let Elements {
        ways,
        mut hops,
        links,
        mut sources,
        ..
    } = elements(network, &flows, 0);
    plan::explain(network, &ways, &mut hops, &links, &mut sources)
}

impl<'n> Simulation<'n> {
    /// The network at the start of a run by `engine`, in parts of at least so many actors.
    pub(in crate::engine) fn new(
        network: &'n Network,
        seed: u64,
        engine: Engine,
        plain: &ByCell,
        least_part: u32,
    ) -> Self {
        Self::build(network, seed, engine, plain, least_part, Vec::new())
    }

    /// The network of a run cell by cell, with further flows, which lie outside.
    pub(in crate::engine) fn with_ends(
        network: &'n Network,
        seed: u64,
        external: Vec<External>,
    ) -> Self {
        let by_cell = ByCell::default();
        // What lies outside may act at any instant: the network runs as a whole.
        Self::build(network, seed, Engine::Cells, &by_cell, u32::MAX, external)
    }

    fn build(
        network: &'n Network,
        seed: u64,
        engine: Engine,
        plain: &ByCell,
        least_part: u32,
        external: Vec<External>,
    ) -> Self {
        let recorders: Vec<Recorder> = network.probes.iter().map(Recorder::new).collect();
        let flows = flows(network, seed, external);
        let mut elements = elements(network, &flows, seed);
        let mut layout = elements.lay(network, engine, plain);
        let Elements {
            ways,
            hops,
            policers,
            credits,
            virtual_ends: ends,
            links: mut all_links,
            sources: all_sources,
        } = elements;
        let hosts = host::hosts(network, flows.len(), seed);
        let actors = Actors::of(network, recorders.len(), flows.len(), ends.len());
        number_actors(&mut layout, &mut all_links, &all_sources, &actors);
        let mut simulation = Self {
            network,
            now: Time::ZERO,
            turns: Turns::default(),
            next_chunk: plan::first_chunk(&layout),
            chunk: layout.chunk,
            end: Time::ZERO,
            calendar: Calendar::new(actors.links + layout.timed.len()),
            actors,
            faults: Sparse::new(hops.len()),
            passed: Sparse::new(hops.len()),
            came_to_tunnel: Sparse::new(hops.len()),
            bypassed: vec![BypassedCounts::default(); all_links.len()],
            hops,
            links: all_links,
            ports: layout.ports,
            channels: layout.channels,
            timed: layout.timed,
            sources: all_sources,
            sinks: sinks(network, &ways),
            waiting: waiting(&flows),
            flows,
            hosts,
            rms: RmStore::default(),
            policers,
            credits,
            virtual_ends: ends,
            recorders,
            parts: Vec::new(),
            least_part,
            served: Served::default(),
            coming: Vec::new(),
            order: Sorter::default(),
            events: 0,
            observer: Observer::default(),
        };
        simulation.start();
        simulation
    }

    /// Everybody learns what may happen first.
    fn start(&mut self) {
        for (number, flow) in self.flows.iter().enumerate() {
            let sender = self.actors.senders + number;
            self.calendar.set(sender, flow.sender_deadline());
        }
        self.find_sources_ahead();
        self.find_passing();
        for direction in 0..self.sources.directions() {
            // A tunnel VC has nothing to carry yet, but a starved one may send RM cells at once.
            let source = &self.sources[direction];
            if source.port.is_none() || source.next_emission() != Time::NEVER {
                self.expect_source(direction);
            }
        }
        for direction in 0..self.sources.directions() {
            self.announce_source(direction);
        }
        self.divide();
    }
}

/// Links, channels, ports and members of source groups learn who acts for them; sources and links have these numbers and those
/// behind.
fn number_actors(
    layout: &mut Layout,
    all_links: &mut [Link],
    all_sources: &ByDirection<Source>,
    actors: &Actors,
) {
    let (sources, links) = (actors.sources, actors.links);
    for (at, timed) in layout.timed.iter().enumerate() {
        match *timed {
            Timed::Link(link) => all_links[link as usize].actor = links + at,
            Timed::Channel(channel) => layout.channels[channel as usize].actor = links + at,
            Timed::Port(port) => layout.ports[port as usize].actor = links + at,
        }
    }
    for channel in &mut layout.channels {
        if let Origin::Source(direction) = channel.origin
            && channel.is_at_once()
        {
            channel.actor = sources + direction as usize;
        }
    }
    let crowds = layout.ports.iter_mut().flat_map(|port| &mut port.crowd);
    for member in crowds.flat_map(|crowd| &mut crowd.members) {
        let source = &all_sources[member.direction()];
        let actor = match source.way {
            Some((channel, _)) if !source.is_of_crowd() => layout.channels[channel as usize].actor,
            _ => sources + member.direction(),
        };
        member.actor = actor as u32;
    }
}

/// The flows of the network, and behind them those that lie outside.
fn flows(network: &Network, seed: u64, external: Vec<External>) -> Vec<Flow> {
    let inside = network.flows.iter();
    let inside = inside.map(|flow| tcp::flow(network, flow, seed));
    let outside = external.into_iter();
    let outside = outside.map(|end| Flow::new(FlowKind::External(end)));
    inside.chain(outside).collect()
}

/// The flows whose senders wait for room at their host, behind the directions of their data.
fn waiting(flows: &[Flow]) -> Box<[(usize, usize)]> {
    let flows = flows.iter().enumerate();
    let waiting = flows.filter_map(|(number, flow)| match &flow.kind {
        FlowKind::Tcp(connection) if connection.waits_for_host() => Some((connection.data, number)),
        _ => None,
    });
    let mut waiting: Vec<_> = waiting.collect();
    waiting.sort_unstable();
    waiting.into()
}

/// The receiving ends of all directions.
fn sinks(network: &Network, ways: &Ways) -> ByDirection<Sink> {
    ByDirection::new(&ways.places, |number| {
        let is_abr = matches!(*network.direction(number).service, Service::Abr(_));
        Sink::new(is_abr)
    })
}

/// The directions that cross each link, in the order of their numbers there, and where on their way.
fn crossing(network: &Network) -> Vec<Vec<(u32, u32)>> {
    let mut crossing = vec![Vec::new(); network.links.len()];
    let directions = network.vcs.iter().flat_map(|vc| &vc.directions);
    for (number, direction) in directions.enumerate() {
        for (at, &link) in direction.links.iter().enumerate() {
            crossing[link].push((number as u32, at as u32));
        }
    }
    crossing
}

/// The virtual ends of all VCs, each known to the hop that leads to it.
fn virtual_ends(network: &Network, ways: &Ways, hops: &mut [Hop]) -> Vec<VirtualEnd> {
    let mut ends: Vec<VirtualEnd> = Vec::new();
    for (number, vc) in network.vcs.iter().enumerate() {
        let count = vc.directions[0].links.len();
        let written = vc.virtual_ends.as_ref();
        for (written, &node) in written
            .iter()
            .flat_map(|it| it.at.iter().map(move |at| (it, at)))
        {
            let Some(at) = vc.nodes.iter().position(|&it| it == node) else {
                continue;
            };
            // The last hop before the node: `at` links lead to it forward, the others backward.
            for (own, before) in [(0, at - 1), (1, count - at - 1)] {
                let Service::Abr(abr) = &*vc.directions[own].service else {
                    continue;
                };
                let hop = ways.of(2 * number + own).start + before;
                let actions = hops[hop].actions.get_or_insert_default();
                actions.virtual_end = Some(ends.len() as u32);
                let partner = if own == 0 {
                    ends.len() + 1
                } else {
                    ends.len() - 1
                };
                let coupling = coupling(network, vc, written.queue_target, at, own);
                ends.push(VirtualEnd {
                    ends: VirtualEnds::new(abr_parameters(abr), coupling),
                    next_hop: hop as u32 + 1,
                    partner: partner as u32,
                    waiting: std::collections::VecDeque::new(),
                    buffer: written.buffer.map_or(usize::MAX, |cells| cells as usize),
                    ended: [0; crate::engine::state::cell::KINDS],
                    made: 0,
                });
            }
        }
    }
    ends
}

/// How loop 1 of a direction follows loop 2 at node number `at` of the route.
fn coupling(
    network: &Network,
    vc: &network::Vc,
    queue_target: Cells,
    at: usize,
    own: usize,
) -> Coupling {
    let delay = |links: &[usize]| {
        let delays = links.iter().map(|&link| network.links[link].delay);
        delays.fold(Span::ZERO, |sum, delay| sum + delay)
    };
    let (there, back) = match own {
        0 => (&vc.directions[0].links[..at], &vc.directions[1].links),
        _ => (
            &vc.directions[1].links[..vc.directions[1].links.len() - at],
            &vc.directions[0].links,
        ),
    };
    let way_back = &back[back.len() - there.len()..];
    Coupling {
        queue_target,
        // The queue never drains in less than a millisecond, however short the loop.
        round_trip: (delay(there) + delay(way_back)).max(Span::from_ms(1)),
        limits_source: true,
    }
}
