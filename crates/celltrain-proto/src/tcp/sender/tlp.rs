//! Tail loss probes: if the end of a flight may be lost and nothing follows that would reveal it, one segment probes
//! for it.
//!
//! A probe two round trips after the last transmission causes an acknowledgment from which RACK detects losses; without
//! it a tail loss waits for the retransmission timer.
//!
//! Source: RFC 8985 7.

use super::Sender;
use super::output::Pending;
use crate::tcp::Segment;
use crate::tcp::variant::{CongestionControl, Event};
use crate::units::{Span, Time};

/// How long a receiver may delay the acknowledgment of a single segment (`TLP.max_ack_delay`).
const MAX_ACK_DELAY: Span = Span::from_ms(200);
/// The probe time-out before the first round-trip sample (7.2).
const WITHOUT_SAMPLE: Span = Span::from_secs(1);
/// The minimum time from a transmission to a probe, a limit of Linux's timers (`TCP_TIMEOUT_MIN`).
const SHORTEST: Span = Span::from_ms(2);

/// An unanswered probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Probe {
    /// `snd_max` when it was sent (`TLP.end_seq`).
    end: u64,
    /// Whether it was a retransmission (`TLP.is_retrans`).
    is_resent: bool,
}

/// The state of tail loss probes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailProbe {
    /// When a probe is sent, unless an acknowledgment or new data come first (PTO).
    pub(super) timer: Option<Time>,
    unanswered: Option<Probe>,
    /// Nothing was acknowledged since the last probe.
    waits: bool,
}

/// What the answer to a probe reveals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// Nothing yet, or that no segment was lost.
    Nothing,
    /// The probe has repaired the loss of the last segment.
    Repaired,
}

impl TailProbe {
    /// `ack` is acknowledged; `reported` is the end of a duplicate that the receiver reports, and `is_bare` says that
    /// the acknowledgment carries nothing else, not even a report (7.4.2).
    fn on_ack(&mut self, ack: u64, reported: Option<u64>, is_bare: bool) -> Answer {
        let Some(probe) = self.unanswered.filter(|probe| ack >= probe.end) else {
            return Answer::Nothing;
        };
        let is_duplicate = reported == Some(probe.end) || is_bare;
        if !probe.is_resent || is_duplicate {
            self.unanswered = None;
        } else if ack > probe.end {
            self.unanswered = None;
            return Answer::Repaired;
        }
        Answer::Nothing
    }

    /// Another mechanism repairs a loss, or nothing is outstanding.
    pub(super) fn cancel(&mut self) {
        *self = Self::default();
    }
}

impl Sender {
    /// New data were sent or acknowledged: sets or stops the probe timer (7.2).
    pub(super) fn schedule_probe(&mut self, now: Time) {
        let is_quiet = self.outstanding.held().segments == 0
            && self.outstanding.lost().segments == 0
            && !self.is_repairing();
        let (srtt, segments) = (self.rtt.srtt(), self.outstanding.len());
        let Some(tail) = self.modern.as_mut().and_then(|it| it.tail.as_mut()) else {
            return;
        };
        let may_probe = is_quiet && tail.unanswered.is_none() && !tail.waits;
        // The retransmission timer does not run if nothing is outstanding or the peer's window is zero.
        tail.timer = self.rexmt.filter(|_| may_probe).map(|time_out| {
            let delay = match (srtt, segments) {
                (None, _) => WITHOUT_SAMPLE,
                (Some(srtt), 1) => srtt * 2 + MAX_ACK_DELAY,
                (Some(srtt), _) => srtt * 2,
            };
            now.saturating_add(delay.max(SHORTEST)).min(time_out)
        });
    }

    /// The probe timer has expired. The retransmission timer restarts (7.3).
    pub(super) fn on_probe_timer(&mut self, now: Time) {
        if let Some(tail) = self.modern.as_mut().and_then(|it| it.tail.as_mut()) {
            tail.timer = None;
            tail.waits = true;
        }
        self.arm(now, now);
        self.pending = Some(Pending::TailProbe);
    }

    /// The probe: new data if available and the peer's window allows, otherwise the last segment again (7.3).
    pub(super) fn tail_probe(&mut self, now: Time) -> Option<Segment> {
        if self.snd_una == self.snd_max || self.is_repairing() {
            return self.next_segment(now);
        }
        let new = self.new_len();
        let is_resent = new == 0 && !self.is_fin(self.snd_nxt);
        let (start, len) = if is_resent {
            let (start, end) = self.outstanding.last()?;
            let start = start.max(self.snd_una);
            (start, end - start)
        } else {
            (self.snd_nxt, new)
        };
        self.stats.tail_probes += 1;
        let segment = self.transmit(now, start, len);
        let end = self.snd_max;
        if let Some(tail) = self.modern.as_mut().and_then(|it| it.tail.as_mut()) {
            tail.timer = None;
            tail.unanswered = Some(Probe { end, is_resent });
        }
        Some(segment)
    }

    /// An acknowledgment was processed; `snd_una` is the oldest outstanding octet before it, and `is_bare` says that it
    /// carries nothing new.
    pub(super) fn on_probe_answer(
        &mut self,
        now: Time,
        segment: &Segment,
        snd_una: u64,
        is_bare: bool,
    ) {
        let Some(tail) = self.modern.as_mut().and_then(|it| it.tail.as_mut()) else {
            return;
        };
        tail.waits &= is_bare;
        let reported = segment.duplicate_block().map(|block| block.1);
        if tail.on_ack(segment.ack, reported, is_bare) == Answer::Repaired && !self.is_repairing() {
            // The loss is repaired, but still indicates congestion (7.4.1).
            let event = Event {
                snd_una,
                ..self.event(now)
            };
            self.control.on_ecn(&event);
            self.note_reduction();
        }
    }
}
