//! Builds the arrays of a simulation from a network.

mod apply;
mod becn;
mod facts;
mod hop;
mod host;
mod link;
mod parts;
mod source;
mod tcp;
mod terminal;
mod within;

use celltrain_proto::abr::{Coupling, VirtualEnds};
use celltrain_proto::units::{Cells, Span, Time};

use crate::engine::build::apply::{Stages, apply};
use crate::engine::build::hop::Hops;
use crate::engine::host::EndSystems;
use crate::engine::host::external::External;
use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::host::sink::Sink;
use crate::engine::host::terminal::Terminal;
use crate::engine::link::Link;
use crate::engine::plan::{self, ByCell, Facts, Plan};
use crate::engine::record::Observation;
use crate::engine::record::capture::Observer;
use crate::engine::record::probe::Recorder;
use crate::engine::record::watch::Watch;
use crate::engine::schedule::{Actors, Schedule};
use crate::engine::simulation::{Engine, Simulation};
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::{END, Hop};
use crate::engine::state::paths::Paths;
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::sparse::Sparse;
use crate::engine::state::time::{CHUNK, STEP};
use crate::engine::state::virtual_end::VirtualEnd;
use crate::engine::state::ways::Ways;
use crate::engine::trains::Trains;
use crate::network::{self, Network, abr_parameters};
use crate::scenario::Service;

pub use tcp::tcp_configs;

/// The elements of a network before planning.
struct Elements {
    ways: Ways,
    paths: Paths,
    links: Vec<Link>,
    sources: ByDirection<Source>,
    terminals: Vec<Terminal>,
}

/// Makes the elements of a network, at the start of a run.
fn elements(network: &Network, flows: &[Flow], seed: u64) -> Elements {
    let terminals = network.terminals();
    let ways = Ways::new(
        network,
        flows.iter().map(|flow| flow.kind.data()),
        &terminals,
    );
    let Hops {
        all: mut hops,
        policers,
        shapers,
        credits,
    } = hop::hops(network, &ways, &terminal::commanding_links(&terminals));
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
    becn::add(network, &ways, &hops, &mut links);
    let mut sources = source::sources(network, &ways, seed);
    let terminals = terminal::terminals(network, &terminals, &mut sources);
    Elements {
        ways,
        paths: Paths {
            faults: Sparse::new(hops.len()),
            hops,
            policers,
            credits,
            virtual_ends,
            shapers,
            rms: RmStore::default(),
        },
        links,
        sources,
        terminals,
    }
}

impl Elements {
    /// Plans how an engine evaluates the elements.
    fn plan(&self, network: &Network, flows: &[Flow], engine: Engine, by_cell: &ByCell) -> Plan {
        let links = self.links.iter().map(facts::link).collect();
        let sources = facts::sources(&self.ways, &self.sources, flows);
        let facts = Facts::new(network, &self.ways, &self.paths.hops, links, sources);
        match engine {
            Engine::Cells => plan::each(&facts),
            Engine::Trains => plan::lazy(&facts, by_cell),
        }
    }
}

/// The plan of a network for the train engine.
pub(in crate::engine) fn planned(network: &Network) -> Plan {
    let flows = flows(network, 0, Vec::new());
    let elements = elements(network, &flows, 0);
    elements.plan(network, &flows, Engine::Trains, &ByCell::default())
}

impl<'n> Simulation<'n> {
    /// The network at the start of a run by `engine`, divided into parts of at least `least_part` actors.
    pub(in crate::engine) fn new(
        network: &'n Network,
        seed: u64,
        engine: Engine,
        by_cell: &ByCell,
        least_part: u32,
    ) -> Self {
        Self::build(network, seed, engine, by_cell, least_part, Vec::new())
    }

    /// The network of a cell-by-cell run, with additional flows whose ends lie outside.
    pub(in crate::engine) fn with_ends(
        network: &'n Network,
        seed: u64,
        external: Vec<External>,
    ) -> Self {
        let by_cell = ByCell::default();
        // The outside world may act at any instant, so the network runs as a whole.
        Self::build(network, seed, Engine::Cells, &by_cell, u32::MAX, external)
    }

    fn build(
        network: &'n Network,
        seed: u64,
        engine: Engine,
        by_cell: &ByCell,
        least_part: u32,
        external: Vec<External>,
    ) -> Self {
        let recorders: Vec<Recorder> = network.probes.iter().map(Recorder::new).collect();
        let flows = flows(network, seed, external);
        let elements = elements(network, &flows, seed);
        let plan = elements.plan(network, &flows, engine, by_cell);
        let Elements {
            ways,
            mut paths,
            mut links,
            mut sources,
            terminals,
        } = elements;
        let hosts = host::hosts(network, flows.len(), seed);
        let actors = Actors::of(
            network,
            recorders.len(),
            flows.len(),
            paths.virtual_ends.len(),
            paths.shapers.len(),
        );
        let at_once = at_once(network);
        let (first_chunk, chunk) = chunks(at_once, &plan);
        let Stages {
            mut ports,
            channels,
            timed,
        } = apply(plan, &mut paths.hops, &mut links, &mut sources, &actors);
        for group in ports.iter_mut().filter_map(|port| port.group.as_mut()) {
            group.fill_no_further(at_once);
        }
        let mut simulation = Self {
            network,
            schedule: Schedule::new(actors, timed, at_once, (first_chunk, chunk), least_part),
            trains: Trains::new(ports, channels, paths.hops.len(), links.len()),
            links,
            paths,
            sources,
            ends: EndSystems {
                sinks: sinks(network, &ways),
                waiting: waiting(&flows),
                flows,
                hosts,
                terminals,
            },
            observation: Observation {
                recorders,
                observer: Observer::default(),
                watch: Watch::default(),
            },
        };
        simulation.start();
        simulation
    }

    /// Sets the first deadlines of all actors.
    fn start(&mut self) {
        for (number, flow) in self.ends.flows.iter().enumerate() {
            let sender = self.schedule.actors.senders + number;
            self.schedule.calendar.set(sender, flow.sender_deadline());
        }
        for direction in 0..self.sources.directions() {
            // A tunnel VC has nothing to carry yet, but a starved one may send RM cells immediately.
            let source = &self.sources[direction];
            if source.port.is_none() || source.next_emission() != Time::NEVER {
                self.set_source_deadline(direction);
            }
        }
        for direction in 0..self.sources.directions() {
            self.propagate_source(direction);
        }
        self.divide();
    }
}

/// Changes of rates and states, and cells of processes, that are computed at once, without a look at whether the run is to
/// stop: some 20 ms.
const CHANGES_AT_ONCE: f64 = 1e6;

/// The longest interval that is computed at once.
///
/// A line or a source may change at each picosecond, and a process may send a cell at each. They are computed when the next
/// event comes, or ahead of it, which would take hours.
fn at_once(network: &Network) -> Span {
    let least = Span::from_secs_f64(CHANGES_AT_ONCE / network::most_changes_per_s(network));
    least.clamp(STEP, CHUNK)
}

/// The first instant at which everything is advanced, and the interval between two such instants: at most `at_once`, in the
/// cell engine, too.
fn chunks(at_once: Span, plan: &Plan) -> (Time, Span) {
    if at_once < plan.chunk {
        (Time::ZERO + at_once, at_once)
    } else {
        (plan.first_chunk(), plan.chunk)
    }
}

/// The flows of the network, followed by those whose ends lie outside.
fn flows(network: &Network, seed: u64, external: Vec<External>) -> Vec<Flow> {
    let inside = network.flows.iter();
    let inside = inside.map(|flow| tcp::flow(network, flow, seed));
    let outside = external.into_iter();
    let outside = outside.map(|end| Flow::new(FlowKind::External(end)));
    inside.chain(outside).collect()
}

/// The flows whose senders wait for room at their host, sorted by the direction of their data, which comes first in each
/// pair.
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
        let sink = Sink::new(network.vcs[number / 2].adaptation.aal, is_abr);
        let is_timed = network.timed_vcs.contains(&(number / 2)) && !ways.of(number).is_empty();
        if is_timed { sink.with_delays() } else { sink }
    })
}

/// By link: the directions that cross it, in the order of their numbers there, and the place of the link on their paths.
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

/// The virtual ends of all VCs; each hop that leads to one gets its number.
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

/// How the first loop of a direction is coupled to the second at node number `at` of the route.
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
        // The queue is never to be drained in less than a millisecond, however short the loop.
        round_trip: (delay(there) + delay(way_back)).max(Span::from_ms(1)),
        limits_source: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Source;

    #[test]
    fn a_million_cells_or_changes_are_computed_at_once_and_never_more_than_25_ms() {
        let interval = |background: &str| {
            let text = format!(
                r#"
                measure = {{ duration = "1 ms" }}
                hosts = {{ a = {{}}, b = {{}} }}
                links.l = {{ between = ["a", "b"], delay = "1 ms", rate = "1000 Gbit/s", buffer = "9 cells" }}
                vcs.v = {{ route = ["a", "b"] }}
                {background}
                "#
            );
            let scenario = Source::toml(&text, "test").read().unwrap();
            at_once(&Network::new(&scenario).unwrap())
        };
        let cbr = |rate: &str| {
            format!(
                r#"backgrounds.g = {{ vc = "v", traffic = {{ process = "cbr", rate = "{rate}" }} }}"#
            )
        };
        assert_eq!(interval(""), CHUNK);
        assert_eq!(interval(&cbr("424 Mbit/s")), CHUNK);
        // A billion cells per second.
        assert_eq!(interval(&cbr("424 Gbit/s")), Span::from_ms(1));
    }
}
