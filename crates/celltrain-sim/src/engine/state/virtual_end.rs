//! Virtual sources and destinations (VS/VD): switches that end one ABR loop and begin the next (TM 4.0 §5.10.7).

use std::collections::VecDeque;

use celltrain_proto::abr::VirtualEnds;
use celltrain_proto::units::Time;

use crate::engine::state::cell::{Cell, KINDS};
use crate::engine::state::room::{Exhausted, Room};

/// The virtual ends of one direction of a VC at a switch, and the queue between them.
#[derive(Clone, Debug)]
pub(in crate::engine) struct VirtualEnd {
    pub(in crate::engine) ends: VirtualEnds,
    /// The hop that leaves the switch.
    pub(in crate::engine) next_hop: u32,
    /// The ends of the other direction at this switch.
    pub(in crate::engine) partner: u32,
    /// Waiting data cells, at the hop over which they arrived.
    pub(in crate::engine) waiting: VecDeque<Cell>,
    pub(in crate::engine) buffer: usize,
    /// Cells that ended here: data cells that found the queue full, and RM cells of loops that end here.
    pub(in crate::engine) ended: [u64; KINDS],
    /// RM cells made here for the loop that begins.
    pub(in crate::engine) made: u64,
}

impl VirtualEnd {
    pub(in crate::engine) fn deadline(&self) -> Time {
        let waits = !self.waiting.is_empty();
        let in_rate = self.ends.next_deadline(waits).unwrap_or(Time::NEVER);
        let out_of_rate = self.ends.next_out_of_rate(waits).unwrap_or(Time::NEVER);
        in_rate.min(out_of_rate)
    }
}

impl Room for VirtualEnd {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        self.waiting.make_room()
    }
}
