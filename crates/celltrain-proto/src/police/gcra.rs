//! The generic cell rate algorithm, and burst sizes (ITU-T I.371 Annex A; TM 4.0 §4.4.2 and Annex C).

use crate::units::{Cells, Rate, Span, Time};

/// GCRA(T, tau) as virtual scheduling: a cell conforms unless it arrives more than the limit tau before its theoretical
/// arrival time; each conforming cell advances that time by the increment T.
///
/// Times never decrease from call to call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gcra {
    increment: Span,
    limit: Span,
    /// TAT: when the next cell is expected.
    theoretical_arrival: Time,
}

impl Gcra {
    /// Creates the state for a stream of one cell per `increment` (the reciprocal of its rate), each up to `limit`
    /// early. The first cell always conforms.
    pub const fn new(increment: Span, limit: Span) -> Self {
        Self {
            increment,
            limit,
            theoretical_arrival: Time::ZERO,
        }
    }

    /// The bucket of a sustainable rate: GCRA(1/`scr`, BT + `tolerance`), where BT just admits `mbs` cells at the peak
    /// rate `pcr`.
    pub fn sustained(scr: Rate, mbs: Cells, pcr: Rate, tolerance: Span) -> Self {
        Self::new(scr.cell_time(), burst_tolerance(mbs, scr, pcr) + tolerance)
    }

    /// Whether a cell that arrives `now` conforms; one that does not leaves the state as it is.
    #[inline]
    pub fn conforms(&mut self, now: Time) -> bool {
        let conforms = self.would_conform(now);
        if conforms {
            self.commit(now);
        }
        conforms
    }

    /// Whether a cell that arrived at `now` would conform.
    #[inline]
    #[must_use]
    pub fn would_conform(&self, now: Time) -> bool {
        self.theoretical_arrival <= now.saturating_add(self.limit)
    }

    /// Counts a cell that arrives at `now`, conforming or not.
    #[inline]
    pub fn commit(&mut self, now: Time) {
        self.theoretical_arrival = self
            .theoretical_arrival
            .max(now)
            .saturating_add(self.increment);
    }

    /// The earliest instant from `now` on at which a cell would conform. Changes with [`Gcra::conforms`] and
    /// [`Gcra::commit`].
    #[inline]
    #[must_use]
    pub fn earliest(&self, now: Time) -> Time {
        let expected = self.theoretical_arrival.saturating_since(Time::ZERO);
        now.max(Time::ZERO + expected.saturating_sub(self.limit))
    }
}

/// Ts - Tp: the cell time at the sustainable rate minus that at the peak rate.
fn excess_per_cell(scr: Rate, pcr: Rate) -> Span {
    scr.cell_time().saturating_sub(pcr.cell_time())
}

/// BT: the limit of a GCRA at the sustainable rate `scr` that just admits `mbs` cells, at least 1, at the peak rate
/// `pcr` (TM 4.0 §4.4.2): `(MBS - 1) (1/SCR - 1/PCR)`.
pub fn burst_tolerance(mbs: Cells, scr: Rate, pcr: Rate) -> Span {
    let excess = excess_per_cell(scr, pcr).as_ps();
    Span::from_ps(excess.saturating_mul(mbs.0.saturating_sub(1)))
}

/// MBS: how many cells at the peak rate `pcr` a GCRA at the sustainable rate `scr` with limit `tolerance` admits (TM
/// 4.0 §4.4.2): `1 + floor(BT / (1/SCR - 1/PCR))`. Unlimited, given as the largest number, if the peak rate is not
/// above the sustainable rate.
pub fn max_burst_size(tolerance: Span, scr: Rate, pcr: Rate) -> Cells {
    let excess = excess_per_cell(scr, pcr);
    if excess == Span::ZERO {
        return Cells(u64::MAX);
    }
    Cells(tolerance.div_floor(excess).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// One cell every `us` microseconds.
    fn each_us(us: u64) -> Rate {
        Rate::cells_per_s(1e6 / us as f64)
    }

    #[test]
    fn verdicts_are_those_worked_out_by_hand() {
        let mut gcra = Gcra::new(Span::from_us(10), Span::from_us(15));
        for (us, conforms) in [
            (0, true),
            (1, true),
            (2, false),
            (3, false),
            (10, true),
            (20, true),
            (21, false),
            (22, false),
            (50, true),
            (51, true),
            (52, false),
            (53, false),
        ] {
            assert_eq!(gcra.conforms(at_us(us)), conforms, "at {us} us");
        }
    }

    #[test]
    fn idleness_earns_no_more_than_the_limit() {
        let mut gcra = Gcra::new(Span::from_us(10), Span::ZERO);
        assert!(gcra.conforms(at_us(1_000)));
        assert!(!gcra.conforms(at_us(1_009)));
        assert!(gcra.conforms(at_us(1_010)));
    }

    #[test]
    fn asking_changes_nothing() {
        let mut gcra = Gcra::new(Span::from_us(10), Span::ZERO);
        assert!(gcra.would_conform(at_us(0)) && gcra.would_conform(at_us(0)));
        gcra.commit(at_us(0));
        assert!(!gcra.would_conform(at_us(9)));
        assert_eq!(gcra.earliest(at_us(0)), at_us(10));
        assert_eq!(gcra.earliest(at_us(12)), at_us(12));
    }

    #[test]
    fn a_rate_of_zero_admits_one_cell() {
        let mut gcra = Gcra::new(Rate::ZERO.cell_time(), Span::from_secs(1));
        assert!(gcra.conforms(at_us(5)));
        assert!(!gcra.conforms(Time::ZERO + Span::from_secs(1_000_000)));
    }

    #[test]
    fn a_burst_tolerance_of_300_is_a_burst_of_38_cells() {
        let (scr, pcr) = (each_us(10), each_us(2));
        assert_eq!(max_burst_size(Span::from_us(300), scr, pcr), Cells(38));
        assert_eq!(burst_tolerance(Cells(38), scr, pcr), Span::from_us(296));
        assert_eq!(max_burst_size(Span::from_us(296), scr, pcr), Cells(38));
        assert_eq!(max_burst_size(Span::from_us(295), scr, pcr), Cells(37));
    }

    #[test]
    fn bursts_are_single_cells_or_endless_at_the_edges() {
        let (scr, pcr) = (each_us(10), each_us(2));
        assert_eq!(max_burst_size(Span::ZERO, scr, pcr), Cells(1));
        assert_eq!(burst_tolerance(Cells(1), scr, pcr), Span::ZERO);
        assert_eq!(burst_tolerance(Cells(9), pcr, pcr), Span::ZERO);
        assert_eq!(max_burst_size(Span::ZERO, pcr, pcr), Cells(u64::MAX));
    }

    /// The continuous-state leaky bucket (TM 4.0 Annex C).
    #[derive(Default)]
    struct LeakyBucket {
        content: i128,
        last: i128,
    }

    impl LeakyBucket {
        fn conforms(&mut self, now: i128, increment: i128, limit: i128) -> bool {
            let left = self.content - (now - self.last);
            if left > limit {
                return false;
            }
            self.content = left.max(0) + increment;
            self.last = now;
            true
        }
    }

    proptest! {
        #[test]
        fn the_leaky_bucket_gives_the_same_verdicts(
            increment in 1_u64..1_000, limit in 0_u64..5_000,
            gaps in proptest::collection::vec(0_u64..2_000, 1..200),
        ) {
            let mut gcra = Gcra::new(Span::from_ps(increment), Span::from_ps(limit));
            let mut bucket = LeakyBucket::default();
            let mut now = 0;
            for gap in gaps {
                now += gap;
                prop_assert_eq!(
                    gcra.conforms(Time::from_ps(now)),
                    bucket.conforms(now.into(), increment.into(), limit.into())
                );
            }
        }

        #[test]
        fn the_earliest_instant_conforms_and_the_one_before_does_not(
            increment in 1_u64..1_000, limit in 0_u64..5_000,
            gaps in proptest::collection::vec(0_u64..500, 1..50),
        ) {
            let mut gcra = Gcra::new(Span::from_ps(increment), Span::from_ps(limit));
            let mut now = Time::ZERO;
            for gap in gaps {
                now += Span::from_ps(gap);
                let earliest = gcra.earliest(now);
                prop_assert!(gcra.would_conform(earliest));
                prop_assert!(earliest == now || !gcra.would_conform(earliest - Span::from_ps(1)));
                gcra.commit(now);
            }
        }

        #[test]
        fn the_burst_size_is_the_number_of_cells_that_conform_at_the_peak_rate(
            ts in 2_u64..500, tp in 1_u64..500, tolerance in 0_u64..20_000,
        ) {
            prop_assume!(tp < ts);
            let mut gcra = Gcra::new(Span::from_us(ts), Span::from_us(tolerance));
            let burst = (0..50_000).take_while(|k| gcra.conforms(at_us(k * tp))).count();
            let mbs = max_burst_size(Span::from_us(tolerance), each_us(ts), each_us(tp));
            prop_assert_eq!(burst as u64, mbs.0);
        }
    }
}
