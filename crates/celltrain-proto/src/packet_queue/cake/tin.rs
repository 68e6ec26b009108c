//! A tin: the flows of a class, which take turns by DRR++, and its share of the rate.
//!
//! A flow is sparse until its first turn ends; then it counts for its hosts as one with a standing queue, which makes the
//! turns of their flows shorter, until it has no packet left. A flow without packets stays until its COBALT is at rest.

use alloc::vec;
use alloc::vec::Vec;

use super::cobalt::{Cobalt, Limits};
use super::isolation::{Hosts, Isolation};
use super::ways::{self, Found, QUEUES};
use crate::aqm::Verdict;
use crate::packet_queue::chain::{Chain, List};
use crate::packet_queue::hashing::Hashing;
use crate::packet_queue::packet::{Label, Packet};
use crate::packet_queue::store::Store;
use crate::random::Stream;
use crate::units::{Bytes, Rate, Span, Time, Unit};

/// Turns are counted in 2^-16 octets, so that shares of them are exact enough.
const FRACTION: u32 = 16;
/// The shortest and the longest turn, in octets.
const TURNS: [u64; 2] = [300, 1_514];
/// In between, a turn is what the rate carries in 1/4096 s.
const TURNS_PER_S: f64 = 4_096.0;

/// What a flow is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nothing: its place is free.
    Gone,
    /// New, in its first turn.
    Sparse,
    /// One that had no packet as its first turn ended.
    SparseWaiting,
    /// One with a standing queue.
    Bulk,
    /// Without packets, until COBALT is at rest.
    Decaying,
}

/// A flow.
#[derive(Clone, Debug)]
struct Flow {
    packets: List,
    state: State,
    /// What is left of its turn, in 2^-16 octets.
    deficit: i64,
    hosts: [u32; 2],
    cobalt: Cobalt,
}

/// A tin.
#[derive(Clone, Debug)]
pub(super) struct Tin {
    share: f64,
    rate: Rate,
    limits: Limits,
    quantum: u64,
    /// When it is within its share again.
    due: Time,
    hashing: Hashing,
    isolation: Isolation,
    hosts: Hosts,
    flows: Vec<Flow>,
    /// By flow: what tells it from others, and its octets.
    tags: Vec<u64>,
    octets: Vec<u64>,
    /// The octets of all flows.
    sum: u64,
    chain: Chain,
    new: List,
    old: List,
    decaying: List,
    /// The flows that are sparse or have standing queues.
    active: u32,
}

impl Tin {
    /// An empty tin with this share of the rate, which is still to come.
    pub(super) fn new(share: f64, hashing: Hashing, isolation: Isolation) -> Self {
        let flow = Flow {
            packets: List::EMPTY,
            state: State::Gone,
            deficit: 0,
            hosts: [0; 2],
            cobalt: Cobalt::default(),
        };
        let rate = Rate::bps(1.0);
        Self {
            share,
            rate,
            limits: Limits::new(rate, Bytes(1), Span::from_ms(100)),
            quantum: TURNS[1],
            due: Time::ZERO,
            hashing,
            isolation,
            hosts: Hosts::new(isolation),
            flows: vec![flow; QUEUES],
            tags: vec![0; QUEUES],
            octets: vec![0; QUEUES],
            sum: 0,
            chain: Chain::new(QUEUES as u32),
            new: List::EMPTY,
            old: List::EMPTY,
            decaying: List::EMPTY,
            active: 0,
        }
    }

    /// Notes the rate of the line.
    pub(super) fn on_rate(&mut self, rate: Rate, longest: Bytes, rtt: Span) {
        self.rate = rate.scaled(self.share);
        self.limits = Limits::new(self.rate, longest, rtt);
        let turn = self.rate.as_bps() / 8.0 / TURNS_PER_S;
        self.quantum = (turn as u64).clamp(TURNS[0], TURNS[1]);
    }

    /// When it is within its share of the rate again.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Whether it has flows to be served.
    pub(super) fn is_active(&self) -> bool {
        self.active > 0
    }

    /// The octets of its packets.
    pub(super) fn octets(&self) -> u64 {
        self.sum
    }

    /// The flow with the most octets, and these.
    pub(super) fn longest(&self) -> (usize, u64) {
        let mut longest = (0, 0);
        for (flow, &octets) in self.octets.iter().enumerate() {
            if octets > longest.1 {
                longest = (flow, octets);
            }
        }
        longest
    }

    /// Takes a packet that comes now.
    pub(super) fn enqueue<T>(&mut self, store: &mut Store<T>, packet: Packet<T>) {
        if self.sum == 0 {
            self.due = self.due.max(packet.arrived);
        }
        let number = self.place(&packet.label);
        self.octets[number] += packet.octets.0;
        self.sum += packet.octets.0;
        let flow = &mut self.flows[number];
        store.push(&mut flow.packets, packet);
        match flow.state {
            State::Sparse | State::Bulk => {}
            State::SparseWaiting => self.become_bulk(number),
            State::Gone | State::Decaying => {
                if flow.state == State::Decaying {
                    self.chain.remove(&mut self.decaying, number as u32);
                }
                flow.state = State::Sparse;
                self.flows[number].deficit = self.turn(number);
                self.active += 1;
                self.chain.push_back(&mut self.new, number as u32);
            }
        }
    }

    /// The place of the flow of a packet.
    fn place(&mut self, label: &Label) -> usize {
        let tag = self.isolation.tag(label, &self.hashing);
        let is_free = |at: usize| self.flows[at].state == State::Gone;
        let (at, found) = ways::place(&self.tags, tag, is_free);
        if found != Found::Known || is_free(at) {
            self.tags[at] = tag;
            let hosts = self.hosts.places(label, &self.hashing);
            let flow = &mut self.flows[at];
            let before = core::mem::replace(&mut flow.hosts, hosts);
            // Another flow had it, and still has: from now on both count for the hosts of this one.
            if flow.state == State::Bulk {
                self.hosts.count(before, false);
                self.hosts.count(hosts, true);
            }
        }
        at
    }

    /// A turn of a flow.
    fn turn(&self, number: usize) -> i64 {
        let load = self.hosts.load(self.flows[number].hosts);
        ((self.quantum << FRACTION) / u64::from(load)).cast_signed()
    }

    fn become_bulk(&mut self, number: usize) {
        let flow = &mut self.flows[number];
        flow.state = State::Bulk;
        self.hosts.count(flow.hosts, true);
    }

    /// Takes out the packet that goes next at `now`; none if the flow whose turn it was had none left.
    pub(super) fn serve<T>(
        &mut self,
        store: &mut Store<T>,
        now: Time,
        looks_at_decaying: bool,
        stream: &mut Stream,
        drop: &mut impl FnMut(Packet<T>),
    ) -> Option<Packet<T>> {
        let decaying = self.decaying.first().filter(|_| looks_at_decaying);
        if let Some(number) = decaying {
            self.leave_empty(number as usize, now);
            return None;
        }
        loop {
            let first = self.new.first().or(self.old.first())?;
            let number = first as usize;
            if self.flows[number].deficit <= 0 {
                self.end_turn(number);
                continue;
            }
            let Some(packet) = self.take(store, number, now, stream, drop) else {
                self.leave_empty(number, now);
                return None;
            };
            let octets = packet.octets.0;
            self.flows[number].deficit -= (octets << FRACTION).cast_signed();
            self.use_share(now, octets);
            return Some(packet);
        }
    }

    /// Ends the turn of the flow that is first, which goes behind all others.
    fn end_turn(&mut self, number: usize) {
        let flow = &mut self.flows[number];
        let is_new = flow.state == State::Sparse;
        if is_new && flow.packets.is_empty() {
            flow.state = State::SparseWaiting;
        } else if is_new {
            self.become_bulk(number);
        }
        self.flows[number].deficit += self.turn(number);
        if is_new {
            self.chain.move_first(&mut self.new, &mut self.old);
        } else {
            self.chain.rotate(&mut self.old);
        }
    }

    /// Takes the next packet out of a flow, after those that COBALT drops.
    fn take<T>(
        &mut self,
        store: &mut Store<T>,
        number: usize,
        now: Time,
        stream: &mut Stream,
        drop: &mut impl FnMut(Packet<T>),
    ) -> Option<Packet<T>> {
        loop {
            let mut packet = self.pop(store, number)?;
            let flow = &mut self.flows[number];
            let sojourn = now - packet.arrived;
            let cobalt = &mut flow.cobalt;
            match cobalt.judge(now, sojourn, &self.limits, packet.ecn_capable, stream) {
                // The last packet of a flow is not dropped.
                Verdict::Drop if !flow.packets.is_empty() => drop(packet),
                verdict => {
                    packet.is_marked |= verdict == Verdict::Mark;
                    return Some(packet);
                }
            }
        }
    }

    fn pop<T>(&mut self, store: &mut Store<T>, number: usize) -> Option<Packet<T>> {
        let packet = store.pop(&mut self.flows[number].packets)?;
        self.octets[number] -= packet.octets.0;
        self.sum -= packet.octets.0;
        Some(packet)
    }

    /// Notes that so many octets leave.
    fn use_share(&mut self, now: Time, octets: u64) {
        let time = self.rate.time_of(Unit::octets(octets));
        self.due = if self.due < now {
            self.due.saturating_add(time)
        } else {
            self.due.max(now.saturating_add(time))
        };
    }

    /// Takes a flow without packets out of its list; it decays until its COBALT is at rest.
    fn leave_empty(&mut self, number: usize, now: Time) {
        let flow = &mut self.flows[number];
        flow.cobalt.on_empty(now, &self.limits);
        let is_at_rest = flow.cobalt.is_at_rest(now);
        let next = if is_at_rest {
            State::Gone
        } else {
            State::Decaying
        };
        let before = core::mem::replace(&mut flow.state, next);
        let list = match before {
            State::Sparse => &mut self.new,
            State::Decaying => &mut self.decaying,
            _ => &mut self.old,
        };
        self.chain.remove(list, number as u32);
        if before == State::Bulk {
            self.hosts.count(flow.hosts, false);
        }
        if before != State::Decaying {
            self.active -= 1;
        }
        if !is_at_rest {
            self.chain.push_back(&mut self.decaying, number as u32);
        }
    }

    /// Drops the first packet of a flow because there are too many.
    pub(super) fn drop_first<T>(
        &mut self,
        store: &mut Store<T>,
        number: usize,
        now: Time,
    ) -> Option<Packet<T>> {
        let dropped = self.pop(store, number)?;
        self.flows[number].cobalt.on_full(now, &self.limits);
        Some(dropped)
    }
}
