//! MMRCA: the largest and the smallest rate of all VCs select those that a congested port slows down.
//!
//! ```text
//! forward RM:   MAX = CCR  if CCR >= MAX, or MAX is this VC's, or MAX's VC has been silent for an interval
//!               MIN = CCR  if CCR <= MIN, or MIN is this VC's, or MIN's VC has been silent for an interval
//! backward RM:  q > QT, CCR > (MAX + MIN) / 2:   CI, or ER = min(ER, (MAX + MIN) / 2)
//!               q > DQT:                         and CI for every VC
//! ```
//!
//! It uses the queue at the moment of marking and the CCR in the cells themselves. Its state is two rates with their
//! VCs, however many VCs there are. Known limit: VCs with equal rates are not selected, so that their queue swings
//! around DQT instead of QT.
//!
//! Source: S. Muddu, F. M. Chiussi, C. Tryfonas, V. P. Kumar, "Max-min rate control algorithm for available bit rate
//! service in ATM networks", ICC 1996: the basic scheme, in which the minimum and the maximum rate of the active VCs
//! select who must decrease during congestion. The paper's text was not available. Not taken from it are: that the
//! threshold is the middle of the two rates, how they age, what DQT does, and the default of the interval, which is Trm
//! of TM 4.0. Not modelled: the enhanced schemes, which also react to the growth of the queue and to the load.

use super::algorithm::{LEAST_SHARE, PortState, SwitchAlgorithm};
use crate::cell::RmCell;
use crate::parameters::{Bounds, at_least};
use crate::units::{Cells, Rate, Span, Time};

choice! {
    /// What the selected VCs get.
    pub enum MmrcaFeedback {
        /// CI.
        #[default]
        Ci,
        /// The middle between the largest and the smallest rate as ER.
        ExplicitRate,
    }
}

parameters! {
    /// The parameters of [`Mmrca`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct MmrcaParameters {
        /// Congested while the queue holds more cells than this.
        pub qt: Cells;
        /// Very congested while the queue holds more cells than this: every VC gets CI.
        pub dqt: Cells;
        /// The rate of a VC without a forward RM cell for this long is no longer the largest or smallest one.
        pub interval: Span = Span::from_ms(100), in Bounds::INTERVAL;
        /// What the selected VCs get.
        pub feedback: MmrcaFeedback = MmrcaFeedback::default();
    }
    |it| at_least("dqt", it.dqt, "qt", it.qt)
}

/// The largest or smallest rate.
#[derive(Clone, Copy, Debug)]
struct Extreme {
    rate: Rate,
    /// The VC with this rate, and when its latest forward RM cell arrived.
    vc: u32,
    at: Time,
}

/// MMRCA, the basic scheme.
#[derive(Clone, Debug)]
pub struct Mmrca {
    parameters: MmrcaParameters,
    /// `None` before the first forward RM cell.
    max: Option<Extreme>,
    min: Option<Extreme>,
}

impl Mmrca {
    /// Creates an algorithm without history.
    pub fn new(parameters: MmrcaParameters) -> Self {
        Self {
            parameters,
            max: None,
            min: None,
        }
    }

    /// The middle between the largest and the smallest rate.
    fn middle(&self) -> Option<Rate> {
        let (max, min) = (self.max?, self.min?);
        Some((max.rate + min.rate).scaled(0.5))
    }
}

impl SwitchAlgorithm for Mmrca {
    fn counts_cells(&self) -> bool {
        false
    }

    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, _: &PortState) {
        let interval = self.parameters.interval;
        let holds = |it: &Extreme| it.vc != vc && now - it.at < interval;
        let (rate, at) = (rm.ccr, now);
        if !self.max.is_some_and(|it| holds(&it) && rate < it.rate) {
            self.max = Some(Extreme { rate, vc, at });
        }
        if !self.min.is_some_and(|it| holds(&it) && rate > it.rate) {
            self.min = Some(Extreme { rate, vc, at });
        }
    }

    fn on_backward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        let MmrcaParameters {
            qt, dqt, feedback, ..
        } = self.parameters;
        let selected = self
            .middle()
            .filter(|&middle| port.queue > qt && rm.ccr > middle);
        if let Some(middle) = selected {
            match feedback {
                MmrcaFeedback::Ci => rm.ci = true,
                // A VC must not stop permanently, even if all others are idle.
                MmrcaFeedback::ExplicitRate => {
                    rm.er = rm.er.min(middle.max(port.rate.scaled(LEAST_SHARE)));
                }
            }
        }
        rm.ci |= port.queue > dqt;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{ms, port, rm};
    use super::super::{Eprca, eprca};
    use super::*;

    /// Thresholds of 100 and 1000 cells.
    pub(in super::super) const PARAMETERS: MmrcaParameters = MmrcaParameters {
        qt: Cells(100),
        dqt: Cells(1_000),
        interval: Span::from_ms(100),
        feedback: MmrcaFeedback::Ci,
    };

    const LINE: Rate = Rate::cells_per_s(100_000.0);

    fn mmrca(feedback: MmrcaFeedback) -> Mmrca {
        Mmrca::new(MmrcaParameters {
            feedback,
            ..PARAMETERS
        })
    }

    /// A forward cell of `vc` with a CCR of `ccr` cells/s arrives.
    fn send(switch: &mut impl SwitchAlgorithm, now: Time, vc: u32, ccr: f64) {
        let ccr = Rate::cells_per_s(ccr);
        let mut cell = RmCell { ccr, ..rm() };
        switch.on_forward_rm(now, vc, &mut cell, &port(0, LINE));
        assert_eq!(cell, RmCell { ccr, ..rm() });
    }

    /// ER in cells/s, and CI, of a backward cell with a CCR of `ccr` cells/s at a queue of `queue` cells.
    fn mark(switch: &mut impl SwitchAlgorithm, ccr: f64, queue: u64) -> (f64, bool) {
        let mut cell = RmCell {
            ccr: Rate::cells_per_s(ccr),
            er: LINE,
            ..rm()
        };
        switch.on_backward_rm(Time::ZERO, 0, &mut cell, &port(queue, LINE));
        (cell.er.as_cells_per_s(), cell.ci)
    }

    /// The middle in cells/s.
    fn middle(switch: &Mmrca) -> f64 {
        switch.middle().expect("a cell arrived").as_cells_per_s()
    }

    #[test]
    fn a_congested_port_gives_ci_to_those_above_the_middle_of_the_extremes() {
        let mut switch = mmrca(MmrcaFeedback::Ci);
        for (vc, ccr) in (0..).zip([30_000.0, 10_000.0, 50_000.0, 20_000.0]) {
            send(&mut switch, ms(1), vc, ccr);
        }
        // (50,000 + 10,000) / 2.
        assert_eq!(mark(&mut switch, 30_000.0, 101), (100_000.0, false));
        assert_eq!(mark(&mut switch, 30_001.0, 101), (100_000.0, true));
        assert_eq!(mark(&mut switch, 50_000.0, 100), (100_000.0, false));
    }

    #[test]
    fn with_explicit_rates_the_selected_get_the_middle() {
        let mut switch = mmrca(MmrcaFeedback::ExplicitRate);
        send(&mut switch, ms(1), 0, 10_000.0);
        send(&mut switch, ms(1), 1, 50_000.0);
        assert_eq!(mark(&mut switch, 50_000.0, 101), (30_000.0, false));
        assert_eq!(mark(&mut switch, 10_000.0, 101), (100_000.0, false));
        assert_eq!(mark(&mut switch, 50_000.0, 100), (100_000.0, false));
    }

    #[test]
    fn a_very_congested_port_gives_ci_to_every_vc() {
        for feedback in [MmrcaFeedback::Ci, MmrcaFeedback::ExplicitRate] {
            let mut switch = mmrca(feedback);
            assert!(mark(&mut switch, 0.0, 1_001).1);
            send(&mut switch, ms(1), 0, 10_000.0);
            send(&mut switch, ms(1), 1, 50_000.0);
            assert!(!mark(&mut switch, 10_000.0, 1_000).1);
            assert_eq!(mark(&mut switch, 10_000.0, 1_001), (100_000.0, true));
        }
    }

    #[test]
    fn both_extremes_follow_their_vc_and_pass_to_another_beyond_them() {
        let mut switch = mmrca(MmrcaFeedback::Ci);
        send(&mut switch, ms(1), 0, 50_000.0);
        assert_eq!(middle(&switch), 50_000.0);
        send(&mut switch, ms(1), 1, 10_000.0);
        assert_eq!(middle(&switch), 30_000.0);
        // VC 0 falls, VC 1 rises; VC 2 is in between.
        send(&mut switch, ms(2), 0, 40_000.0);
        send(&mut switch, ms(2), 1, 20_000.0);
        send(&mut switch, ms(2), 2, 25_000.0);
        assert_eq!(middle(&switch), 30_000.0);
        // VC 2 becomes the largest, then the smallest: VC 0 is the largest again at its next cell.
        send(&mut switch, ms(3), 2, 60_000.0);
        assert_eq!(middle(&switch), 40_000.0);
        send(&mut switch, ms(4), 2, 10_000.0);
        assert_eq!(middle(&switch), 10_000.0);
        send(&mut switch, ms(4), 0, 40_000.0);
        assert_eq!(middle(&switch), 25_000.0);
    }

    #[test]
    fn the_next_rate_replaces_that_of_a_vc_which_is_silent_for_an_interval() {
        let mut switch = mmrca(MmrcaFeedback::Ci);
        send(&mut switch, ms(1), 0, 50_000.0);
        send(&mut switch, ms(2), 1, 10_000.0);
        send(&mut switch, ms(100), 2, 20_000.0);
        assert_eq!(middle(&switch), 30_000.0);
        // VC 0 has been silent for 100 ms, VC 1 for 99 ms.
        send(&mut switch, ms(101), 2, 20_000.0);
        assert_eq!(middle(&switch), 15_000.0);
        send(&mut switch, ms(102), 2, 20_000.0);
        assert_eq!(middle(&switch), 20_000.0);
    }

    #[test]
    fn a_middle_of_zero_stops_nobody() {
        let mut switch = mmrca(MmrcaFeedback::ExplicitRate);
        send(&mut switch, ms(1), 0, 0.0);
        // A millionth of the line.
        let (er, _) = mark(&mut switch, 1_000.0, 101);
        assert!((er - 0.1).abs() < 1e-9, "{er}");
    }

    /// Four VCs at 10,000 cells/s and one at 50,000: EPRCA's mean comes to 13,400 or so, and a VC above 7/8 of it is
    /// slowed down; the middle is 30,000.
    #[test]
    fn many_slow_vcs_do_not_lower_the_threshold_as_in_eprca() {
        let mut mmrca = mmrca(MmrcaFeedback::Ci);
        let mut eprca = Eprca::new(eprca::tests::PARAMETERS);
        eprca.on_rate_change(Time::ZERO, Rate::cells_per_s(20_000.0));
        for (vc, ccr) in (0..5).zip([10_000.0, 10_000.0, 10_000.0, 10_000.0, 50_000.0]) {
            send(&mut mmrca, ms(1), vc, ccr);
            send(&mut eprca, ms(1), vc, ccr);
        }
        for (ccr, by_mmrca, by_eprca) in [
            (10_000.0, false, false),
            (20_000.0, false, true),
            (50_000.0, true, true),
        ] {
            assert_eq!(mark(&mut mmrca, ccr, 500).1, by_mmrca);
            assert_eq!(mark(&mut eprca, ccr, 500).1, by_eprca);
        }
    }
}
