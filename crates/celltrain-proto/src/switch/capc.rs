//! CAPC and CAPC2: one advertised rate for all VCs, controlled by the load alone.
//!
//! ```text
//! at the end of an interval:  z = (input rate) / (U·(line rate))
//!                             z < 1:  ERS = ERS · min(ERU, 1 + (1-z)·Rup)
//!                             else:   ERS = ERS · max(ERF, 1 - (z-1)·Rdn)
//! when marking:               ER = min(ER, ERS);  above CQT also CI (CAPC) or NI (CAPC2)
//! ```
//!
//! CAPC2 starts from the target divided by the number of VCs of its first interval with arrivals, sets CI above a
//! second threshold VCQT, and multiplies ERS by ERF at the end of each interval that ends above it, judged by the queue
//! at the latest RM cell. It measures arrivals in the last complete interval, the line rate at its end, and the queue
//! at the moment of marking; CCR is not used. Source: ATM Forum 94-0983, October 1994; published descriptions of CAPC2
//! differ. Where these are silent: ERS starts at the target rate and stays between a millionth of the line rate and the
//! line rate.

use alloc::vec::Vec;

use super::algorithm::{LEAST_SHARE, PortState, SwitchAlgorithm};
use super::interval::{Intervals, Measured};
use crate::cell::RmCell;
use crate::parameters::{Bounds, at_least};
use crate::units::{Cells, Rate, Span, Time};

parameters! {
    /// The parameters of [`Capc`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct CapcParameters {
        /// Averaging interval of the input rate.
        pub interval: Span, in Bounds::INTERVAL;
        /// The fraction of the line to use.
        pub target_utilization: f64 = 0.95, in Bounds::PART;
        /// Slope of the increase with the unused part of the target.
        pub rup: f64 = 0.1;
        /// Slope of the decrease with the excess over the target.
        pub rdn: f64 = 0.8;
        /// Maximum factor of one increase.
        pub eru: f64 = 1.5, in Bounds::at_least(1.0);
        /// Minimum factor of one decrease.
        pub erf: f64 = 0.5, in Bounds::PART;
        /// CI is set in backward RM cells while the queue holds more cells than this.
        pub cqt: Cells;
    }
}

parameters! {
    /// The parameters of [`Capc2`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Capc2Parameters {
        /// Averaging interval of the input rate.
        pub interval: Span, in Bounds::INTERVAL;
        /// The fraction of the line to use.
        pub target_utilization: f64 = 0.95, in Bounds::PART;
        /// Slope of the increase with the unused part of the target.
        pub rup: f64 = 0.1;
        /// Slope of the decrease with the excess over the target.
        pub rdn: f64 = 0.8;
        /// Maximum factor of one increase.
        pub eru: f64 = 1.5, in Bounds::at_least(1.0);
        /// Minimum factor of one decrease, and the factor applied while very congested.
        pub erf: f64 = 0.5, in Bounds::PART;
        /// NI is set in backward RM cells while the queue holds more cells than this.
        pub cqt: Cells;
        /// CI is set in backward RM cells, and the rate lowered each interval, while the queue holds more cells than
        /// this.
        pub vcqt: Cells;
    }
    |it| at_least("vcqt", it.vcqt, "cqt", it.cqt)
}

/// CAPC.
pub type Capc = AdvertisedRate<false>;
/// CAPC2.
pub type Capc2 = AdvertisedRate<true>;

/// CAPC or CAPC2.
#[derive(Clone, Debug)]
pub struct AdvertisedRate<const IS_CAPC2: bool> {
    parameters: CapcParameters,
    /// VCQT of CAPC2.
    vcqt: Option<Cells>,
    intervals: Intervals,
    /// The current rate of the line; `None` until the first is known.
    rate: Option<Rate>,
    ers: Rate,
    /// The queue at the latest RM cell.
    queue: Cells,
    /// VCs seen in the first interval with arrivals, as flags; `None` once ERS has been initialised from them.
    first_vcs: Option<Vec<bool>>,
}

impl Capc {
    /// Creates an algorithm without history; its intervals start at multiples of their length.
    pub fn new(parameters: CapcParameters) -> Self {
        Self::with(parameters, None)
    }
}

impl Capc2 {
    /// Creates an algorithm without history; its intervals start at multiples of their length.
    pub fn new(parameters: Capc2Parameters) -> Self {
        let Capc2Parameters {
            interval,
            target_utilization,
            rup,
            rdn,
            eru,
            erf,
            cqt,
            vcqt,
        } = parameters;
        let capc = CapcParameters {
            interval,
            target_utilization,
            rup,
            rdn,
            eru,
            erf,
            cqt,
        };
        Self::with(capc, Some(vcqt))
    }
}

impl<const IS_CAPC2: bool> AdvertisedRate<IS_CAPC2> {
    fn with(parameters: CapcParameters, vcqt: Option<Cells>) -> Self {
        Self {
            intervals: Intervals::new(parameters.interval, Cells(u64::MAX)),
            first_vcs: vcqt.map(|_| Vec::new()),
            parameters,
            vcqt,
            rate: None,
            ers: Rate::ZERO,
            queue: Cells(0),
        }
    }

    fn target(&self, measured: Measured) -> Rate {
        let line = self.rate.unwrap_or_default();
        line.scaled(self.parameters.target_utilization) - (line - measured.left_of(line))
    }

    fn catch_up(&mut self, now: Time) {
        while let Some(measured) = self.intervals.end_due(now) {
            let before = self.ers;
            self.end(measured);
            if measured.is_empty() && self.ers == before {
                self.intervals.skip_due(now);
            }
        }
    }

    fn end(&mut self, measured: Measured) {
        if measured.cells > 0
            && let Some(vcs) = self.first_vcs.take()
        {
            let vcs = vcs.iter().filter(|&&seen| seen).count();
            self.ers = Rate::bps(self.target(measured).as_bps() / vcs as f64);
        } else {
            self.ers = self.ers.scaled(self.step(measured));
        }
        let rate = self.rate.unwrap_or_default();
        self.ers = self.ers.max(rate.scaled(LEAST_SHARE)).min(rate);
    }

    fn step(&self, measured: Measured) -> f64 {
        let CapcParameters {
            rup, rdn, eru, erf, ..
        } = self.parameters;
        let target = self.target(measured);
        if target == Rate::ZERO || self.vcqt.is_some_and(|vcqt| self.queue > vcqt) {
            return erf;
        }
        let z = measured.rate().ratio(target);
        if z < 1.0 {
            eru.min(1.0 + (1.0 - z) * rup)
        } else {
            erf.max(1.0 - (z - 1.0) * rdn)
        }
    }

    fn on_queue(&mut self, now: Time, queue: Cells) {
        self.catch_up(now);
        self.queue = queue;
    }
}

impl<const IS_CAPC2: bool> SwitchAlgorithm for AdvertisedRate<IS_CAPC2> {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.catch_up(now);
        // Cells do not end an interval here.
        self.intervals.on_cells(now, n);
        if let Some(vcs) = &mut self.first_vcs {
            if vc as usize >= vcs.len() {
                vcs.resize(vc as usize + 1, false);
            }
            vcs[vc as usize] = true;
        }
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.catch_up(now);
        self.intervals.on_priority_cells(n);
    }

    fn on_rate_change(&mut self, now: Time, rate: Rate) {
        self.catch_up(now);
        if self.rate.replace(rate).is_none() {
            self.ers = rate.scaled(self.parameters.target_utilization);
        }
    }

    fn on_forward_rm(&mut self, now: Time, _: u32, _: &mut RmCell, port: &PortState) {
        self.on_queue(now, port.queue);
    }

    fn on_backward_rm(&mut self, now: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        self.on_queue(now, port.queue);
        rm.er = rm.er.min(self.ers);
        let congested = port.queue > self.parameters.cqt;
        match self.vcqt {
            None => rm.ci |= congested,
            Some(vcqt) => {
                rm.ni |= congested;
                rm.ci |= port.queue > vcqt;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{ms, port, rm};
    use super::*;

    pub(in super::super) const CAPC: CapcParameters = CapcParameters {
        interval: Span::from_ms(10),
        target_utilization: 1.0,
        rup: 0.1,
        rdn: 0.8,
        eru: 1.5,
        erf: 0.5,
        cqt: Cells(50),
    };
    pub(in super::super) const CAPC2: Capc2Parameters = Capc2Parameters {
        interval: Span::from_ms(10),
        target_utilization: 1.0,
        rup: 0.1,
        rdn: 0.8,
        eru: 1.5,
        erf: 0.5,
        cqt: Cells(50),
        vcqt: Cells(500),
    };

    /// 1000 cells in 10 ms.
    const LINE: Rate = Rate::cells_per_s(100_000.0);
    /// Twice that, so that ERS has room above 100,000 cells/s.
    const DOUBLE: Rate = Rate::cells_per_s(200_000.0);

    fn capc(parameters: CapcParameters, rate: Rate) -> Capc {
        let mut switch = Capc::new(parameters);
        switch.on_rate_change(Time::ZERO, rate);
        switch
    }

    fn capc2() -> Capc2 {
        let mut switch = Capc2::new(CAPC2);
        switch.on_rate_change(Time::ZERO, LINE);
        switch
    }

    fn mark(switch: &mut impl SwitchAlgorithm, now: Time, queue: u64) -> RmCell {
        let mut cell = RmCell {
            er: Rate::kbps(1_000_000),
            ..rm()
        };
        switch.on_backward_rm(now, 0, &mut cell, &port(queue, LINE));
        cell
    }

    #[track_caller]
    fn assert_ers(switch: &mut impl SwitchAlgorithm, now: Time, queue: u64, expected: f64) {
        let ers = mark(switch, now, queue).er.as_cells_per_s();
        assert!(
            (ers - expected).abs() < 1e-6 * expected,
            "{ers} is not {expected}"
        );
    }

    #[test]
    fn ers_rises_with_what_is_left_and_falls_with_the_excess() {
        for (z, ers) in [
            (0.5, 105_000.0),
            (0.9, 101_000.0),
            (1.0, 100_000.0),
            (1.1, 92_000.0),
            (1.5, 60_000.0),
            (2.0, 50_000.0),
        ] {
            // Half of a line with twice the rate: ERS starts at the target of 100,000 cells/s.
            let parameters = CapcParameters {
                target_utilization: 0.5,
                ..CAPC
            };
            let mut switch = capc(parameters, DOUBLE);
            switch.on_cells(ms(1), 0, (z * 1_000.0) as u64);
            assert_ers(&mut switch, ms(9), 0, 100_000.0);
            assert_ers(&mut switch, ms(10), 0, ers);
        }
    }

    #[test]
    fn no_step_is_larger_than_eru() {
        let parameters = CapcParameters {
            rup: 5.0,
            target_utilization: 0.5,
            ..CAPC
        };
        assert_ers(&mut capc(parameters, DOUBLE), ms(10), 0, 150_000.0);
    }

    #[test]
    fn ers_stays_between_a_millionth_of_the_line_and_all_of_it() {
        let mut switch = capc(CAPC, LINE);
        assert_ers(&mut switch, ms(100_000), 0, 100_000.0);
        for interval in 10_000..10_040 {
            switch.on_cells(ms(10 * interval + 1), 0, 1_000_000);
        }
        assert_ers(&mut switch, ms(100_400), 0, 0.1);
    }

    #[test]
    fn a_line_at_a_standstill_gives_rate_zero_and_recovers() {
        let mut switch = capc(CAPC, Rate::ZERO);
        assert_eq!(mark(&mut switch, ms(25), 0).er, Rate::ZERO);
        switch.on_rate_change(ms(25), LINE);
        assert_ers(&mut switch, ms(30), 0, 0.1);
        assert_ers(&mut switch, ms(40), 0, 0.11);
    }

    #[test]
    fn congestion_is_ci_for_capc_and_ni_then_ci_for_capc2() {
        for (queue, bits) in [(50, (false, false)), (51, (true, false))] {
            let cell = mark(&mut capc(CAPC, LINE), ms(1), queue);
            assert_eq!((cell.ci, cell.ni), bits, "{queue}");
        }
        for (queue, bits) in [
            (50, (false, false)),
            (51, (false, true)),
            (500, (false, true)),
            (501, (true, true)),
        ] {
            let cell = mark(&mut capc2(), ms(1), queue);
            assert_eq!((cell.ci, cell.ni), bits, "{queue}");
        }
    }

    #[test]
    fn capc2_begins_with_an_equal_share_for_each_vc_of_its_first_busy_interval() {
        let mut switch = capc2();
        for vc in [0, 2, 2, 5] {
            switch.on_cells(ms(11), vc, 1_000);
        }
        assert_ers(&mut switch, ms(19), 0, 100_000.0);
        assert_ers(&mut switch, ms(20), 0, 100_000.0 / 3.0);
        // From then on it behaves as CAPC: z is 0.
        assert_ers(&mut switch, ms(30), 0, 110_000.0 / 3.0);
    }

    #[test]
    fn capc2_cuts_ers_at_the_end_of_each_interval_that_ends_very_congested() {
        let mut switch = capc2();
        assert_ers(&mut switch, ms(9), 501, 100_000.0);
        assert_ers(&mut switch, ms(10), 501, 50_000.0);
        assert_ers(&mut switch, ms(20), 500, 25_000.0);
        assert_ers(&mut switch, ms(30), 500, 27_500.0);
    }
}
