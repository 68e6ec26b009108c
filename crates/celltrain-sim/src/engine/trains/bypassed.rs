//! Readings of bypassed links: what happened to cells there follows from their arrivals at the ends of the channels.

use crate::engine::link::Reading;
use crate::engine::state::cell::KINDS;

/// The counts of a bypassed link.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct BypassedCounts {
    /// Cells that had arrived by the last reading.
    pub(in crate::engine) arrived: u64,
    /// Cells in transmission at the last reading.
    pub(in crate::engine) queued: u32,
}

/// The counts at one bypassed hop.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct BypassedHop {
    /// Cells that arrived, by kind.
    pub(in crate::engine) offered: [u64; KINDS],
    /// Cells in transmission, by kind.
    pub(in crate::engine) queued: [u64; KINDS],
}

/// The counts at one bypassed link, except its capacity.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct BypassedLink {
    pub(in crate::engine) departed: u64,
    pub(in crate::engine) area: i128,
    pub(in crate::engine) queue_max: u32,
}

impl BypassedLink {
    /// The reading of a queue, given its capacity.
    pub(in crate::engine) fn with_capacity(self, capacity: f64) -> Reading {
        Reading {
            departed: self.departed,
            area: self.area,
            capacity,
        }
    }
}
