//! What arrives at once beyond what the bandwidth explains: delayed acknowledgments and links that collect packets.
//!
//! Without an allowance for it, nothing could be sent while the next such acknowledgment is awaited.
//!
//! Source: Linux 6 `tcp_bbr.c` (`bbr_update_ack_aggregation`, `bbr_ack_aggregation_cwnd`).

use crate::units::{Rate, Span, Time};

/// The two maxima are of up to this many rounds each.
const ROUNDS: u32 = 5;
/// The allowance is at most what is delivered in this time.
const MOST: Span = Span::from_ms(100);

/// The excess of delivered data over what the bandwidth explains.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    /// Since when what is delivered is compared with the bandwidth, and octets delivered since.
    since: Time,
    delivered: u64,
    /// The greatest excess of the current rounds and of those before.
    most: [u64; 2],
    rounds: u32,
}

impl Aggregation {
    /// `octets` are newly delivered, which may begin a round; the excess is at most `cwnd`.
    pub(super) fn update(&mut self, now: Time, octets: u64, is_round: bool, rate: Rate, cwnd: u64) {
        if is_round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.most = [0, self.most[0]];
            }
        }
        let mut expected = octets_in(rate, now - self.since);
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
        self.most[0].max(self.most[1]).min(octets_in(rate, MOST))
    }
}

fn octets_in(rate: Rate, span: Span) -> u64 {
    (rate.bits_in(span) / 8.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1_000;
    /// A segment in each millisecond.
    const RATE: Rate = Rate::kbps(8_000);
    const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

    #[test]
    fn bbr_linux_an_acknowledgment_of_two_segments_is_one_more_than_the_bandwidth_explains() {
        let mut seen = Aggregation::default();
        for round in 1..=10 {
            seen.update(MS(2 * round), 2 * SEGMENT, true, RATE, 100 * SEGMENT);
        }
        // Each begins a comparison: what came before was explained.
        assert_eq!(seen.octets(RATE), 2 * SEGMENT);
    }

    #[test]
    fn bbr_linux_a_burst_is_allowed_for_five_to_ten_rounds_and_at_most_100_ms() {
        let mut seen = Aggregation::default();
        seen.update(MS(100), 500 * SEGMENT, false, RATE, 300 * SEGMENT);
        assert_eq!(seen.octets(RATE), 100 * SEGMENT);
        assert_eq!(seen.octets(Rate::kbps(80_000)), 300 * SEGMENT, "a window");
        let rounds = (1..20).find(|round| {
            seen.update(MS(10_000 + round), SEGMENT, true, RATE, 300 * SEGMENT);
            seen.octets(RATE) < 100 * SEGMENT
        });
        assert_eq!(rounds, Some(10));
    }
}
