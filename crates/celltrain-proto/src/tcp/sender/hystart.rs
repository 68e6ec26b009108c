//! Ends the first slow start when the delay grows, before the queue overflows.
//!
//! Two forms: that of RFC 9406, which continues more slowly for some rounds and returns to slow start if the delay
//! increase was spurious, and that of Linux, which ends slow start at once when round-trip times grow, or when the ACK
//! train of one round spans half of the minimum round-trip time. A round ends when the data sent at its beginning are
//! acknowledged.
//!
//! Source: RFC 9406 4.2, 4.3; Linux `tcp_cubic.c` (`hystart_update`).

use crate::units::{Span, Time};

/// Bounds of a significant increase of the round-trip time (`MIN_RTT_THRESH`, `MAX_RTT_THRESH`; `HYSTART_DELAY_MIN`,
/// `_MAX`).
const LEAST_GROWTH: Span = Span::from_ms(4);
const MOST_GROWTH: Span = Span::from_ms(16);
/// Between these bounds, the significant increase as a fraction of the round-trip time (`MIN_RTT_DIVISOR`).
const GROWTH_DIVISOR: u64 = 8;
/// Samples per round before its minimum is used (`N_RTT_SAMPLE`; `HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;
/// Conservative slow start divides growth by this (`CSS_GROWTH_DIVISOR`), for this many rounds (`CSS_ROUNDS`).
const CONSERVATIVE_DIVISOR: u64 = 4;
const CONSERVATIVE_ROUNDS: u32 = 5;
/// The maximum number of segments per acknowledgment that count (`L`).
const SEGMENTS_PER_ACK: u64 = 8;
/// Linux: smaller windows, in segments, are not examined (`hystart_low_window`), acknowledgments within this span of
/// each other belong to one train (`hystart_ack_delta`), and the delay that hosts may add (`hystart_ack_delay`).
const LOW_WINDOW_SEGMENTS: u64 = 16;
const TRAIN_GAP: Span = Span::from_ms(2);
const HELD_BACK: Span = Span::from_ms(1);

/// Which rule ends the first slow start early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SlowStartExit {
    /// None: slow start ends with the first loss.
    #[default]
    Loss,
    /// `HyStart`++ of RFC 9406.
    Rfc9406,
    /// `HyStart` of Linux's CUBIC. Linux has none for other variants.
    Linux,
}

/// The effect of an acknowledgment on slow start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Growth {
    /// This many octets of it count.
    Octets(u64),
    /// Slow start is over.
    Ends,
}

/// An acknowledgment of new data in slow start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ack {
    pub(super) now: Time,
    /// The round-trip time of the newest segment that it covers; `None` if that was retransmitted.
    pub(super) rtt: Option<Span>,
    pub(super) acked: u64,
    pub(super) snd_una: u64,
    pub(super) snd_max: u64,
    pub(super) cwnd: u64,
    pub(super) mss: u64,
}

/// The rounds of a slow start.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    rule: SlowStartExit,
    /// The round ends when octets up to here are acknowledged (`windowEnd`).
    round_end: Option<u64>,
    samples: u32,
    /// The minimum round-trip time of this round and of the last.
    least: Option<Span>,
    last_least: Option<Span>,
    conservative: Option<Conservative>,
    train: Option<Train>,
    /// The minimum round-trip time of the connection.
    delay_min: Option<Span>,
    /// No slow start is monitored any more (RFC 9406 4.3), or none before a time-out (`found` in Linux).
    is_over: bool,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// A round-trip time below this shows that the increase was spurious (`cssBaselineMinRtt`).
    baseline: Span,
    rounds: u32,
}

/// Closely spaced acknowledgments, from the beginning of a round.
#[derive(Clone, Copy, Debug)]
struct Train {
    start: Time,
    last: Time,
}

impl HyStart {
    /// `None` if no rule is chosen.
    pub(super) fn new(rule: SlowStartExit) -> Option<Self> {
        (rule != SlowStartExit::Loss).then_some(Self {
            rule,
            round_end: None,
            samples: 0,
            least: None,
            last_least: None,
            conservative: None,
            train: None,
            delay_min: None,
            is_over: false,
        })
    }

    /// A loss or a mark has reduced the window.
    pub(super) fn on_reduction(&mut self) {
        self.is_over |= self.rule == SlowStartExit::Rfc9406;
        self.round_end = None;
        self.conservative = None;
    }

    /// The retransmission timer has expired: Linux forgets what it found, and the minimum round-trip time.
    pub(super) fn on_timeout(&mut self) {
        if self.rule == SlowStartExit::Linux {
            self.is_over = false;
            self.delay_min = None;
        }
    }

    /// An acknowledgment of new data in slow start.
    pub(super) fn on_ack(&mut self, ack: &Ack) -> Growth {
        let whole = Growth::Octets(ack.acked);
        if self.is_over {
            return whole;
        }
        let is_new_round = self.round_end.is_none_or(|end| ack.snd_una > end);
        if is_new_round {
            self.begin_round(ack);
        }
        if let Some(rtt) = ack.rtt {
            self.samples += 1;
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            self.delay_min = Some(self.delay_min.map_or(rtt, |min| min.min(rtt)));
        }
        match self.rule {
            SlowStartExit::Loss => whole,
            SlowStartExit::Rfc9406 => self.by_rfc_9406(ack, is_new_round),
            SlowStartExit::Linux => {
                if self.is_found_by_linux(ack) {
                    self.is_over = true;
                    Growth::Ends
                } else {
                    whole
                }
            }
        }
    }

    fn begin_round(&mut self, ack: &Ack) {
        self.round_end = Some(ack.snd_max);
        self.last_least = self.least.take();
        self.samples = 0;
        self.train = Some(Train {
            start: ack.now,
            last: ack.now,
        });
    }

    /// The minimum round-trip time of this round, once there are enough samples; Linux requires one more.
    fn settled(&self) -> Option<Span> {
        let enough = match self.rule {
            SlowStartExit::Linux => SAMPLES + 1,
            SlowStartExit::Loss | SlowStartExit::Rfc9406 => SAMPLES,
        };
        self.least.filter(|_| self.samples >= enough)
    }

    fn by_rfc_9406(&mut self, ack: &Ack, is_new_round: bool) -> Growth {
        if let Some(state) = &mut self.conservative {
            state.rounds += u32::from(is_new_round);
            if state.rounds >= CONSERVATIVE_ROUNDS {
                self.is_over = true;
                return Growth::Ends;
            }
            let baseline = state.baseline;
            if self.settled().is_some_and(|least| least < baseline) {
                self.conservative = None;
            }
        } else if let (Some(least), Some(last)) = (self.settled(), self.last_least)
            && least >= last + growth(last)
        {
            self.conservative = Some(Conservative {
                baseline: least,
                rounds: 0,
            });
        }
        let counted = ack.acked.min(SEGMENTS_PER_ACK * ack.mss);
        Growth::Octets(match self.conservative {
            Some(_) => counted / CONSERVATIVE_DIVISOR,
            None => counted,
        })
    }

    fn is_found_by_linux(&mut self, ack: &Ack) -> bool {
        let Some(delay_min) = self.delay_min else {
            return false;
        };
        if ack.cwnd < LOW_WINDOW_SEGMENTS * ack.mss {
            return false;
        }
        let is_late = self
            .settled()
            .is_some_and(|least| least > delay_min + growth(delay_min));
        let is_long = self.train.as_mut().is_some_and(|train| {
            if ack.now - train.last > TRAIN_GAP {
                return false;
            }
            train.last = ack.now;
            ack.now - train.start > (delay_min + HELD_BACK) / 2
        });
        is_late || is_long
    }
}

/// How much a round-trip time of `base` must grow to be significant.
fn growth(base: Span) -> Span {
    (base / GROWTH_DIVISOR).clamp(LEAST_GROWTH, MOST_GROWTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const MSS: u64 = 1_000;

    /// A slow start whose rounds have `rtts` in milliseconds, with `acks` acknowledgments of one segment each. Returns
    /// the growth at the last acknowledgment of each round.
    fn rounds(rule: SlowStartExit, acks: u64, rtts: &[u64]) -> Vec<Growth> {
        let each = each_ack(rule, acks, rtts);
        each.iter()
            .filter_map(|round| round.last().copied())
            .collect()
    }

    /// The round in which Linux ends slow start.
    fn ending_round(acks: u64, rtts: &[u64]) -> Option<usize> {
        let each = each_ack(SlowStartExit::Linux, acks, rtts);
        each.iter().position(|round| round.contains(&Growth::Ends))
    }

    fn each_ack(rule: SlowStartExit, acks: u64, rtts: &[u64]) -> Vec<Vec<Growth>> {
        let mut hystart = HyStart::new(rule).expect("a rule");
        let mut now = Time::ZERO;
        let rounds = rtts.iter().zip(0..).map(|(&rtt, number)| {
            now += Span::from_ms(rtt);
            let end = (number + 1) * acks;
            let acks = (number * acks + 1..=end).map(|acked| {
                hystart.on_ack(&Ack {
                    now,
                    rtt: Some(Span::from_ms(rtt)),
                    acked: MSS,
                    snd_una: acked * MSS,
                    snd_max: end * MSS,
                    cwnd: 100 * MSS,
                    mss: MSS,
                })
            });
            acks.collect()
        });
        rounds.collect()
    }

    const FULL: Growth = Growth::Octets(MSS);
    const QUARTER: Growth = Growth::Octets(MSS / 4);

    #[test]
    fn rfc_9406_4_2_a_round_that_is_an_eighth_longer_makes_slow_start_conservative_and_five_end_it()
    {
        let rtts = [64, 64, 72, 72, 72, 72, 72, 72];
        let growth = rounds(SlowStartExit::Rfc9406, 20, &rtts);
        assert_eq!(growth[..3], [FULL, FULL, QUARTER]);
        assert_eq!(growth[6], QUARTER);
        // It ended at the first acknowledgment of the last round; after that nothing is monitored.
        assert_eq!(growth[7], FULL);
        assert_eq!(
            rounds(SlowStartExit::Rfc9406, 20, &[64, 64, 71, 71])[3],
            FULL
        );
    }

    #[test]
    fn rfc_9406_4_2_slow_start_resumes_where_the_round_trip_falls_below_that_which_ended_it() {
        let growth = rounds(SlowStartExit::Rfc9406, 20, &[64, 64, 80, 70, 70]);
        assert_eq!(growth[2..], [QUARTER, FULL, FULL]);
    }

    #[test]
    fn rfc_9406_4_2_fewer_than_eight_samples_tell_nothing() {
        assert_eq!(
            rounds(SlowStartExit::Rfc9406, 7, &[64, 64, 90, 90]),
            [FULL; 4]
        );
        assert_eq!(rounds(SlowStartExit::Rfc9406, 8, &[64, 64, 90])[2], QUARTER);
    }

    #[test]
    fn rfc_9406_4_2_growth_of_less_than_4_ms_is_none_and_of_16_ms_enough() {
        assert_eq!(rounds(SlowStartExit::Rfc9406, 9, &[8, 8, 11])[2], FULL);
        assert_eq!(rounds(SlowStartExit::Rfc9406, 9, &[8, 8, 12])[2], QUARTER);
        assert_eq!(
            rounds(SlowStartExit::Rfc9406, 9, &[400, 400, 416])[2],
            QUARTER
        );
    }

    #[test]
    fn rfc_9406_4_3_after_a_loss_slow_start_is_the_ordinary_one() {
        let mut hystart = HyStart::new(SlowStartExit::Rfc9406).expect("a rule");
        hystart.on_reduction();
        assert!(hystart.is_over);
    }

    #[test]
    fn linux_looks_at_the_delay_from_the_ninth_acknowledgment_of_a_round_on() {
        for (acks, ends) in [(8, None), (9, Some(2))] {
            assert_eq!(ending_round(acks, &[64, 64, 73]), ends, "{acks}");
        }
    }

    #[test]
    fn linux_ends_slow_start_when_round_trips_are_an_eighth_longer_than_the_least() {
        assert_eq!(ending_round(20, &[64, 64, 72]), None);
        assert_eq!(ending_round(20, &[64, 64, 73, 90]), Some(2));
    }

    #[test]
    fn linux_ends_slow_start_when_a_train_of_acknowledgments_fills_half_of_a_round_trip() {
        for (gap_ms, ends) in [(1, true), (3, false)] {
            let mut hystart = HyStart::new(SlowStartExit::Linux).expect("a rule");
            let growth = (1..=40).map(|number| {
                hystart.on_ack(&Ack {
                    now: Time::ZERO + Span::from_ms(64 + gap_ms * number),
                    rtt: Some(Span::from_ms(64)),
                    acked: MSS,
                    snd_una: number * MSS,
                    snd_max: 100 * MSS,
                    cwnd: 100 * MSS,
                    mss: MSS,
                })
            });
            assert_eq!(growth.into_iter().any(|it| it == Growth::Ends), ends);
        }
    }

    /// Whether slow start ends in a round of twenty acknowledgments.
    fn ends(hystart: &mut HyStart, rtt_ms: u64, round: u64) -> bool {
        (0..20).any(|number| {
            let growth = hystart.on_ack(&Ack {
                now: Time::ZERO + Span::from_secs(round),
                rtt: Some(Span::from_ms(rtt_ms)),
                acked: MSS,
                snd_una: (20 * round + number) * MSS,
                snd_max: (20 * round + 19) * MSS,
                cwnd: 100 * MSS,
                mss: MSS,
            });
            growth == Growth::Ends
        })
    }

    #[test]
    fn linux_ends_one_slow_start_and_another_only_after_a_time_out() {
        let mut hystart = HyStart::new(SlowStartExit::Linux).expect("a rule");
        let found = [(64, 1), (80, 2), (96, 3)].map(|(ms, round)| ends(&mut hystart, ms, round));
        assert_eq!(found, [false, true, false]);
        hystart.on_reduction();
        assert!(!ends(&mut hystart, 96, 4));
        hystart.on_timeout();
        // The least round trip is forgotten, too.
        let found = [(96, 5), (112, 6)].map(|(ms, round)| ends(&mut hystart, ms, round));
        assert_eq!(found, [false, true]);
    }
}
