//! What arrives at once beyond what the bandwidth explains: delayed acknowledgments and links that collect packets.
//!
//! Without an allowance for it, nothing could be sent while the next such acknowledgment is awaited.
//!
//! Source: Linux 6 `tcp_bbr.c` (`bbr_update_ack_aggregation`, `bbr_ack_aggregation_cwnd`).

use crate::units::{Rate, Span, Time};

/// The two maxima are of up to this many rounds each.
const ROUNDS: u32 = 5;
/// In Linux a bandwidth is a multiple of a segment per microsecond, divided by this (`BW_SCALE`).
const BANDWIDTH_UNITS: f64 = (1_u32 << 24) as f64;
/// The allowance is at most what is delivered in this time.
const MOST: Span = Span::from_ms(100);

/// The excess of delivered data over what the bandwidth explains.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    mss: u64,
    /// Since when what is delivered is compared with the bandwidth, and octets delivered since.
    since: Time,
    delivered: u64,
    /// The greatest excess of the current rounds and of those before.
    most: [u64; 2],
    rounds: u32,
}

impl Aggregation {
    pub(super) fn new(mss: u64) -> Self {
        Self {
            mss,
            ..Self::default()
        }
    }

    /// `octets` are newly delivered, which may begin a round; the excess is at most `cwnd`.
    pub(super) fn update(&mut self, now: Time, octets: u64, is_round: bool, rate: Rate, cwnd: u64) {
        if is_round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.most = [0, self.most[0]];
            }
        }
        let mut expected = self.expected(rate, now - self.since);
        if self.delivered <= expected {
            // No faster than the bandwidth: a new comparison begins.
            self.since = now;
            self.delivered = 0;
            expected = 0;
        }
        self.delivered += octets;
        let excess = (self.delivered - expected).min(cwnd);
        self.most[0] = self.most[0].max(excess);
    }

    /// The allowance in octets.
    pub(super) fn octets(&self, rate: Rate) -> u64 {
        self.most[0]
            .max(self.most[1])
            .min(self.expected(rate, MOST))
    }

    /// What the bandwidth explains, in whole segments. Linux rounds the bandwidth down, too, so that a line at exactly this
    /// rate delivers more than it explains.
    fn expected(&self, rate: Rate, span: Span) -> u64 {
        let segments_per_s = rate.as_bps() / (8 * self.mss) as f64;
        let units = libm::floor(segments_per_s * 1e-6 * BANDWIDTH_UNITS);
        let segments = units / BANDWIDTH_UNITS * span.as_secs() * 1e6;
        segments as u64 * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1_000;
    /// A segment in each millisecond.
    const RATE: Rate = Rate::kbps(8_000);
    const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

    #[test]
    fn bbr_linux_acknowledgments_of_two_segments_are_three_more_than_the_bandwidth_explains() {
        // Two are delivered each 2 ms, and two more after 2 ms in which the bandwidth explains one whole segment.
        for (gap_us, excess) in [(1_999, 3), (2_000, 3), (2_010, 2)] {
            let mut seen = Aggregation::new(SEGMENT);
            for number in 1..=10 {
                let now = Time::ZERO + Span::from_us(gap_us * number);
                seen.update(now, 2 * SEGMENT, false, RATE, 100 * SEGMENT);
            }
            assert_eq!(seen.octets(RATE), excess * SEGMENT, "{gap_us}");
        }
    }

    #[test]
    fn bbr_linux_a_burst_is_allowed_for_five_to_ten_rounds_and_at_most_100_ms() {
        let mut seen = Aggregation::new(SEGMENT);
        seen.update(MS(100), 500 * SEGMENT, false, RATE, 300 * SEGMENT);
        assert_eq!(seen.octets(RATE), 99 * SEGMENT);
        assert_eq!(seen.octets(Rate::kbps(80_000)), 300 * SEGMENT, "a window");
        let rounds = (1..20).find(|round| {
            seen.update(MS(10_000 + round), SEGMENT, true, RATE, 300 * SEGMENT);
            seen.octets(RATE) < 99 * SEGMENT
        });
        assert_eq!(rounds, Some(10));
    }
}
