//! Per-VC frame state for partial packet discard.
//!
//! Source: EPD and PPD, SIGCOMM 1994.

/// Where a VC is within its frame, and what has happened to the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FrameState {
    /// The next data cell is the first of a frame.
    pub(super) at_start: bool,
    /// The frame was rejected at its first cell: none of its cells passes.
    drop_frame: bool,
    /// A cell of the frame was lost: of the rest, only the last cell passes.
    drop_rest: bool,
}

impl Default for FrameState {
    fn default() -> Self {
        Self {
            at_start: true,
            drop_frame: false,
            drop_rest: false,
        }
    }
}

impl FrameState {
    /// Whether a data cell passes. `rejected`: the policy's verdict on the frame, read at its first cell.
    pub(super) fn admits(&mut self, is_end: bool, rejected: bool, has_room: bool) -> bool {
        if self.at_start {
            (self.drop_frame, self.drop_rest) = (rejected, false);
        }
        // The last cell is still offered after a loss: without it the next frame would be lost too.
        let dropped = self.drop_frame || (self.drop_rest && !is_end) || !has_room;
        self.drop_rest |= !has_room;
        self.at_start = is_end;
        !dropped
    }

    /// Whether the next cells are refused, up to the last of the frame.
    pub(super) fn refuses_rest(self) -> bool {
        !self.at_start && (self.drop_frame || self.drop_rest)
    }

    /// Whether the next cells are admitted, up to the last of the frame, if they find room.
    pub(super) fn admits_rest(self) -> bool {
        !(self.at_start || self.drop_frame || self.drop_rest)
    }

    /// Does not drop the rest of the frame after a lost cell.
    pub(super) fn keep_rest(&mut self) {
        self.drop_rest = false;
    }
}
