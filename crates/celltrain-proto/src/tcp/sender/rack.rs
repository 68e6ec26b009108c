//! RACK: a segment sent sufficiently long before one that has arrived is lost.
//!
//! Losses are detected by time instead of counting duplicates, so that a lost retransmission and a lost tail are also
//! detected, and merely reordered data are not taken for lost. The state machine knows neither clock nor window.
//!
//! Source: RFC 8985 5, 6. Simplified as the RFC allows: the minimum round-trip time is that of the whole connection
//! (6.2 step 1), and segments are examined in sequence order.

use super::Sender;
use crate::tcp::outstanding::{Outstanding, Sent};
use crate::tcp::variant::DUPLICATES;
use crate::units::{Span, Time};

/// Recoveries without a reported duplicate after which the reordering window shrinks again.
const PERSISTENCE: u32 = 16;

/// The state of RACK.
#[derive(Clone, Debug, Default)]
pub(super) struct Rack {
    /// The last transmission time and the end of the most recently sent segment that has arrived (`RACK.xmit_ts`,
    /// `RACK.end_seq`).
    newest: Option<(Time, u64)>,
    /// The round-trip time of the segment that arrived last, even if sent earlier: others may take as long
    /// (`RACK.rtt`).
    rtt: Span,
    min_rtt: Option<Span>,
    /// The octet after the highest that has arrived (`RACK.fack`).
    highest: u64,
    /// `highest` before the current acknowledgment.
    highest_before: u64,
    has_reordering: bool,
    /// The reordering window in quarters of the minimum round-trip time, beyond the first (`RACK.reo_wnd_mult`).
    extra_quarters: u32,
    /// Remaining recoveries for which the window stays that large (`RACK.reo_wnd_persist`).
    persistence: u32,
    /// `snd_max` when the window was last enlarged (`RACK.dsack_round`).
    enlarged_at: Option<u64>,
    /// When segments that may only be delayed are declared lost.
    pub(super) timer: Option<Time>,
}

/// The recovery state on which the reordering window depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// The smoothed round-trip time; `None` without an estimate.
    pub(super) srtt: Option<Span>,
    /// Whether losses are being repaired, after a time-out or without one.
    pub(super) is_repairing: bool,
    /// Segments that the receiver holds beyond a hole.
    pub(super) held: usize,
}

impl Rack {
    /// Call before processing an acknowledgment.
    pub(super) fn begin_ack(&mut self) {
        self.highest_before = self.highest;
    }

    /// `sent` has arrived (RFC 8985 6.2 steps 1 to 3). `is_old` says whether, for a retransmitted segment, the
    /// timestamp shows that an earlier transmission arrived.
    pub(super) fn on_delivered(&mut self, now: Time, sent: &Sent, is_old: bool) {
        self.highest = self.highest.max(sent.end);
        // One acknowledgment may report data beyond a hole and, cumulatively, data before it: the latter came first.
        if sent.end < self.highest_before && !sent.is_resent {
            self.has_reordering = true;
        }
        let rtt = now - sent.last;
        // Without timestamps: an acknowledgment sooner than any round trip is for an earlier transmission.
        if sent.is_resent && (is_old || self.min_rtt.is_some_and(|min| rtt < min)) {
            return;
        }
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        self.rtt = rtt;
        let sent = (sent.last, sent.end);
        if self.newest.is_none_or(|newest| sent > newest) {
            self.newest = Some(sent);
        }
    }

    /// The receiver reports a duplicate: once per round trip, more reordering is tolerated (6.2 step 4).
    pub(super) fn on_duplicate_report(&mut self, snd_una: u64, snd_max: u64) {
        if self.enlarged_at.is_none_or(|at| snd_una >= at) {
            self.enlarged_at = Some(snd_max);
            self.extra_quarters += 1;
            self.persistence = PERSISTENCE;
        }
    }

    /// A recovery has ended.
    pub(super) fn on_repaired(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.extra_quarters = 0;
        }
    }

    /// How much later a segment may arrive than segments sent after it (`RACK_update_reo_wnd`).
    fn reordering_window(&self, situation: &Situation) -> Span {
        let is_certain = situation.is_repairing || situation.held >= DUPLICATES as usize;
        if !self.has_reordering && is_certain {
            return Span::ZERO;
        }
        let quarter = self.min_rtt.unwrap_or_default() / 4;
        let window = quarter * u64::from(1 + self.extra_quarters);
        situation.srtt.map_or(window, |srtt| window.min(srtt))
    }

    /// Marks lost segments, sets the timer for those that may only be delayed, and returns the octets newly lost (6.2
    /// step 5).
    pub(super) fn detect(&mut self, now: Time, sent: &mut Outstanding, at: &Situation) -> u64 {
        self.timer = None;
        let Some(newest) = self.newest else { return 0 };
        // No segment was overtaken.
        let is_quiet = sent.oldest().is_none_or(|oldest| oldest.first > newest.0);
        if is_quiet {
            return 0;
        }
        let patience = self.rtt.saturating_add(self.reordering_window(at));
        let mut latest = None;
        let lost = sent.lose(|segment| {
            // First transmissions are in order: all after this one were sent even later.
            if segment.first > newest.0 {
                return None;
            }
            if (segment.last, segment.end) >= newest {
                return Some(false);
            }
            let due = segment.last.saturating_add(patience);
            if due > now {
                latest = latest.max(Some(due));
            }
            Some(due <= now)
        });
        self.timer = latest;
        lost
    }

    /// The retransmission timer has expired: the oldest segment is lost, and all that are at least a round trip old
    /// (6.3).
    fn lose_at_timeout(&mut self, now: Time, sent: &mut Outstanding, at: &Situation) -> u64 {
        self.timer = None;
        let patience = self.rtt.saturating_add(self.reordering_window(at));
        let oldest = sent.oldest().map(|oldest| oldest.end);
        sent.lose(|segment| {
            let is_due = segment.last.saturating_add(patience) <= now;
            Some(is_due || Some(segment.end) == oldest)
        })
    }
}

impl Sender {
    /// Whether losses are detected by time.
    pub(super) fn has_rack(&self) -> bool {
        self.modern.as_ref().is_some_and(|it| it.rack.is_some())
    }

    fn situation(&self) -> Situation {
        Situation {
            srtt: self.rtt.srtt(),
            is_repairing: self.is_repairing(),
            held: self.outstanding.held().segments,
        }
    }

    /// After an acknowledgment or expiry of the reordering timer: detects losses and acts on them.
    pub(super) fn detect_losses(&mut self, now: Time) {
        let situation = self.situation();
        let Some(modern) = &mut self.modern else {
            return;
        };
        let Some(rack) = &mut modern.rack else { return };
        let lost = rack.detect(now, &mut self.outstanding, &situation);
        self.on_lost(now, lost);
    }

    /// `octets` were just found lost: a recovery begins unless one is in progress.
    fn on_lost(&mut self, now: Time, octets: u64) {
        if octets == 0 {
            return;
        }
        if let Some(modern) = &mut self.modern {
            modern.lost += octets;
            modern.shows_loss = true;
        }
        self.request_output(now);
        if !self.is_repairing() {
            self.begin_recovery(now);
        }
    }

    /// The retransmission timer has expired: marks the segments lost according to that. The oldest one is sent
    /// regardless of the window.
    pub(super) fn lose_at_timeout(&mut self, now: Time) {
        let situation = self.situation();
        let Some(modern) = &mut self.modern else {
            return;
        };
        modern.reduction = None;
        modern.duplicates = 0;
        modern.on_timeout();
        if let Some(tail) = &mut modern.tail {
            tail.cancel();
        }
        let Some(rack) = &mut modern.rack else { return };
        modern.lost += rack.lose_at_timeout(now, &mut self.outstanding, &situation);
        self.due.resend = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_8985_6_2_the_round_trip_is_that_of_the_segment_that_arrived_last_however_old() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut outstanding = Outstanding::default();
        outstanding.record(0, 1_000, at(100));
        outstanding.record(1_000, 2_000, at(100));
        outstanding.record(0, 1_000, at(200));
        let mut rack = Rack::default();
        while let Some(sent) = outstanding.acknowledge(2_000) {
            rack.on_delivered(at(300), &sent, false);
        }
        assert_eq!(rack.rtt, Span::from_ms(200));
        assert_eq!(rack.newest, Some((at(200), 1_000)));
    }
}
