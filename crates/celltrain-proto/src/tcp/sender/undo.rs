//! Reductions without a loss are undone: when all that was sent again turns out to have arrived before.
//!
//! Three signs tell so. The receiver reports a duplicate for each retransmission (D-SACK). The timestamp that the first
//! acknowledgment of new data echoes is older than the first retransmission (Eifel). After a time-out, data are acknowledged
//! that were never sent again (F-RTO).
//!
//! Source: RFC 3708 (D-SACK); RFC 3522 3.2 (Eifel); RFC 5682 3.1 (F-RTO with selective acknowledgments); the response
//! is that of RFC 4015 3.2 and RFC 9438 4.9: window, threshold and law are as before, the window not below what it has become.

use alloc::boxed::Box;

use super::Sender;
use crate::tcp::Segment;
use crate::tcp::variant::Control;
use crate::units::Time;

/// How far F-RTO has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Frto {
    /// No time-out is in doubt.
    #[default]
    Off,
    /// The oldest segment was sent again (step 2).
    Resent,
    /// It was acknowledged; two new segments may leave before anything else is sent again (step 3).
    Probing,
}

/// The last reduction, and what may undo it.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// Whether duplicates and timestamps are looked at.
    is_on: bool,
    /// Whether time-outs are doubted.
    doubts_timeouts: bool,
    /// Congestion control as it was.
    before: Option<Box<Control>>,
    /// `snd_una` and `snd_max` at the reduction.
    range: (u64, u64),
    /// Segments sent again since, less the duplicates reported.
    resent: u32,
    /// The timestamp of the first of them.
    first_resent: Option<u32>,
    /// The reduction stands once more than this is acknowledged; known when its losses are repaired.
    stands_at: Option<u64>,
    frto: Frto,
    /// Data that were outstanding at the time-out and never sent again are acknowledged by the segment at hand.
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

    /// Whether F-RTO wants new data to leave before lost ones.
    pub(super) fn prefers_new_data(&self) -> bool {
        self.frto == Frto::Probing
    }

    /// A segment that ends at `end` has arrived.
    pub(super) fn on_delivered(&mut self, end: u64, is_resent: bool) {
        self.has_original |= !is_resent && end <= self.range.1;
    }

    /// A segment that ends at `end` leaves again, with timestamp `value`.
    pub(super) fn on_resent(&mut self, end: u64, value: u32) {
        if self.before.is_some() && end <= self.range.1 {
            self.resent += 1;
            self.first_resent.get_or_insert(value);
        }
    }

    /// The receiver reports a duplicate; true if by now it has of all that was sent again (RFC 3708).
    fn on_duplicate(&mut self, (start, end): (u64, u64)) -> bool {
        let is_ours = self.is_on && self.range.0 <= start && end <= self.range.1;
        if !is_ours || self.before.is_none() || self.resent == 0 {
            return false;
        }
        self.resent -= 1;
        self.resent == 0
    }

    /// New data are acknowledged by a segment that echoes timestamp `echo`; true if that left before anything was sent
    /// again (RFC 3522 3.2).
    fn is_echo_older(&self, echo: Option<u32>) -> bool {
        let older = |(echo, first): (u32, u32)| first.wrapping_sub(echo).cast_signed() > 0;
        self.is_on && echo.zip(self.first_resent).is_some_and(older)
    }

    /// One step of F-RTO with an acknowledgment; true if the time-out had no cause (RFC 5682 3.1).
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
    /// The window is about to be reduced, by a time-out or not: remembers how it was.
    pub(super) fn remember_for_undo(&mut self, is_timeout: bool) {
        let is_repairing = self.is_repairing();
        let Some(undo) = self.modern.as_mut().map(|it| &mut it.undo) else {
            return;
        };
        if is_repairing {
            // The reduction stays that of the first loss; a time-out on top of it is not doubted.
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

    /// An acknowledgment was taken, which `advances` or not: undoes the last reduction where it had no cause.
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

    /// The last reduction had no cause.
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
