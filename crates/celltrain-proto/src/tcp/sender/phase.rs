//! Where a sender stands with losses, as an observer sees it.
//!
//! Source: the states of Linux (`tcp.h`, `enum tcp_ca_state`); those that repair are RFC 5681's and RFC 6675's.

use super::Sender;
use crate::tcp::variant::CongestionControl;

/// Where a sender stands with losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing tells of a loss.
    Open,
    /// Duplicates, or selective acknowledgments, may tell of one.
    Disorder,
    /// Marks have reduced the window, and what was outstanding then is not acknowledged yet (RFC 3168 6.1.2).
    Marked,
    /// Losses are repaired without the timer.
    Recovery,
    /// They are repaired after a time-out.
    TimedOut,
}

impl Sender {
    /// Where it stands with losses.
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
