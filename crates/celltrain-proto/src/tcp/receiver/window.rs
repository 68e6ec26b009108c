//! A receiver's socket buffer and the window that it offers.
//!
//! Source: 4.3BSD-Reno `tcp_output.c`; RFC 9293 3.8.6.2; RFC 1122 4.2.3.3.

use super::{ReadMode, Receiver, WindowUpdate};
use crate::units::Time;

impl Receiver {
    /// The application reads up to `octets`; returns how many it got. If the application reads at once, nothing remains
    /// to be read.
    pub fn read(&mut self, _now: Time, octets: u64) -> u64 {
        let octets = octets.min(self.readable());
        self.read += octets;
        if octets > 0 && self.is_window_update_due() {
            self.ack_now = true;
        }
        self.close_if_done();
        octets
    }

    /// Octets that the application may read now.
    pub fn readable(&self) -> u64 {
        match self.config.application {
            ReadMode::AtOnce => 0,
            ReadMode::Manual => self.rcv_nxt - self.read,
        }
    }

    /// Free octets of the buffer. Data beyond a hole do not count, as in BSD.
    fn free(&self) -> u64 {
        u64::from(self.config.window).saturating_sub(self.rcv_nxt - self.read)
    }

    /// The part of the offered window that the peer has not used.
    fn left(&self) -> u64 {
        self.rcv_adv.saturating_sub(self.rcv_nxt)
    }

    /// The octet after the last acceptable one.
    pub(super) fn window_end(&self) -> u64 {
        self.rcv_nxt + self.free().max(self.left())
    }

    /// Whether the right edge of the window could move far enough for an update.
    pub(super) fn is_window_update_due(&self) -> bool {
        let mss = u64::from(self.config.mss);
        let size = u64::from(self.config.window);
        let window = self.free().min(self.agreed.window.limit());
        let gain = window.saturating_sub(self.left());
        match self.config.window_update {
            WindowUpdate::Bsd => gain >= 2 * mss || 2 * gain >= size,
            WindowUpdate::Tahoe => {
                let empty = self.read == self.rcv_nxt;
                (empty && gain >= 2 * mss) || 100 * gain >= 35 * size
            }
            WindowUpdate::Rfc1122 => gain >= (size / 2).min(mss),
            WindowUpdate::Doubled => gain >= self.left().max(1),
        }
    }

    /// How many octets, at least one, the application has to read before a segment would be sent to the peer; `None` if
    /// reading all that is available now would send none. Smaller reads may be postponed, as long as they are done
    /// before anything else happens.
    pub fn octets_until_news(&self) -> Option<u64> {
        let (mss, size) = (u64::from(self.config.mss), u64::from(self.config.window));
        let gain = match self.config.window_update {
            WindowUpdate::Bsd => (2 * mss).min(size.div_ceil(2)),
            WindowUpdate::Rfc1122 => (size / 2).min(mss),
            WindowUpdate::Doubled => self.left().max(1),
            // An update may also require that everything is read.
            WindowUpdate::Tahoe => return Some(1),
        };
        if self.fin.is_some() || self.ack_now {
            return Some(1);
        }
        let window = self.left() + gain;
        let octets = window.saturating_sub(self.free()).max(1);
        let is_told = window <= self.agreed.window.limit() && octets <= self.readable();
        is_told.then_some(octets)
    }

    /// The window to offer now: zero if only a small one is free, and never less than was offered before.
    pub(super) fn offer(&mut self) -> u64 {
        let free = self.free();
        let silly = free < u64::from(self.config.mss) && free < u64::from(self.config.window / 4);
        let window = if silly { 0 } else { free };
        let window = window.min(self.agreed.window.limit()).max(self.left());
        let window = self.agreed.window.truncate(window);
        self.rcv_adv = self.rcv_adv.max(self.rcv_nxt + window);
        window
    }
}
