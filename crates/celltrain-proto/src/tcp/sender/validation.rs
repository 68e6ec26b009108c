//! Congestion window validation: the window may only grow if it limits the sender.
//!
//! A window that grows while the application or the peer limits the outstanding data does not reflect the network, and
//! permits a burst later.
//!
//! Source: RFC 9438 5.8; RFC 7661 4.1; the period of one window of data follows Linux `tcp_cwnd_validate`.

use super::Sender;
use crate::tcp::variant::CongestionControl;

/// How much of the congestion window was used during the last window of data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowUse {
    /// No further segment would have fitted.
    is_full: bool,
    /// The maximum of the octets outstanding.
    most: u64,
    /// The observation is discarded when octets up to here are acknowledged.
    until: u64,
}

impl WindowUse {
    /// `outstanding` octets are in flight after all up to `snd_nxt` was sent.
    fn note(&mut self, snd_una: u64, snd_nxt: u64, outstanding: u64, is_full: bool) {
        let is_new = snd_una >= self.until;
        if is_new || is_full || (!self.is_full && outstanding > self.most) {
            *self = Self {
                is_full,
                most: outstanding,
                until: snd_nxt,
            };
        }
    }
}

impl Sender {
    /// A segment was sent.
    pub(super) fn note_window_use(&mut self) {
        if self.window_use.is_none() {
            return;
        }
        let outstanding = if self.has_rack() || self.control.is_recovering() {
            self.pipe()
        } else {
            self.snd_nxt - self.snd_una
        };
        let is_full = outstanding + self.mss() > self.cwnd();
        if let Some(window_use) = &mut self.window_use {
            window_use.note(self.snd_una, self.snd_nxt, outstanding, is_full);
        }
    }

    /// Whether the congestion window limits the outstanding data. In slow start half of it suffices, or it could not
    /// double in a round trip. The variants of the 1990s do not check this.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        let window = self.control.window();
        self.window_use.is_none_or(|window_use| {
            window_use.is_full || (window.is_slow_start() && window.cwnd < 2 * window_use.most)
        })
    }
}
