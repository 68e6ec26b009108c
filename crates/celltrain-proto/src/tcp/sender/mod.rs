//! The sending end: its state and its inputs.
//!
//! Not modelled: the answer to an acknowledgment of unsent data, which the receiving end sends.
//!
//! Source: 4.3BSD-Reno `tcp_input.c`, `tcp_output.c`, `tcp_timer.c`.

mod ack;
mod bursts;
mod closing;
mod config;
mod ecn;
mod held;
mod hystart;
mod loss_recovery;
mod modern;
mod opening;
mod output;
mod pacing;
mod persist;
mod phase;
mod prr;
mod rack;
mod recovery;
mod reset;
mod route;
mod stats;
mod timers;
mod tlp;
mod undo;
mod validation;
mod writes;

pub use config::{
    Available, BackoffLimit, InitialWindow, LossWindow, OutputRule, Rearm, RttTiming, SenderConfig,
    SlowStartLimit, Writes,
};
pub use hystart::SlowStartExit;
pub use loss_recovery::LossRecovery;
pub use phase::Phase;
pub use route::{RouteCache, RouteMetrics};
pub use stats::{RttSamples, SenderStats, TimerEvent};

use super::opening::Agreed;
use super::outstanding::Outstanding;
use super::rto::RtoEstimator;
use super::variant::{CongestionControl, Control, Event};
use super::{Flags, Segment, State};
use crate::units::{Span, Time};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use bursts::Bursts;
use ecn::EcnState;
use modern::Modern;
use output::{Due, Pending};
use pacing::Pacing;
use persist::Persist;
use recovery::SackState;
use validation::WindowUse;
use writes::Written;

/// The sending end of one direction of a connection.
///
/// Drain [`Sender::poll_transmit`] after each call that takes `now`. A caller whose own queue is full may postpone
/// this; the sender then sends what is allowed at that time.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    control: Control,
    rtt: RtoEstimator,
    outstanding: Outstanding,
    /// Only if the variant uses selective acknowledgments.
    sack: Option<SackState>,
    stats: SenderStats,
    /// The oldest unacknowledged octet.
    snd_una: u64,
    /// The octet to send next.
    snd_nxt: u64,
    /// The octet after the highest ever sent.
    snd_max: u64,
    /// The octet after the last that the application has written.
    written: u64,
    /// Only if write boundaries are kept.
    queue: Option<Written>,
    /// The window that the peer offers, relative to `snd_una`, and the largest it ever offered.
    snd_wnd: u64,
    max_sndwnd: u64,
    /// `seq` and `ack` of the segment that carried `snd_wnd`.
    snd_wl1: u64,
    snd_wl2: u64,
    /// Only if the variant validates its congestion window.
    window_use: Option<WindowUse>,
    /// Consecutive duplicate acknowledgments.
    dupacks: u32,
    /// The segment being timed.
    timing: Option<Timing>,
    /// When the retransmission timer expires: at a slow-timer tick or, in continuous time, at any instant.
    rexmt: Option<Time>,
    /// When a segment last arrived.
    heard: Option<Time>,
    due: Due,
    dropped: bool,
    state: State,
    /// When the current state times out: set-up limit, `FIN_WAIT_2`, `TIME_WAIT`.
    deadline: Option<Time>,
    /// A segment without new data that is to be sent.
    pending: Option<Pending>,
    agreed: Agreed,
    /// A FIN follows the last octet written, at sequence number `written`.
    closing: bool,
    /// The peer's FIN has arrived.
    peer_fin: bool,
    /// The peer's latest timestamp, to be echoed.
    ts_recent: u32,
    persist: Persist,
    ecn: EcnState,
    /// Only if the variant paces.
    pacing: Option<Pacing>,
    /// Only by the rules of Linux.
    bursts: Option<Bursts>,
    /// Only if options of current loss recovery are enabled.
    modern: Option<Box<Modern>>,
    /// The events of the retransmission timer, if they are logged.
    timer_log: Option<VecDeque<TimerEvent>>,
}

/// A measurement of the round-trip time.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// The segment's sequence number (`t_rtseq`).
    seq: u64,
    end: u64,
    /// When it was sent.
    sent: Time,
}

impl Sender {
    /// Creates a sender without data, on an established connection or on one still to be opened.
    pub fn new(config: SenderConfig) -> Self {
        let snd_wnd = config.peer_window.min(config.max_window).into();
        Self {
            control: opening::control(&config, config.initial_window),
            rtt: RtoEstimator::new(config.rto_timer, &config.rto, config.slow_timer)
                .starting_with(config.route.srtt, config.route.rttvar),
            outstanding: Outstanding::default(),
            sack: config
                .uses_sack()
                .then(|| SackState::new(config.mss.into())),
            stats: SenderStats::default(),
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            written: 0,
            queue: (config.writes == Writes::KeepBounds).then(Written::default),
            snd_wnd,
            max_sndwnd: snd_wnd,
            snd_wl1: 0,
            snd_wl2: 0,
            window_use: config.variant.facts().is_modern.then(WindowUse::default),
            dupacks: 0,
            timing: None,
            rexmt: None,
            heard: None,
            due: Due::default(),
            dropped: false,
            state: if config.handshake {
                State::Closed
            } else {
                State::Established
            },
            deadline: None,
            pending: None,
            agreed: Agreed::from_start(config.timestamps, config.ecn),
            closing: false,
            peer_fin: false,
            ts_recent: 0,
            persist: Persist::default(),
            ecn: EcnState::default(),
            pacing: config.variant.facts().is_paced.then(Pacing::default),
            bursts: Bursts::new(&config),
            modern: Modern::new(&config),
            timer_log: None,
            config,
        }
    }

    /// The application writes data; [`Sender::buffer_free`] says how much the socket buffer accepts. Data beyond that
    /// are held back. Nothing is accepted after `close`.
    pub fn write(&mut self, now: Time, data: Available) {
        if self.closing {
            return;
        }
        match data {
            Available::Bytes(n) if self.queue.is_some() => self.write_segments(n),
            Available::Bytes(n) => self.written = self.written.saturating_add(n),
            Available::Unlimited => self.written = u64::MAX,
        }
        self.request_output(now);
    }

    /// A segment arrives: its acknowledgment, its window, and whether it opens or closes the peer's direction. Its data
    /// only matter in that it is not a duplicate acknowledgment.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.on_timer(now);
        if self.state == State::SynSent {
            self.on_syn_ack(now, segment);
        }
        if matches!(self.state, State::Closed | State::SynSent) {
            return;
        }
        self.heard = Some(now);
        if segment.flags.has_any(Flags::SYN | Flags::RST) {
            if segment.flags.has(Flags::RST) {
                return self.on_reset();
            }
            // The first one, or the peer has not received our answer to it.
            self.pending = Some(Pending::Ack);
            return;
        }
        let segment = Segment {
            window: self.usable_window(segment),
            ..*segment
        };
        if let Some(timestamp) = segment.timestamp {
            self.ts_recent = timestamp.value;
        }
        let before = self.before_ack();
        self.take_blocks(now, &segment);
        let marked = self.on_ecn_echo(now, &segment);
        let goes_on = if segment.ack <= self.snd_una {
            self.on_old_ack(now, &segment)
        } else {
            self.on_new_ack(now, &segment, marked)
        };
        if let Some(before) = before {
            self.after_ack(now, &segment, &before);
        }
        self.report_delivery(now);
        if goes_on {
            self.update_window(&segment);
            self.on_peer_fin(now, segment.flags);
            self.request_output(now);
        }
    }

    /// The window offered by a segment, limited by its encoding and by what this sender can use.
    fn usable_window(&self, segment: &Segment) -> u32 {
        let told = u64::from(segment.window).min(self.agreed.window.limit()) as u32;
        told.min(self.config.max_window)
    }

    /// From now on [`Sender::take_timer_event`] returns the events of the retransmission timer.
    pub fn log_timer_events(&mut self) {
        self.timer_log.get_or_insert_default();
    }

    /// The oldest timer event not yet taken.
    pub fn take_timer_event(&mut self) -> Option<TimerEvent> {
        self.timer_log.as_mut()?.pop_front()
    }

    /// Logs an event of the timer.
    fn log_timer_event(&mut self, rtt: Option<Span>) {
        if let Some(log) = &mut self.timer_log {
            log.push_back(TimerEvent {
                rtt,
                srtt: self.rtt.srtt(),
                rto: self.rtt.rto(),
            });
        }
    }

    fn event(&self, now: Time) -> Event {
        Event {
            now,
            srtt: self.rtt.srtt().unwrap_or_default(),
            rtt: None,
            arrived: self.arrived(),
            snd_una: self.snd_una,
            snd_max: self.snd_max,
            snd_wnd: self.snd_wnd,
            segments: self.outstanding.len() as u64,
            is_cwnd_limited: self.is_cwnd_limited(),
        }
    }

    /// The congestion window in octets. Fast recovery may inflate it beyond the maximum window.
    pub fn cwnd(&self) -> u64 {
        let reduction = self.modern.as_ref().and_then(|modern| modern.reduction);
        reduction.map_or_else(|| self.control.window().cwnd, |it| it.cwnd)
    }
    /// The slow-start threshold in octets.
    pub fn ssthresh(&self) -> u64 {
        self.control.window().ssthresh
    }
    /// The oldest unacknowledged octet.
    pub fn snd_una(&self) -> u64 {
        self.snd_una
    }
    /// The octet to send next; below `snd_max` during go-back-N.
    pub fn snd_nxt(&self) -> u64 {
        self.snd_nxt
    }
    /// The octet after the highest ever sent.
    pub fn snd_max(&self) -> u64 {
        self.snd_max
    }
    /// The window that the peer offers, in octets, limited to what this sender can use.
    pub fn snd_wnd(&self) -> u64 {
        self.snd_wnd
    }
    /// The current retransmission time-out, including back-off.
    pub fn rto(&self) -> Span {
        self.rtt.rto()
    }
    /// The smoothed round-trip time as the sender measures it; `None` before the first sample and after an estimate was
    /// discarded.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }
    /// Octets that the application may write now; unlimited if the socket buffer is.
    pub fn buffer_free(&self) -> u64 {
        let Some(size) = self.config.send_buffer else {
            return u64::MAX;
        };
        u64::from(size).saturating_sub(self.written.saturating_sub(self.snd_una))
    }
    /// The state of the connection as this end sees it.
    pub fn state(&self) -> State {
        self.state
    }
    /// Whether the connection is open for writing.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }
    /// Whether the connection was dropped because the peer did not answer, by a reset, or by an abort; it then sends
    /// nothing.
    pub fn is_dropped(&self) -> bool {
        self.dropped
    }
    /// The options that it was created with.
    pub fn config(&self) -> &SenderConfig {
        &self.config
    }
    /// Counts since the start.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_closing;
#[cfg(test)]
mod tests_ecn;
#[cfg(test)]
mod tests_negotiation;
#[cfg(test)]
mod tests_opening;
#[cfg(test)]
mod tests_persist;
#[cfg(test)]
mod tests_recovery;
#[cfg(test)]
mod tests_reset;
#[cfg(test)]
mod tests_segment_timers;
#[cfg(test)]
mod tests_timestamps;
#[cfg(test)]
mod tests_today;
