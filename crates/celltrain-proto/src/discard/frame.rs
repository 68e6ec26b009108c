//! What a VC's frame has lost so far: the state that partial packet discard needs.
//!
//! Source: EPD and PPD, SIGCOMM 1994.

/// Where a VC is in its frame, and what has become of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FrameState {
    /// The next data cell is the first of a frame.
    pub(super) at_start: bool,
    /// The frame was rejected at its first cell: none of it passes.
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
        // A last cell is tried even after a loss: without it the next frame would be lost with this one.
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

    /// The rest of the frame is not to go the way of a lost cell.
    pub(super) fn keep_rest(&mut self) {
        self.drop_rest = false;
    }
}
