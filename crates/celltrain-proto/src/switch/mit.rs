//! The MIT scheme: the max-min fair rate of the port, computed from the CCRs of the VCs.
//!
//! ```text
//! forward RM:   r = CCR of the VC
//! when marking: A = cap / N;  until A stays:  U = {VCs with r <= A},
//!               A = (cap - sum of r over U) / (N - |U|);  if U holds all VCs:  A = cap - sum of r + largest r
//!               ER = min(ER, A)
//! ```
//!
//! VCs in U are limited elsewhere: they keep what they have, and the others share the rest equally. If all ports of a
//! network do so, rates converge exactly to the max-min fair ones, one bottleneck level after the other.
//!
//! It measures the CCR of each VC's latest forward RM cell; which VCs were active in the open or the last complete
//! interval, including dropped arrivals; and the rate of higher priorities in the last one. cap is U of the line minus
//! that rate. It ignores its load and its queue. Source: A. Charny, D. Clark, R. Jain, "Congestion control with
//! explicit rate indication", ICC 1995: the advertised rate and its calculation; more in A. Charny's thesis,
//! MIT-LCS-TR-601, 1994. Differences: the rate that a cell requests is its CCR, as RM cells of TM 4.0 have no bit for
//! "this rate is limited elsewhere"; a VC that is silent for an interval is forgotten, whereas in the paper the end of
//! a connection is signalled.

use alloc::vec::Vec;

use super::algorithm::{LEAST_SHARE, PortState, SwitchAlgorithm};
use super::interval::Intervals;
use crate::cell::RmCell;
use crate::parameters::Bounds;
use crate::units::{Cells, Rate, Span, Time};

parameters! {
    /// The parameters of [`Mit`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct MitParameters {
        /// A VC that is silent for this long does not count; the rate of higher priorities is measured over the same
        /// interval.
        pub interval: Span = Span::from_ms(10), in Bounds::INTERVAL;
        /// The fraction of the line to use.
        pub target_utilization: f64 = 0.95, in Bounds::PART;
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Vc {
    /// CCR of the latest forward RM cell in bit/s; zero before the first.
    rate: f64,
    /// Seen in the open interval.
    seen: bool,
    /// Seen in the last complete interval.
    was_seen: bool,
}

impl Vc {
    fn is_active(self) -> bool {
        self.seen || self.was_seen
    }
}

/// The MIT scheme.
#[derive(Clone, Debug)]
pub struct Mit {
    target_utilization: f64,
    intervals: Intervals,
    /// The current rate of the line, and the rate that higher priorities used in the last complete interval.
    line: Rate,
    taken: Rate,
    vcs: Vec<Vc>,
}

impl Mit {
    /// Creates an algorithm without history; its intervals start at multiples of their length.
    pub fn new(parameters: MitParameters) -> Self {
        Self {
            target_utilization: parameters.target_utilization,
            intervals: Intervals::new(parameters.interval, Cells(u64::MAX)),
            line: Rate::ZERO,
            taken: Rate::ZERO,
            vcs: Vec::new(),
        }
    }

    fn catch_up(&mut self, now: Time) {
        while let Some(measured) = self.intervals.end_due(now) {
            let is_at_rest = measured.is_empty() && !self.vcs.iter().any(|vc| vc.is_active());
            self.taken = measured.rate_of(measured.priority);
            for vc in &mut self.vcs {
                vc.was_seen = core::mem::take(&mut vc.seen);
            }
            if is_at_rest {
                self.intervals.skip_due(now);
            }
        }
    }

    fn vc(&mut self, vc: u32) -> &mut Vc {
        let index = vc as usize;
        if index >= self.vcs.len() {
            self.vcs.resize(index + 1, Vc::default());
        }
        &mut self.vcs[index]
    }

    /// A: the rate of a VC that is not limited elsewhere.
    fn advertised(&self) -> Rate {
        let capacity = self.line.scaled(self.target_utilization) - self.taken;
        let capacity = capacity.max(self.line.scaled(LEAST_SHARE)).as_bps();
        let rates = || {
            self.vcs
                .iter()
                .filter(|vc| vc.is_active())
                .map(|vc| vc.rate)
        };
        let n = rates().count();
        let (mut advertised, mut limited) = (capacity / n.max(1) as f64, 0);
        loop {
            let below = || rates().filter(|&rate| rate <= advertised);
            let count = below().count();
            // A only rises, so a set of the same size is the same set. A smaller set is due to rounding: a rate equal
            // to A exceeds the next, rounded value of A.
            if count <= limited {
                return Rate::bps(advertised);
            }
            let sum: f64 = below().sum();
            if count == n {
                return Rate::bps(capacity - sum + rates().fold(0.0, f64::max));
            }
            (advertised, limited) = ((capacity - sum) / (n - count) as f64, count);
        }
    }
}

impl SwitchAlgorithm for Mit {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.on_activity(now, vc);
        // Cells do not end an interval here.
        self.intervals.on_cells(now, n);
    }

    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {
        self.catch_up(now);
        self.vc(vc).seen = true;
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.catch_up(now);
        self.intervals.on_priority_cells(n);
    }

    fn on_rate_change(&mut self, now: Time, rate: Rate) {
        self.catch_up(now);
        self.line = rate;
    }

    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, _: &PortState) {
        self.on_activity(now, vc);
        self.vc(vc).rate = rm.ccr.as_bps();
    }

    fn on_backward_rm(&mut self, now: Time, _: u32, rm: &mut RmCell, _: &PortState) {
        self.catch_up(now);
        rm.er = rm.er.min(self.advertised());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ms, port, rm};
    use super::*;

    const LINE: Rate = Rate::cells_per_s(150_000.0);

    fn mit() -> Mit {
        let mut switch = Mit::new(MitParameters {
            interval: Span::from_ms(10),
            target_utilization: 1.0,
        });
        switch.on_rate_change(Time::ZERO, LINE);
        switch
    }

    fn send(switch: &mut Mit, now: Time, vc: u32, ccr: f64) {
        let ccr = Rate::cells_per_s(ccr);
        let mut cell = RmCell { ccr, ..rm() };
        switch.on_forward_rm(now, vc, &mut cell, &port(0, LINE));
        assert_eq!(cell, RmCell { ccr, ..rm() });
    }

    /// ER in cells/s.
    fn er(switch: &mut Mit, now: Time) -> f64 {
        let mut cell = RmCell {
            er: Rate::bps(1e15),
            ..rm()
        };
        switch.on_backward_rm(now, 0, &mut cell, &port(0, LINE));
        cell.er.as_cells_per_s()
    }

    /// (100 - 100/3) / 2 is rounded to less than 100/3.
    #[test]
    fn the_search_ends_where_the_rate_of_a_vc_is_what_the_others_may_have() {
        let mut switch = mit();
        switch.on_rate_change(Time::ZERO, Rate::bps(100.0));
        for (vc, ccr) in (0..).zip([100.0, 100.0 / 3.0, 100.0]) {
            let ccr = Rate::bps(ccr);
            let mut cell = RmCell { ccr, ..rm() };
            switch.on_forward_rm(ms(1), vc, &mut cell, &port(0, LINE));
        }
        assert!((switch.advertised().as_bps() - 100.0 / 3.0).abs() < 1e-9);
    }

    /// A in cells/s, for VCs with these rates.
    fn advertised(rates: &[f64]) -> f64 {
        let mut switch = mit();
        for (vc, &rate) in (0..).zip(rates) {
            send(&mut switch, ms(1), vc, rate);
        }
        er(&mut switch, ms(1))
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-6 * expected,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn what_limited_vcs_leave_is_shared_by_the_others() {
        // 150,000 / 3 leaves only the first in U: (150,000 - 10,000) / 2.
        assert_near(advertised(&[10_000.0, 100_000.0, 100_000.0]), 70_000.0);
        // The second joins U when A has risen to 46,667: (150,000 - 10,000 - 40,000) / 2.
        assert_near(
            advertised(&[10_000.0, 40_000.0, 90_000.0, 90_000.0]),
            50_000.0,
        );
        // None is limited, and no VC exists.
        assert_near(advertised(&[90_000.0, 90_000.0, 90_000.0]), 50_000.0);
        assert_near(advertised(&[]), 150_000.0);
    }

    #[test]
    fn where_all_are_limited_the_largest_may_have_the_rest() {
        // 150,000 - 60,000 + 30,000.
        assert_near(advertised(&[10_000.0, 20_000.0, 30_000.0]), 120_000.0);
    }

    #[test]
    fn two_ports_give_exactly_the_max_min_rates_after_two_rounds_for_each_bottleneck() {
        // VCs 0 and 1 share the first port, of 60,000 cells/s; VCs 1 and 2 the second, of 150,000. The max-min fair
        // rates are 30,000, 30,000 and 120,000: two levels.
        let (mut first, mut second) = (mit(), mit());
        first.on_rate_change(Time::ZERO, Rate::cells_per_s(60_000.0));
        let mut rates = [200_000.0_f64; 3];
        for round in 0..4 {
            let now = ms(round);
            send(&mut first, now, 0, rates[0]);
            send(&mut first, now, 1, rates[1]);
            send(&mut second, now, 1, rates[1]);
            send(&mut second, now, 2, rates[2]);
            let (one, two) = (er(&mut first, now), er(&mut second, now));
            rates = [one, one.min(two), two];
        }
        for (found, expected) in rates.into_iter().zip([30_000.0, 30_000.0, 120_000.0]) {
            assert_near(found, expected);
        }
    }

    #[test]
    fn a_silent_vc_counts_until_a_whole_interval_without_it_has_passed() {
        let mut switch = mit();
        send(&mut switch, ms(1), 0, 100_000.0);
        send(&mut switch, ms(1), 1, 100_000.0);
        for ms_later in [9, 11, 19] {
            switch.on_cells(ms(ms_later), 0, 1);
            assert_near(er(&mut switch, ms(ms_later)), 75_000.0);
        }
        // VC 0 is alone, and its 100,000 are within the line: 150,000 - 100,000 + 100,000.
        assert_near(er(&mut switch, ms(20)), 150_000.0);
    }

    #[test]
    fn the_target_is_less_what_higher_priorities_took_in_the_last_interval() {
        let mut switch = Mit::new(MitParameters {
            interval: Span::from_ms(10),
            target_utilization: 0.8,
        });
        switch.on_rate_change(Time::ZERO, LINE);
        // 200 cells in 10 ms are 20,000 cells/s, of 120,000.
        switch.on_priority_cells(ms(1), 200);
        assert_near(er(&mut switch, ms(9)), 120_000.0);
        assert_near(er(&mut switch, ms(10)), 100_000.0);
        assert_near(er(&mut switch, ms(20)), 120_000.0);
    }
}
