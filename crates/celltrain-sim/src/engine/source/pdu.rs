//! A segment on its way as an AAL5 PDU.

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
    /// Which of the flow's connections it belongs to.
    pub(in crate::engine) incarnation: u32,
    /// The number of its last cell within the VC's direction.
    pub(super) last: u32,
    /// How many of its cells found room at the host; the rest, at its end, never leave.
    pub(super) kept: u32,
    /// Whether it has lost a cell, or holds one with errors.
    pub(in crate::engine) is_damaged: bool,
    pub(in crate::engine) segment: Segment,
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
            segment,
        }
    }

    /// This PDU, belonging to a later connection of its flow.
    pub(in crate::engine) fn of_incarnation(self, incarnation: u32) -> Self {
        Self {
            incarnation,
            ..self
        }
    }
}
