//! Why a cell, and its packet with it, was lost.

/// What caused the first cell loss of a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LossCause {
    /// A queue was full.
    QueueFull,
    /// A queue with room refused it: early packet discard, RED, fair buffer allocation, a CLP threshold.
    EarlyDiscard,
    /// Active queue management. Where it drops packets that have waited, no [`Damage`](crate::engine::Damage) reports it.
    QueueManagement,
    /// Transmission errors on a line.
    Errors,
    /// A policer.
    Policer,
    /// The queue of the host was full.
    Host,
    /// The packet lost no cell, but the end of the packet before it was lost, so AAL5 took both for one.
    Joined,
}
