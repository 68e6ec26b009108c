//! The sending end: retransmission timer, windows and acknowledgments; output is in `output`.
//!
//! Not modelled yet: window probes (persist timer), so a peer that closes its window for good stops
//! the sender; the answer to an acknowledgment of unsent data, which is the receiving end's to give.
//!
//! Source: 4.3BSD-Reno `tcp_input.c`, `tcp_output.c`, `tcp_timer.c`.

mod config;
mod output;
mod recovery;
mod stats;

pub use config::{Available, BackoffLimit, OutputRule, Rearm, SenderConfig};
pub use stats::{RttSamples, SenderStats};

use super::Segment;
use super::outstanding::Outstanding;
use super::rto::RtoEstimator;
use super::rtt::MAX_SHIFT;
use super::variant::{AckReaction, Control, DUPLICATES, Event, Reaction, Window};
use crate::units::{Span, Time};
use output::Due;
use recovery::SackState;

/// The sending end of one direction of a connection.
///
/// Drain [`Sender::poll_transmit`] after each call of `write`, `on_segment` and `on_timer`. A caller
/// whose own queue is full may wait with that; the sender then sends what is allowed at that time.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    control: Control,
    rtt: RtoEstimator,
    outstanding: Outstanding,
    /// Only where the variant uses selective acknowledgments.
    sack: Option<SackState>,
    stats: SenderStats,
    /// The oldest octet not acknowledged.
    snd_una: u64,
    /// The octet to send next.
    snd_nxt: u64,
    /// The octet behind the highest ever sent.
    snd_max: u64,
    /// The octet behind the last that the application has written.
    written: u64,
    /// The window that the peer offers, from `snd_una` on, and the largest it ever did.
    snd_wnd: u64,
    max_sndwnd: u64,
    /// `seq` and `ack` of the segment that brought `snd_wnd`.
    snd_wl1: u64,
    snd_wl2: u64,
    /// Duplicate acknowledgments in a row.
    dupacks: u32,
    /// The segment being timed.
    timing: Option<Timing>,
    /// When the retransmission timer expires: a slow-timer tick, or in continuous time any instant.
    rexmt: Option<Time>,
    /// When a segment last arrived.
    heard: Option<Time>,
    due: Due,
    dropped: bool,
}

/// A measurement of the round-trip time.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// The segment's sequence number (`t_rtseq`).
    seq: u64,
    /// When it was sent.
    sent: Time,
}

impl Sender {
    /// A sender on an established connection, without data.
    pub fn new(config: SenderConfig) -> Self {
        let window = Window::new(config.mss, config.max_window, config.initial_ssthresh);
        let snd_wnd = config.peer_window.min(config.max_window).into();
        Self {
            control: Control::new(config.variant, window),
            rtt: RtoEstimator::new(config.rto_timer, &config.rto, config.slow_timer),
            outstanding: Outstanding::default(),
            sack: config
                .variant
                .uses_sack()
                .then(|| SackState::new(config.mss.into())),
            stats: SenderStats::default(),
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            written: 0,
            snd_wnd,
            max_sndwnd: snd_wnd,
            snd_wl1: 0,
            snd_wl2: 0,
            dupacks: 0,
            timing: None,
            rexmt: None,
            heard: None,
            due: Due::default(),
            dropped: false,
            config,
        }
    }

    /// The application hands over data.
    pub fn write(&mut self, now: Time, data: Available) {
        self.written = match data {
            Available::Bytes(n) => self.written.saturating_add(n),
            Available::Unlimited => u64::MAX,
        };
        self.request_output(now);
    }

    /// A segment arrives; only its acknowledgment and window matter here, and whether it has data.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.on_timer(now);
        if self.dropped {
            return;
        }
        self.heard = Some(now);
        let segment = Segment {
            window: segment.window.min(self.config.max_window),
            ..*segment
        };
        if let Some(sack) = &mut self.sack
            && segment.ack <= self.snd_max
        {
            let blocks = segment.sack_blocks().filter(|block| block.0 > self.snd_una);
            sack.board.update(blocks, self.snd_max);
            sack.board.acknowledge(self.snd_una.max(segment.ack));
        }
        let goes_on = if segment.ack <= self.snd_una {
            self.on_old_ack(now, &segment)
        } else {
            self.on_new_ack(now, &segment)
        };
        if goes_on {
            self.update_window(&segment);
            self.request_output(now);
        }
    }

    /// An acknowledgment of nothing new; false if nothing remains to be done about its segment.
    fn on_old_ack(&mut self, now: Time, segment: &Segment) -> bool {
        let bare = segment.len == 0
            && u64::from(segment.window) == self.snd_wnd
            && self.sack.as_ref().is_none_or(|sack| !sack.board.is_empty());
        if !bare || self.rexmt.is_none() || segment.ack != self.snd_una {
            self.dupacks = 0;
            return true;
        }
        self.dupacks += 1;
        let lost = |sack: &SackState| sack.board.lost_below() > self.snd_una;
        if self.sack.as_ref().is_some_and(lost) {
            self.dupacks = self.dupacks.max(DUPLICATES);
        }
        let event = self.event(now);
        let reaction = self
            .control
            .get_mut()
            .on_duplicate_ack(self.dupacks, &event);
        match reaction {
            Reaction::None => return true,
            Reaction::FastRetransmit => self.fast_retransmit(now),
            Reaction::GoBack => {
                self.fast_retransmit(now);
                self.snd_nxt = self.snd_una;
            }
            Reaction::Output => self.request_output(now),
        }
        false
    }

    fn fast_retransmit(&mut self, now: Time) {
        self.stats.fast_retransmits += 1;
        if let Some(sack) = &mut self.sack {
            sack.begin(self.snd_una, self.snd_max);
        }
        self.timing = None;
        self.due.resend = true;
        // BSD stops the timer and lets the segment start it; it leaves at this instant.
        self.arm(now, now);
    }

    /// An acknowledgment beyond `snd_una`; false if it is to be ignored.
    fn on_new_ack(&mut self, now: Time, segment: &Segment) -> bool {
        let ack = segment.ack;
        let predicted = self.is_predicted(segment);
        if !predicted {
            self.control.get_mut().on_duplicates_end(self.dupacks);
            self.dupacks = 0;
        }
        if ack > self.snd_max {
            self.stats.acks_of_unsent_data += 1;
            return false;
        }
        if let Some(timing) = self.timing.filter(|timing| ack > timing.seq) {
            self.rtt.sample(timing.sent, now);
            self.timing = None;
        }
        let samples = &mut self.stats.rtt;
        self.outstanding
            .acknowledge(ack, |first_sent| samples.add(now - first_sent));
        let acked = ack - self.snd_una;
        self.snd_una = ack;
        self.snd_nxt = self.snd_nxt.max(ack);
        let event = self.event(now);
        let reaction = if predicted {
            AckReaction::Advance
        } else {
            self.control.get_mut().on_ack(acked, &event)
        };
        self.due.resend = matches!(reaction, AckReaction::Partial { .. });
        if reaction != (AckReaction::Partial { first: false }) {
            self.rearm(now);
        }
        true
    }

    /// Whether BSD's header prediction would take its fast path for an acknowledgment of new data.
    fn is_predicted(&self, segment: &Segment) -> bool {
        self.config.header_prediction
            && !self.control.get().is_recovering()
            && segment.len == 0
            && segment.ack <= self.snd_max
            && u64::from(segment.window) == self.snd_wnd
            && self.snd_nxt == self.snd_max
            && self.cwnd() >= self.snd_wnd
    }

    /// Takes the window offered unless an older segment brings it (RFC 9293 3.10.7.4).
    fn update_window(&mut self, segment: &Segment) {
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

    /// The retransmission timer after new data were acknowledged.
    fn rearm(&mut self, now: Time) {
        if self.snd_una == self.snd_max {
            self.rexmt = None;
            return;
        }
        // A segment that goes back to the line at this very instant is new to the timer.
        let since = match (self.config.rearm, self.outstanding.oldest_last_sent()) {
            (Rearm::OldestSegment, Some(last_sent)) if self.snd_una < self.snd_nxt => last_sent,
            _ => now,
        };
        self.arm(now, since);
    }

    /// Sets the retransmission timer for a segment that has been on its way since `since`.
    fn arm(&mut self, now: Time, since: Time) {
        self.rexmt = Some(self.rtt.expiry(now, since));
    }

    /// Time has come to `now`; does nothing before [`Sender::next_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        if self.rexmt.is_some_and(|expiry| expiry <= now) {
            self.time_out(now);
        }
    }

    /// The retransmission timer has expired: back off and go back to `snd_una`.
    fn time_out(&mut self, now: Time) {
        if self.rtt.shift() == MAX_SHIFT && self.config.backoff_limit == BackoffLimit::Drop {
            self.dropped = true;
            self.rexmt = None;
            return;
        }
        self.stats.timeouts += 1;
        self.rtt.back_off();
        self.arm(now, now);
        self.snd_nxt = self.snd_una;
        self.timing = None;
        if !self.control.get().keeps_duplicates_at_timeout() {
            self.dupacks = 0;
        }
        self.due.resend = false;
        if let Some(sack) = &mut self.sack {
            sack.board.clear();
        }
        let event = self.event(now);
        self.control.get_mut().on_timeout(&event);
        self.request_output(now);
    }

    /// When [`Sender::on_timer`] is due: the slow-timer tick at which the retransmission timer expires,
    /// or in continuous time any instant.
    /// May change after each call of `on_segment`, `on_timer` and `poll_transmit`.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Time> {
        self.rexmt
    }

    fn event(&self, now: Time) -> Event {
        Event {
            now,
            srtt: self.rtt.srtt().unwrap_or_default(),
            snd_una: self.snd_una,
            snd_max: self.snd_max,
            snd_wnd: self.snd_wnd,
        }
    }

    /// The congestion window in octets. Fast recovery may inflate it beyond the largest window.
    pub fn cwnd(&self) -> u64 {
        self.control.get().window().cwnd
    }
    /// The slow-start threshold in octets.
    pub fn ssthresh(&self) -> u64 {
        self.control.get().window().ssthresh
    }
    /// The oldest octet that is not acknowledged.
    pub fn snd_una(&self) -> u64 {
        self.snd_una
    }
    /// The octet to send next; below `snd_max` while the sender goes back.
    pub fn snd_nxt(&self) -> u64 {
        self.snd_nxt
    }
    /// The octet behind the highest ever sent.
    pub fn snd_max(&self) -> u64 {
        self.snd_max
    }
    /// The window that the peer offers, in octets, as far as this sender can use it.
    pub fn snd_wnd(&self) -> u64 {
        self.snd_wnd
    }
    /// The retransmission time-out in force, backed off.
    pub fn rto(&self) -> Span {
        self.rtt.rto()
    }
    /// The smoothed round-trip time as the sender measures it; none before the first sample and
    /// after an estimate was thrown away.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }
    /// Whether the connection was dropped because nothing answered; it then stays silent.
    pub fn is_dropped(&self) -> bool {
        self.dropped
    }
    /// What was counted since the start.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests;
