//! Flows: what sends packets over a VC, and what receives them.

use celltrain_proto::units::{Span, Time};

use super::connection::Connection;
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

impl FlowKind {
    /// The direction of a VC by which its data go.
    pub(super) fn data(&self) -> usize {
        match self {
            Self::Tcp(connection) => connection.data,
            Self::Packets(packets) => packets.data,
        }
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
