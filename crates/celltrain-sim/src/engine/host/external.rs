//! A VC whose ends lie outside of the simulation: packets are handed over one by one, and given back when
//! their last cells arrive.
//!
//! So the same network runs in two clocks. The caller owns the clock: it lets the network go on up to an
//! instant, hands over what came at that instant, and takes out what has arrived.

use celltrain_proto::aal5::Encapsulation;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::Time;

use crate::engine::state::loss_cause::LossCause;
use crate::scenario::Direction;

/// One direction of the VC.
#[derive(Clone, Debug)]
pub(in crate::engine) struct External {
    direction: Direction,
    /// The same as the direction of a VC: 2 x VC + (0 forward, 1 backward).
    pub(in crate::engine) data: usize,
    pub(in crate::engine) encapsulation: Encapsulation,
    /// Packets handed over.
    pub(in crate::engine) sent: u64,
    pub(in crate::engine) arrived: Vec<Arrival>,
    pub(in crate::engine) damaged: Vec<Damage>,
}

/// A packet that will not arrive whole, told of when its first cell is lost; perhaps once more later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The direction that it was handed over in.
    pub direction: Direction,
    /// Its number in that direction.
    pub number: u64,
    /// Why.
    pub cause: LossCause,
}

/// A packet that has arrived whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The direction that it was handed over in.
    pub direction: Direction,
    /// Its number in that direction, from 0 on. Packets never overtake: those between this one and the
    /// one that arrived before it are lost.
    pub number: u64,
    /// When its last cell arrived, and had crossed what the host has in front of it.
    pub at: Time,
    /// Whether a queue has marked it (CE, RFC 3168).
    pub congestion_experienced: bool,
}

impl External {
    pub(in crate::engine) fn new(
        vc: usize,
        direction: Direction,
        encapsulation: Encapsulation,
    ) -> Self {
        Self {
            direction,
            data: 2 * vc + direction.index(),
            encapsulation,
            sent: 0,
            arrived: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Packet number `number` has lost its first cell.
    pub(in crate::engine) fn on_damage(&mut self, number: u64, cause: LossCause) {
        self.damaged.push(Damage {
            direction: self.direction,
            number,
            cause,
        });
    }

    /// A packet has arrived `now`.
    pub(in crate::engine) fn on_arrival(&mut self, now: Time, packet: &Segment) {
        self.arrived.push(Arrival {
            direction: self.direction,
            number: packet.seq,
            at: now,
            congestion_experienced: packet.congestion_experienced,
        });
    }
}
