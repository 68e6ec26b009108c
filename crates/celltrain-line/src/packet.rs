//! Packets that leave a line, and packets that are lost.

use std::sync::Arc;

use celltrain_proto::units::Time;
use celltrain_sim::engine::LossCause;
use celltrain_sim::scenario::Direction;

/// A packet, shared between those that carry it and those that record it.
pub type Octets = Arc<[u8]>;

/// A packet that leaves the line.
#[derive(Clone, PartialEq, Debug)]
pub struct Departure {
    /// Its direction.
    pub direction: Direction,
    /// When it arrived.
    pub came: Time,
    /// When it leaves according to the model.
    pub due: Time,
    /// Whether a queue marked it; `packet` then carries the mark.
    pub is_marked: bool,
    /// The IP packet.
    pub packet: Octets,
}

/// A packet that was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Its direction.
    pub direction: Direction,
    /// When it arrived.
    pub came: Time,
    /// Its octets.
    pub octets: u32,
    /// The cause of the loss.
    pub cause: LostTo,
}

/// The cause of a packet's loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LostTo {
    /// The model.
    Model(LossCause),
    /// This machine's memory limit for packets in transit: the line gave it up.
    Memory,
}

impl LostTo {
    /// All causes.
    pub const ALL: [Self; 8] = [
        Self::Model(LossCause::QueueFull),
        Self::Model(LossCause::EarlyDiscard),
        Self::Model(LossCause::QueueManagement),
        Self::Model(LossCause::Errors),
        Self::Model(LossCause::Policer),
        Self::Model(LossCause::Host),
        Self::Model(LossCause::Joined),
        Self::Memory,
    ];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model(LossCause::QueueFull) => "queue-full",
            Self::Model(LossCause::EarlyDiscard) => "early-discard",
            Self::Model(LossCause::QueueManagement) => "queue-management",
            Self::Model(LossCause::Errors) => "line-errors",
            Self::Model(LossCause::Policer) => "policer",
            Self::Model(LossCause::Host) => "host-queue",
            Self::Model(LossCause::Joined) => "joined",
            Self::Memory => "memory",
        }
    }
}
