//! The reaction to congestion marks (classic ECN).
//!
//! Source: RFC 3168 6.1.2.

use super::Sender;
use crate::tcp::variant::CongestionControl;
use crate::tcp::{Flags, Segment};
use crate::units::Time;

/// What a sender remembers about marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    /// `snd_max` at the last reduction of the window, for any reason: until more is acknowledged, marks indicate the
    /// same congestion.
    reduced_at: Option<u64>,
    /// That reduction was due to marks.
    by_marks: bool,
    /// The next segment of new data announces the reduction (CWR).
    cwr_due: bool,
    /// A window of one segment cannot be reduced: new data are held back until then.
    pub(super) hold: Option<Time>,
}

impl EcnState {
    /// Marks have reduced the window, and the data then outstanding are not acknowledged yet.
    pub(super) fn is_reducing(self, snd_una: u64) -> bool {
        self.by_marks && self.reduced_at.is_some_and(|at| snd_una < at)
    }
}

impl Sender {
    /// An acknowledgment arrives; returns true if it reports a mark.
    pub(super) fn on_ecn_echo(&mut self, now: Time, segment: &Segment) -> bool {
        if !self.agreed.ecn || segment.ack > self.snd_max {
            return false;
        }
        let echo = segment.flags.has(Flags::ECE);
        if segment.ack > self.snd_una {
            let event = self.event(now);
            self.control
                .on_echo(segment.ack - self.snd_una, echo, &event);
        }
        if !echo {
            return false;
        }
        if self.ecn.reduced_at.is_none_or(|at| segment.ack > at) {
            self.stats.ecn_reductions += 1;
            if self.cwnd() <= self.mss() {
                self.ecn.hold = Some(self.rtt.expiry(now, now));
            }
            let event = self.event(now);
            self.control.on_ecn(&event);
            self.note_reduction();
            self.ecn.by_marks = true;
        }
        true
    }

    /// The window was reduced.
    pub(super) fn note_reduction(&mut self) {
        if let Some(modern) = &mut self.modern {
            modern.on_reduction();
        }
        if self.agreed.ecn {
            self.ecn.reduced_at = Some(self.snd_max);
            self.ecn.cwr_due = true;
            self.ecn.by_marks = false;
        }
    }

    /// Sets the header bits of a segment of new data, which queues may mark.
    pub(super) fn mark_new_data(&mut self, segment: &mut Segment) {
        if self.agreed.ecn {
            segment.ecn_capable = true;
            segment.flags |= Flags::CWR.only_if(core::mem::take(&mut self.ecn.cwr_due));
        }
    }
}
