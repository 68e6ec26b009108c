//! BBR, version 1: a sender paced at the measured bandwidth of the bottleneck.
//!
//! A model of the path, the greatest delivery rate of ten rounds and the least round-trip time of ten
//! seconds, sets the pacing rate and a window that is only a safety cap. Startup doubles the rate each
//! round until delivery stops growing; Drain empties the resulting queue; `ProbeBW` cycles around the
//! estimate; `ProbeRTT` empties the path every ten seconds to see its propagation time. A loss is not
//! treated as congestion.
//!
//! The sender is the caller: it queries [`Bbr::cwnd`] and [`Bbr::pacing_rate`], and for each
//! acknowledgment reports, in this order, losses ([`Bbr::on_loss`]), start or end of a recovery, and the
//! sample ([`Bbr::on_ack`]). While [`Bbr::state`] is [`State::ProbeRtt`] it then calls
//! [`DeliveryRate::on_app_limited`](crate::tcp::delivery::DeliveryRate::on_app_limited), so that
//! the low rates of that state are not taken for the bandwidth of the bottleneck.
//!
//! Windows are in octets, rates in bit/s of TCP payload.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00; from Linux (`tcp_bbr.c`) come the pacing
//! margin of 1 %, the update of the pacing rate by the first round-trip time, and if chosen the windows
//! (`budget`, `aggregation`) and the search for policers (`policer`).

mod aggregation;
mod budget;
mod law;
mod model;
mod policer;
mod policing;
mod window;

use crate::random::Stream;
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Span, Time};
use aggregation::Aggregation;
pub(super) use law::BbrLaw;
use model::Model;
use policer::Policer;

/// 2 / ln 2: the least gain that doubles the delivery rate each round (`BBRHighGain`).
const HIGH_GAIN: f64 = 2.0 / core::f64::consts::LN_2;
/// Pacing gains of the phases of `ProbeBW`, one round-trip time each.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const PROBE_BW_CWND_GAIN: f64 = 2.0;
/// Pacing slightly below the estimate prevents a standing queue at the bottleneck.
const PACING_MARGIN: f64 = 0.99;
/// Minimum of segments in flight that keeps acknowledgments and loss detection going (`BBRMinPipeCwnd`).
const MIN_PIPE_SEGMENTS: u64 = 4;
/// How long `ProbeRTT` keeps the path empty (`ProbeRTTDuration`).
const PROBE_RTT_DURATION: Span = Span::from_ms(200);
/// The round-trip time assumed before the first measurement.
const NOMINAL_RTT: Span = Span::from_ms(1);

/// The state of [`Bbr`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Searching for the bandwidth, doubling each round.
    Startup,
    /// Emptying the queue that Startup built.
    Drain,
    /// Cycling around the estimated bandwidth.
    ProbeBw,
    /// Keeping the path nearly empty to measure its round-trip time.
    ProbeRtt,
}

/// The progress of loss recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recovery {
    None,
    /// It begins with the current acknowledgment.
    Begins,
    /// Its first round: a segment leaves for each one delivered.
    Conserving,
    /// After the first round, or after a time-out: the window grows again.
    Growing,
}

/// Congestion control by bottleneck bandwidth and round-trip propagation time.
#[derive(Clone, Debug)]
pub struct Bbr {
    mss: u64,
    initial_cwnd: u64,
    stream: Stream,
    model: Model,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    pacing_rate: Rate,
    cwnd: u64,
    /// The window to return to after a recovery or `ProbeRTT`.
    prior_cwnd: u64,
    recovery: Recovery,
    /// Octets detected as lost since the last acknowledgment.
    lost: u64,
    cycle_index: usize,
    cycle_stamp: Time,
    /// The end of `ProbeRTT`, known once the path is empty.
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    /// When pacing allows the next segment.
    next_send: Time,
    /// Only by the rules of Linux.
    aggregation: Option<Aggregation>,
    policer: Option<Policer>,
}

impl Bbr {
    /// A connection with segments of `mss` octets that begins with `initial_cwnd` octets; `stream`
    /// chooses where each `ProbeBW` enters its cycle.
    pub fn new(mss: u32, initial_cwnd: u64, stream: Stream) -> Self {
        let mut bbr = Self {
            mss: u64::from(mss),
            initial_cwnd,
            stream,
            model: Model::default(),
            state: State::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: Rate::ZERO,
            cwnd: initial_cwnd,
            prior_cwnd: 0,
            recovery: Recovery::None,
            lost: 0,
            cycle_index: 0,
            cycle_stamp: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            next_send: Time::ZERO,
            aggregation: None,
            policer: None,
        };
        bbr.init_pacing_rate(NOMINAL_RTT);
        bbr
    }

    /// As [`Self::new`], by the rules of Linux: windows are even numbers of segments, and allow for what is acknowledged
    /// at once; behind a policer its rate takes the place of the maximum.
    pub fn of_linux(mss: u32, initial_cwnd: u64, stream: Stream) -> Self {
        Self {
            aggregation: Some(Aggregation::new(mss.into())),
            policer: Some(Policer::default()),
            ..Self::new(mss, initial_cwnd, stream)
        }
    }

    /// The congestion window in octets.
    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// The pacing rate in bit/s of TCP payload.
    pub fn pacing_rate(&self) -> Rate {
        self.pacing_rate
    }

    /// The state of the state machine.
    pub fn state(&self) -> State {
        self.state
    }

    /// The ratio of the pacing rate to the estimated bandwidth.
    pub fn pacing_gain(&self) -> f64 {
        self.pacing_gain
    }

    /// The estimated bandwidth of the bottleneck (`BtlBw`), in bit/s of TCP payload; zero before the first sample.
    pub fn bandwidth(&self) -> Rate {
        self.model.bandwidth()
    }

    /// The estimated round-trip propagation time (`RTprop`).
    pub fn min_rtt(&self) -> Option<Span> {
        self.model.min_rtt()
    }

    /// Number of rounds so far; a round ends when a segment sent after its start is acknowledged.
    pub fn round_count(&self) -> u64 {
        self.model.round_count()
    }

    /// An acknowledgment with this `sample` leaves `inflight` octets in flight.
    pub fn on_ack(&mut self, now: Time, sample: &RateSample, inflight: u64) {
        let lost = core::mem::take(&mut self.lost);
        let prior_inflight = inflight + sample.newly_acked + lost;
        self.model.update_bandwidth(sample);
        self.look_for_policer(now, sample, lost > 0);
        self.update_aggregation(now, sample);
        self.check_cycle_phase(now, prior_inflight, lost > 0);
        self.model.check_full_pipe(sample);
        self.check_drain(now, inflight);
        let had_rtt = self.model.min_rtt().is_some();
        let is_min_rtt_expired = self.model.update_min_rtt(now, sample);
        if let (false, Some(rtt)) = (had_rtt, sample.rtt) {
            self.init_pacing_rate(rtt);
        }
        self.check_probe_rtt(now, inflight, is_min_rtt_expired);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(sample.newly_acked, inflight, lost);
    }

    /// Pacing allows the next segment at `next_send`; [`Self::on_ack`] follows. Only the rules of Linux use it.
    pub fn on_pacing(&mut self, next_send: Time) {
        self.next_send = next_send;
    }

    /// `octets` are detected as lost; [`Self::on_ack`] for the acknowledgment that revealed it follows.
    pub fn on_loss(&mut self, octets: u64) {
        self.lost += octets;
        if let Some(policer) = &mut self.policer {
            policer.on_loss(octets);
        }
    }

    /// Recovery without a time-out begins, with `inflight` octets in flight.
    pub fn enter_recovery(&mut self, inflight: u64) {
        self.save_cwnd();
        self.recovery = Recovery::Begins;
        self.cwnd = inflight + self.mss;
    }

    /// All data outstanding at the start of the recovery, or at the time-out, are acknowledged.
    pub fn exit_recovery(&mut self) {
        self.recovery = Recovery::None;
        self.restore_cwnd();
    }

    /// The retransmission timer has expired; its recovery ends with [`Self::exit_recovery`].
    pub fn on_timeout(&mut self, now: Time) {
        self.save_cwnd();
        self.recovery = Recovery::Growing;
        self.cwnd = self.mss;
        self.look_for_policer_at_timeout(now);
    }

    /// The last reduction was spurious, and its recovery ends: nothing was lost.
    pub fn on_undone(&mut self) {
        if let Some(policer) = &mut self.policer {
            policer.forget();
        }
        self.exit_recovery();
    }

    /// Output resumes with nothing in flight, because the application had nothing to send.
    pub fn on_idle_restart(&mut self) {
        self.idle_restart = true;
        if self.state == State::ProbeBw {
            self.set_pacing_rate(1.0);
        }
    }

    fn update_aggregation(&mut self, now: Time, sample: &RateSample) {
        let rate = self.rate_in_use();
        if let Some(seen) = &mut self.aggregation
            && sample.rate.is_some()
        {
            let is_round = self.model.is_round_start();
            seen.update(now, sample.newly_acked, is_round, rate, self.cwnd);
        }
    }

    fn init_pacing_rate(&mut self, rtt: Span) {
        let nominal = Rate::bps(8.0 * self.initial_cwnd as f64 / rtt.as_secs());
        self.pacing_rate = nominal.scaled(HIGH_GAIN * PACING_MARGIN);
    }

    /// Before the pipe is full, a low sample has little significance, so the rate does not fall.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = self.rate_in_use().scaled(gain * PACING_MARGIN);
        if self.model.is_pipe_full() || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn enter(&mut self, state: State, pacing_gain: f64, cwnd_gain: f64) {
        self.state = state;
        self.pacing_gain = pacing_gain;
        self.cwnd_gain = cwnd_gain;
    }

    fn enter_probe_bw(&mut self, now: Time) {
        self.enter(State::ProbeBw, 1.0, PROBE_BW_CWND_GAIN);
        // Advancing from one of 1..=7 leads to any phase but 1, which drains the queue of phase 0.
        let drawn = (self.stream.uniform() * (CYCLE.len() - 1) as f64) as usize;
        self.cycle_index = CYCLE.len() - 1 - drawn;
        self.advance_cycle_phase(now);
    }

    fn advance_cycle_phase(&mut self, now: Time) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % CYCLE.len();
        self.set_cycle_gain();
    }

    fn check_cycle_phase(&mut self, now: Time, prior_inflight: u64, has_loss: bool) {
        if self.state != State::ProbeBw {
            return;
        }
        let prior_inflight = self.inflight_at_departure(now, prior_inflight);
        let elapsed = now - self.cycle_stamp;
        let is_full_length = self.model.min_rtt().is_some_and(|rtt| elapsed > rtt);
        let is_over = if self.pacing_gain > 1.0 {
            is_full_length && (has_loss || prior_inflight >= self.inflight_at(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            is_full_length || prior_inflight <= self.inflight_at(1.0)
        } else {
            is_full_length
        };
        if is_over {
            self.advance_cycle_phase(now);
        }
    }

    fn check_drain(&mut self, now: Time, inflight: u64) {
        if self.state == State::Startup && self.model.is_pipe_full() {
            self.enter(State::Drain, 1.0 / HIGH_GAIN, HIGH_GAIN);
        }
        let inflight = self.inflight_at_departure(now, inflight);
        if self.state == State::Drain && inflight <= self.inflight_at(1.0) {
            self.enter_probe_bw(now);
        }
    }

    fn check_probe_rtt(&mut self, now: Time, inflight: u64, is_min_rtt_expired: bool) {
        if self.state != State::ProbeRtt && is_min_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.enter(State::ProbeRtt, 1.0, 1.0);
            self.probe_rtt_done = None;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(now, inflight);
        }
        self.idle_restart = false;
    }

    fn handle_probe_rtt(&mut self, now: Time, inflight: u64) {
        match self.probe_rtt_done {
            None if inflight <= self.min_pipe_cwnd() => {
                self.probe_rtt_done = Some(now + PROBE_RTT_DURATION);
                self.probe_rtt_round_done = false;
                self.model.start_round();
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.model.is_round_start();
                if self.probe_rtt_round_done && now > done {
                    self.model.renew_min_rtt(now);
                    self.restore_cwnd();
                    self.exit_probe_rtt(now);
                }
            }
        }
    }

    fn exit_probe_rtt(&mut self, now: Time) {
        if self.model.is_pipe_full() {
            self.enter_probe_bw(now);
        } else {
            self.enter(State::Startup, HIGH_GAIN, HIGH_GAIN);
        }
    }
}

#[cfg(test)]
mod tests;
