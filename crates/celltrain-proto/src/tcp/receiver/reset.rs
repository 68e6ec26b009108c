//! Resets: by an end that is closed, and of one that has been opened.
//!
//! Source: RFC 9293 3.5.2, 3.5.3, 3.10.7.1.

use super::{Receiver, WhenClosed};
use crate::tcp::{Flags, Segment, State};

impl Receiver {
    /// A segment comes to an end that is closed. It is answered by a reset, but for one that is a reset itself.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if self.config.when_closed == WhenClosed::Resets && !segment.flags.has(Flags::RST) {
            self.refused = (segment.ack, segment.end());
            self.control.due = true;
        }
    }

    /// That answer.
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

    /// The peer has given the connection up: no answer, and nothing more is taken.
    pub(super) fn on_reset(&mut self) {
        self.state = State::Closed;
        self.deadline = None;
        self.delayed = None;
        self.ack_now = false;
        self.control.stop();
    }
}
