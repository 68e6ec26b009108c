//! One direction of a line: the packets on the way, in their order, and what became of those before.

use std::collections::VecDeque;
use std::sync::Arc;

use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::Arrival;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Direction;

use super::{Departure, Loss, Octets};
use crate::ip;
use crate::log::Spans;
use crate::prepare::Carrier;

/// What one direction has carried.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    /// Packets and octets that came.
    pub packets: u64,
    /// Their octets.
    pub octets: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Their octets.
    pub delivered_octets: u64,
    /// Packets that the model lost, as far as is known: a loss shows when a later packet arrives.
    pub lost: u64,
    /// Packets that were marked.
    pub marked: u64,
    /// What came and was no IP packet, or longer than AAL5 carries; it was not carried.
    pub refused: u64,
    /// From coming to leaving, by the model.
    pub delay: Spans,
    /// The part of it beyond propagation and the transmission of an unhindered packet.
    pub queueing: Spans,
}

/// A packet on the way.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) came: Time,
    /// What an unhindered packet would take.
    pub(super) unhindered: Span,
    pub(super) packet: Octets,
}

/// One direction: the packets handed over, in their order.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) direction: Direction,
    /// Number of the first of `waiting`.
    pub(super) first: u64,
    pub(super) waiting: VecDeque<Waiting>,
    pub(super) octets: usize,
    /// Packets that wait for the clock of their host, and when they may enter.
    pub(super) held: VecDeque<(Time, Waiting)>,
    pub(super) counts: Counts,
    pub(super) departures: VecDeque<Departure>,
    pub(super) losses: Vec<Loss>,
    pub(super) propagation: Span,
    /// Links with a line.
    pub(super) lines: Vec<usize>,
}

impl Way {
    pub(super) fn new(carrier: &Carrier, direction: Direction) -> Self {
        Self {
            direction,
            first: 0,
            waiting: VecDeque::new(),
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
        while self.first < arrival.number {
            self.lose_first();
        }
        // A packet that was given up may still arrive.
        if self.first > arrival.number {
            return;
        }
        let Some(mut waiting) = self.take_first() else {
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

    fn take_first(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.pop_front()?;
        self.first += 1;
        self.octets -= waiting.packet.len();
        Some(waiting)
    }

    pub(super) fn lose_first(&mut self) {
        let Some(waiting) = self.take_first() else {
            return;
        };
        self.counts.lost += 1;
        self.losses.push(Loss {
            direction: self.direction,
            came: waiting.came,
            octets: waiting.packet.len() as u32,
        });
    }
}

/// Those of `links` with a queue and a line.
fn lines(network: &Network, links: &[usize]) -> Vec<usize> {
    let has_line = |&&link: &&usize| network.links[link].line.is_some();
    links.iter().filter(has_line).copied().collect()
}
