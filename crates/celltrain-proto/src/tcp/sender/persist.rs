//! Zero-window probes (persist timer), also for windows too small to send into.
//!
//! Current variants probe after the retransmission time-out, those of the 1990s after at least 5 s. The back-off index
//! is the timer's own; BSD shares it with the retransmission timer, which does not run at the same time, and resets it
//! before use.
//!
//! Source: RFC 9293 3.8.6.1; 4.3BSD-Reno `tcp_setpersist`, `tcp_output`.

use super::Sender;
use crate::tcp::Segment;
use crate::units::Time;

/// The persist timer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Persist {
    pub(super) expiry: Option<Time>,
    /// Probes since the timer was started.
    shift: u8,
}

impl Sender {
    /// If nothing may be sent, data wait and no other timer runs, starts the persist timer. If the window was closed
    /// over data in flight, it also replaces their retransmission timer, unless losses are detected by time: that never
    /// goes back to `snd_una`.
    pub(super) fn persist_if_stuck(&mut self, now: Time) {
        let goes_back = !self.has_rack();
        if goes_back
            && self.snd_wnd == 0
            && self.snd_una < self.snd_nxt
            && self.snd_una < self.written
        {
            self.rexmt = None;
            self.snd_nxt = self.snd_una;
        }
        let waits = self.snd_nxt < self.buffered_end();
        if waits && self.rexmt.is_none() && self.persist.expiry.is_none() {
            self.persist.shift = 0;
            self.set_persist(now);
        }
    }

    pub(super) fn set_persist(&mut self, now: Time) {
        let shift = self.persist.shift;
        let interval = if self.config.variant.facts().is_modern {
            self.rtt.probe_interval(shift)
        } else {
            self.rtt.persist(shift)
        };
        self.persist.shift = self.persist.shift.saturating_add(1);
        self.persist.expiry = Some(self.rtt.after(now, interval));
    }

    /// The segment sent by the persist timer: an octet beyond a zero window, or all that a small one has room for. The
    /// octet is neither timed nor protected by the retransmission timer, and remains next to send.
    pub(super) fn probe(&mut self, now: Time) -> Option<Segment> {
        let room = self.window().saturating_sub(self.snd_nxt - self.snd_una);
        let waiting = self.buffered_end().saturating_sub(self.snd_nxt);
        if waiting == 0 {
            self.persist.expiry = None;
        }
        self.persist.expiry?;
        if room > 0 {
            let len = waiting.min(room).min(self.mss());
            return Some(self.transmit(now, self.snd_nxt, len));
        }
        let (seq, end) = (self.snd_nxt, self.snd_nxt + 1);
        self.stats.window_probes += 1;
        self.count_data_segment(seq);
        self.outstanding.record(seq, end, now);
        self.snd_max = self.snd_max.max(end);
        Some(Segment {
            seq,
            len: 1,
            ..Segment::default()
        })
    }
}
