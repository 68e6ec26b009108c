//! How much may be in flight: a multiple of the bandwidth-delay product, and what end systems hold back.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00 (`BBRInflight`, `BBRSetSendQuantum`); Linux 6 `tcp_bbr.c`
//! (`bbr_bdp`, `bbr_quantization_budget`, `bbr_tso_segs_goal`, `bbr_packets_in_net_at_edt`).

use super::{Bbr, State};
use crate::units::{Rate, Span, Time};

/// Octets that the network layer takes at once.
const MOST_AT_ONCE: u64 = 64 << 10;
/// Linux's millisecond for the octets that leave together: 1 / 1024 s.
const LINUX_MS: f64 = 1.0 / 1_024.0;

impl Bbr {
    /// Octets that may leave back to back (`BBRSetSendQuantum`).
    pub(super) fn send_quantum(&self) -> u64 {
        let bps = self.pacing_rate.as_bps();
        let least = if bps < 1.2e6 { self.mss } else { 2 * self.mss };
        if self.is_linux() {
            let in_1_ms = (bps * LINUX_MS / 8.0) as u64;
            return (in_1_ms.min(MOST_AT_ONCE) / self.mss * self.mss).max(least);
        }
        if bps < 24e6 {
            return least;
        }
        // With large segments a millisecond may hold none; the quantum does not fall as the rate rises.
        let in_1_ms = (bps * 1e-3 / 8.0) as u64;
        in_1_ms.min(MOST_AT_ONCE).max(least)
    }

    /// Octets that leave back to back: the draft's segments leave one by one, Linux gives a quantum to the network layer at
    /// once.
    pub(super) fn pacing_quantum(&self) -> u64 {
        if self.is_linux() {
            self.send_quantum()
        } else {
            0
        }
    }

    /// Octets in flight at `gain` times the bandwidth-delay product, plus what end systems hold back
    /// (`BBRInflight`).
    pub(super) fn inflight_at(&self, gain: f64) -> u64 {
        self.budget(self.model.bandwidth(), gain, 0)
    }

    /// As [`Self::inflight_at`], with an allowance for acknowledgments of much data at once.
    pub(super) fn target_cwnd(&self) -> u64 {
        let collected = match &self.aggregation {
            Some(seen) if self.model.is_pipe_full() => seen.octets(self.rate_in_use()),
            _ => 0,
        };
        self.budget(self.rate_in_use(), self.cwnd_gain, collected)
    }

    fn budget(&self, rate: Rate, gain: f64, collected: u64) -> u64 {
        let Some(bdp) = self.model.bdp(rate) else {
            return self.initial_cwnd;
        };
        let held_back = collected + 3 * self.send_quantum();
        if !self.is_linux() {
            return (gain * bdp) as u64 + held_back;
        }
        let bdp = ((gain * bdp) as u64).div_ceil(self.mss);
        // An even number, so that no acknowledgment waits for a second segment.
        let segments = (bdp + held_back / self.mss).next_multiple_of(2);
        // On a short path the round that probes would otherwise not exceed the product.
        let is_probing = self.state == State::ProbeBw && self.cycle_index == 0;
        (segments + if is_probing { 2 } else { 0 }) * self.mss
    }

    /// The round trip of the handshake, without data: in Linux the first estimate of the path.
    pub(super) fn on_handshake(&mut self, now: Time, rtt: Span) {
        if self.is_linux() {
            self.model.begin_with(now, rtt);
            self.init_pacing_rate(rtt);
        }
    }

    /// What of `inflight` octets is still in the network when pacing allows the next segment: in Linux, what is delivered
    /// until then no longer counts, and what then leaves does while the rate is raised.
    pub(super) fn inflight_at_departure(&self, now: Time, inflight: u64) -> u64 {
        if !self.is_linux() {
            return inflight;
        }
        let wait = self.next_send.saturating_since(now);
        let delivered = (self.rate_in_use().bits_in(wait) / 8.0) as u64;
        let leaves = if self.pacing_gain > 1.0 {
            self.send_quantum()
        } else {
            0
        };
        (inflight + leaves).saturating_sub(delivered)
    }

    fn is_linux(&self) -> bool {
        self.aggregation.is_some()
    }
}
