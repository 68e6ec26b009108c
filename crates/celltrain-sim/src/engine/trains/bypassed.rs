//! Readings of bypassed links: what happened to cells there follows from their arrivals at the ends of the channels.

use celltrain_proto::units::Time;

use crate::engine::link::Reading;
use crate::engine::state::cell::KINDS;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Bypassed;

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

/// The cells of a train at a link that its channel bypasses.
pub(super) struct Stay {
    /// Cells that arrived before now.
    pub(super) came: u64,
    /// Those of them that have left.
    pub(super) left: u64,
    /// The total time that the others have been there, in ps.
    pub(super) since: i128,
}

pub(super) fn passage(now: Time, bypassed: &Bypassed, train: &Train) -> Stay {
    // Arrivals before now, and departures up to now.
    let came = train.count_before(now.saturating_add(bypassed.to_end));
    let to_end = bypassed.to_end - bypassed.transmission;
    let ended = now.saturating_add(to_end);
    let left = train.count_before(ended.saturating_add(STEP)).min(came);
    let since = (left..came).map(|number| {
        let at_end = train.first.at + train.gap * number;
        i128::from(now.as_ps()) - (i128::from(at_end.as_ps()) - i128::from(bypassed.to_end.as_ps()))
    });
    Stay {
        came,
        left,
        since: since.sum(),
    }
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
