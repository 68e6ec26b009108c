//! The loss-recovery phase of a sender, as an observer sees it.
//!
//! Source: the states of Linux (`tcp.h`, `enum tcp_ca_state`); the recovery phases are those of RFC 5681 and RFC 6675.

use super::Sender;
use crate::tcp::variant::CongestionControl;

/// The loss-recovery phase of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// No sign of a loss.
    Open,
    /// Duplicates or selective acknowledgments may indicate a loss.
    Disorder,
    /// Marks have reduced the window, and the data then outstanding are not acknowledged yet (RFC 3168 6.1.2).
    Marked,
    /// Losses are being repaired without a time-out.
    Recovery,
    /// Losses are being repaired after a time-out.
    TimedOut,
}

impl Sender {
    /// The current loss-recovery phase.
    pub fn phase(&self) -> Phase {
        if self.control.is_recovering() {
            Phase::Recovery
        } else if self.is_repairing() {
            Phase::TimedOut
        } else if self.ecn.is_reducing(self.snd_una) {
            Phase::Marked
        } else if self.dupacks > 0 || self.arrived() > self.snd_una {
            Phase::Disorder
        } else {
            Phase::Open
        }
    }
}
