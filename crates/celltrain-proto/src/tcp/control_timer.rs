//! Retransmission of the SYN and the FIN of a receiver, which sends nothing else that is acknowledged.

use super::rto::RtoEstimator;
use super::rtt::MAX_SHIFT;
use crate::units::Time;

/// A retransmission timer with its own estimate of the round-trip time.
#[derive(Clone, Debug)]
pub(super) struct ControlTimer {
    pub(super) rtt: RtoEstimator,
    /// The segment left more than once.
    pub(super) was_repeated: bool,
    /// When the segment left, while it is sent once and not acknowledged (Karn).
    timed: Option<Time>,
    expiry: Option<Time>,
    /// The segment is to leave.
    pub(super) due: bool,
}

impl ControlTimer {
    pub(super) fn new(rtt: RtoEstimator) -> Self {
        Self {
            rtt,
            was_repeated: false,
            timed: None,
            expiry: None,
            due: false,
        }
    }

    /// The segment leaves.
    pub(super) fn on_sent(&mut self, now: Time) {
        self.due = false;
        if self.expiry.is_some() {
            self.was_repeated = true;
        } else {
            self.timed = Some(now);
            self.expiry = Some(self.rtt.expiry(now, now));
        }
    }

    /// It is to leave again for another reason than the timer, so that its answer measures nothing.
    pub(super) fn repeat(&mut self) {
        self.timed = None;
        self.due = true;
    }

    pub(super) fn on_acknowledged(&mut self, now: Time) {
        if let Some(sent) = self.timed.take() {
            self.rtt.sample(sent, now);
        }
        self.stop();
    }

    /// Nothing is to be acknowledged any more.
    pub(super) fn stop(&mut self) {
        self.expiry = None;
        self.due = false;
    }

    /// Time has come to `now`; false if nothing has answered for so long that nothing will.
    pub(super) fn on_timer(&mut self, now: Time) -> bool {
        if self.expiry.is_none_or(|expiry| now < expiry) {
            return true;
        }
        self.timed = None;
        if self.rtt.shift() == MAX_SHIFT {
            return false;
        }
        self.rtt.back_off();
        self.expiry = Some(self.rtt.expiry(now, now));
        self.due = true;
        true
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.expiry
    }
}
