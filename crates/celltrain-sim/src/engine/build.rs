//! From a network to the arrays of a simulation.

mod algorithm;

use celltrain_proto::abr::{self, Parameters};
use celltrain_proto::flow::gfc;
use celltrain_proto::line::RateProcess;
use celltrain_proto::random::Stream;
use celltrain_proto::tcp::{self, TickClock};
use celltrain_proto::traffic::Traffic;
use celltrain_proto::units::{Rate, Span, Time};

use super::calendar::Calendar;
use super::connection::Connection;
use super::hop::{self, Hop, HopCounts};
use super::link::{Line, Link};
use super::probe::Recorder;
use super::rms::RmStore;
use super::source::{Pace, Source};
use super::{Actors, Simulation, Sink};
use crate::network::{self, Network};
use crate::scenario::{self, LineRate, Service, Start, TcpVariant};

/// Period of BSD's fast timer.
const FAST_TIMER: Span = Span::from_ms(200);

impl<'n> Simulation<'n> {
    /// The network at the start of a run.
    pub fn new(network: &'n Network, seed: u64) -> Self {
        let hops = hops(network);
        let mut first_hops = Vec::with_capacity(2 * network.vcs.len());
        let mut first = 0;
        for direction in network.vcs.iter().flat_map(|vc| &vc.directions) {
            first_hops.push(first);
            first += direction.links.len() as u32;
        }
        let recorders: Vec<Recorder> = network.probes.iter().map(Recorder::new).collect();
        let connections: Vec<_> = network
            .flows
            .iter()
            .map(|flow| connection(network, flow, seed))
            .collect();
        let senders = recorders.len();
        let receivers = senders + connections.len();
        let sources = receivers + connections.len();
        let links = sources + first_hops.len();
        let mut all_links: Vec<Link> = (0..network.links.len())
            .map(|index| link(network, index, seed))
            .collect();
        let mut timed_links = Vec::new();
        for (index, link) in all_links.iter_mut().enumerate() {
            if !link.is_transparent() {
                link.actor = links + timed_links.len();
                timed_links.push(index as u32);
            }
        }
        let mut simulation = Self {
            network,
            now: Time::ZERO,
            calendar: Calendar::new(links + timed_links.len()),
            actors: Actors {
                senders,
                receivers,
                sources,
                links,
            },
            hops,
            links: all_links,
            timed_links,
            sources: self::sources(network, &first_hops, seed),
            sinks: vec![Sink::default(); first_hops.len()],
            connections,
            rms: RmStore::default(),
            recorders,
            events: 0,
        };
        for (flow, connection) in simulation.connections.iter().enumerate() {
            simulation
                .calendar
                .set(senders + flow, connection.sender_deadline());
        }
        for (direction, source) in simulation.sources.iter().enumerate() {
            simulation
                .calendar
                .set(sources + direction, source.deadline());
        }
        simulation
    }
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

fn hops(network: &Network) -> Vec<Hop> {
    let port_vcs = port_vcs(network);
    let line = |link: usize| network.links[link].line.as_ref();
    let mut hops = Vec::new();
    for (vc, both) in network.vcs.iter().map(|vc| &vc.directions).enumerate() {
        let count = both[0].links.len();
        let first = [hops.len(), hops.len() + count];
        for (own, other) in [(0, 1), (1, 0)] {
            let (direction, reverse) = (&both[own], &both[other]);
            for (at, &link) in direction.links.iter().enumerate() {
                // The link by which the other direction leaves the node behind this hop.
                let leaving = count - 1 - at;
                let marker = (at + 1 < count).then(|| reverse.links[leaving]);
                let marks = marker
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
                hops.push(Hop {
                    link: link as u32,
                    next_link: direction
                        .links
                        .get(at + 1)
                        .map_or(hop::END, |&next| next as u32),
                    direction: (2 * vc + own) as u32,
                    port_vc: port_vcs[2 * vc + own][at],
                    has_control: line(link).is_some_and(|line| line.control.is_some()),
                    has_actions: marks.is_some() || gfc.is_some() || turn_round.is_some(),
                    marks,
                    gfc,
                    turn_round,
                    counts: HopCounts::default(),
                });
            }
        }
    }
    hops
}

fn link(network: &Network, index: usize, seed: u64) -> Link {
    let described = &network.links[index];
    let Some(line) = &described.line else {
        return Link::new(described.delay, None);
    };
    let stream = || Stream::named(seed, &format!("links.{}.rate", described.unique_name()));
    let process = match &line.rate {
        LineRate::Constant(rate) => RateProcess::Constant(rate.0),
        LineRate::Process(scenario::RateProcess::Uniform(uniform)) => RateProcess::Uniform {
            low: uniform.low.0,
            high: uniform.high.0,
            every: uniform.every.0,
            stream: stream(),
        },
    };
    let control = line.control.as_ref().map(algorithm::algorithm);
    let gfc = line
        .gfc
        .as_ref()
        .map(|gfc| gfc::Controlling::new(gfc.high.0, gfc.low.0));
    Link::new(
        described.delay,
        Some(Line::new(
            process,
            line.buffer,
            line.on_rate_change,
            control,
            gfc,
        )),
    )
}

fn sources(network: &Network, first_hops: &[u32], seed: u64) -> Vec<Source> {
    let mut sources = Vec::with_capacity(first_hops.len());
    for vc in &network.vcs {
        for direction in &vc.directions {
            let pace = match &direction.service {
                Service::Ubr(ubr) => Pace::Ubr {
                    gap: ubr.pcr.map_or(Span::ZERO, |pcr| pcr.0.cell_time()),
                },
                Service::Abr(abr) => Pace::Abr(Box::new(abr::Source::new(parameters(abr)))),
            };
            let mut source = Source::new(pace, first_hops[sources.len()], Time::ZERO);
            let first_queue = direction
                .links
                .get(1)
                .and_then(|&link| network.links[link].line.as_ref());
            source.gfc = first_queue
                .and_then(|line| line.gfc.as_ref())
                .map(|gfc| gfc::Controlled::new(gfc.timeout.0));
            sources.push(source);
        }
    }
    for background in &network.backgrounds {
        let path = format!("backgrounds.{}", background.name);
        let traffic = match &background.traffic {
            scenario::Traffic::Cbr(process) => Traffic::Cbr(process.rate.0),
            scenario::Traffic::Poisson(process) => {
                let stream = Stream::named(seed, &format!("{path}.traffic"));
                Traffic::Poisson {
                    rate: process.rate.0,
                    stream,
                }
            }
        };
        let direction = 2 * background.vc + background.direction.index();
        let start = start(&background.start, seed, &path);
        let gfc = sources[direction].gfc.take();
        sources[direction] = Source::new(Pace::Process(traffic), first_hops[direction], start);
        sources[direction].gfc = gfc;
    }
    sources
}

fn parameters(abr: &scenario::Abr) -> Parameters {
    let pcr = abr.pcr.0;
    Parameters {
        mcr: abr.mcr.map_or(Rate::ZERO, |mcr| mcr.0),
        icr: abr.icr.map_or(pcr, |icr| icr.0),
        rif: abr.rif.0,
        rdf: abr.rdf.0,
        nrm: abr.nrm,
        mrm: abr.mrm,
        trm: abr.trm.0,
        adtf: abr.adtf.0,
        tbe: abr.tbe.0,
        cdf: abr.cdf.0,
        idle_forward_rm: abr.idle_forward_rm,
        ..Parameters::new(pcr)
    }
}

fn start(start: &Start, seed: u64, path: &str) -> Time {
    let span = match start {
        Start::At(span) => span.0,
        Start::Random(random) => {
            let [from, to] = random.uniform.map(|bound| bound.0.as_ps() as f64);
            let mut stream = Stream::named(seed, &format!("{path}.start"));
            Span::from_ps(stream.uniform_in(from, to) as u64)
        }
    };
    Time::ZERO + span
}

fn connection(network: &Network, flow: &network::Flow, seed: u64) -> Connection {
    let path = format!("flows.{}", flow.name);
    let clock = |granularity: Span, timer: &str| {
        let mut stream = Stream::named(seed, &format!("{path}.{timer}"));
        TickClock::new(
            granularity,
            Span::from_ps(stream.uniform_in(0.0, granularity.as_ps() as f64) as u64),
        )
    };
    let written = &flow.tcp;
    let (mss, window) = (written.mss.0.0 as u32, written.window.0.0 as u32);
    let mut sender = tcp::SenderConfig::new(mss, clock(written.timer_granularity.0, "slow-timer"))
        .with_variant(variant(written));
    sender.max_window = window;
    sender.peer_window = window;
    sender.initial_ssthresh = window;
    if written.whole_segments {
        sender.output = tcp::OutputRule::WholeSegments;
    }
    if !written.gives_up {
        sender.backoff_limit = tcp::BackoffLimit::Hold;
    }
    if let Some(gain) = written.rto_gain {
        sender.rto.gain = match gain {
            2 => tcp::RtoGain::Two,
            _ => tcp::RtoGain::Four,
        };
    }
    match written.rto.timer {
        scenario::RtoTimer::Ticks => {
            if let Some(min) = written.rto.min {
                sender.rto.min = tcp::MinRto::Span(min.0);
            }
        }
        scenario::RtoTimer::Rfc6298 => {
            sender.rto_timer = tcp::RtoTimer::Continuous(rfc6298(&written.rto));
        }
    }
    sender.rearm = match written.rexmt_rearm {
        scenario::Rearm::Restart => tcp::Rearm::Restart,
        scenario::Rearm::OldestSegment => tcp::Rearm::OldestSegment,
    };
    let mut receiver = tcp::ReceiverConfig::new(mss, window, clock(FAST_TIMER, "fast-timer"));
    receiver.sack = sender.variant.uses_sack();
    receiver.ack = match written.ack {
        scenario::AckPolicy::Delayed => tcp::AckPolicy::EverySecondSegment,
        scenario::AckPolicy::Each => tcp::AckPolicy::EachSegment,
    };
    Connection {
        sender: tcp::Sender::new(sender),
        receiver: tcp::Receiver::new(receiver),
        start: start(&flow.start, seed, &path),
        data: 2 * flow.vc + flow.direction.index(),
        host_queue: written
            .host_queue_segments
            .map_or(usize::MAX, |segments| segments as usize),
        encapsulation: network.vcs[flow.vc].encapsulation.0,
    }
}

fn variant(written: &scenario::Tcp) -> tcp::Variant {
    let tahoe = |fast_retransmit| {
        tcp::Variant::Tahoe(tcp::TahoeOptions {
            fast_retransmit,
            go_back_n: written.tahoe_gbn,
        })
    };
    match written.variant {
        TcpVariant::Bsd43Reno | TcpVariant::Bsd44 => tcp::Variant::bsd43_reno(),
        TcpVariant::Bsd43Tahoe => tahoe(true),
        TcpVariant::Bsd43TahoeNoFastRetransmit => tahoe(false),
        TcpVariant::Bsd44Lite2 => tcp::Variant::bsd44_lite2(),
        TcpVariant::NewReno => tcp::Variant::NewReno,
        TcpVariant::Sack => tcp::Variant::Sack,
        TcpVariant::Cubic => tcp::Variant::Cubic(tcp::CubicOptions::default()),
    }
}

fn rfc6298(written: &scenario::Rto) -> tcp::Rfc6298 {
    let defaults = tcp::Rfc6298::default();
    tcp::Rfc6298 {
        min: written.min.map_or(defaults.min, |min| min.0),
        floor: match written.floor {
            scenario::RtoFloor::Rto => tcp::RtoFloor::Rto,
            scenario::RtoFloor::Variance => tcp::RtoFloor::Variance,
        },
        ..defaults
    }
}
