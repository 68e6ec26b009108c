//! Output: which segment leaves next (`tcp_output`).

use super::{OutputRule, Sender, Timing};
use crate::tcp::Segment;
use crate::units::Time;

/// What the last event calls for. BSD calls `tcp_output` at certain points only: the third duplicate
/// acknowledgment, above all, resends one segment and opens the window for later.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Due {
    /// The segment at `snd_una`, by fast retransmit.
    pub(super) resend: bool,
    /// All that the window allows.
    output: bool,
    /// Nothing was outstanding when output was called for.
    idle: bool,
}

impl Sender {
    /// From now on what the window allows is sent.
    pub(super) fn request_output(&mut self, now: Time) {
        let idle = self.snd_una == self.snd_max;
        self.due.output = true;
        self.due.idle = idle;
        let silent = |since| self.rtt.is_past(since, now);
        if idle && silent(self.heard.unwrap_or(now)) {
            self.control.get_mut().on_idle();
        }
    }

    /// The next segment to send now, none when nothing is left.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.dropped {
            return None;
        }
        if self.due.resend {
            self.due.resend = false;
            let unacknowledged = self.written - self.snd_una;
            let hole = self.missing_from(self.snd_una).1 - self.snd_una;
            let len = unacknowledged.min(self.mss()).min(self.snd_wnd).min(hole);
            if len > 0 {
                if let Some(sack) = &mut self.sack {
                    sack.on_resent(self.snd_una + len);
                }
                return Some(self.transmit(now, self.snd_una, len));
            }
        }
        if !self.due.output {
            return None;
        }
        if self.sack.is_some() && self.control.get().is_recovering() {
            let segment = self.next_in_recovery(now);
            self.due.output = segment.is_some();
            return segment;
        }
        if self.snd_nxt < self.snd_max {
            self.snd_nxt = self.missing_from(self.snd_nxt).0;
        }
        let len = self.next_len();
        self.due.output = len > 0;
        (len > 0).then(|| self.transmit(now, self.snd_nxt, len))
    }

    /// The first octets from `from` on of which the peer has not told that it holds them.
    fn missing_from(&self, from: u64) -> (u64, u64) {
        self.sack
            .as_ref()
            .map_or((from, u64::MAX), |sack| sack.board.hole(from))
    }

    /// Octets of the segment at `snd_nxt` that may be sent; zero if it has to wait.
    fn next_len(&self) -> u64 {
        self.len_within(self.cwnd().min(self.snd_wnd))
    }

    /// The same where only the peer's window counts.
    pub(super) fn new_len(&self) -> u64 {
        self.len_within(self.snd_wnd)
    }

    fn len_within(&self, window: u64) -> u64 {
        let room = window.saturating_sub(self.snd_nxt - self.snd_una);
        let left = self.written - self.snd_nxt;
        let hole = self.missing_from(self.snd_nxt).1 - self.snd_nxt;
        let segment = left.min(self.mss()).min(hole);
        let len = match self.config.output {
            OutputRule::Bsd => segment.min(room),
            OutputRule::WholeSegments if segment <= room => segment,
            OutputRule::WholeSegments => 0,
        };
        let ends_data = len == left && (self.due.idle || !self.config.nagle);
        let worth_sending = len == self.mss()
            || ends_data
            || len >= self.max_sndwnd / 2
            || self.snd_nxt < self.snd_max;
        if worth_sending { len } else { 0 }
    }

    /// Sends `len` octets from `seq` on, and times and guards them where nothing else is.
    pub(super) fn transmit(&mut self, now: Time, seq: u64, len: u64) -> Segment {
        let end = seq + len;
        self.stats.segments_sent += 1;
        self.stats.bytes_sent += len;
        self.stats.segments_retransmitted += u64::from(seq < self.snd_max);
        self.outstanding.record(seq, end, now);
        if end > self.snd_max {
            self.snd_max = end;
            if self.timing.is_none() {
                self.timing = Some(Timing { seq, sent: now });
            }
        }
        // After a fast retransmit `snd_nxt` stays where it was.
        self.snd_nxt = self.snd_nxt.max(end);
        if self.rexmt.is_none() {
            self.arm(now, now);
        }
        Segment {
            seq,
            len: len as u32,
            ..Segment::default()
        }
    }

    pub(super) fn mss(&self) -> u64 {
        self.config.mss.into()
    }
}
