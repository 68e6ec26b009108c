//! Packets: those that leave a line, and those that are lost.

use std::sync::Arc;

use celltrain_proto::units::Time;
use celltrain_sim::engine::LossCause;
use celltrain_sim::scenario::Direction;

/// A packet, shared by those who carry it and those who note it.
pub type Octets = Arc<[u8]>;

/// A packet that leaves the line.
#[derive(Clone, PartialEq, Debug)]
pub struct Departure {
    /// Its direction.
    pub direction: Direction,
    /// When it came.
    pub came: Time,
    /// When it leaves by the model.
    pub due: Time,
    /// Whether a queue has marked it; `packet` then says so, too.
    pub is_marked: bool,
    /// The IP packet.
    pub packet: Octets,
}

/// A packet that was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Its direction.
    pub direction: Direction,
    /// When it came.
    pub came: Time,
    /// Its octets.
    pub octets: u32,
    /// What it was lost to.
    pub cause: LostTo,
}

/// What a packet is lost to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LostTo {
    /// The model.
    Model(LossCause),
    /// The end of this machine's memory for packets on the way: the line gave it up.
    Memory,
}

impl LostTo {
    /// All of them.
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
