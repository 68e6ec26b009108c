//! The cell-by-cell engine: one run of a network.
//!
//! Every actor (probe, TCP timer, source, link) has one deadline in the calendar; the loop takes the
//! earliest, lets that actor act, and gives it and whomever it touched a new deadline. At one instant
//! probes come first, then timers, sources and links, each in the order of the network.

mod build;
mod calendar;
mod cell;
mod connection;
mod conserve;
mod hop;
mod link;
mod probe;
mod rms;
mod snapshot;
mod source;

use std::sync::atomic::{AtomicBool, Ordering};

use celltrain_proto::aal5::{Reassembly, Verdict};
use celltrain_proto::abr::Destination;
use celltrain_proto::flow::gfc;
use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Time;

use crate::measure::Results;
use crate::network::Network;
use calendar::Calendar;
use cell::{Cell, Kind};
use connection::Connection;
use hop::Hop;
use link::Link;
use probe::Recorder;
use rms::RmStore;
use source::{Emission, Pdu, Source};

/// Events between two looks at the cancel flag: a few milliseconds.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 15;
/// Looks that may pass without simulated time going on: some ten million events at one instant.
const LOOKS_AT_ONE_INSTANT: u32 = 400;

/// Why a run did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The caller cancelled it.
    Cancelled,
    /// Simulated time stands still: something sends without end at one instant.
    Stuck {
        /// The instant.
        at: Time,
    },
    /// Cells appeared or vanished: a defect of the engine.
    NotConserved(String),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::Stuck { at } => write!(
                f,
                "simulated time stands still at {at}: something sends without end at one instant; \
                 give the links or VCs concerned a rate"
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

/// The receiving end of one direction of a VC.
#[derive(Clone, Debug, Default)]
struct Sink {
    reassembly: Reassembly,
    destination: Destination,
    counts: SinkCounts,
}

/// What a sink has received since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
struct SinkCounts {
    cells: [u64; cell::KINDS],
    pdus: u64,
    damaged: u64,
    /// Forward RM cells that a local loop turned round before they came here.
    turned_round: u64,
}

/// A network in the middle of a run.
#[derive(Debug)]
pub struct Simulation<'n> {
    network: &'n Network,
    now: Time,
    calendar: Calendar,
    actors: Actors,
    hops: Vec<Hop>,
    links: Vec<Link>,
    /// The links that are actors, in the order of the calendar; transparent ones are not.
    timed_links: Vec<u32>,
    /// By direction: 2 x VC + (0 forward, 1 backward). So are `sinks`.
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    connections: Vec<Connection>,
    rms: RmStore,
    recorders: Vec<Recorder>,
    events: u64,
}

/// Where each kind of actor starts in the calendar.
#[derive(Clone, Copy, Debug)]
struct Actors {
    senders: usize,
    receivers: usize,
    sources: usize,
    links: usize,
}

/// Runs `network` with one seed, until its end or until `cancel` is set.
pub fn run(network: &Network, seed: u64, cancel: &AtomicBool) -> Result<Results, RunError> {
    let mut simulation = Simulation::new(network, seed);
    simulation.run_until(network.warm_up, cancel)?;
    let before = simulation.snapshot();
    simulation.start_recording();
    simulation.run_until(network.end, cancel)?;
    let after = simulation.snapshot();
    if cfg!(debug_assertions) {
        simulation
            .check_conservation()
            .map_err(RunError::NotConserved)?;
    }
    let traces = simulation.take_traces();
    Ok(Results::new(
        network,
        seed,
        &before,
        &after,
        traces,
        simulation.events,
    ))
}

impl Simulation<'_> {
    /// Lets everything happen that happens before `end`.
    pub fn run_until(&mut self, end: Time, cancel: &AtomicBool) -> Result<(), RunError> {
        let mut looks_at_one_instant = 0;
        loop {
            let before = self.now;
            for _ in 0..EVENTS_BETWEEN_LOOKS {
                let (due, actor) = self.calendar.next();
                if due >= end {
                    self.advance_links(end);
                    return Ok(());
                }
                self.now = due;
                self.events += 1;
                self.act(actor);
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(RunError::Cancelled);
            }
            looks_at_one_instant = if self.now == before {
                looks_at_one_instant + 1
            } else {
                0
            };
            if looks_at_one_instant > LOOKS_AT_ONE_INSTANT {
                return Err(RunError::Stuck { at: self.now });
            }
        }
    }

    fn advance_links(&mut self, now: Time) {
        self.now = now;
        for link in &mut self.links {
            link.advance(now);
        }
    }

    #[inline]
    fn act(&mut self, actor: usize) {
        let actors = self.actors;
        if actor >= actors.links {
            self.on_link(self.timed_links[actor - actors.links] as usize);
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

    fn on_source(&mut self, direction: usize) {
        let source = &mut self.sources[direction];
        let hop = source.first_hop;
        let emission = source.emit(self.now);
        let deadline = source.deadline();
        self.calendar.set(self.actors.sources + direction, deadline);
        let cell = match emission {
            None => return,
            Some(Emission::Data { number, end }) => {
                if end {
                    self.on_pdu_sent(direction);
                }
                Cell::data(hop, number, end)
            }
            Some(Emission::ForwardRm(rm)) => Cell::rm(hop, Kind::ForwardRm, self.rms.put(rm)),
            Some(Emission::BackwardRm(rm)) => Cell::rm(hop, Kind::BackwardRm, self.rms.put(rm)),
        };
        self.enter(cell);
    }

    /// A cell comes to the link of its hop.
    #[inline]
    fn enter(&mut self, cell: Cell) {
        let hop = &mut self.hops[cell.hop()];
        let kind = cell.kind() as usize;
        hop.counts.offered[kind] += 1;
        let link = &mut self.links[hop.link as usize];
        if hop.has_control {
            link.advance(self.now);
            let state = link.state();
            if let Some(control) = link.line.as_mut().and_then(|line| line.control.as_mut()) {
                control.on_cells(self.now, hop.port_vc, 1);
                if cell.kind() == Kind::ForwardRm {
                    control.on_forward_rm(
                        self.now,
                        hop.port_vc,
                        self.rms.get_mut(cell.load),
                        &state,
                    );
                }
            }
        }
        if link.is_transparent() {
            return self.arrive(cell);
        }
        let was_idle = link.ring.is_empty();
        if link.enqueue(self.now, cell) {
            if was_idle {
                self.calendar.set(link.actor, link.deadline());
            }
        } else {
            hop.counts.lost[kind] += 1;
            if kind != Kind::Data as usize {
                self.rms.take(cell.load);
            }
        }
    }

    #[inline]
    fn on_link(&mut self, index: usize) {
        let link = &mut self.links[index];
        let arrived = link.arrived(self.now);
        let deadline = link.deadline();
        self.calendar.set(link.actor, deadline);
        if let Some(cell) = arrived {
            self.arrive(cell);
        }
    }

    /// A cell has come over the link of its hop.
    #[inline]
    fn arrive(&mut self, mut cell: Cell) {
        let hop = &self.hops[cell.hop()];
        let next_link = hop.next_link;
        if hop.has_actions && self.pass_node(&mut cell) {
            return;
        }
        if next_link == hop::END {
            self.deliver(cell);
        } else {
            self.enter(cell.at_next_hop());
        }
    }

    /// What a node does with a cell that has come over a link; true if the cell goes no further.
    fn pass_node(&mut self, cell: &mut Cell) -> bool {
        let hop = &self.hops[cell.hop()];
        if let Some((marks, vc)) = hop.marks
            && cell.kind() == Kind::BackwardRm
        {
            let link = &mut self.links[marks as usize];
            link.advance(self.now);
            let state = link.state();
            if let Some(control) = link.line.as_mut().and_then(|line| line.control.as_mut()) {
                control.on_backward_rm(self.now, vc, self.rms.get_mut(cell.load), &state);
            }
        }
        if let Some(gfc) = hop.gfc {
            let link = &mut self.links[gfc as usize];
            link.advance(self.now);
            let halt = link
                .line
                .as_ref()
                .and_then(|line| line.gfc.as_ref())
                .is_some_and(gfc::Controlling::halt);
            cell.set_halt(halt);
        }
        if let Some(turn_round) = hop.turn_round
            && cell.kind() == Kind::ForwardRm
        {
            self.turn_round_locally(*cell, turn_round);
            return true;
        }
        false
    }

    /// The local loop: the node marks a forward RM cell for the queue that the data go to, turns it
    /// round and sends it back at once.
    fn turn_round_locally(&mut self, cell: Cell, back: u32) {
        let next = &self.hops[cell.at_next_hop().hop()];
        let (vc, link) = (next.port_vc, &mut self.links[next.link as usize]);
        self.sinks[next.direction as usize].counts.turned_round += 1;
        link.advance(self.now);
        let state = link.state();
        let mut control = link.line.as_mut().and_then(|line| line.control.as_mut());
        let mut forward = self.rms.take(cell.load);
        if let Some(control) = &mut control {
            control.on_activity(self.now, vc);
            control.on_forward_rm(self.now, vc, &mut forward, &state);
        }
        let mut backward = Destination::default().on_forward_rm(forward);
        if let Some(control) = control {
            control.on_backward_rm(self.now, vc, &mut backward, &state);
        }
        let contents = self.rms.put(backward);
        self.enter(Cell::rm(back, Kind::BackwardRm, contents));
    }

    /// A cell has come to the end of its VC.
    #[inline]
    fn deliver(&mut self, cell: Cell) {
        let hop = &self.hops[cell.hop()];
        let direction = hop.direction as usize;
        let kind = cell.kind();
        let sink = &mut self.sinks[direction];
        sink.counts.cells[kind as usize] += 1;
        if self.sources[direction ^ 1].gfc.is_some() {
            self.obey_gfc(direction ^ 1, cell.halt());
        }
        let sink = &mut self.sinks[direction];
        match kind {
            Kind::Data => {
                sink.destination.on_data(cell.efci());
                if cell.is_end() {
                    self.on_last_cell(direction, cell.load);
                } else {
                    sink.reassembly.on_cell(cell.load, false, 0);
                }
            }
            Kind::ForwardRm => {
                let rm = sink.destination.on_forward_rm(self.rms.take(cell.load));
                self.sources[direction ^ 1].turn_round(rm);
                self.wake_source(direction ^ 1);
            }
            Kind::BackwardRm => {
                let rm = self.rms.take(cell.load);
                self.sources[direction ^ 1].on_backward_rm(self.now, &rm);
                self.wake_source(direction ^ 1);
            }
        }
    }

    fn obey_gfc(&mut self, direction: usize, halt: bool) {
        let source = &mut self.sources[direction];
        if let Some(gfc) = &mut source.gfc {
            gfc.on_command(self.now, halt);
            self.wake_source(direction);
        }
    }

    /// The last cell of a PDU has arrived.
    fn on_last_cell(&mut self, direction: usize, number: u32) {
        let Some(pdu) = self.sources[direction].take_pdu(number) else {
            return;
        };
        let sink = &mut self.sinks[direction];
        if sink.reassembly.on_cell(number, true, pdu.cells) == Verdict::Good {
            sink.counts.pdus += 1;
            self.on_pdu(&pdu);
        } else {
            sink.counts.damaged += 1;
        }
    }

    fn on_pdu(&mut self, pdu: &Pdu) {
        let connection = &mut self.connections[pdu.flow as usize];
        if pdu.is_data {
            connection.receiver.on_segment(self.now, &pdu.segment);
            self.drive_receiver(pdu.flow as usize);
        } else {
            connection.sender.on_segment(self.now, &pdu.segment);
            self.drive_sender(pdu.flow as usize);
        }
    }

    fn on_sender_timer(&mut self, flow: usize) {
        let connection = &mut self.connections[flow];
        if connection.start <= self.now {
            connection.start = Time::NEVER;
            connection
                .sender
                .write(self.now, celltrain_proto::tcp::Available::Unlimited);
        }
        if connection
            .sender
            .next_timeout()
            .is_some_and(|due| due <= self.now)
        {
            connection.sender.on_timer(self.now);
        }
        self.drive_sender(flow);
    }

    fn on_receiver_timer(&mut self, flow: usize) {
        self.connections[flow].receiver.on_timer(self.now);
        self.drive_receiver(flow);
    }

    /// Takes from a sender all that it may send, and its next deadline.
    fn drive_sender(&mut self, flow: usize) {
        let connection = &mut self.connections[flow];
        let source = &mut self.sources[connection.data];
        let mut pushed = false;
        while source.pdus_waiting() < connection.host_queue
            && let Some(segment) = connection.sender.poll_transmit(self.now)
        {
            let cells = connection.cells(&segment);
            source.push(flow as u32, true, cells, segment);
            pushed = true;
        }
        let deadline = connection.sender_deadline();
        let data = connection.data;
        self.calendar.set(self.actors.senders + flow, deadline);
        if pushed {
            self.wake_source(data);
        }
    }

    /// Takes from a receiver the ACKs that are due, and its next deadline.
    fn drive_receiver(&mut self, flow: usize) {
        let connection = &mut self.connections[flow];
        let acks = connection.acks();
        let source = &mut self.sources[acks];
        let mut pushed = false;
        while let Some(segment) = connection.receiver.poll_transmit(self.now) {
            let cells = connection.cells(&segment);
            source.push(flow as u32, false, cells, segment);
            pushed = true;
        }
        let deadline = connection.receiver.next_timeout().unwrap_or(Time::NEVER);
        self.calendar.set(self.actors.receivers + flow, deadline);
        if pushed {
            self.wake_source(acks);
        }
    }

    /// A PDU has left its host wholly: a sender that was blocked may go on.
    fn on_pdu_sent(&mut self, direction: usize) {
        let Some(pdu) = self.sources[direction].last_sent() else {
            return;
        };
        let flow = pdu.flow as usize;
        if pdu.is_data && self.connections[flow].host_queue != usize::MAX {
            self.drive_sender(flow);
        }
    }

    fn wake_source(&mut self, direction: usize) {
        let deadline = self.sources[direction].deadline().max(self.now);
        self.calendar.set(self.actors.sources + direction, deadline);
    }
}
