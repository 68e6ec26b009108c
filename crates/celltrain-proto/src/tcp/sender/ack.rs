//! Processing of acknowledgments and of the windows they carry (`tcp_input`).

use super::{RttTiming, Sender, recovery::SackState};
use crate::tcp::variant::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction};
use crate::tcp::{Flags, Segment, State};
use crate::units::{Span, Time};

impl Sender {
    /// Whether a segment acknowledges what was never sent, so that it must be ignored (RFC 9293 3.10.7.4).
    pub(in crate::tcp) fn refuses(&mut self, segment: &Segment) -> bool {
        let is_open = !matches!(self.state, State::Closed | State::SynSent);
        let speaks = !segment.flags.has_any(Flags::SYN | Flags::RST);
        let is_refused = is_open && speaks && segment.ack > self.snd_max;
        self.stats.acks_of_unsent_data += u64::from(is_refused);
        is_refused
    }

    /// An acknowledgment of nothing new; returns false if its segment needs no further processing.
    pub(super) fn on_old_ack(&mut self, now: Time, segment: &Segment) -> bool {
        if self.has_rack() {
            // Losses are detected by time, not by the number of duplicates.
            return true;
        }
        // With selective acknowledgments, a duplicate is one with new blocks, whatever else it carries (RFC 6675 2).
        let has_blocks = self.sack.is_some();
        let is_duplicate = match &self.sack {
            Some(sack) => sack.is_news,
            None => {
                segment.len == 0
                    && !segment.flags.has(Flags::FIN)
                    && u64::from(segment.window) == self.snd_wnd
            }
        };
        if !is_duplicate || self.rexmt.is_none() || segment.ack != self.snd_una {
            // With SACK only a cumulative acknowledgment resets the count (RFC 6675 5).
            if !has_blocks {
                self.dupacks = 0;
            }
            return true;
        }
        self.dupacks += 1;
        self.count_duplicate();
        let lost = |sack: &SackState| sack.board.lost_below() > self.snd_una;
        if self.sack.as_ref().is_some_and(lost) {
            self.dupacks = self.dupacks.max(DUPLICATES);
        }
        if self.dupacks >= DUPLICATES && !self.control.is_recovering() {
            self.remember_for_undo(false);
        }
        let event = self.event(now);
        let reaction = self.control.on_duplicate_ack(self.dupacks, &event);
        match reaction {
            Reaction::None => return true,
            Reaction::FastRetransmit => self.fast_retransmit(now),
            Reaction::GoBack => {
                self.fast_retransmit(now);
                self.snd_nxt = self.snd_una;
            }
            Reaction::Output => self.request_output(now),
        }
        // Its window and FIN also count, and other holes follow at once (RFC 6675 5, step C).
        has_blocks
    }

    pub(super) fn fast_retransmit(&mut self, now: Time) {
        self.stats.fast_retransmits += 1;
        if let Some(sack) = &mut self.sack {
            sack.begin(self.snd_una, self.snd_max);
        }
        self.timing = None;
        self.due.resend = true;
        self.note_reduction();
        // BSD stops the timer and lets the segment start it; it leaves at this instant.
        if self.control.restarts_timer_at_fast_retransmit() {
            self.arm(now, now);
        }
    }

    /// An acknowledgment beyond `snd_una`; returns false if it is to be ignored. If a queue has `marked` data, the
    /// window does not grow (RFC 3168 6.1.2).
    pub(super) fn on_new_ack(&mut self, now: Time, segment: &Segment, marked: bool) -> bool {
        let ack = segment.ack;
        let predicted = self.is_predicted(segment);
        if !predicted {
            self.control.on_duplicates_end(self.dupacks);
            self.dupacks = 0;
        }
        if ack > self.snd_max {
            self.stats.acks_of_unsent_data += 1;
            return false;
        }
        self.measure(now, segment);
        let rtt = self.cover(now, segment);
        let acked = ack - self.snd_una;
        self.snd_una = ack;
        self.snd_nxt = self.snd_nxt.max(ack);
        if let Some(queue) = &mut self.queue {
            queue.acknowledge(ack);
        }
        self.forget_duplicates(acked);
        let event = Event {
            rtt,
            ..self.event(now)
        };
        let is_coming_down = self
            .modern
            .as_ref()
            .is_some_and(|it| it.reduction.is_some());
        let holds = (marked || is_coming_down) && !self.control.is_recovering();
        let reaction = if predicted || holds {
            AckReaction::Advance
        } else {
            let was_recovering = self.control.is_recovering();
            let counted = self.slow_start_growth(now, self.counted(acked));
            let reaction = self.control.on_ack(counted, &event);
            if was_recovering && !self.control.is_recovering() {
                self.grow_after_recovery(&event);
            }
            reaction
        };
        self.due.resend = matches!(reaction, AckReaction::Partial { .. });
        if reaction != (AckReaction::Partial { first: false }) {
            self.rearm(now);
        }
        if self.closing && ack > self.written {
            self.on_fin_acknowledged(now);
        }
        true
    }

    /// Counts the round trips of the segments that an acknowledgment covers, and measures those that have a
    /// timer of their own. Returns the round trip of the last of them, unless it was retransmitted or known to be held.
    fn cover(&mut self, now: Time, segment: &Segment) -> Option<Span> {
        let timing = self.config.rtt_timing;
        let times_each = timing == RttTiming::EverySegment && !self.agreed.timestamps;
        let mut last = None;
        while let Some(sent) = self.outstanding.acknowledge(segment.ack) {
            last = Some(sent);
            if self.modern.is_some() && !sent.is_held() {
                self.note_arrival(now, &sent, segment);
            }
            let rtt = now - sent.first;
            self.stats.rtt.add(rtt);
            if !sent.is_resent {
                self.stats.rtt_once.add(rtt);
            }
            if times_each && sent.is_timed {
                self.sample(now, sent.first);
            }
        }
        if let (Some(modern), Some(sent)) = (&mut self.modern, last) {
            modern.rtt = (!sent.is_resent).then(|| now - sent.first);
        }
        let times_last = timing == RttTiming::LastCovered && !self.agreed.timestamps;
        if let Some(sent) = last.filter(|sent| times_last && !sent.is_resent) {
            self.sample(now, sent.first);
        }
        last.filter(|sent| !sent.is_resent && !sent.is_held())
            .map(|sent| now - sent.first)
    }

    /// Measures a round-trip time: with timestamps, from each acknowledgment of new data, even retransmitted data (RFC
    /// 1323 3.3, with the `+ 1` of 4.4BSD), otherwise from the timed segment.
    fn measure(&mut self, now: Time, segment: &Segment) {
        if let Some(timestamp) = segment.timestamp.filter(|_| self.agreed.timestamps) {
            self.rtt.sample_timestamp(timestamp.echo, now);
            self.timing = None;
        } else if let Some(timing) = self.timing.filter(|timing| segment.ack > timing.seq) {
            self.timing = None;
            if self.config.rtt_timing == RttTiming::OneSegment {
                self.sample(now, timing.sent);
            }
        }
    }

    /// Adds the round-trip time of a segment sent at `sent` to the estimate.
    fn sample(&mut self, now: Time, sent: Time) {
        let rtt = now - sent;
        self.stats.rtt_timed.add(rtt);
        self.rtt.sample(sent, now);
        self.log_timer_event(Some(rtt));
    }

    /// Whether BSD's header prediction would take its fast path for an acknowledgment of new data.
    fn is_predicted(&self, segment: &Segment) -> bool {
        self.config.header_prediction
            && !self.control.is_recovering()
            && segment.len == 0
            && segment.ack <= self.snd_max
            && u64::from(segment.window) == self.snd_wnd
            && self.snd_nxt == self.snd_max
            && self.cwnd() >= self.snd_wnd
    }

    /// Takes over the offered window unless an older segment carries it (RFC 9293 3.10.7.4).
    pub(super) fn update_window(&mut self, segment: &Segment) {
        let window = u64::from(segment.window);
        let newer_ack =
            self.snd_wl2 < segment.ack || (self.snd_wl2 == segment.ack && window > self.snd_wnd);
        if self.snd_wl1 < segment.seq || (self.snd_wl1 == segment.seq && newer_ack) {
            self.snd_wnd = window;
            self.max_sndwnd = self.max_sndwnd.max(window);
            self.snd_wl1 = segment.seq;
            self.snd_wl2 = segment.ack;
        }
    }
}
