//! The model of the path: bottleneck bandwidth, round-trip propagation time, rounds, and a full pipe.

use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Span, Time};

/// Rounds that the bandwidth filter remembers (`BtlBwFilterLen`).
const BANDWIDTH_ROUNDS: usize = 10;
/// How long the least round-trip time counts (`RTpropFilterLen`).
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// The pipe is full if the bandwidth grows by less than this factor per round for this many rounds.
const FULL_PIPE_GROWTH: f64 = 1.25;
const FULL_PIPE_ROUNDS: u32 = 3;

/// The maximum over [`BANDWIDTH_ROUNDS`] rounds, up to the last round with a sample.
///
/// Old samples expire only when new ones arrive: while all samples are application-limited, the estimate stays.
#[derive(Clone, Debug, Default)]
struct MaxFilter {
    by_round: [Rate; BANDWIDTH_ROUNDS],
    newest_round: u64,
}

impl MaxFilter {
    fn update(&mut self, round: u64, rate: Rate) {
        let len = BANDWIDTH_ROUNDS as u64;
        for skipped in self.newest_round + 1..=round.min(self.newest_round + len) {
            self.by_round[(skipped % len) as usize] = Rate::ZERO;
        }
        self.newest_round = round;
        let slot = &mut self.by_round[(round % len) as usize];
        *slot = slot.max(rate);
    }

    fn max(&self) -> Rate {
        self.by_round.into_iter().fold(Rate::ZERO, Rate::max)
    }
}

/// BBR's estimates of the path.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    filter: MaxFilter,
    min_rtt: Option<Span>,
    min_rtt_stamp: Time,
    delivered: u64,
    round_count: u64,
    next_round_delivered: u64,
    round_start: bool,
    full_bandwidth: Rate,
    full_bandwidth_rounds: u32,
}

impl Model {
    pub(super) fn bandwidth(&self) -> Rate {
        self.filter.max()
    }

    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    pub(super) fn round_count(&self) -> u64 {
        self.round_count
    }

    /// Whether the current acknowledgment begins a round.
    pub(super) fn is_round_start(&self) -> bool {
        self.round_start
    }

    /// Whether the bandwidth has stopped growing.
    pub(super) fn is_pipe_full(&self) -> bool {
        self.full_bandwidth_rounds >= FULL_PIPE_ROUNDS
    }

    /// Octets that fill the path without a queue at `rate`; none before the first round trip.
    pub(super) fn bdp(&self, rate: Rate) -> Option<f64> {
        Some(rate.bits_in(self.min_rtt?) / 8.0)
    }

    /// Starts a round, which ends when data sent from now on are acknowledged.
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// `BBRUpdateBtlBw`.
    pub(super) fn update_bandwidth(&mut self, sample: &RateSample) {
        self.delivered = sample.delivered_total();
        self.round_start = sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.start_round();
            self.round_count += 1;
        }
        if let Some(rate) = sample.rate
            && (!sample.is_app_limited || rate >= self.bandwidth())
        {
            self.filter.update(self.round_count, rate);
        }
    }

    /// `BBRCheckFullPipe`.
    pub(super) fn check_full_pipe(&mut self, sample: &RateSample) {
        if self.is_pipe_full() || !self.round_start || sample.is_app_limited {
            return;
        }
        if self.bandwidth() >= self.full_bandwidth.scaled(FULL_PIPE_GROWTH) {
            self.full_bandwidth = self.bandwidth();
            self.full_bandwidth_rounds = 0;
        } else {
            self.full_bandwidth_rounds += 1;
        }
    }

    /// `BBRUpdateRTprop`; returns whether the estimate had expired.
    pub(super) fn update_min_rtt(&mut self, now: Time, sample: &RateSample) -> bool {
        let is_expired = self.min_rtt.is_some() && now > self.min_rtt_stamp + MIN_RTT_WINDOW;
        if let Some(rtt) = sample.rtt
            && (is_expired || self.min_rtt.is_none_or(|min_rtt| rtt <= min_rtt))
        {
            self.min_rtt = Some(rtt);
            self.renew_min_rtt(now);
        }
        is_expired
    }

    /// A round-trip time is known before the first sample.
    pub(super) fn begin_with(&mut self, now: Time, rtt: Span) {
        self.min_rtt = Some(rtt);
        self.renew_min_rtt(now);
    }

    /// Marks the estimate of the round-trip time as new.
    pub(super) fn renew_min_rtt(&mut self, now: Time) {
        self.min_rtt_stamp = now;
    }
}
