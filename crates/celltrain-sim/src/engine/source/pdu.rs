//! A segment on its way as an AAL5 PDU.

use celltrain_proto::ip::Fragment;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::Time;

/// A segment on its way as an AAL5 PDU.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Pdu {
    /// The flow.
    pub(in crate::engine) flow: u32,
    /// Whether it carries data to the receiver, or an ACK back to the sender.
    pub(in crate::engine) is_data: bool,
    /// The number of its cells.
    pub(in crate::engine) cells: u32,
    /// When it was handed to the host.
    pub(in crate::engine) handed_over: Time,
    /// Which of the flow's connections it belongs to; of packets from outside, the label of their flow.
    pub(in crate::engine) incarnation: u32,
    /// The number of its last cell within the VC's direction.
    pub(super) last: u32,
    /// How many of its cells found room at the host; the rest, at its end, never leave.
    pub(super) kept: u32,
    /// Whether it has lost a cell, or holds one with errors.
    pub(in crate::engine) is_damaged: bool,
    /// Whether it is a frame that has arrived, while others that left before it are on their way.
    pub(super) has_arrived: bool,
    pub(in crate::engine) segment: Segment,
    /// The part of its packet that it carries, with the packet's identification; `None` if it is whole.
    pub(in crate::engine) fragment: Option<(u32, Fragment)>,
}

impl Pdu {
    /// A segment handed to the host at `now`.
    pub(in crate::engine) fn new(
        now: Time,
        flow: u32,
        is_data: bool,
        cells: u32,
        segment: Segment,
    ) -> Self {
        Self {
            flow,
            is_data,
            cells,
            handed_over: now,
            incarnation: 0,
            last: 0,
            kept: cells,
            is_damaged: false,
            has_arrived: false,
            segment,
            fragment: None,
        }
    }

    /// A PDU of `cells` cells with this part of its packet.
    pub(in crate::engine) fn part(self, packet: u32, part: Fragment, cells: u32) -> Self {
        Self {
            cells,
            kept: cells,
            fragment: Some((packet, part)),
            ..self
        }
    }

    /// Whether it is the first, or only, part of its packet.
    pub(in crate::engine) fn is_first_part(&self) -> bool {
        self.fragment.is_none_or(|(_, part)| part.is_first())
    }

    /// Whether a later PDU belongs to another copy of its segment.
    pub(super) fn is_copied_by(&self, newer: &Self) -> bool {
        let packet = |pdu: &Self| pdu.fragment.map(|fragment| fragment.0);
        newer.is_data
            && newer.flow == self.flow
            && newer.segment.seq == self.segment.seq
            && (self.fragment.is_none() || packet(newer) != packet(self))
    }

    /// This PDU, belonging to a later connection of its flow.
    pub(in crate::engine) fn of_incarnation(self, incarnation: u32) -> Self {
        Self {
            incarnation,
            ..self
        }
    }
}
