//! A TCP connection: sender and receiver, and the VC that carries their segments.

use celltrain_proto::aal5::Encapsulation;
use celltrain_proto::tcp::{Receiver, Segment, Sender};
use celltrain_proto::units::Time;

/// A connection of the network.
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
