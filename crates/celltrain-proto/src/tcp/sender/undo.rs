//! Undoes spurious reductions: when all retransmitted data turn out to have arrived before.
//!
//! There are three indications. The receiver reports a duplicate for each retransmission (D-SACK). The timestamp echoed
//! by the first acknowledgment of new data is older than the first retransmission (Eifel). After a time-out, data that
//! were never retransmitted are acknowledged (F-RTO).
//!
//! Source: RFC 3708 (D-SACK); RFC 3522 3.2 (Eifel); RFC 5682 3.1 (F-RTO with selective acknowledgments); the response
//! is that of RFC 4015 3.2 and RFC 9438 4.9: window, threshold and control state are restored, the window to at least
//! its current value.

use alloc::boxed::Box;

use super::Sender;
use crate::tcp::Segment;
use crate::tcp::variant::Control;
use crate::units::Time;

/// The state of F-RTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Frto {
    /// No time-out is being examined.
    #[default]
    Off,
    /// The oldest segment was retransmitted (step 2).
    Resent,
    /// It was acknowledged; two new segments may be sent before anything else is retransmitted (step 3).
    Probing,
}

/// The last reduction, and what is needed to undo it.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// Whether duplicates and timestamps are examined.
    is_on: bool,
    /// Whether time-outs are examined.
    doubts_timeouts: bool,
    /// Congestion control before the reduction.
    before: Option<Box<Control>>,
    /// `snd_una` and `snd_max` at the reduction.
    range: (u64, u64),
    /// Segments retransmitted since then, minus the duplicates reported.
    resent: u32,
    /// The timestamp of the first retransmission.
    first_resent: Option<u32>,
    /// The reduction becomes final when more than this is acknowledged; known when its losses are repaired.
    stands_at: Option<u64>,
    frto: Frto,
    /// The current segment acknowledges data that were outstanding at the time-out and never retransmitted.
    has_original: bool,
}

impl Undo {
    pub(super) fn new(is_on: bool, doubts_timeouts: bool) -> Self {
        Self {
            is_on,
            doubts_timeouts,
            ..Self::default()
        }
    }

    /// Whether F-RTO requires new data to be sent before lost data.
    pub(super) fn prefers_new_data(&self) -> bool {
        self.frto == Frto::Probing
    }

    /// A segment that ends at `end` has arrived.
    pub(super) fn on_delivered(&mut self, end: u64, is_resent: bool) {
        self.has_original |= !is_resent && end <= self.range.1;
    }

    /// A segment that ends at `end` is retransmitted with timestamp `value`.
    pub(super) fn on_resent(&mut self, end: u64, value: u32) {
        if self.before.is_some() && end <= self.range.1 {
            self.resent += 1;
            self.first_resent.get_or_insert(value);
        }
    }

    /// The receiver reports a duplicate; returns true if all retransmitted data are now reported (RFC 3708).
    fn on_duplicate(&mut self, (start, end): (u64, u64)) -> bool {
        let is_ours = self.is_on && self.range.0 <= start && end <= self.range.1;
        if !is_ours || self.before.is_none() || self.resent == 0 {
            return false;
        }
        self.resent -= 1;
        self.resent == 0
    }

    /// New data are acknowledged by a segment that echoes timestamp `echo`; returns true if that is older than the
    /// first retransmission (RFC 3522 3.2).
    fn is_echo_older(&self, echo: Option<u32>) -> bool {
        let older = |(echo, first): (u32, u32)| first.wrapping_sub(echo).cast_signed() > 0;
        self.is_on && echo.zip(self.first_resent).is_some_and(older)
    }

    /// One step of F-RTO with an acknowledgment; returns true if the time-out was spurious (RFC 5682 3.1).
    fn step(&mut self, snd_una: u64, advances: bool) -> bool {
        let has_original = core::mem::take(&mut self.has_original);
        match self.frto {
            Frto::Resent if advances && snd_una < self.range.1 => self.frto = Frto::Probing,
            Frto::Resent if advances => self.frto = Frto::Off,
            Frto::Probing => {
                self.frto = Frto::Off;
                return has_original;
            }
            Frto::Resent | Frto::Off => {}
        }
        false
    }
}

impl Sender {
    /// Saves the state before the window is reduced, by a time-out or not.
    pub(super) fn remember_for_undo(&mut self, is_timeout: bool) {
        let is_repairing = self.is_repairing();
        let Some(undo) = self.modern.as_mut().map(|it| &mut it.undo) else {
            return;
        };
        if is_repairing {
            // The reduction remains that of the first loss; a time-out after it is not examined.
            undo.frto = Frto::Off;
            return;
        }
        if !undo.is_on && !undo.doubts_timeouts {
            return;
        }
        let frto = if is_timeout && undo.doubts_timeouts {
            Frto::Resent
        } else {
            Frto::Off
        };
        *undo = Undo {
            before: Some(Box::new(self.control.clone())),
            range: (self.snd_una, self.snd_max),
            frto,
            ..Undo::new(undo.is_on, undo.doubts_timeouts)
        };
    }

    /// Undoes the last reduction if it was spurious, after an acknowledgment that `advances` `snd_una` or not.
    pub(super) fn undo_if_spurious(&mut self, now: Time, segment: &Segment, advances: bool) {
        let is_repairing = self.is_repairing();
        let Some(undo) = self.modern.as_mut().map(|it| &mut it.undo) else {
            return;
        };
        if undo.before.is_none() {
            return;
        }
        let is_spurious = segment
            .duplicate_block()
            .is_some_and(|block| undo.on_duplicate(block))
            | (advances && undo.is_echo_older(segment.timestamp.map(|it| it.echo)))
            | undo.step(self.snd_una, advances);
        if is_spurious {
            self.undo(now);
            return;
        }
        if !is_repairing {
            let stands_at = *undo.stands_at.get_or_insert(self.snd_max);
            if self.snd_una > stands_at {
                undo.before = None;
            }
        }
    }

    /// Undoes the last reduction, which was spurious.
    fn undo(&mut self, now: Time) {
        let Some(modern) = &mut self.modern else {
            return;
        };
        let Some(before) = modern.undo.before.take() else {
            return;
        };
        modern.undo.frto = Frto::Off;
        modern.reduction = None;
        self.stats.reductions_undone += 1;
        self.control.undo(*before);
        self.outstanding.find_all();
        self.due.resend = false;
        self.snd_nxt = self.snd_max;
        self.request_output(now);
    }
}
