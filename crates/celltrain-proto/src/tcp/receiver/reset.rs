//! Resets: sent by a closed end, and received by an open one.
//!
//! Source: RFC 9293 3.5.2, 3.5.3, 3.10.7.1.

use super::{Receiver, WhenClosed};
use crate::tcp::{Flags, Segment, State};

impl Receiver {
    /// A segment arrives at a closed end. It is answered by a reset unless it is a reset itself.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if self.config.when_closed == WhenClosed::Resets && !segment.flags.has(Flags::RST) {
            self.refused = (segment.ack, segment.end());
            self.control.due = true;
        }
    }

    /// The reset that answers it.
    pub(super) fn reset(&mut self) -> Segment {
        self.control.due = false;
        let (seq, ack) = self.refused;
        Segment {
            seq,
            ack,
            flags: Flags::RST,
            ..Segment::default()
        }
    }

    /// The peer has aborted the connection: no answer, and nothing more is accepted.
    pub(super) fn on_reset(&mut self) {
        self.state = State::Closed;
        self.deadline = None;
        self.delayed = None;
        self.ack_now = false;
        self.control.stop();
    }
}
