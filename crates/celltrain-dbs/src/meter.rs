//! Throughput over intervals, at the receiver of a connection.
//!
//! Times are ns from the common start, on the receiver's clock. What arrives before the flow's start, as the clocks of two
//! hosts differ, counts in the first interval. What arrives after its end is counted in additional intervals, for as long
//! as data arrive. So the sum of the intervals is the total.

use serde::{Deserialize, Serialize};

/// What arrived in one interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Its number: it began at `index` intervals after the flow's start.
    pub index: u64,
    /// Octets that arrived in it.
    pub bytes: u64,
}

/// Counts octets per interval.
#[derive(Clone, Debug)]
pub struct Meter {
    start: u64,
    interval: u64,
    intervals: u64,
    measured: (u64, u64),
    current: u64,
    in_current: u64,
    totals: Totals,
}

/// The total of what arrived.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Octets.
    pub bytes: u64,
    /// Octets in the measured time.
    pub measured_bytes: u64,
    /// When the first octets arrived.
    pub first_ns: Option<u64>,
    /// When the last octets arrived.
    pub last_ns: Option<u64>,
}

impl Meter {
    /// Creates a meter for a flow that sends from `start` for `duration`; the measured time excludes the first
    /// `warm_up`.
    pub fn new(start: u64, duration: u64, warm_up: u64, interval: u64) -> Self {
        let interval = interval.max(1);
        Self {
            start,
            interval,
            intervals: duration.div_ceil(interval),
            measured: (
                start.saturating_add(warm_up),
                start.saturating_add(duration),
            ),
            current: 0,
            in_current: 0,
            totals: Totals::default(),
        }
    }

    /// Counts octets that arrived at `now`; returns the intervals that are over.
    pub fn add(&mut self, now: u64, bytes: u64) -> impl Iterator<Item = Interval> + use<> {
        let over = self.catch_up(now);
        self.totals.bytes += bytes;
        self.totals.first_ns.get_or_insert(now);
        self.totals.last_ns = Some(now);
        if (self.measured.0..=self.measured.1).contains(&now) {
            self.totals.measured_bytes += bytes;
        }
        self.in_current += bytes;
        over
    }

    /// Returns the intervals of the flow's time that are over at `now`.
    pub fn advance(&mut self, now: u64) -> impl Iterator<Item = Interval> + use<> {
        self.advance_to(self.reached(now).min(self.intervals))
    }

    /// Returns the intervals that are over at `now` when data arrive, including those after the flow's time.
    pub fn catch_up(&mut self, now: u64) -> impl Iterator<Item = Interval> + use<> {
        self.advance_to(self.reached(now))
    }

    fn reached(&self, now: u64) -> u64 {
        now.saturating_sub(self.start) / self.interval
    }

    fn advance_to(&mut self, reached: u64) -> impl Iterator<Item = Interval> + use<> {
        let (from, to) = (self.current, reached.max(self.current));
        let first = std::mem::take(&mut self.in_current);
        if from == to {
            self.in_current = first;
        }
        self.current = to;
        (from..to).map(move |index| Interval {
            index,
            bytes: if index == from { first } else { 0 },
        })
    }

    /// Returns the last interval, if anything arrived in it before it was over.
    pub fn finish(&mut self) -> Option<Interval> {
        let bytes = std::mem::take(&mut self.in_current);
        (bytes > 0).then_some(Interval {
            index: self.current,
            bytes,
        })
    }

    /// The totals.
    pub fn totals(&self) -> Totals {
        self.totals
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_interval_holds_what_came_from_its_begin_up_to_its_end() {
        let mut meter = Meter::new(100, 30, 0, 10);
        assert_eq!(meter.add(100, 1).count(), 0);
        assert_eq!(meter.add(109, 2).count(), 0);
        let over: Vec<_> = meter.add(125, 4).collect();
        assert_eq!(
            over,
            [
                Interval { index: 0, bytes: 3 },
                Interval { index: 1, bytes: 0 }
            ]
        );
        let over: Vec<_> = meter.advance(1_000).collect();
        assert_eq!(over, [Interval { index: 2, bytes: 4 }]);
        assert_eq!(meter.advance(2_000).count(), 0);
    }

    #[test]
    fn what_comes_after_the_end_has_intervals_up_to_the_last_of_it() {
        let mut meter = Meter::new(0, 20, 0, 10);
        let mut found: Vec<_> = meter.add(5, 1).chain(meter.advance(20)).collect();
        assert_eq!(meter.advance(1_000).count(), 0);
        found.extend(meter.add(31, 2));
        assert_eq!(meter.advance(1_000).count(), 0);
        found.extend(meter.finish());
        let found: Vec<_> = found.iter().map(|it| (it.index, it.bytes)).collect();
        assert_eq!(found, [(0, 1), (1, 0), (2, 0), (3, 2)]);
    }

    #[test]
    fn means_leave_out_the_warm_up_and_what_comes_after_the_end() {
        let mut meter = Meter::new(0, 100, 20, 10);
        for (now, bytes) in [(19, 1), (20, 2), (100, 4), (101, 8)] {
            meter.add(now, bytes).for_each(drop);
        }
        assert_eq!(meter.totals().measured_bytes, 6);
        assert_eq!(meter.totals().bytes, 15);
    }

    proptest! {
        #[test]
        fn every_octet_is_in_one_interval(gaps in prop::collection::vec((0..50_u64, 1..1_000_u64), 1..100), duration in 1..5_000_u64, start in 0..200_u64) {
            let mut meter = Meter::new(start, duration, 0, 7);
            let (mut now, mut sum, mut intervals) = (0, 0, Vec::new());
            for (gap, bytes) in gaps {
                now += gap;
                sum += bytes;
                intervals.extend(meter.add(now, bytes));
            }
            intervals.extend(meter.advance(20_000));
            intervals.extend(meter.finish());
            prop_assert_eq!(intervals.iter().map(|it| it.bytes).sum::<u64>(), sum);
            prop_assert!(intervals.iter().enumerate().all(|(at, it)| it.index == at as u64));
            let until_last = now.saturating_sub(start) / 7 + 1;
            prop_assert_eq!(intervals.len() as u64, duration.div_ceil(7).max(until_last));
        }
    }
}
