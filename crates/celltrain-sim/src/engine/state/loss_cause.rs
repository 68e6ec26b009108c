//! Why a cell, or a packet with it, was lost.

/// What takes the first cell of a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LossCause {
    /// A queue was full.
    QueueFull,
    /// A queue with room refused it: early discard of packets, RED, fair shares, a CLP threshold.
    EarlyDiscard,
    /// Active queue management. Where it drops packets that have waited, no [`Damage`](crate::engine::Damage) tells of it.
    QueueManagement,
    /// Errors on a line.
    Errors,
    /// A policer.
    Policer,
    /// The queue of the host was full.
    Host,
    /// It lost none, but the end of the packet before it was lost, so that AAL5 took both for one.
    Joined,
}
