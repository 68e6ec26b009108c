//! One direction of a line: the packets in transit, in order, and the outcomes of earlier ones.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::{Arrival, Damage, LossCause};
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Direction;

use crate::ip;
use crate::log::Spans;
use crate::packet::{Departure, Loss, LostTo, Octets};
use crate::prepare::Carrier;

/// Packet counts of one direction.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    /// Packets that arrived.
    pub packets: u64,
    /// Their octets.
    pub octets: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Their octets.
    pub delivered_octets: u64,
    /// Packets lost, by cause. A drop by queue management after waiting becomes known when a later packet arrives, all
    /// others at once.
    pub lost: BTreeMap<LostTo, u64>,
    /// Packets that were marked.
    pub marked: u64,
    /// Packets refused because they are not IP packets, or are longer than AAL5 allows.
    pub refused: u64,
    /// From arrival to departure in the model.
    pub delay: Spans,
    /// The part of it in excess of propagation and unqueued transmission.
    pub queueing: Spans,
}

impl Counts {
    /// Packets lost, for all causes.
    pub fn lost_in_all(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Packets still in the line: neither delivered nor known to be lost.
    pub fn inside(&self) -> u64 {
        self.packets - self.delivered - self.lost_in_all()
    }
}

/// A packet in transit.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) came: Time,
    /// The time that it would take without queueing.
    pub(super) unhindered: Span,
    pub(super) packet: Octets,
}

/// One direction: the packets passed in, in order.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) direction: Direction,
    /// Number of the first of `waiting`.
    pub(super) first: u64,
    /// Those in transit; `None` in the place of one that has left or was lost after others that have not.
    pub(super) waiting: VecDeque<Option<Waiting>>,
    /// Whether no packet overtakes another.
    keeps_order: bool,
    pub(super) octets: usize,
    /// Packets that wait for the clock of their host, and when they may enter.
    pub(super) held: VecDeque<(Time, Waiting)>,
    pub(super) counts: Counts,
    pub(super) departures: VecDeque<Departure>,
    pub(super) losses: Vec<Loss>,
    pub(super) propagation: Span,
    pub(super) lines: Vec<Crossed>,
}

/// A link with a line on the path of the direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossed {
    pub(super) link: usize,
    /// For a line with delivery opportunities, which has no meaningful instantaneous rate.
    pub(super) opportunities: Option<Opportunities>,
}

/// The mean rate of delivery opportunities between two looks; initially that of the trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opportunities {
    pub(super) rate_bps: f64,
    /// When the last look was, and what the line could have carried until then.
    pub(super) at: Time,
    pub(super) bits: f64,
}

impl Way {
    pub(super) fn new(carrier: &Carrier, direction: Direction) -> Self {
        Self {
            direction,
            first: 0,
            waiting: VecDeque::new(),
            keeps_order: keeps_order(&carrier.network, carrier.links(direction)),
            octets: 0,
            held: VecDeque::new(),
            counts: Counts::default(),
            departures: VecDeque::new(),
            losses: Vec::new(),
            propagation: carrier.propagation(direction),
            lines: lines(&carrier.network, carrier.links(direction)),
        }
    }

    pub(super) fn on_arrival(&mut self, arrival: Arrival) {
        // Any other loss is reported when the packet's first cell is lost. Queues by flow report all.
        while self.keeps_order && self.first < arrival.number {
            self.lose_first(LostTo::Model(LossCause::QueueManagement));
        }
        // A packet that was given up may still arrive.
        let Some(mut waiting) = self.take(arrival.number) else {
            return;
        };
        let octets = waiting.packet.len() as u64;
        if arrival.congestion_experienced {
            ip::mark(Arc::make_mut(&mut waiting.packet));
            self.counts.marked += 1;
        }
        let delay = arrival.at - waiting.came;
        self.counts.delivered += 1;
        self.counts.delivered_octets += octets;
        self.counts.delay.add(delay);
        self.counts
            .queueing
            .add(delay.saturating_sub(waiting.unhindered));
        self.departures.push_back(Departure {
            direction: self.direction,
            came: waiting.came,
            due: arrival.at,
            is_marked: arrival.congestion_experienced,
            packet: waiting.packet,
        });
    }

    /// The first packet that may enter by `now`, and when.
    pub(super) fn take_held(&mut self, now: Time) -> Option<(Time, Waiting)> {
        if self.held.front()?.0 > now {
            return None;
        }
        self.held.pop_front()
    }

    /// Takes a packet out of those in transit; `None` if it has left or is known to be lost.
    fn take(&mut self, number: u64) -> Option<Waiting> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let waiting = self.waiting.get_mut(place)?.take()?;
        self.octets -= waiting.packet.len();
        while self.waiting.front().is_some_and(Option::is_none) {
            self.waiting.pop_front();
            self.first += 1;
        }
        Some(waiting)
    }

    /// A packet will not arrive complete.
    pub(super) fn on_damage(&mut self, damage: Damage) {
        self.lose(damage.number, LostTo::Model(damage.cause));
    }

    /// Removes the first packet, which is lost to `cause`.
    pub(super) fn lose_first(&mut self, cause: LostTo) {
        self.lose(self.first, cause);
    }

    fn lose(&mut self, number: u64, cause: LostTo) {
        if let Some(waiting) = self.take(number) {
            self.note_loss(waiting.came, waiting.packet.len() as u32, cause);
        }
    }

    fn note_loss(&mut self, came: Time, octets: u32, cause: LostTo) {
        *self.counts.lost.entry(cause).or_default() += 1;
        self.losses.push(Loss {
            direction: self.direction,
            came,
            octets,
            cause,
        });
    }

    /// The packets that are neither delivered nor lost.
    pub(super) fn inside(&self) -> impl Iterator<Item = &Waiting> {
        let held = self.held.iter().map(|(_, waiting)| waiting);
        self.waiting.iter().flatten().chain(held)
    }
}

/// Whether no packet overtakes another on these links.
fn keeps_order(network: &Network, links: &[usize]) -> bool {
    let overtakes = |&link: &usize| {
        let link = &network.links[link];
        let rated = link.line.as_ref();
        link.overtaking || rated.is_some_and(|rated| rated.packet_queue.is_some())
    };
    !links.iter().any(overtakes)
}

/// The links among `links` that have a queue and a line.
fn lines(network: &Network, links: &[usize]) -> Vec<Crossed> {
    let crossed = |&link: &usize| {
        let line = network.links[link].line.as_ref()?;
        let mean = line.rate.mean_of_opportunities();
        Some(Crossed {
            link,
            opportunities: mean.map(|mean| Opportunities {
                rate_bps: mean.as_bps(),
                at: Time::ZERO,
                bits: 0.0,
            }),
        })
    };
    links.iter().filter_map(crossed).collect()
}
