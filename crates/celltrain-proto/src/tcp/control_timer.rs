//! Retransmission of the SYN and the FIN of a receiver, which sends nothing else that is acknowledged.

use super::rto::RtoEstimator;
use super::rtt::MAX_SHIFT;
use crate::units::Time;

/// A retransmission timer with its own estimate of the round-trip time.
#[derive(Clone, Debug)]
pub(super) struct ControlTimer {
    pub(super) rtt: RtoEstimator,
    /// When the segment left, while it is sent once and not acknowledged (Karn).
    timed: Option<Time>,
    expiry: Option<Time>,
}

/// What an expiry calls for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expired {
    Resend,
    GiveUp,
}

impl ControlTimer {
    pub(super) fn new(rtt: RtoEstimator) -> Self {
        Self {
            rtt,
            timed: None,
            expiry: None,
        }
    }

    /// The segment leaves.
    pub(super) fn on_sent(&mut self, now: Time) {
        if self.expiry.is_none() {
            self.timed = Some(now);
            self.expiry = Some(self.rtt.expiry(now, now));
        }
    }

    /// It leaves again for another reason than the timer, so that its answer measures nothing.
    pub(super) fn on_repeated(&mut self) {
        self.timed = None;
    }

    pub(super) fn on_acknowledged(&mut self, now: Time) {
        if let Some(sent) = self.timed.take() {
            self.rtt.sample(sent, now);
        }
        self.expiry = None;
    }

    /// Nobody will answer any more.
    pub(super) fn stop(&mut self) {
        self.expiry = None;
    }

    pub(super) fn on_timer(&mut self, now: Time) -> Option<Expired> {
        self.expiry.filter(|&expiry| expiry <= now)?;
        self.timed = None;
        if self.rtt.shift() == MAX_SHIFT {
            self.expiry = None;
            return Some(Expired::GiveUp);
        }
        self.rtt.back_off();
        self.expiry = Some(self.rtt.expiry(now, now));
        Some(Expired::Resend)
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.expiry
    }
}
