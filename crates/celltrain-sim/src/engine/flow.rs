//! Flows: what sends packets over a VC, and what receives them.

use celltrain_proto::aal5::Encapsulation;
use celltrain_proto::tcp::{Receiver, Segment, Sender};
use celltrain_proto::units::{Span, Time};

use super::packets::Packets;

/// A flow of the network.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) kind: FlowKind,
    /// One-way delays of its packets with data.
    pub(super) delay: Delays,
}

/// What a flow is.
#[derive(Debug)]
pub(super) enum FlowKind {
    /// A TCP connection.
    Tcp(Box<Connection>),
    /// Packets without one.
    Packets(Packets),
}

/// One-way delays, from the hand-over to the sending host to the last cell at the receiving one.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Delays {
    pub(super) count: u64,
    pub(super) sum_ps: u128,
}

impl Delays {
    pub(super) fn add(&mut self, delay: Span) {
        self.count += 1;
        self.sum_ps += u128::from(delay.as_ps());
    }
}

impl Flow {
    pub(super) fn new(kind: FlowKind) -> Self {
        Self {
            kind,
            delay: Delays::default(),
        }
    }

    /// When its sending end next wants to wake.
    pub(super) fn sender_deadline(&self) -> Time {
        match &self.kind {
            FlowKind::Tcp(connection) => connection.sender_deadline(),
            FlowKind::Packets(packets) => packets.next,
        }
    }
}

/// A TCP connection: sender and receiver, and the VC that carries their segments.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// When it starts to send; [`Time::NEVER`] once it has.
    pub(super) start: Time,
    /// The direction of the VC that carries the data.
    pub(super) data: usize,
    /// PDUs that the sending host may hold before TCP is blocked.
    pub(super) host_queue: usize,
    /// How its packets go into AAL5.
    pub(super) encapsulation: Encapsulation,
}

/// IP and TCP headers without options, in octets.
const HEADERS: u64 = 40;

impl Connection {
    /// Cells of a segment on the line.
    pub(super) fn cells(&self, segment: &Segment) -> u32 {
        self.encapsulation
            .cells_for_ip(u64::from(segment.len + segment.options_len()) + HEADERS) as u32
    }

    /// The direction of the VC that carries the ACKs.
    pub(super) fn acks(&self) -> usize {
        self.data ^ 1
    }

    /// When the sender next wants to wake.
    pub(super) fn sender_deadline(&self) -> Time {
        self.sender
            .next_timeout()
            .unwrap_or(Time::NEVER)
            .min(self.start)
    }
}
