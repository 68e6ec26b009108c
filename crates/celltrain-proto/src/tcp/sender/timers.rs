//! The timers of a sender (`tcp_timers`).

use super::output::Pending;
use super::{BackoffLimit, Rearm, Sender};
use crate::tcp::State;
use crate::tcp::rtt::MAX_SHIFT;
use crate::tcp::variant::CongestionControl;
use crate::units::Time;

impl Sender {
    /// Sets the retransmission timer after new data were acknowledged.
    pub(super) fn rearm(&mut self, now: Time) {
        if self.snd_una == self.snd_max {
            self.rexmt = None;
            return;
        }
        if self.persist.expiry.is_some() {
            return;
        }
        // A segment retransmitted at this very instant counts as new for the timer.
        let since = match (self.config.rearm, self.outstanding.oldest_last_sent()) {
            (Rearm::OldestSegment, Some(last_sent)) if self.snd_una < self.snd_nxt => last_sent,
            _ => now,
        };
        self.arm(now, since);
    }

    /// Sets the retransmission timer for a segment in flight since `since`.
    pub(super) fn arm(&mut self, now: Time, since: Time) {
        self.rexmt = Some(self.rtt.expiry(now, since));
    }

    /// Advances to `now`; does nothing before [`Sender::next_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        let due = |timer: Option<Time>| timer.is_some_and(|expiry| expiry <= now);
        if due(self.deadline) {
            self.end_state();
        }
        // Before the retransmission timer, which a probe at the same instant replaces (RFC 8985 7.2).
        if let Some(modern) = &self.modern
            && due(modern.next_timeout())
        {
            self.on_loss_timers(now);
        }
        if due(self.rexmt) {
            if self.state == State::SynSent {
                self.resend_syn(now);
            } else {
                self.time_out(now);
            }
        }
        if due(self.persist.expiry) {
            self.set_persist(now);
            self.pending = Some(Pending::Probe);
        }
        if due(self.ecn.hold) {
            self.ecn.hold = None;
            self.request_output(now);
        }
    }

    /// The state has timed out: the SYN was not answered, or the connection is over.
    fn end_state(&mut self) {
        self.dropped = self.state == State::SynSent;
        self.state = State::Closed;
        self.deadline = None;
        self.rexmt = None;
    }

    /// The retransmission timer has expired: back off and go back to `snd_una`.
    fn time_out(&mut self, now: Time) {
        if self.rtt.shift() == MAX_SHIFT && self.config.backoff_limit == BackoffLimit::Drop {
            self.dropped = true;
            self.state = State::Closed;
            self.ecn.hold = None;
            self.rexmt = None;
            return;
        }
        self.stats.timeouts += 1;
        self.rtt.back_off();
        self.log_timer_event(None);
        self.arm(now, now);
        self.timing = None;
        self.outstanding.stop_timing();
        if !self.control.keeps_duplicates_at_timeout() {
            self.dupacks = 0;
        }
        self.due.resend = false;
        if self.modern.is_some() {
            self.remember_for_undo(true);
            self.lose_at_timeout(now);
        }
        if !self.has_rack() {
            self.snd_nxt = self.snd_una;
            if let Some(sack) = &mut self.sack {
                sack.board.clear();
            }
        }
        self.note_reduction();
        let event = self.event(now);
        self.control.on_timeout(&event);
        self.request_output(now);
    }

    /// When [`Sender::on_timer`] is due: the slow-timer tick at which the first timer expires or, in continuous time,
    /// any instant. May change after each call that takes `now`.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Time> {
        let timers = [
            self.rexmt,
            self.persist.expiry,
            self.deadline,
            self.ecn.hold,
        ];
        let first = timers.into_iter().flatten().min();
        let modern = self.modern.as_ref().and_then(|it| it.next_timeout());
        match modern {
            None => first,
            Some(modern) => Some(first.map_or(modern, |first| first.min(modern))),
        }
    }
}
