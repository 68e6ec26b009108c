//! The state of current loss recovery and slow start, if any of it is in use.
//!
//! Each option is a state machine in a file of its own. The variants of the 1990s have no such state, only the space of
//! a pointer.

use alloc::boxed::Box;

use super::hystart::{Ack, Growth, HyStart, SlowStartExit};
use super::prr::Reduction;
use super::rack::Rack;
use super::tlp::TailProbe;
use super::undo::Undo;
use super::{LossRecovery, Sender, SenderConfig, SlowStartLimit};
use crate::tcp::Segment;
use crate::tcp::outstanding::Sent;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::sack::Scoreboard;
use crate::tcp::variant::{CongestionControl, DUPLICATES, Event, Reaction, WindowRules};
use crate::units::{Span, Time};

/// The state of all options in use.
#[derive(Clone, Debug)]
pub(super) struct Modern {
    pub(super) limited_transmit: bool,
    pub(super) rack: Option<Rack>,
    pub(super) tail: Option<TailProbe>,
    /// Whether the window is reduced gradually, and the reduction in progress.
    pub(super) reduces: bool,
    pub(super) reduction: Option<Reduction>,
    hystart: Option<HyStart>,
    pub(super) undo: Undo,
    /// Octets found lost but not yet reported to congestion control.
    pub(super) lost: u64,
    /// The current acknowledgment reveals a loss.
    pub(super) shows_loss: bool,
    /// Octets known to have arrived before the current acknowledgment, and those that it newly acknowledges.
    arrived_before: u64,
    pub(super) delivered: u64,
    /// Without selective acknowledgments: octets indicated by duplicates in this recovery.
    pub(super) duplicates: u64,
    /// The round-trip time of the newest segment that the current acknowledgment covers, unless that was retransmitted.
    pub(super) rtt: Option<Span>,
}

impl Modern {
    /// `None` if no option is in use, or the variant supports none.
    pub(super) fn new(config: &SenderConfig) -> Option<Box<Self>> {
        let (facts, options) = (config.variant.facts(), config.recovery);
        if !facts.is_modern || options == LossRecovery::default() {
            return None;
        }
        let has_rack = options.rack && config.uses_sack();
        let has_hystart = match options.hystart {
            SlowStartExit::Linux => facts.has_linux_hystart,
            SlowStartExit::Loss | SlowStartExit::Rfc9406 => !facts.has_own_slow_start,
        };
        let hystart = HyStart::new(options.hystart).filter(|_| has_hystart);
        Some(Box::new(Self {
            limited_transmit: options.limited_transmit,
            rack: has_rack.then(Rack::default),
            tail: (has_rack && options.tail_loss_probe).then(TailProbe::default),
            reduces: options.prr && !facts.has_model,
            reduction: None,
            hystart,
            undo: Undo::new(options.undo, options.frto && has_rack),
            lost: 0,
            shows_loss: false,
            arrived_before: 0,
            delivered: 0,
            duplicates: 0,
            rtt: None,
        }))
    }

    /// When the first of its timers expires.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let reordering = self.rack.as_ref().and_then(|rack| rack.timer);
        let probe = self.tail.and_then(|tail| tail.timer);
        [reordering, probe].into_iter().flatten().min()
    }

    /// `sent` has arrived, according to `segment`.
    fn on_arrival(&mut self, now: Time, sent: &Sent, segment: &Segment, clock: &RtoEstimator) {
        let is_older = |echo: u32| {
            let left = clock.timestamp(sent.last);
            left.wrapping_sub(echo).cast_signed() > 0
        };
        let is_old = segment.timestamp.is_some_and(|it| is_older(it.echo));
        if let Some(rack) = &mut self.rack {
            rack.on_delivered(now, sent, is_old);
        }
        self.undo.on_delivered(sent.end, sent.is_resent);
    }

    /// The window was reduced, by a loss, possibly during a reduction due to marks.
    pub(super) fn on_reduction(&mut self) {
        self.reduction = None;
        if let Some(hystart) = &mut self.hystart {
            hystart.on_reduction();
        }
    }

    /// The retransmission timer has expired.
    pub(super) fn on_timeout(&mut self) {
        if let Some(hystart) = &mut self.hystart {
            hystart.on_timeout();
        }
    }
}

/// The sender's state before an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    snd_una: u64,
    arrived: u64,
    lost_below: u64,
    was_repairing: bool,
}

impl Sender {
    /// Whether losses are being repaired, after a time-out or without one.
    pub(super) fn is_repairing(&self) -> bool {
        self.control.is_repairing(self.snd_una)
    }

    /// Call before processing an acknowledgment.
    pub(super) fn before_ack(&mut self) -> Option<Before> {
        let arrived = self.arrived();
        let modern = self.modern.as_mut()?;
        modern.arrived_before = arrived;
        if let Some(rack) = &mut modern.rack {
            rack.begin_ack();
        }
        modern.shows_loss = false;
        modern.rtt = None;
        let board = self.sack.as_ref().map(|sack| &sack.board);
        Some(Before {
            snd_una: self.snd_una,
            arrived,
            lost_below: board.map_or(0, Scoreboard::lost_below),
            was_repairing: self.is_repairing(),
        })
    }

    /// Call after processing it: determines what is lost, what was not, and the resulting window.
    pub(super) fn after_ack(&mut self, now: Time, segment: &Segment, before: &Before) {
        let advances = self.snd_una > before.snd_una;
        let delivered = self.arrived().saturating_sub(before.arrived);
        let lost_below = self.sack.as_ref().map_or(0, |sack| sack.board.lost_below());
        let is_repaired = before.was_repairing && !self.is_repairing();
        let (snd_una, snd_max) = (self.snd_una, self.snd_max);
        let Some(modern) = &mut self.modern else {
            return;
        };
        modern.delivered = delivered;
        if let Some(rack) = &mut modern.rack {
            if segment.duplicate_block().is_some() {
                rack.on_duplicate_report(snd_una, snd_max);
            } else if is_repaired {
                rack.on_repaired();
            }
        }
        self.undo_if_spurious(now, segment, advances);
        self.detect_losses(now);
        let is_bare = !advances
            && delivered == 0
            && segment.len == 0
            && segment.duplicate_block().is_none()
            && u64::from(segment.window) == self.snd_wnd;
        self.on_probe_answer(now, segment, before.snd_una, is_bare);
        let has_loss = lost_below > before.lost_below.max(snd_una)
            || self.modern.as_ref().is_some_and(|it| it.shows_loss);
        self.reduce(advances && self.sack.is_some() && !has_loss);
        if advances || delivered > 0 || self.is_repairing() {
            self.schedule_probe(now);
        }
    }

    /// `sent` has arrived, according to `segment`.
    pub(super) fn note_arrival(&mut self, now: Time, sent: &Sent, segment: &Segment) {
        if let Some(modern) = &mut self.modern {
            modern.on_arrival(now, sent, segment, &self.rtt);
        }
    }

    /// The receiver holds what the selective acknowledgments report.
    pub(super) fn mark_held(&mut self, now: Time, segment: &Segment) {
        let (Some(modern), Some(sack)) = (&mut self.modern, &self.sack) else {
            return;
        };
        if modern.rack.is_none() {
            return;
        }
        let beyond = segment.sack_blocks().filter(|it| it.0 > segment.ack);
        for (start, end) in beyond.filter(|it| it.1 <= self.snd_max) {
            // Skip a block that is already on the scoreboard.
            if sack.board.hole(start).0 < end {
                self.outstanding.hold(start, end, |sent| {
                    modern.on_arrival(now, sent, segment, &self.rtt);
                });
            }
        }
    }

    /// A segment up to `end` was sent, for the first time if it `is_new`.
    pub(super) fn after_transmit(&mut self, now: Time, seq: u64, end: u64, is_new: bool) {
        let has_board = self.sack.is_some();
        let value = self.rtt.timestamp(now);
        let Some(modern) = &mut self.modern else {
            return;
        };
        if let Some(reduction) = &mut modern.reduction {
            reduction.on_sent(end - seq, is_new || has_board);
        }
        if is_new {
            self.schedule_probe(now);
        } else {
            modern.undo.on_resent(end, value);
        }
    }

    /// A timer of RACK or TLP has expired.
    pub(super) fn on_loss_timers(&mut self, now: Time) {
        let Some(modern) = &mut self.modern else {
            return;
        };
        let is_due = |timer: Option<Time>| timer.is_some_and(|due| due <= now);
        modern.delivered = 0;
        if is_due(modern.rack.as_ref().and_then(|rack| rack.timer)) {
            self.detect_losses(now);
            self.reduce(false);
            self.schedule_probe(now);
        }
        let tail = self.modern.as_mut().and_then(|it| it.tail.as_mut());
        if let Some(tail) = tail.filter(|tail| is_due(tail.timer)) {
            tail.timer = None;
            // If nothing is outstanding, or the connection is given up, there is nothing to probe for.
            if self.rexmt.is_some() {
                self.on_probe_timer(now);
            }
        }
    }

    /// Without selective acknowledgments: a duplicate indicates that a segment has arrived (RFC 9937).
    pub(super) fn count_duplicate(&mut self) {
        let (mss, most) = (
            self.mss(),
            (self.snd_max - self.snd_una).saturating_sub(self.mss()),
        );
        if let Some(modern) = &mut self.modern {
            modern.duplicates = (modern.duplicates + mss).min(most);
        }
    }

    /// `acked` octets are acknowledged: a hole, followed by what duplicates have indicated.
    pub(super) fn forget_duplicates(&mut self, acked: u64) {
        let mss = self.mss();
        if let Some(modern) = &mut self.modern {
            let told = modern.duplicates.min(acked.saturating_sub(mss));
            modern.duplicates -= told;
            if self.snd_una == self.snd_max {
                modern.duplicates = 0;
            }
        }
    }

    /// Losses were detected: reduces the window and retransmits the first of them.
    pub(super) fn begin_recovery(&mut self, now: Time) {
        self.remember_for_undo(false);
        let event = self.event(now);
        let reaction = self.control.on_duplicate_ack(DUPLICATES, &event);
        if reaction == Reaction::FastRetransmit {
            self.fast_retransmit(now);
        }
    }

    /// How many of the octets that an acknowledgment covers count for the growth of the window.
    pub(super) fn counted(&self, acked: u64) -> u64 {
        let is_by_delivery = self.config.slow_start_limit == SlowStartLimit::Unlimited;
        match &self.modern {
            // A recovery counts what is acknowledged, to see which hole is repaired.
            Some(modern) if is_by_delivery && !self.control.is_recovering() => {
                self.arrived().saturating_sub(modern.arrived_before)
            }
            _ => acked,
        }
    }

    /// A recovery has ended: in Linux what the same acknowledgment newly delivers lets the window grow again.
    pub(super) fn grow_after_recovery(&mut self, event: &Event) {
        if self.config.control.window_rules == WindowRules::Linux {
            let event = Event {
                rtt: None,
                ..*event
            };
            self.control.on_ack(self.counted(0), &event);
        }
    }

    /// How many of the counted octets count in slow start; may end slow start.
    pub(super) fn slow_start_growth(&mut self, now: Time, acked: u64) -> u64 {
        let window = *self.control.window();
        let is_growing = window.is_slow_start() && !self.is_repairing();
        let (snd_una, snd_max) = (self.snd_una, self.snd_max);
        let Some(modern) = self.modern.as_mut().filter(|_| is_growing) else {
            return acked;
        };
        let rtt = modern.rtt;
        let Some(hystart) = &mut modern.hystart else {
            return acked;
        };
        let growth = hystart.on_ack(&Ack {
            now,
            rtt,
            acked,
            snd_una,
            snd_max,
            cwnd: window.cwnd,
            mss: window.mss,
        });
        match growth {
            Growth::Octets(octets) => octets,
            Growth::Ends => {
                self.control.end_slow_start();
                acked
            }
        }
    }
}
