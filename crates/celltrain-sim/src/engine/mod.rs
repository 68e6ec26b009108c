//! The cell-by-cell engine: one run of a network.
//!
//! Every actor (probe, TCP timer, source, link) has one deadline in the calendar; the loop takes the
//! earliest, lets that actor act, and gives it and whomever it touched a new deadline. At one instant
//! probes come first, then timers, sources and links, each in the order of the network.

mod application;
mod build;
mod by_direction;
mod calendar;
mod carrier;
mod cell;
mod connection;
mod conserve;
mod crowd;
mod deliver;
mod desk;
mod emission;
mod ends;
mod expect;
mod external;
mod fifo;
mod flow;
mod forward;
mod frames;
mod gauge;
mod hop;
mod host;
mod inputs;
mod joined;
mod lazy;
mod leapt;
mod link;
mod losses;
mod managed;
mod merge;
mod packets;
mod parts;
mod port;
mod probe;
mod processing;
mod rare;
mod rms;
mod send;
mod serve;
mod shown;
mod sink;
mod slots;
mod snapshot;
mod source;
mod standstill;
mod strict;
mod stuck;
mod tap;
mod train;
mod transit;
mod turns;
mod vary;
mod varying;
mod virtual_end;
mod whole;

use std::sync::atomic::{AtomicBool, Ordering};

use celltrain_proto::flow::credit;
use celltrain_proto::police::Policer;
use celltrain_proto::units::{Span, Time};

use crate::measure::Results;
use crate::network::Network;
use by_direction::ByDirection;
use calendar::Calendar;
use crowd::Order;
use flow::Flow;
use hop::{Faults, Hop};
use host::Hosts;
use leapt::Leap;
use link::Link;
use merge::Coming;
use parts::Part;
use port::{Port, Treatment};
use probe::Recorder;
use rare::Rare;
use rms::RmStore;
use serve::Served;
use sink::Sink;
use source::Source;
use tap::Observer;
use train::Channel;
use turns::Turns;
use virtual_end::VirtualEnd;

use build::{CHUNK, Plain, Timed};

pub use build::tcp_configs;
pub use external::{Arrival, Damage, LossCause};
pub use tap::{Load as SeenLoad, Packet as SeenPacket, Seen, Sight};

/// Events between two looks at the cancel flag: a millisecond or two.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;
/// Everything is brought up to date after so long without an event, beyond a chunk.
const IDLE: Span = Span::from_ms(90);
/// Looks that may pass without simulated time going on: some ten million events at one instant.
const LOOKS_AT_ONE_INSTANT: u32 = 3_200;

/// What an observer is shown at once, at most.
const TAPPED_AT_ONCE: Span = Span::from_ms(1);

/// Why a run did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The caller cancelled it.
    Cancelled,
    /// Simulated time stands still: something sends without end at one instant.
    Stuck {
        /// The instant.
        at: Time,
        /// Who acts without end.
        who: String,
        /// What would let time go on.
        cure: String,
    },
    /// Cells appeared or vanished: a defect of the engine.
    NotConserved(String),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::Stuck { at, who, cure } => write!(
                f,
                "simulated time stands still at {at}: {who} act without end at one instant; {cure}"
            ),
            Self::NotConserved(what) => {
                write!(
                    f,
                    "cells were not conserved ({what}); please report this with the scenario"
                )
            }
        }
    }
}

impl std::error::Error for RunError {}

/// Why an evaluation did not come to its end.
#[derive(Debug)]
enum Stop {
    /// The run ends with it.
    Error(RunError),
    /// Cells left this link at one instant in an order that its lazy evaluation does not keep: it is to be evaluated cell
    /// by cell.
    OrderLost(usize),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Self::Error(error)
    }
}

/// A network in the middle of a run.
#[derive(Debug)]
pub struct Simulation<'n> {
    network: &'n Network,
    now: Time,
    /// Who has acted at this instant.
    turns: Turns,
    /// When everything is brought up to date next, so that channels stay short.
    next_chunk: Time,
    /// After so long.
    chunk: Span,
    /// Up to when it is run: nobody looks at its counters before.
    end: Time,
    calendar: Calendar,
    actors: Actors,
    hops: Vec<Hop>,
    /// For each hop.
    faults: Rare<Faults>,
    links: Vec<Link>,
    /// How each link is evaluated.
    ports: Vec<Port>,
    channels: Vec<Channel>,
    /// The links and channels that are actors, in the order of the calendar.
    timed: Vec<Timed>,
    /// For each hop that a channel leaps over last: cells that have come to the channel's end, by kind.
    passed: Rare<[u64; cell::KINDS]>,
    /// For each hop behind which cells are taken up: how many came there.
    came_to_carrier: Rare<u64>,
    /// For each link that channels leap over.
    leapt: Vec<Leap>,
    /// By direction: 2 x VC + (0 forward, 1 backward). So are `sinks`.
    sources: ByDirection<Source>,
    sinks: ByDirection<Sink>,
    flows: Vec<Flow>,
    /// The flows whose senders wait for room at their host, by the direction of their data, each with that.
    waiting: Box<[(usize, usize)]>,
    hosts: Hosts,
    rms: RmStore,
    policers: Vec<Policer>,
    /// Accounts of credit flow control, each at the far end of a link.
    credits: Vec<credit::Receiver>,
    virtual_ends: Vec<VirtualEnd>,
    recorders: Vec<Recorder>,
    /// At least one.
    parts: Vec<Part>,
    served: Served,
    /// Room that is used again where inputs are merged.
    coming: Vec<Coming>,
    /// The same where cells of crowds are put in order.
    order: Order,
    events: u64,
    observer: Observer,
}

/// Where each kind of actor starts in the calendar.
#[derive(Clone, Copy, Debug)]
struct Actors {
    senders: usize,
    receivers: usize,
    sources: usize,
    virtual_ends: usize,
    links: usize,
}

/// How cells are moved. Both give the same results, cell for cell.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// One by one: each arrival of a cell is an event. Slow and plain, to check the other against.
    Cells,
    /// In trains, which queues take when somebody asks: only marked cells are events.
    #[default]
    Trains,
}

/// Runs `network` with one seed, until its end or until `cancel` is set.
pub fn run(network: &Network, seed: u64, cancel: &AtomicBool) -> Result<Results, RunError> {
    run_with(Engine::default(), network, seed, cancel)
}

/// The same with a chosen engine.
pub fn run_with(
    engine: Engine,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<Results, RunError> {
    run_in_steps(engine, network, seed, cancel, &[])
}

/// The same cell by cell; `see` is shown the packets of all hosts and the cells that arrive over `links`, in
/// the order of time.
pub fn run_tapped(
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    links: &[usize],
    mut see: impl FnMut(&Sight),
) -> Result<Results, RunError> {
    let mut simulation = Simulation::new(network, seed, Engine::Cells, &Plain::default());
    simulation.tap(links.iter().copied());
    let mut sights = Vec::new();
    measured(simulation, seed, |simulation, end| {
        while simulation.now < end {
            let next = simulation.now.saturating_add(TAPPED_AT_ONCE);
            simulation.run_until(next.min(end), cancel)?;
            simulation.take_sights(&mut sights);
            sights.drain(..).for_each(|sight| see(&sight));
        }
        Ok(())
    })
}

/// The same as [`run_with`], halted at each of these instants, which come in order, and then run on.
pub fn run_in_steps(
    engine: Engine,
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    halts: &[Time],
) -> Result<Results, RunError> {
    let mut plain = Plain::default();
    loop {
        let simulation = Simulation::new(network, seed, engine, &plain);
        let results = measured(simulation, seed, |simulation, end| {
            for &halt in halts.iter().filter(|&&halt| halt < end) {
                if simulation.now < halt {
                    simulation.evaluate_until(halt, cancel)?;
                }
            }
            simulation.evaluate_until(end, cancel)
        });
        match results {
            Ok(results) => return Ok(results),
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::OrderLost(link)) => plain.add(link),
        }
    }
}

/// What a simulation measures that `go_on` lets run up to given instants.
fn measured<'n, E: From<RunError>>(
    mut simulation: Simulation<'n>,
    seed: u64,
    mut go_on: impl FnMut(&mut Simulation<'n>, Time) -> Result<(), E>,
) -> Result<Results, E> {
    let network = simulation.network;
    go_on(&mut simulation, network.warm_up)?;
    let before = simulation.snapshot();
    simulation.start_recording();
    simulation.take_parts();
    let mut parts = Vec::new();
    for end in network.part_ends() {
        go_on(&mut simulation, end)?;
        parts.push(simulation.take_parts());
    }
    go_on(&mut simulation, network.end)?;
    let after = simulation.snapshot();
    simulation
        .check_conservation()
        .map_err(RunError::NotConserved)?;
    let traces = simulation.take_traces();
    let events = simulation.events;
    // Its memory serves for the tables.
    drop(simulation);
    Ok(Results::new(
        network, seed, &before, &after, &parts, traces, events,
    ))
}

impl Simulation<'_> {
    /// Lets everything happen that happens before `end`, cell by cell.
    pub fn run_until(&mut self, end: Time, cancel: &AtomicBool) -> Result<(), RunError> {
        self.evaluate_until(end, cancel).map_err(|stop| match stop {
            Stop::Error(error) => error,
            Stop::OrderLost(link) => unreachable!("link {link} is evaluated cell by cell"),
        })
    }

    /// Lets everything happen that happens before `end`.
    fn evaluate_until(&mut self, end: Time, cancel: &AtomicBool) -> Result<(), Stop> {
        self.end = end;
        self.go_ahead();
        let (start, next_chunk) = (self.now, self.next_chunk);
        for part in 0..self.parts.len() {
            (self.now, self.next_chunk) = (start, next_chunk);
            self.calendar.turn_to(part);
            self.let_act(part, end, cancel)?;
        }
        self.calendar.rest();
        Ok(())
    }

    /// Lets everything happen in a part that happens before `end`.
    fn let_act(&mut self, part: usize, end: Time, cancel: &AtomicBool) -> Result<(), Stop> {
        let mut looks_at_one_instant = 0;
        let is_lazy = !self.channels.is_empty();
        let mut until = end.min(self.next_chunk);
        let mut last_look = self.now;
        loop {
            let (due, actor) = self.calendar.next();
            if due >= until {
                if self.next_chunk < due.min(end) {
                    // Long times without any event are cut, too.
                    let idle = if self.chunk < CHUNK { self.chunk } else { IDLE };
                    let at = due.min(end).min(self.next_chunk.saturating_add(idle));
                    self.settle_at(part, at)?;
                    self.next_chunk = at.saturating_add(self.chunk);
                    until = end.min(self.next_chunk);
                    // Long runs in which nothing happens take many of these, and no event.
                    if cancel.load(Ordering::Relaxed) {
                        return Err(RunError::Cancelled.into());
                    }
                    continue;
                }
                if due >= end {
                    return self.settle_at(part, end);
                }
            }
            self.events += 1;
            // Cell by cell nobody asks who has acted.
            if is_lazy {
                self.turns.act(self.events, actor, due == self.now);
            }
            self.now = due;
            self.act(actor);
            if !self.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
                continue;
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(RunError::Cancelled.into());
            }
            looks_at_one_instant = if self.now == last_look {
                looks_at_one_instant + 1
            } else {
                0
            };
            last_look = self.now;
            if looks_at_one_instant > LOOKS_AT_ONE_INSTANT {
                return Err(self.stuck().into());
            }
        }
    }

    #[inline]
    fn act(&mut self, actor: usize) {
        let actors = self.actors;
        if actor >= actors.links {
            match self.timed[actor - actors.links] {
                Timed::Channel(channel) => self.on_channel(channel as usize),
                Timed::Link(link) => self.on_link(link as usize),
                Timed::Port(port) => {
                    if let Treatment::Carrier(source) = self.ports[port as usize].treatment {
                        self.on_carrier(source as usize);
                    }
                }
            }
        } else if actor >= actors.virtual_ends {
            self.on_virtual_end(actor - actors.virtual_ends);
        } else if actor >= actors.sources {
            self.on_source(actor - actors.sources);
        } else if actor >= actors.receivers {
            self.on_receiver_timer(actor - actors.receivers);
        } else if actor >= actors.senders {
            self.on_sender_timer(actor - actors.senders);
        } else {
            self.on_probe(actor);
        }
    }
}
