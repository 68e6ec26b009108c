//! From a network to the arrays of a simulation.

mod algorithm;
mod host;
mod layout;
mod link;
mod source;
mod tcp;

use celltrain_proto::abr::{Coupling, VirtualEnds};
use celltrain_proto::flow::credit;
use celltrain_proto::police::Policer;
use celltrain_proto::schedule::Class;
use celltrain_proto::units::{Span, Time};

use super::calendar::Calendar;
use super::cell::KINDS;
use super::external::External;
use super::flow::{Flow, FlowKind};
use super::hop::{self, Faults, Hop, HopCounts, Load};
use super::leapt::Leap;
use super::link::Link;
use super::probe::Recorder;
use super::rms::RmStore;
use super::serve::Served;
use super::tap::Observer;
use super::train::Origin;
use super::virtual_end::VirtualEnd;
use super::{Actors, Engine, Simulation, Sink};
use crate::network::{self, Network};
use crate::scenario::{Scheduling, Service};

pub(super) use self::layout::{CHUNK, Timed};
pub(crate) use source::parameters as abr_parameters;

impl<'n> Simulation<'n> {
    /// The network at the start of a run by `engine`.
    pub fn new(network: &'n Network, seed: u64, engine: Engine) -> Self {
        Self::build(network, seed, engine, Vec::new())
    }

    /// The same with further flows, which lie outside.
    pub(super) fn build(
        network: &'n Network,
        seed: u64,
        engine: Engine,
        external: Vec<External>,
    ) -> Self {
        let Way {
            mut hops,
            policers,
            credits,
        } = way(network);
        let crossing = crossing(network);
        let mut first_hops = Vec::with_capacity(2 * network.vcs.len());
        let mut first = 0;
        for direction in network.vcs.iter().flat_map(|vc| &vc.directions) {
            first_hops.push(first);
            first += direction.links.len() as u32;
        }
        let recorders: Vec<Recorder> = network.probes.iter().map(Recorder::new).collect();
        let flows = flows(network, seed, external);
        let hosts = host::hosts(network, flows.len(), seed);
        let senders = recorders.len();
        let receivers = senders + flows.len();
        let sources = receivers + flows.len();
        let ends = virtual_ends(network, &mut hops);
        let virtual_ends = sources + first_hops.len();
        let links = virtual_ends + ends.len();
        let mut all_links: Vec<Link> = (0..network.links.len())
            .map(|index| link::link(network, index, &crossing[index], seed))
            .collect();
        for hop in hops.iter().filter(|hop| hop.credit.is_some()) {
            if hop.next_link != hop::END {
                all_links[hop.next_link as usize].grant_credits();
            }
        }
        let mut all_sources = source::sources(network, &first_hops, seed);
        let mut layout = match engine {
            Engine::Cells => layout::each(&mut all_links),
            Engine::Trains => layout::lazy(network, &mut hops, &mut all_links, &mut all_sources),
        };
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
        let mut simulation = Self {
            network,
            now: Time::ZERO,
            turn: 0,
            next_chunk: layout::first_chunk(&layout),
            end: Time::ZERO,
            calendar: Calendar::new(links + layout.timed.len()),
            actors: Actors {
                senders,
                receivers,
                sources,
                virtual_ends,
                links,
            },
            faults: vec![Faults::default(); hops.len()],
            passed: vec![[0; KINDS]; hops.len()],
            came_to_carrier: vec![0; hops.len()],
            leapt: vec![Leap::default(); all_links.len()],
            hops,
            links: all_links,
            ports: layout.ports,
            channels: layout.channels,
            timed: layout.timed,
            sources: all_sources,
            sinks: vec![Sink::default(); first_hops.len()],
            flows,
            hosts,
            rms: RmStore::default(),
            policers,
            credits,
            virtual_ends: ends,
            recorders,
            served: Served::default(),
            events: 0,
            observer: Observer::default(),
        };
        for (number, flow) in simulation.flows.iter().enumerate() {
            simulation
                .calendar
                .set(senders + number, flow.sender_deadline());
        }
        for (direction, source) in simulation.sources.iter().enumerate() {
            simulation
                .calendar
                .set(sources + direction, source.next_event());
        }
        for direction in 0..simulation.sources.len() {
            simulation.announce_source(direction);
        }
        simulation
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

/// Number of each direction of a VC among the directions that cross each link.
fn port_vcs(network: &Network) -> Vec<Vec<u32>> {
    let mut crossing = vec![0; network.links.len()];
    let directions = network.vcs.iter().flat_map(|vc| &vc.directions);
    let mut number = |&link: &usize| {
        crossing[link] += 1;
        crossing[link] - 1
    };
    directions
        .map(|direction| direction.links.iter().map(&mut number).collect())
        .collect()
}

/// Hops, and what belongs to single ones of them.
struct Way {
    hops: Vec<Hop>,
    policers: Vec<Policer>,
    credits: Vec<credit::Receiver>,
}

fn way(network: &Network) -> Way {
    let port_vcs = port_vcs(network);
    let (mut policers, mut credits) = (Vec::new(), Vec::new());
    let line = |link: usize| network.links[link].line.as_ref();
    let mut hops = Vec::new();
    for (vc, both) in network.vcs.iter().map(|vc| &vc.directions).enumerate() {
        let count = both[0].links.len();
        let first = [hops.len(), hops.len() + count];
        for (own, other) in [(0, 1), (1, 0)] {
            let (direction, reverse) = (&both[own], &both[other]);
            let number = 2 * vc + own;
            let has_loop = both.iter().any(|it| matches!(it.service, Service::Abr(_)));
            for (at, &link) in direction.links.iter().enumerate() {
                // The link by which the other direction leaves the node behind this hop.
                let leaving = count - 1 - at;
                let marker = (at + 1 < count).then(|| reverse.links[leaving]);
                let marks = marker
                    .filter(|_| has_loop)
                    .filter(|&link| line(link).is_some_and(|line| line.control.is_some()))
                    .map(|link| (link as u32, port_vcs[2 * vc + other][leaving]));
                // GFC lives between a host and the first node: the last hop but one on the way there.
                let gfc = marker
                    .filter(|&link| {
                        leaving == 1 && line(link).is_some_and(|line| line.gfc.is_some())
                    })
                    .map(|link| link as u32);
                let turns = at + 1 == direction.loop_links && direction.loop_links < count;
                let turn_round = turns.then(|| (first[other] + leaving) as u32);
                let policer = (at == 0)
                    .then_some(direction.police.as_ref())
                    .flatten()
                    .map(|written| {
                        policers.push(source::policer(written));
                        policers.len() as u32 - 1
                    });
                let credit = line(link).and_then(|line| {
                    let (n2, n3) =
                        self::link::credits(line.credit.as_ref()?, &network.links[link], line);
                    credits.push(credit::Receiver::new(n2, n3));
                    Some(credits.len() as u32 - 1)
                });
                let control_vc = match direction.carried_at(at) {
                    Some(carried) => port_vcs[carried.by][at - carried.first],
                    None => port_vcs[number][at],
                };
                let taken_up = direction.carried.iter().find(|it| it.first == at + 1);
                let taken_up = taken_up
                    .filter(|it| !network.direction(it.by).service.is_unshaped())
                    .map(|it| it.by as u32);
                let server = network.direction(network.carrier_at(number, at));
                hops.push(Hop {
                    link: link as u32,
                    next_link: direction
                        .links
                        .get(at + 1)
                        .map_or(hop::END, |&next| next as u32),
                    direction: number as u32,
                    port_vc: port_vcs[number][at],
                    control_vc,
                    load: load(network, server, link),
                    has_actions: marks.is_some()
                        || gfc.is_some()
                        || turn_round.is_some()
                        || policer.is_some()
                        || credit.is_some()
                        || taken_up.is_some(),
                    marks,
                    gfc,
                    turn_round,
                    policer,
                    credit,
                    virtual_end: None,
                    resumes: (0, 0),
                    shows_each: false,
                    channel: 0,
                    ahead: 0,
                    taken_up,
                    counts: HopCounts::default(),
                });
            }
        }
    }
    Way {
        hops,
        policers,
        credits,
    }
}

/// What the algorithm of a link's queue makes of a direction's cells.
fn load(network: &Network, direction: &network::VcDirection, link: usize) -> Load {
    let Some(queue) = &network.links[link].line else {
        return Load::Unseen;
    };
    let class = direction.service.class();
    if queue.control.is_none() || (class > Class::Abr && queue.scheduling == Scheduling::Priority) {
        Load::Unseen
    } else if class < Class::Abr {
        Load::Priority
    } else {
        Load::Counted
    }
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
fn virtual_ends(network: &Network, hops: &mut [Hop]) -> Vec<VirtualEnd> {
    let mut ends: Vec<VirtualEnd> = Vec::new();
    let mut first = 0;
    for vc in &network.vcs {
        let count = vc.directions[0].links.len();
        for &node in &vc.virtual_ends {
            let Some(at) = vc.nodes.iter().position(|&it| it == node) else {
                continue;
            };
            // The last hop before the node: `at` links lead to it forward, the others backward.
            for (own, before) in [(0, at - 1), (1, count - at - 1)] {
                let Service::Abr(abr) = &vc.directions[own].service else {
                    continue;
                };
                let hop = first + own * count + before;
                hops[hop].virtual_end = Some(ends.len() as u32);
                hops[hop].has_actions = true;
                let partner = if own == 0 {
                    ends.len() + 1
                } else {
                    ends.len() - 1
                };
                let buffer = vc.virtual_end_buffer;
                ends.push(VirtualEnd {
                    ends: VirtualEnds::new(source::parameters(abr), coupling(network, vc, at, own)),
                    next_hop: hop as u32 + 1,
                    partner: partner as u32,
                    waiting: std::collections::VecDeque::new(),
                    buffer: buffer.map_or(usize::MAX, |cells| cells as usize),
                    ended: [0; super::cell::KINDS],
                });
            }
        }
        first += 2 * count;
    }
    ends
}

/// How loop 1 of a direction follows loop 2 at node number `at` of the route.
fn coupling(network: &Network, vc: &network::Vc, at: usize, own: usize) -> Coupling {
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
        queue_target: vc.virtual_end_target,
        // The queue never drains in less than a millisecond, however short the loop.
        round_trip: (delay(there) + delay(way_back)).max(Span::from_ms(1)),
        limits_source: true,
    }
}
