//! Resets: of a connection that is refused or unknown to the peer, and by an abort.
//!
//! Every reset is accepted as genuine: nothing here forges segments.
//!
//! Source: RFC 9293 3.5.2, 3.5.3, 3.10.5, 3.10.7.

use super::Sender;
use super::output::{Due, Pending};
use crate::tcp::{Flags, Segment, State};
use crate::units::Time;

impl Sender {
    /// The application aborts the connection: unsent data are dropped, and the peer is informed by a reset unless it
    /// does not know of the connection yet (RFC 9293 3.10.5).
    pub fn abort(&mut self, _now: Time) {
        let tells = match self.state {
            State::Closed | State::TimeWait => return,
            State::SynSent => false,
            _ => true,
        };
        self.on_reset();
        self.pending = tells.then_some(Pending::Reset);
    }

    /// The peer refuses the connection, or no longer knows it: it is dropped, and nothing is retransmitted.
    pub(super) fn on_reset(&mut self) {
        self.dropped = true;
        self.state = State::Closed;
        self.deadline = None;
        self.rexmt = None;
        self.persist.expiry = None;
        self.ecn.hold = None;
        self.pending = None;
        self.due = Due::default();
    }

    /// The reset segment of an abort.
    pub(super) fn reset(&self) -> Segment {
        Segment {
            seq: self.snd_max,
            flags: Flags::RST,
            ..Segment::default()
        }
    }
}
