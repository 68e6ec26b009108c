//! Loss episodes: from the first sign of a loss until all that was outstanding then is acknowledged.
//!
//! A loss or a time-out within an episode tells of the same congestion, and often of data that were sent again. The
//! threshold that the first one set stays: what is outstanding meanwhile says nothing of the window in use.
//!
//! Source: RFC 5681 3.1, 4.3; RFC 6582 3.2; RFC 6675 5.1.

use super::Window;

/// Where the last episode ends (`recover`, `RecoveryPoint`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Episode {
    /// The octet behind the highest sent when the last loss or time-out was noticed; none before the first.
    recover: Option<u64>,
}

impl Episode {
    /// A loss or a time-out is noticed, with octets up to `snd_max` outstanding.
    pub(super) fn begin(&mut self, snd_max: u64) {
        self.recover = Some(snd_max);
    }

    /// Whether octets that were outstanding at the last loss are still not acknowledged.
    pub(super) fn is_open(&self, snd_una: u64) -> bool {
        self.recover.is_some_and(|recover| snd_una < recover)
    }

    /// Whether duplicates of an acknowledgment up to `snd_una` may tell of a new loss, and not of data that were sent
    /// again without need: more than the episode is acknowledged (RFC 6582 3.2 step 2).
    pub(super) fn is_behind(&self, snd_una: u64) -> bool {
        self.recover.is_none_or(|recover| snd_una > recover)
    }

    /// By how much one acknowledgment may let slow start grow: a segment while an episode is open, because it may cover
    /// data that the receiver held before; else what the window allows (RFC 3465 2.3).
    pub(super) fn growth_limit(&self, window: &Window, snd_una: u64) -> u64 {
        if self.is_open(snd_una) {
            window.mss
        } else {
            window.octets_per_ack
        }
    }
}
