//! What an observer sees of a network: cells that arrive over links, and packets at hosts.

use celltrain_proto::cell::RmCell;
use celltrain_proto::ip::Fragment;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::Time;

use crate::engine::source::Pdu;
use crate::engine::state::room::{Exhausted, Room, make_room_in};

/// A capture record: what was seen, when, and in which direction of a VC.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CaptureRecord {
    /// When it was seen.
    pub at: Time,
    /// The direction of a VC: 2 x VC + (0 forward, 1 backward).
    pub direction: usize,
    /// What was seen.
    pub what: Seen,
}

/// The kinds of observation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Seen {
    /// A packet was handed to the host where the direction starts.
    Sent(Packet),
    /// A packet has arrived complete where the direction ends.
    Received(Packet),
    /// A cell has arrived over a link.
    Cell {
        /// The link.
        link: usize,
        /// The GFC field, 4 bits: the command, in a cell that a switch sends to an end system under GFC.
        gfc: u8,
        /// The EFCI bit.
        efci: bool,
        /// The CLP bit.
        clp: bool,
        /// What it carries.
        load: Load,
    },
}

/// A packet and the connection it belongs to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Packet {
    /// The flow.
    pub flow: usize,
    /// Whether it carries data; otherwise it is an acknowledgment.
    pub is_data: bool,
    /// Which of the flow's connections it belongs to.
    pub incarnation: u32,
    /// The TCP segment.
    pub segment: Segment,
    /// The part of the packet that was seen, with the packet's identification; `None` if it was whole.
    pub fragment: Option<(u32, Fragment)>,
}

/// What a cell carries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// Part of a packet.
    Packet {
        /// The packet.
        packet: Packet,
        /// The index of the cell within the packet, from 0.
        index: u32,
        /// The number of cells in the packet.
        cells: u32,
    },
    /// A cell of a process, without contents.
    Unframed {
        /// Its number in its direction of the VC, which wraps.
        number: u32,
    },
    /// An RM cell.
    Rm(RmCell),
}

impl Packet {
    pub(in crate::engine) fn of(pdu: &Pdu) -> Self {
        Self {
            flow: pdu.flow as usize,
            is_data: pdu.is_data,
            incarnation: pdu.incarnation,
            segment: pdu.segment,
            fragment: pdu.fragment,
        }
    }
}

/// Collects observations if there is an observer.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Observer(pub(in crate::engine) Option<Vec<CaptureRecord>>);

impl Observer {
    /// Records a packet handed to the host where `direction` starts.
    #[inline]
    pub(in crate::engine) fn on_sent(&mut self, at: Time, direction: usize, pdu: &Pdu) {
        if self.0.is_some() {
            self.see(at, direction, Seen::Sent(Packet::of(pdu)));
        }
    }

    /// Records a packet that arrived complete where `direction` ends.
    #[inline]
    pub(in crate::engine) fn on_received(&mut self, at: Time, direction: usize, pdu: &Pdu) {
        if self.0.is_some() {
            self.see(at, direction, Seen::Received(Packet::of(pdu)));
        }
    }

    #[inline(never)]
    pub(in crate::engine) fn see(&mut self, at: Time, direction: usize, what: Seen) {
        if let Some(seen) = &mut self.0 {
            let captured = CaptureRecord {
                at,
                direction,
                what,
            };
            seen.push(captured);
        }
    }
}

impl Room for Observer {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        make_room_in(&mut self.0)
    }
}
