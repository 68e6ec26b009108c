//! Retransmission of a receiver's SYN and FIN, the only segments it sends that are acknowledged.

use super::rto::RtoEstimator;
use super::rtt::MAX_SHIFT;
use crate::units::Time;

/// A retransmission timer with its own estimate of the round-trip time.
#[derive(Clone, Debug)]
pub(super) struct ControlTimer {
    pub(super) rtt: RtoEstimator,
    /// The segment was sent more than once.
    pub(super) was_repeated: bool,
    /// When the segment was sent, if it was sent once and is not acknowledged (Karn).
    timed: Option<Time>,
    expiry: Option<Time>,
    /// The segment is to be sent.
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

    /// The segment is sent.
    pub(super) fn on_sent(&mut self, now: Time) {
        self.due = false;
        if self.expiry.is_some() {
            self.was_repeated = true;
        } else {
            self.timed = Some(now);
            self.expiry = Some(self.rtt.expiry(now, now));
        }
    }

    /// Sends the segment again for a reason other than the timer; its acknowledgment is then not measured.
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

    /// Nothing remains to be acknowledged.
    pub(super) fn stop(&mut self) {
        self.expiry = None;
        self.due = false;
    }

    /// Advances to `now`; returns false if the peer has not answered for so long that the connection is given up.
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
