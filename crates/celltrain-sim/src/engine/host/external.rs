//! A VC whose ends lie outside the simulation: packets are handed over one by one, and given back when
//! their last cells arrive.
//!
//! So the same network runs in simulated time and in real time. The caller owns the clock: it advances the network to an
//! instant, hands over what came at that instant, and takes out what has arrived.

use celltrain_proto::adaptation::Adaptation;
use celltrain_proto::packet_queue::Label;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::Time;

use crate::engine::state::loss_cause::LossCause;
use crate::scenario::Direction;

/// One direction of the VC.
#[derive(Clone, Debug)]
pub(in crate::engine) struct External {
    direction: Direction,
    /// The direction of the VC: 2 x VC + (0 forward, 1 backward).
    pub(in crate::engine) data: usize,
    pub(in crate::engine) adaptation: Adaptation,
    /// The number of packets handed over.
    pub(in crate::engine) sent: u64,
    pub(in crate::engine) arrived: Vec<Arrival>,
    pub(in crate::engine) damaged: Vec<Damage>,
}

/// A packet that will not arrive complete: reported when its first cell is lost, and possibly once more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The direction in which it was handed over.
    pub direction: Direction,
    /// Its number in that direction.
    pub number: u64,
    /// The cause of the loss.
    pub cause: LossCause,
}

/// A packet that has arrived complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The direction in which it was handed over.
    pub direction: Direction,
    /// Its number in that direction, from 0. Packets never overtake each other: those between this packet and the
    /// previous arrival are lost.
    pub number: u64,
    /// When its last cell arrived and had passed the host's Ethernet and processing.
    pub at: Time,
    /// Whether a queue has marked it (CE, RFC 3168).
    pub congestion_experienced: bool,
}

impl External {
    pub(in crate::engine) fn new(vc: usize, direction: Direction, adaptation: Adaptation) -> Self {
        Self {
            direction,
            data: 2 * vc + direction.index(),
            adaptation,
            sent: 0,
            arrived: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Notes that packet number `number` has lost its first cell.
    pub(in crate::engine) fn on_damage(&mut self, number: u64, cause: LossCause) {
        self.damaged.push(Damage {
            direction: self.direction,
            number,
            cause,
        });
    }

    /// Notes that a packet has arrived at `now`.
    pub(in crate::engine) fn on_arrival(&mut self, now: Time, packet: &Segment) {
        self.arrived.push(Arrival {
            direction: self.direction,
            number: packet.seq,
            at: now,
            congestion_experienced: packet.congestion_experienced,
        });
    }
}

/// A segment that has the hosts and the code point of a label in places that a packet from outside leaves free.
pub(in crate::engine) fn labelled(label: Label) -> Segment {
    let [from, to] = label.hosts.map(u64::from);
    Segment {
        ack: from << 32 | to,
        window: label.dscp.into(),
        ..Segment::default()
    }
}

/// The label of a packet of flow number `flow`; see [`labelled`].
pub(in crate::engine) fn label(packet: &Segment, flow: u32) -> Label {
    Label {
        flow: flow.into(),
        hosts: [(packet.ack >> 32) as u32, packet.ack as u32],
        dscp: packet.window as u8,
    }
}
