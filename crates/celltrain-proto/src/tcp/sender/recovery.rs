//! Loss recovery with selective acknowledgments: what to send next (`NextSeg`).
//!
//! Source: RFC 6675 4, 5. After a time-out the scoreboard is cleared, and what it then learns is skipped in the
//! retransmission.

use super::Sender;
use crate::tcp::Segment;
use crate::tcp::sack::Scoreboard;
use crate::tcp::variant::CongestionControl;
use crate::units::Time;

/// The sender's knowledge of the receiver's data and of its own retransmissions.
#[derive(Clone, Debug)]
pub(super) struct SackState {
    pub(super) board: Scoreboard,
    /// Whether the latest segment reports data that were not on the scoreboard.
    pub(super) is_news: bool,
    /// The octet after the highest retransmitted in this recovery (`HighRxt`).
    high_rxt: u64,
    /// `snd_max` at the start of this recovery.
    recovery_point: u64,
    /// No rescue retransmission is sent while `snd_una` is below this (`RescueRxt`); `None` before the first repair.
    rescue_from: Option<u64>,
}

impl SackState {
    pub(super) fn new(mss: u64) -> Self {
        Self {
            board: Scoreboard::new(mss),
            is_news: false,
            high_rxt: 0,
            recovery_point: 0,
            rescue_from: None,
        }
    }

    /// Recovery begins.
    pub(super) fn begin(&mut self, snd_una: u64, snd_max: u64) {
        self.high_rxt = snd_una;
        self.recovery_point = snd_max;
        self.rescue_from = None;
    }

    /// The segment at `snd_una` was retransmitted, up to `end`.
    pub(super) fn on_resent(&mut self, end: u64) {
        self.high_rxt = self.high_rxt.max(end);
        self.rescue_from.get_or_insert(end + 1);
    }
}

impl Sender {
    /// Octets that this sender presumes to be in flight: all that are outstanding or, in recovery with selective
    /// acknowledgments, the estimate of RFC 6675. If losses are detected by time, all that are neither held by the
    /// receiver nor lost.
    pub fn pipe(&self) -> u64 {
        if self.has_rack() {
            let (held, lost) = (self.outstanding.held(), self.outstanding.lost());
            return (self.snd_max - self.snd_una).saturating_sub(held.octets + lost.octets);
        }
        match &self.sack {
            Some(sack) if self.control.is_recovering() => {
                sack.board.pipe(self.snd_una, self.snd_max, sack.high_rxt)
            }
            _ => self.snd_max - self.snd_una,
        }
    }

    /// Processes the selective acknowledgments of a segment.
    pub(super) fn take_blocks(&mut self, now: Time, segment: &Segment) {
        if segment.ack > self.snd_max {
            return;
        }
        self.mark_held(now, segment);
        if let Some(sack) = &mut self.sack {
            let blocks = segment.sack_blocks().filter(|block| block.0 > self.snd_una);
            sack.is_news = sack.board.update(blocks, self.snd_max);
            sack.board.acknowledge(self.snd_una.max(segment.ack));
        }
    }

    /// The next segment of a recovery driven by the scoreboard.
    pub(super) fn next_in_recovery(&mut self, now: Time) -> Option<Segment> {
        if self.cwnd() < self.pipe() + self.mss() {
            return None;
        }
        let sack = self.sack.as_ref()?;
        let (lost_below, highest) = (sack.board.lost_below(), sack.board.highest());
        let (start, end) = sack.board.hole(sack.high_rxt.max(self.snd_una));
        let hole = (start, (end - start).min(self.mss()));
        if start < lost_below {
            return Some(self.resend(now, hole));
        }
        let new = self.new_len();
        if new > 0 || self.is_fin(self.snd_nxt) {
            return Some(self.transmit(now, self.snd_nxt, new));
        }
        if start < highest {
            return Some(self.resend(now, hole));
        }
        self.rescue(now)
    }

    fn resend(&mut self, now: Time, (start, len): (u64, u64)) -> Segment {
        if let Some(sack) = &mut self.sack {
            sack.on_resent(start + len);
        }
        self.transmit(now, start, len)
    }

    /// Retransmits the end of the missing data, once per recovery, and again when recovery has advanced beyond that
    /// point.
    fn rescue(&mut self, now: Time) -> Option<Segment> {
        let (snd_una, snd_max, mss) = (self.snd_una, self.snd_max, self.mss());
        let sack = self.sack.as_mut()?;
        if sack.rescue_from.is_none_or(|from| snd_una < from) {
            return None;
        }
        let (start, end) = sack.board.last_hole(snd_una, snd_max);
        if start >= end {
            return None;
        }
        sack.rescue_from = Some(sack.recovery_point + 1);
        let start = start.max(end.saturating_sub(mss));
        Some(self.transmit(now, start, end - start))
    }
}
