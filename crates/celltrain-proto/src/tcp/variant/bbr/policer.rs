//! Token-bucket policers: where two intervals lose much at one rate, this long-term rate takes the place of the maximum.
//!
//! The maximum of ten rounds includes the bursts that a policer lets pass while it has tokens, and pacing at it loses all
//! that exceeds the policed rate. What is delivered from one loss to a later one, when the bucket is empty both times, is
//! the policed rate.
//!
//! Source: Linux 6 `tcp_bbr.c` (`bbr_lt_bw_sampling`, `bbr_lt_bw_interval_done`).

use crate::units::{Rate, Span, Time};

/// Rounds of an interval, at least and at most (`bbr_lt_intvl_min_rtts`).
const LEAST_ROUNDS: u32 = 4;
const MOST_ROUNDS: u32 = 4 * LEAST_ROUNDS;
/// An interval that loses less than 50 octets for 256 delivered goes on (`bbr_lt_loss_thresh`).
const LOST: u64 = 50;
const DELIVERED: u64 = 256;
/// Rates of two intervals are one if they differ by no more than this share of the first, or by this much
/// (`bbr_lt_bw_ratio`, `bbr_lt_bw_diff`).
const SAME_RATIO: f64 = 1.0 / 8.0;
const SAME_RATE: Rate = Rate::kbps(4);
/// An interval lasts at least this long.
const LEAST_SPAN: Span = Span::from_ms(1);
/// The rate is used for this many rounds (`bbr_lt_bw_max_rtts`).
const ROUNDS_IN_USE: u32 = 48;

/// What an acknowledgment or a time-out tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// Whether data are newly found lost.
    pub(super) has_loss: bool,
    /// Whether a round begins.
    pub(super) is_round: bool,
    /// Whether the sample was limited by the application.
    pub(super) is_app_limited: bool,
}

/// The search for a policer.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    /// Octets found lost and delivered in the connection, and when the last was delivered.
    lost: u64,
    delivered: u64,
    at: Time,
    /// The same at the start of the present interval; none before the first loss, when a bucket may still have tokens.
    since: Option<(u64, u64, Time)>,
    /// Rounds of the present interval, or of the use of the rate.
    rounds: u32,
    /// The rate of the last interval, or of the last two while it is in use.
    rate: Option<Rate>,
    is_in_use: bool,
}

impl Policer {
    /// The policed rate, in bit/s of TCP payload; none if no policer is assumed.
    pub(super) fn rate(&self) -> Option<Rate> {
        self.rate.filter(|_| self.is_in_use)
    }

    /// `octets` are found lost, of which [`Self::observe`] is told later.
    pub(super) fn on_loss(&mut self, octets: u64) {
        self.lost += octets;
    }

    /// At `now`, `delivered` octets in total are delivered; [`Self::observe`] follows.
    pub(super) fn on_delivered(&mut self, now: Time, delivered: u64) {
        self.at = now;
        self.delivered = delivered;
    }

    /// Returns whether the use of a rate ends, because the policer may have gone. `is_probing`: the sender probes bandwidth
    /// (`ProbeBW`).
    pub(super) fn observe(&mut self, told: Told, is_probing: bool) -> bool {
        if self.is_in_use {
            self.rounds += u32::from(is_probing && told.is_round);
            let ends = self.rounds >= ROUNDS_IN_USE;
            if ends {
                self.forget();
            }
            return ends;
        }
        let start = match self.since {
            None if !told.has_loss => return false,
            None => self.begin_interval(),
            Some(start) => start,
        };
        // What the application did not send is no sign of a low rate.
        if told.is_app_limited {
            self.forget();
            return false;
        }
        self.rounds += u32::from(told.is_round);
        if self.rounds > MOST_ROUNDS {
            self.forget();
        } else if self.rounds >= LEAST_ROUNDS && told.has_loss {
            // Only at a loss is the bucket empty; before it, its tokens would make the rate seem lower.
            self.end_interval(start);
        }
        false
    }

    /// No policer is assumed, and the search begins with the next loss.
    pub(super) fn forget(&mut self) {
        self.since = None;
        self.rounds = 0;
        self.rate = None;
        self.is_in_use = false;
    }

    fn begin_interval(&mut self) -> (u64, u64, Time) {
        let start = (self.lost, self.delivered, self.at);
        self.since = Some(start);
        self.rounds = 0;
        start
    }

    /// Compares the interval since `start` with the one before, unless it must go on.
    fn end_interval(&mut self, start: (u64, u64, Time)) {
        let (lost, delivered) = (self.lost - start.0, self.delivered - start.1);
        let span = self.at - start.2;
        let has_few_losses = delivered == 0 || lost * DELIVERED < LOST * delivered;
        if has_few_losses || span < LEAST_SPAN {
            return;
        }
        let rate = Rate::bps(8.0 * delivered as f64 / span.as_secs());
        let before = self.rate.filter(|&before| is_same(rate, before));
        if let Some(before) = before {
            self.rate = Some(Rate::bps(rate.as_bps().midpoint(before.as_bps())));
            self.is_in_use = true;
            self.rounds = 0;
        } else {
            self.rate = Some(rate);
            self.begin_interval();
        }
    }
}

fn is_same(rate: Rate, last: Rate) -> bool {
    let difference = (rate.as_bps() - last.as_bps()).abs();
    difference <= SAME_RATIO * last.as_bps() || difference <= SAME_RATE.as_bps()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round of 100 ms in which so many octets are delivered, and lost at its end.
    struct Line {
        policer: Policer,
        now: Time,
        delivered: u64,
    }

    const TOLD: Told = Told {
        has_loss: true,
        is_round: true,
        is_app_limited: false,
    };

    impl Line {
        fn new() -> Self {
            let mut line = Self {
                policer: Policer::default(),
                now: Time::ZERO,
                delivered: 0,
            };
            line.round(100_000, 1);
            line
        }

        fn round(&mut self, delivered: u64, lost: u64) -> bool {
            self.tells(delivered, lost, TOLD, true)
        }

        fn tells(&mut self, delivered: u64, lost: u64, told: Told, is_probing: bool) -> bool {
            self.now += Span::from_ms(100);
            self.delivered += delivered;
            self.policer.on_loss(lost);
            self.policer.on_delivered(self.now, self.delivered);
            let has_loss = lost > 0 && told.has_loss;
            self.policer.observe(Told { has_loss, ..told }, is_probing)
        }

        fn rounds(&mut self, count: u32, delivered: u64, lost: u64) -> &mut Self {
            for _ in 0..count {
                self.round(delivered, lost);
            }
            self
        }

        fn bps(&self) -> Option<f64> {
            self.policer.rate().map(Rate::as_bps)
        }
    }

    #[test]
    fn bbr_linux_two_intervals_of_four_rounds_that_lose_a_fifth_give_their_mean_rate() {
        // The round of the first loss counts as one of its interval.
        let mut line = Line::new();
        line.rounds(3, 10_000, 2_000);
        line.rounds(3, 11_000, 2_200);
        assert_eq!(line.bps(), None);
        line.round(11_000, 2_200);
        // 10,000 and 11,000 octets in 100 ms.
        assert_eq!(line.bps(), Some(840_000.0));
    }

    #[test]
    fn bbr_linux_rates_an_eighth_apart_are_one_and_those_farther_apart_are_not() {
        for (second, is_one) in [(9_000, true), (9_001, false), (7_000, true), (6_999, false)] {
            let mut line = Line::new();
            line.rounds(3, 8_000, 4_000).rounds(4, second, 4_000);
            assert_eq!(line.bps().is_some(), is_one, "{second}");
        }
        // 4 kbit/s are 50 octets in a round, more than an eighth of 100.
        for (second, is_one) in [(150, true), (151, false)] {
            let mut line = Line::new();
            line.rounds(3, 100, 400).rounds(4, second, 400);
            assert_eq!(line.bps().is_some(), is_one, "{second}");
        }
    }

    #[test]
    fn bbr_linux_an_interval_with_few_losses_goes_on_and_is_given_up_after_16_rounds() {
        let mut line = Line::new();
        line.rounds(40, 25_600, 4_999);
        assert_eq!(line.bps(), None);
        let mut line = Line::new();
        line.rounds(3, 25_600, 5_000).rounds(4, 25_600, 5_000);
        assert!(line.bps().is_some());
        // Losses come at last in the sixteenth round, or in the one after it.
        for (quiet, is_used) in [(12, true), (13, false)] {
            let mut line = Line::new();
            line.rounds(3, 10_000, 3_000).rounds(3, 10_000, 3_000);
            line.rounds(quiet, 10_000, 0).round(10_000, 30_000);
            assert_eq!(line.bps().is_some(), is_used, "{quiet}");
        }
    }

    #[test]
    fn bbr_linux_a_rate_is_used_for_48_rounds_that_probe() {
        let mut line = Line::new();
        line.rounds(7, 10_000, 3_000);
        assert_eq!(line.bps(), Some(800_000.0));
        for _ in 0..100 {
            assert!(!line.tells(10_000, 0, TOLD, false));
        }
        let ended = (1..100).find(|_| line.round(10_000, 0));
        assert_eq!(ended, Some(48));
        assert_eq!(line.bps(), None);
    }

    #[test]
    fn bbr_linux_data_that_the_application_did_not_send_end_the_search() {
        let mut line = Line::new();
        line.rounds(6, 10_000, 3_000);
        let limited = Told {
            is_app_limited: true,
            ..TOLD
        };
        line.tells(10_000, 3_000, limited, true);
        line.rounds(6, 10_000, 3_000);
        assert_eq!(line.bps(), None, "one interval and three rounds");
        line.rounds(2, 10_000, 3_000);
        assert!(line.bps().is_some());
    }
}
