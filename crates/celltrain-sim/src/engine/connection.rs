//! A TCP connection: sender and receiver, and the VC that carries their segments.

use celltrain_proto::tcp::{Receiver, Sender};
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
    /// Octets around a segment's payload in an AAL5 PDU: headers and encapsulation.
    pub(super) overhead: u32,
}

impl Connection {
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
