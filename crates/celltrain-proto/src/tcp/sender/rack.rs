//! RACK: what was sent long enough before something that has arrived is lost.
//!
//! Losses are found by time and not by counting duplicates, so that a lost retransmission and the end of a transfer are
//! found too, and data that only overtook each other are not. The state machine knows neither clock nor window.
//!
//! Source: RFC 8985 5, 6. Kept simple as the RFC allows: the least round-trip time is that of the whole connection (6.2
//! step 1), and segments are looked through in the order of their sequence numbers.

use super::Sender;
use crate::tcp::outstanding::{Outstanding, Sent};
use crate::tcp::variant::DUPLICATES;
use crate::units::{Span, Time};

/// Recoveries without a report of a duplicate after which the reordering window is small again.
const PERSISTENCE: u32 = 16;

/// What RACK remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Rack {
    /// The last transmission, and the end, of the most recently sent segment that has arrived (`RACK.xmit_ts`,
    /// `RACK.end_seq`).
    newest: Option<(Time, u64)>,
    /// The round-trip time of the segment that has arrived last, sent earlier perhaps: as long as that may the others take
    /// (`RACK.rtt`).
    rtt: Span,
    min_rtt: Option<Span>,
    /// The octet behind the highest that has arrived (`RACK.fack`).
    highest: u64,
    /// The same before the acknowledgment at hand.
    highest_before: u64,
    has_reordering: bool,
    /// The reordering window in quarters of the least round-trip time, beyond the first (`RACK.reo_wnd_mult`).
    extra_quarters: u32,
    /// Recoveries that the window stays that large (`RACK.reo_wnd_persist`).
    persistence: u32,
    /// `snd_max` when the window was last enlarged (`RACK.dsack_round`).
    enlarged_at: Option<u64>,
    /// When the segments that may only be late are lost.
    pub(super) timer: Option<Time>,
}

/// Where a recovery stands when the reordering window is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// The smoothed round-trip time; none without an estimate.
    pub(super) srtt: Option<Span>,
    /// Whether losses are being repaired, by the timer or without it.
    pub(super) is_repairing: bool,
    /// Segments that the receiver holds beyond a hole.
    pub(super) held: usize,
}

impl Rack {
    /// An acknowledgment is about to be taken.
    pub(super) fn begin_ack(&mut self) {
        self.highest_before = self.highest;
    }

    /// `sent` has arrived (RFC 8985 6.2 steps 1 to 3). `is_old` says whether the acknowledgment of a segment sent again
    /// tells by its timestamp that it is an earlier transmission that arrived.
    pub(super) fn on_delivered(&mut self, now: Time, sent: &Sent, is_old: bool) {
        self.highest = self.highest.max(sent.end);
        // One acknowledgment may tell of data beyond a hole and, by its number, of data before it: these came first.
        if sent.end < self.highest_before && !sent.is_resent {
            self.has_reordering = true;
        }
        let rtt = now - sent.last;
        // Without timestamps: what is acknowledged sooner than anything ever was is an earlier transmission.
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

    /// The receiver reports a duplicate: once a round trip, more reordering is tolerated (6.2 step 4).
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

    /// How much later than what was sent after it a segment may arrive (`RACK_update_reo_wnd`).
    fn reordering_window(&self, situation: &Situation) -> Span {
        let is_certain = situation.is_repairing || situation.held >= DUPLICATES as usize;
        if !self.has_reordering && is_certain {
            return Span::ZERO;
        }
        let quarter = self.min_rtt.unwrap_or_default() / 4;
        let window = quarter * u64::from(1 + self.extra_quarters);
        situation.srtt.map_or(window, |srtt| window.min(srtt))
    }

    /// Marks what is lost, sets the timer for what may only be late, and gives the octets newly lost (6.2 step 5).
    pub(super) fn detect(&mut self, now: Time, sent: &mut Outstanding, at: &Situation) -> u64 {
        self.timer = None;
        let Some(newest) = self.newest else { return 0 };
        // Nothing has overtaken anything.
        let is_quiet = sent.oldest().is_none_or(|oldest| oldest.first > newest.0);
        if is_quiet {
            return 0;
        }
        let patience = self.rtt.saturating_add(self.reordering_window(at));
        let mut latest = None;
        let lost = sent.lose(|segment| {
            // First transmissions are in order: all behind this one left later still.
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

    /// The retransmission timer has expired: the oldest segment is lost, and what is as old as a round trip (6.3).
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

    /// An acknowledgment was taken or the reordering timer has expired: what is lost now, and what follows from it.
    pub(super) fn detect_losses(&mut self, now: Time) {
        let situation = self.situation();
        let Some(modern) = &mut self.modern else {
            return;
        };
        let Some(rack) = &mut modern.rack else { return };
        let lost = rack.detect(now, &mut self.outstanding, &situation);
        self.on_lost(now, lost);
    }

    /// `octets` were just found lost: a recovery begins unless one is going on.
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

    /// The retransmission timer has expired: marks what that says is lost. The oldest segment leaves whatever the window
    /// allows.
    pub(super) fn lose_at_timeout(&mut self, now: Time) {
        let situation = self.situation();
        let Some(modern) = &mut self.modern else {
            return;
        };
        modern.reduction = None;
        modern.duplicates = 0;
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
