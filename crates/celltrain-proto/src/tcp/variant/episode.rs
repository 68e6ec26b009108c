//! Loss episodes: from the detection of a loss until all data outstanding then are acknowledged.
//!
//! A further loss or time-out within an episode indicates the same congestion, and often concerns retransmitted data.
//! The threshold set by the first one stays, since the data outstanding during repair do not show the window in use.
//!
//! Source: RFC 5681 3.1, 4.3; RFC 6582 3.2; RFC 6675 5.1.

use super::Window;

/// Where the last episode ends (`recover`, `RecoveryPoint`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Episode {
    /// `snd_max` when the last loss or time-out was detected; none before the first.
    recover: Option<u64>,
}

impl Episode {
    /// A loss or time-out is detected, with octets up to `snd_max` outstanding.
    pub(super) fn begin(&mut self, snd_max: u64) {
        self.recover = Some(snd_max);
    }

    /// Whether octets outstanding at the last loss or time-out are still unacknowledged.
    pub(super) fn is_open(&self, snd_una: u64) -> bool {
        self.recover.is_some_and(|recover| snd_una < recover)
    }

    /// Whether duplicates of an acknowledgment up to `snd_una` may indicate a new loss rather than needless
    /// retransmissions: data sent after the episode began are acknowledged (RFC 6582 3.2 step 2).
    pub(super) fn is_behind(&self, snd_una: u64) -> bool {
        self.recover.is_none_or(|recover| snd_una > recover)
    }

    /// The most that one acknowledgment may add in slow start: a segment while an episode is open, because it may cover
    /// data that the receiver already held; otherwise the window's own limit (RFC 3465 2.3).
    pub(super) fn growth_limit(&self, window: &Window, snd_una: u64) -> u64 {
        if self.is_open(snd_una) {
            window.mss
        } else {
            window.octets_per_ack
        }
    }
}
