//! Estimates the offset of a daemon's clock from the controller's, with a bound that needs no assumptions.
//!
//! The controller records when it sends a ping (`t1`) and receives its answer (`t4`); the daemon reports when it
//! received the ping (`t2`) and sent the answer (`t3`). Whatever the two one-way delays, the daemon's clock is ahead by
//! at most `t2 - t1` and at least `t3 - t4` (NTP, RFC 5905 section 8, uses the midpoint of these bounds as the
//! estimate). Each exchange narrows the interval; its midpoint is the estimate, half its width the bound.

/// One exchange; times in ns, `t1` and `t4` on the controller's clock, `t2` and `t3` on the daemon's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// The ping left the controller.
    pub t1: u64,
    /// It reached the daemon.
    pub t2: u64,
    /// The answer left the daemon.
    pub t3: u64,
    /// It reached the controller.
    pub t4: u64,
}

/// The daemon's clock minus the controller's, in ns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Offset {
    /// The estimate.
    pub ns: i64,
    /// The maximum error of the estimate.
    pub bound_ns: u64,
}

impl Offset {
    /// The offset of a clock from itself.
    pub const NONE: Self = Self { ns: 0, bound_ns: 0 };

    fn of_interval(low: i64, high: i64) -> Self {
        let middle = i128::midpoint(i128::from(low), i128::from(high));
        Self {
            ns: middle as i64,
            bound_ns: (i128::from(high) - i128::from(low))
                .unsigned_abs()
                .div_ceil(2) as u64,
        }
    }

    fn low(self) -> i64 {
        self.ns.saturating_sub_unsigned(self.bound_ns)
    }

    fn high(self) -> i64 {
        self.ns.saturating_add_unsigned(self.bound_ns)
    }

    /// The smallest interval that contains both: what is known of a clock that was measured before and after a run, and
    /// may have drifted in between.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self::of_interval(self.low().min(other.low()), self.high().max(other.high()))
    }

    /// How far this clock is ahead of another one, with both measured against a third.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            ns: self.ns.saturating_sub(other.ns),
            bound_ns: self.bound_ns.saturating_add(other.bound_ns),
        }
    }

    /// Converts the instant `ns` of the controller's clock to the daemon's.
    pub fn to_daemon(self, ns: u64) -> u64 {
        ns.saturating_add_signed(self.ns)
    }
}

/// Collects exchanges with one daemon.
#[derive(Clone, Default, Debug)]
pub struct Estimator {
    bounds: Option<(i64, i64)>,
    shortest: Option<u64>,
}

impl Estimator {
    /// Adds one exchange. An exchange with contradictory times is ignored.
    pub fn add(&mut self, exchange: Exchange) {
        let Exchange { t1, t2, t3, t4 } = exchange;
        let (Some(whole), Some(there)) = (t4.checked_sub(t1), t3.checked_sub(t2)) else {
            return;
        };
        let Some(round_trip) = whole.checked_sub(there) else {
            return;
        };
        self.shortest = Some(
            self.shortest
                .map_or(round_trip, |least| least.min(round_trip)),
        );
        let (low, high) = (difference(t3, t4), difference(t2, t1));
        let (old_low, old_high) = self.bounds.unwrap_or((low, high));
        let narrowed = (old_low.max(low), old_high.min(high));
        // Two exchanges that exclude each other: a clock has drifted or was set. Then the bounds cover both.
        self.bounds = Some(if narrowed.0 <= narrowed.1 {
            narrowed
        } else {
            (old_low.min(low), old_high.max(high))
        });
    }

    /// The current estimate; `None` before the first exchange.
    pub fn offset(&self) -> Option<Offset> {
        self.bounds
            .map(|(low, high)| Offset::of_interval(low, high))
    }

    /// The shortest round trip in ns.
    pub fn round_trip_ns(&self) -> Option<u64> {
        self.shortest
    }
}

fn difference(a: u64, b: u64) -> i64 {
    let difference = i128::from(a) - i128::from(b);
    difference.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_symmetric_exchange_gives_half_the_round_trip_as_bound() {
        let mut estimator = Estimator::default();
        // The daemon is 1000 ahead; 30 to the daemon, 10 in the daemon, 30 back.
        estimator.add(Exchange {
            t1: 0,
            t2: 1_030,
            t3: 1_040,
            t4: 70,
        });
        assert_eq!(
            estimator.offset(),
            Some(Offset {
                ns: 1_000,
                bound_ns: 30
            })
        );
        assert_eq!(estimator.round_trip_ns(), Some(60));
    }

    #[test]
    fn exchanges_that_exclude_each_other_widen_the_bound() {
        let mut estimator = Estimator::default();
        estimator.add(Exchange {
            t1: 0,
            t2: 10,
            t3: 10,
            t4: 20,
        });
        estimator.add(Exchange {
            t1: 100,
            t2: 1_110,
            t3: 1_110,
            t4: 120,
        });
        let offset = estimator.offset().expect("two exchanges");
        assert!(offset.low() <= 0 && offset.high() >= 1_000, "{offset:?}");
    }

    #[test]
    fn an_answer_before_its_ping_is_left_out() {
        let mut estimator = Estimator::default();
        estimator.add(Exchange {
            t1: 100,
            t2: 0,
            t3: 0,
            t4: 50,
        });
        estimator.add(Exchange {
            t1: 0,
            t2: 0,
            t3: 100,
            t4: 50,
        });
        assert_eq!(estimator.offset(), None);
    }

    proptest! {
        #[test]
        fn the_truth_is_within_the_bound(
            truth in -1_000_000_000_i64..1_000_000_000,
            trips in prop::collection::vec((0..10_000_000_u64, 0..1_000_u64, 0..10_000_000_u64), 1..20),
        ) {
            let mut estimator = Estimator::default();
            let mut now = 10_000_000_000_u64;
            for (there, inside, back) in trips {
                let t2 = (now + there).saturating_add_signed(truth);
                estimator.add(Exchange { t1: now, t2, t3: t2 + inside, t4: now + there + inside + back });
                now += 20_000_000;
            }
            let offset = estimator.offset().expect("exchanges");
            prop_assert!(offset.ns.abs_diff(truth) <= offset.bound_ns, "{offset:?}, truth {truth}");
        }

        #[test]
        fn a_hull_holds_both(a in -1_000_i64..1_000, b in -1_000_i64..1_000, x in 0..500_u64, y in 0..500_u64) {
            let (one, other) = (Offset { ns: a, bound_ns: x }, Offset { ns: b, bound_ns: y });
            let hull = one.hull(other);
            prop_assert!(hull.low() <= one.low().min(other.low()) && hull.high() >= one.high().max(other.high()));
        }

        #[test]
        fn no_times_make_the_estimator_panic(t1: u64, t2: u64, t3: u64, t4: u64) {
            let mut estimator = Estimator::default();
            estimator.add(Exchange { t1, t2, t3, t4 });
            let _ = estimator.offset().map(|it| it.hull(it).minus(it).to_daemon(t1));
        }
    }
}
