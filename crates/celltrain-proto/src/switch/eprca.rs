//! EPRCA: a mean of the VCs' rates, from which a congested port derives its explicit rate.
//!
//! ```text
//! forward RM:   MACR = MACR + AV·(CCR - MACR)   if congested (q > QT) only when CCR < MACR,
//!                                               else only when CCR > VCS·MACR
//! backward RM:  q > DQT:                        ER = min(ER, MRF·MACR)
//!               else q > QT, CCR > DPF·MACR:    ER = min(ER, ERF·MACR), and CI if binary
//! ```
//!
//! The plain form, published first, counts every sample and gives DPF·MACR to VCs while congested.
//!
//! It uses the queue at the moment of marking and the CCR in the cells themselves; it measures nothing over intervals.
//! Source: ATM Forum 94-0735. Where it is silent: MACR starts at half of the line's initial rate, and never falls below
//! a millionth of the line rate, so that no VC stops permanently. Known limits: fast VCs give more samples than slow
//! ones, and VCs that start early may keep a larger share.

use super::algorithm::{LEAST_SHARE, PortState, SwitchAlgorithm};
use crate::cell::RmCell;
use crate::parameters::{Bounds, at_least};
use crate::units::{Cells, Rate, Time};

choice! {
    /// The variant of EPRCA.
    pub enum EprcaForm {
        /// A sample counts only if it moves the mean in the direction that the queue requires.
        #[default]
        Selective,
        /// Every sample counts, and congested VCs above `dpf` of the mean get exactly that: the variant published
        /// first.
        Plain,
    }
}

parameters! {
    /// The parameters of [`Eprca`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EprcaParameters {
        /// Congested while the queue holds more cells than this.
        pub qt: Cells;
        /// Very congested while the queue holds more cells than this.
        pub dqt: Cells;
        /// Weight of a sample in the mean rate MACR.
        pub av: f64 = 1.0 / 16.0, in Bounds::PART;
        /// While not congested, a sample counts if it is above this fraction of MACR.
        pub vcs: f64 = 7.0 / 8.0;
        /// Down pressure factor: while congested, VCs above this fraction of MACR are slowed down.
        pub dpf: f64 = 7.0 / 8.0;
        /// Explicit reduction factor: the fraction of MACR given to VCs that are slowed down.
        pub erf: f64 = 15.0 / 16.0, in Bounds::PART;
        /// Major reduction factor: the fraction of MACR given to every VC while very congested.
        pub mrf: f64 = 0.25, in Bounds::PART;
        /// Whether VCs that are slowed down while congested also get CI.
        pub binary: bool = false;
        /// Which variant of the mean is used.
        pub form: EprcaForm = EprcaForm::default();
    }
    |it| at_least("dqt", it.dqt, "qt", it.qt)
}

/// EPRCA.
#[derive(Clone, Debug)]
pub struct Eprca {
    parameters: EprcaParameters,
    /// `None` until the initial rate of the line is known.
    macr: Option<Rate>,
}

impl Eprca {
    /// Creates an algorithm without history.
    pub fn new(parameters: EprcaParameters) -> Self {
        Self {
            parameters,
            macr: None,
        }
    }

    fn macr(&self, port: &PortState) -> Rate {
        let macr = self.macr.unwrap_or(port.rate.scaled(0.5));
        macr.max(port.rate.scaled(LEAST_SHARE))
    }
}

impl SwitchAlgorithm for Eprca {
    fn on_rate_change(&mut self, _: Time, rate: Rate) {
        self.macr.get_or_insert(rate.scaled(0.5));
    }

    fn on_forward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        let EprcaParameters {
            qt, av, vcs, form, ..
        } = self.parameters;
        let macr = self.macr(port);
        let counts = if form == EprcaForm::Plain {
            true
        } else if port.queue > qt {
            rm.ccr < macr
        } else {
            rm.ccr > macr.scaled(vcs)
        };
        if counts {
            let (old, ccr) = (macr.as_bps(), rm.ccr.as_bps());
            self.macr = Some(Rate::bps(old + av * (ccr - old)));
        }
    }

    fn on_backward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        let parameters = &self.parameters;
        let macr = self.macr(port);
        if port.queue > parameters.dqt {
            rm.er = rm.er.min(macr.scaled(parameters.mrf));
        } else if port.queue > parameters.qt && rm.ccr > macr.scaled(parameters.dpf) {
            let factor = match parameters.form {
                EprcaForm::Selective => parameters.erf,
                EprcaForm::Plain => parameters.dpf,
            };
            rm.er = rm.er.min(macr.scaled(factor));
            rm.ci |= parameters.binary;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{port, rm};
    use super::*;

    /// The published factors, with thresholds of 100 and 1000 cells.
    pub(in super::super) const PARAMETERS: EprcaParameters = EprcaParameters {
        qt: Cells(100),
        dqt: Cells(1_000),
        av: 1.0 / 16.0,
        vcs: 7.0 / 8.0,
        dpf: 7.0 / 8.0,
        erf: 15.0 / 16.0,
        mrf: 0.25,
        binary: true,
        form: EprcaForm::Selective,
    };

    const LINE: Rate = Rate::cells_per_s(20_000.0);

    /// MACR starts at 10,000 cells/s.
    fn eprca() -> Eprca {
        let mut switch = Eprca::new(PARAMETERS);
        switch.on_rate_change(Time::ZERO, LINE);
        switch
    }

    /// MACR in cells/s after a forward cell with a CCR of `ccr` cells/s arrives at a queue of `queue` cells.
    fn sample(switch: &mut Eprca, ccr: f64, queue: u64) -> f64 {
        let ccr = Rate::cells_per_s(ccr);
        let mut cell = RmCell { ccr, ..rm() };
        switch.on_forward_rm(Time::ZERO, 0, &mut cell, &port(queue, LINE));
        assert_eq!(cell, RmCell { ccr, ..rm() });
        switch.macr.unwrap().as_cells_per_s()
    }

    /// ER in cells/s, and CI, of a backward cell with a CCR of `ccr` cells/s at a queue of `queue` cells.
    fn mark(switch: &mut Eprca, ccr: f64, queue: u64) -> (f64, bool) {
        let mut cell = RmCell {
            ccr: Rate::cells_per_s(ccr),
            er: Rate::cells_per_s(100_000.0),
            ..rm()
        };
        switch.on_backward_rm(Time::ZERO, 0, &mut cell, &port(queue, LINE));
        (cell.er.as_cells_per_s(), cell.ci)
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 0.005,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn macr_goes_a_sixteenth_of_the_way_to_each_sample() {
        let mut switch = eprca();
        for macr in [11_250.0, 12_421.88, 13_520.51, 14_550.48, 15_516.07] {
            assert_near(sample(&mut switch, 30_000.0, 0), macr);
        }
    }

    #[test]
    fn without_congestion_only_samples_above_vcs_macr_count() {
        assert_near(sample(&mut eprca(), 8_750.0, 100), 10_000.0);
        // 10,000 - 1000/16
        assert_near(sample(&mut eprca(), 9_000.0, 100), 9_937.5);
    }

    #[test]
    fn under_congestion_only_samples_below_macr_count() {
        assert_near(sample(&mut eprca(), 30_000.0, 101), 10_000.0);
        assert_near(sample(&mut eprca(), 2_000.0, 101), 9_500.0);
    }

    #[test]
    fn at_the_threshold_nobody_is_slowed_down() {
        assert_eq!(mark(&mut eprca(), 50_000.0, 100), (100_000.0, false));
    }

    #[test]
    fn under_congestion_those_above_dpf_macr_get_erf_macr_and_ci() {
        assert_eq!(mark(&mut eprca(), 8_750.0, 101), (100_000.0, false));
        assert_eq!(mark(&mut eprca(), 8_751.0, 1_000), (9_375.0, true));
    }

    #[test]
    fn ci_is_left_alone_without_the_binary_option() {
        let mut switch = Eprca::new(EprcaParameters {
            binary: false,
            ..PARAMETERS
        });
        switch.on_rate_change(Time::ZERO, LINE);
        assert_eq!(mark(&mut switch, 9_000.0, 500), (9_375.0, false));
    }

    #[test]
    fn under_heavy_congestion_everybody_gets_mrf_macr() {
        assert_eq!(mark(&mut eprca(), 0.0, 1_001), (2_500.0, false));
        assert_eq!(mark(&mut eprca(), 50_000.0, 1_001), (2_500.0, false));
    }

    #[test]
    fn silent_vcs_cannot_draw_macr_to_zero() {
        let mut switch = eprca();
        for _ in 0..1_000 {
            sample(&mut switch, 0.0, 101);
        }
        assert_near(mark(&mut switch, 0.0, 1_001).0, 0.25 * 0.02);
    }

    #[test]
    fn in_the_plain_form_every_sample_counts_and_dpf_is_the_fair_part() {
        let mut switch = Eprca::new(EprcaParameters {
            form: EprcaForm::Plain,
            ..PARAMETERS
        });
        switch.on_rate_change(Time::ZERO, LINE);
        // Five samples of 30,000 from the reference, starting at 10,000, with a congested queue.
        for expected in [11_250.0, 12_421.88, 13_520.51, 14_550.48, 15_516.07] {
            let macr = sample(&mut switch, 30_000.0, 500);
            assert!((macr - expected).abs() < 0.005, "{macr}");
        }
        let (er, ci) = mark(&mut switch, 30_000.0, 500);
        assert!((er - 15_516.07 * 0.875).abs() < 0.01 && ci, "{er}");
    }
}
