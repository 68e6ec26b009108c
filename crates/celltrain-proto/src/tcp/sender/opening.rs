//! Active opening: our SYN, the peer's SYN, the acknowledgment.
//!
//! The set-up segments use the retransmission timer of the data. A lost SYN does not change `ssthresh`, and resets
//! `cwnd` only if the initial window is larger than one segment.
//!
//! Source: RFC 9293 3.5; RFC 5681 3.1; RFC 6298 5.7; RFC 7323 2.2; 4.3BSD-Reno `tcp_timer.c`.

use super::output::Pending;
use super::recovery::SackState;
use super::{InitialWindow, LossWindow, Sender, SenderConfig, SlowStartLimit, Timing};
use crate::tcp::opening::{Agreed, Answered};
use crate::tcp::variant::{CongestionControl, Control, Window, WindowRules};
use crate::tcp::{Flags, Segment, State, Timestamps};
use crate::units::Time;

/// Creates the congestion control for the start of the data.
pub(super) fn control(config: &SenderConfig, initial: InitialWindow) -> Control {
    let mss = config.mss + config.counted_options;
    let mut window = Window::new(mss, config.max_window, config.initial_ssthresh);
    if config.route.ssthresh > 0 {
        window.ssthresh = config.route.ssthresh.max(2 * window.mss);
    }
    window.cwnd = window.cwnd.max(initial.octets(mss).min(window.max));
    window.initial = window.cwnd;
    window.is_all_in_use = config.loss_window == LossWindow::Cwnd;
    window.is_in_segments = config.control.window_rules == WindowRules::Linux;
    if config.slow_start_limit == SlowStartLimit::Unlimited {
        window.octets_per_ack = u64::MAX;
    }
    config.variant.build(&config.control, window)
}

/// The MSS assumed for a SYN without the option (RFC 9293 3.7.1).
const DEFAULT_MSS: u16 = 536;

impl Sender {
    /// Opens the connection; does nothing if it is established from the start or already opened.
    pub fn connect(&mut self, now: Time) {
        if self.state != State::Closed || !self.config.handshake || self.stats.syns_sent > 0 {
            return;
        }
        self.state = State::SynSent;
        self.pending = Some(Pending::Syn);
        self.deadline = Some(self.rtt.after(now, self.config.setup_limit));
    }

    /// The SYN, which proposes all configured options.
    pub(super) fn syn(&mut self, now: Time) -> Segment {
        self.timing = (self.stats.syns_sent == 0).then_some(Timing {
            seq: 0,
            end: 0,
            sent: now,
        });
        self.stats.syns_sent += 1;
        if self.rexmt.is_none() {
            self.arm(now, now);
        }
        let ecn = (Flags::ECE | Flags::CWR).only_if(self.config.ecn);
        Segment {
            flags: Flags::SYN | ecn,
            mss: Some((self.config.mss + self.options_len()).min(u16::MAX.into()) as u16),
            window_scale: self.config.window_scale,
            timestamp: self.config.timestamps.then(|| Timestamps {
                value: self.rtt.timestamp(now),
                echo: 0,
            }),
            ..Segment::default()
        }
    }

    /// The SYN has not been answered within a time-out.
    pub(super) fn resend_syn(&mut self, now: Time) {
        self.rtt.back_off();
        self.arm(now, now);
        self.pending = Some(Pending::Syn);
    }

    /// The peer's SYN opens the connection; anything else is stale.
    pub(super) fn on_syn_ack(&mut self, now: Time, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return self.on_reset();
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        self.rexmt = None;
        self.deadline = None;
        let scale = self.config.window_scale.and(segment.window_scale);
        self.agreed = self.agreed.after_syn(segment, Flags::ECE, scale);
        let timing = self.timing.take();
        if let Some(timestamp) = segment.timestamp.filter(|_| self.agreed.timestamps) {
            self.ts_recent = timestamp.value;
            self.rtt.sample_timestamp(timestamp.echo, now);
        } else if let Some(timing) = timing {
            self.rtt.sample(timing.sent, now);
        } else {
            self.rtt.begin_after_lost_syn();
        }
        self.agree_mss(segment.mss.unwrap_or(DEFAULT_MSS));
        match timing {
            Some(timing) => self.control.on_handshake(now, now - timing.sent),
            None => self.control = control(&self.config, InitialWindow::OneSegment),
        }
        // The window in a SYN is never scaled.
        self.snd_wnd = segment
            .window
            .min(65_535)
            .min(self.config.max_window)
            .into();
        self.max_sndwnd = self.snd_wnd;
        self.state = if self.closing {
            State::FinWait1
        } else {
            State::Established
        };
        self.request_output(now);
    }

    /// Octets of options in each segment with data.
    fn options_len(&self) -> u32 {
        if self.config.timestamps { 12 } else { 0 }
    }

    /// The peer accepts segments of `told` octets, options included.
    fn agree_mss(&mut self, told: u16) {
        let mss = u32::from(told).saturating_sub(self.options_len()).max(1);
        if !self.config.negotiates_mss || mss >= self.config.mss {
            return;
        }
        self.config.mss = mss;
        self.control = control(&self.config, self.config.initial_window);
        if self.sack.is_some() {
            self.sack = Some(SackState::new(mss.into()));
        }
    }

    /// The options agreed by both ends; `None` before the peer has answered.
    pub(in crate::tcp) fn opened(&self) -> Option<Agreed> {
        (self.state != State::SynSent && !self.dropped).then_some(self.agreed)
    }

    /// The peer has opened this end's receiver, and `segment` acknowledges that receiver's SYN: data may now be sent in
    /// this direction too. The round trip of that SYN is the first sample.
    pub(in crate::tcp) fn accept(&mut self, now: Time, opened: Answered, segment: &Segment) {
        if self.state != State::Closed || self.dropped {
            return;
        }
        self.agreed = opened.agreed;
        self.rtt = opened.rtt;
        if let Some(rtt) = self.rtt.srtt().filter(|_| !opened.was_repeated) {
            self.control.on_handshake(now, rtt);
        }
        if opened.was_repeated {
            // As after a lost SYN (RFC 5681 3.1, RFC 6298 5.7): only timestamps tell which of them was answered.
            self.control = control(&self.config, InitialWindow::OneSegment);
            match segment.timestamp.filter(|_| self.agreed.timestamps) {
                Some(timestamp) => self.rtt.sample_timestamp(timestamp.echo, now),
                None => self.rtt.begin_after_lost_syn(),
            }
        }
        self.snd_wnd = self.usable_window(segment).into();
        self.max_sndwnd = self.snd_wnd;
        self.state = if self.closing {
            State::FinWait1
        } else {
            State::Established
        };
        self.request_output(now);
    }
}
