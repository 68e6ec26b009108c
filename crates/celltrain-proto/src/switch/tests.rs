//! Common parts of the algorithms' tests, and the properties that every algorithm must have.

use super::capc::tests::{CAPC, CAPC2};
use super::erica::tests::RULES;
use super::*;
use crate::cell::Direction;
use crate::units::Span;
use proptest::prelude::*;
use std::vec::Vec;

/// A target of 200 cell times at 1.024 Mbit/s, and no drain limit.
pub(super) const UPSTREAM: EricaPlusSmoothedParameters = EricaPlusSmoothedParameters {
    t0: Span::from_ps(82_812_500_000),
    a: 1.5,
    b: 1.5,
    qdlf: 0.0,
    x: 0.125,
    smoothing_interval: Span::from_ms(10),
    averaging_interval: Span::from_ms(30),
    marking: Marking::BackwardRm,
};

/// A target of 200 cell times at 8 Mbit/s, and a drain limit of one half.
pub(super) const DOWNSTREAM: EricaPlusSmoothedParameters = EricaPlusSmoothedParameters {
    t0: Span::from_us(10_600),
    a: 1.15,
    b: 1.05,
    qdlf: 0.5,
    x: 0.125,
    smoothing_interval: Span::from_ms(1),
    averaging_interval: Span::from_ms(10),
    marking: Marking::BackwardRm,
};

pub(super) fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

pub(super) fn port(queue: u64, rate: Rate) -> PortState {
    PortState {
        queue: Cells(queue),
        rate,
    }
}

/// An unmarked RM cell whose ER is above every rate in the tests.
pub(super) fn rm() -> RmCell {
    RmCell {
        direction: Direction::Forward,
        bn: false,
        ci: false,
        ni: false,
        er: Rate::kbps(149_760),
        ccr: Rate::ZERO,
        mcr: Rate::ZERO,
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Cells { vc: u32, n: u64 },
    Activity { vc: u32 },
    RateChange { kbps: u64 },
    ForwardRm { vc: u32, cell: RmCell },
    BackwardRm { vc: u32, cell: RmCell },
    Reset,
}

/// RM cells with any ER and CCR up to 2 Mbit/s, and any bits.
fn cells() -> impl Strategy<Value = RmCell> {
    (0.0..2e6_f64, 0.0..2e6_f64, any::<bool>(), any::<bool>()).prop_map(|(er, ccr, ci, ni)| {
        RmCell {
            er: Rate::bps(er),
            ccr: Rate::bps(ccr),
            ci,
            ni,
            ..rm()
        }
    })
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0_u32..4, 1_u64..40).prop_map(|(vc, n)| Event::Cells { vc, n }),
        (0_u32..4).prop_map(|vc| Event::Activity { vc }),
        (0_u64..1_024).prop_map(|kbps| Event::RateChange { kbps }),
        (0_u32..4, cells()).prop_map(|(vc, cell)| Event::ForwardRm { vc, cell }),
        (0_u32..4, cells()).prop_map(|(vc, cell)| Event::BackwardRm { vc, cell }),
        Just(Event::Reset),
    ]
}

/// The time to the next instant: often a multiple of the intervals, sometimes just off one, and now and then so long
/// that everything has settled.
fn gaps() -> impl Strategy<Value = Span> {
    (0_u64..30, 0_u64..3, prop::bool::weighted(0.01)).prop_map(|(steps, beside, rests)| {
        let rest = Span::from_secs(if rests { 100 } else { 0 });
        rest + Span::from_us(2_500) * steps + Span::from_ps(beside)
    })
}

fn algorithms() -> Vec<Algorithm> {
    let mut all = Vec::new();
    for marking in [Marking::BackwardRm, Marking::ForwardRm] {
        all.push({
            let parameters = FairShareParameters {
                interval: Span::from_ms(10),
                marking,
            };
            FairShare::new(parameters).into()
        });
        for parameters in [UPSTREAM, DOWNSTREAM] {
            let parameters = EricaPlusSmoothedParameters {
                marking,
                ..parameters
            };
            all.push(EricaPlusSmoothed::new(parameters).into());
        }
    }
    for marking in [
        BinaryMarking::BackwardRm,
        BinaryMarking::ForwardRm,
        BinaryMarking::Efci,
    ] {
        let parameters = BinaryParameters {
            threshold: Cells(64),
            low: None,
            ni_threshold: Some(Cells(32)),
            marking,
        };
        all.push(Binary::new(parameters).into());
    }
    all.extend(all_erica());
    all.push(Eprca::new(super::eprca::tests::PARAMETERS).into());
    all.push(Capc::new(CAPC).into());
    all.push(Capc2::new(CAPC2).into());
    all.push(Phantom::new(super::phantom::tests::PARAMETERS).into());
    let mit = MitParameters {
        interval: Span::from_ms(10),
        target_utilization: 0.95,
    };
    all.push(Mit::new(mit).into());
    for feedback in [MmrcaFeedback::Ci, MmrcaFeedback::ExplicitRate] {
        let parameters = MmrcaParameters {
            feedback,
            ..super::mmrca::tests::PARAMETERS
        };
        all.push(Mmrca::new(parameters).into());
    }
    all
}

/// ERICA and ERICA+ with all averaging and every option on, with no averaging, and in between.
fn all_erica() -> impl Iterator<Item = Algorithm> {
    let plain = EricaRules {
        interval: Some(Span::from_ms(10)),
        ..RULES
    };
    let averaged = EricaRules {
        interval_cells: Some(Cells(60)),
        load_averaging: LoadAveraging::OverloadFactor,
        load_weight: 0.8,
        activity_decay: 0.9,
        immediate_update: true,
        backward_activity: true,
        ccr: CcrSource::Measured,
        ..plain
    };
    let mixed = EricaRules {
        load_averaging: LoadAveraging::Ratio,
        allocation: EricaAllocation::Basic,
        marking: Marking::ForwardRm,
        ..averaged
    };
    [plain, averaged, mixed].into_iter().flat_map(|rules| {
        let plus = EricaPlusParameters {
            t0: Span::from_us(1_500),
            a: 1.15,
            b: 1.05,
            qdlf: 0.5,
            queue_control: QueueControl::Hyperbolic,
            k: 26.0 / 3.0,
            queue_sampling: QueueSampling::RmCells,
            rules,
        };
        [
            Erica::new(super::erica::tests::parameters(0.9, rules)).into(),
            EricaPlus::new(plus).into(),
        ]
    })
}

/// Whether a backward RM cell changes the state of `algorithm`, so that an extra one is not just a read.
fn learns_from_backward_rm(algorithm: &Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::Erica(_) | Algorithm::EricaPlus(_) | Algorithm::Capc(_) | Algorithm::Capc2(_)
    )
}

/// A port with an algorithm, its rate, and a record of all its output.
struct Port {
    algorithm: Algorithm,
    state: PortState,
    out: Vec<(RmCell, Option<f64>)>,
}

impl Port {
    fn new(mut algorithm: Algorithm) -> Self {
        let state = port(65, Rate::kbps(576));
        algorithm.on_rate_change(Time::ZERO, state.rate);
        Self {
            algorithm,
            state,
            out: Vec::new(),
        }
    }

    fn on_event(&mut self, now: Time, event: Event) {
        let mut out = rm();
        match event {
            Event::Cells { vc, n } => self.algorithm.on_cells(now, vc, n),
            Event::Activity { vc } => self.algorithm.on_activity(now, vc),
            Event::RateChange { kbps } => {
                self.state = port(kbps, Rate::kbps(kbps));
                self.algorithm.on_rate_change(now, self.state.rate);
            }
            Event::ForwardRm { vc, cell } => {
                out = cell;
                self.algorithm.on_forward_rm(now, vc, &mut out, &self.state);
            }
            Event::BackwardRm { vc, cell } => {
                out = cell;
                self.algorithm
                    .on_backward_rm(now, vc, &mut out, &self.state);
            }
            Event::Reset => self.algorithm.reset_statistics(now),
        }
        let mean = self.algorithm.clone().mean_active_vcs(now);
        self.out.push((out, mean));
    }

    /// Reads from the algorithm in every way that must not change it.
    fn poll(&mut self, now: Time) {
        let _ = self.algorithm.mean_active_vcs(now);
        let _ = self.algorithm.marks_efci(self.state.queue);
        self.algorithm.on_rate_change(now, self.state.rate);
        if !learns_from_backward_rm(&self.algorithm) {
            self.algorithm
                .on_backward_rm(now, 0, &mut rm(), &self.state);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn polling_at_any_instant_changes_no_bit(
        events in prop::collection::vec((gaps(), gaps(), events()), 1..40),
    ) {
        for algorithm in algorithms() {
            let mut plain = Port::new(algorithm.clone());
            let mut polled = Port::new(algorithm);
            let mut now = Time::ZERO;
            for &(before_poll, after_poll, event) in &events {
                now += before_poll;
                polled.poll(now);
                now += after_poll;
                polled.poll(now);
                plain.on_event(now, event);
                polled.on_event(now, event);
                polled.poll(now);
            }
            prop_assert_eq!(&plain.out, &polled.out);
        }
    }

    #[test]
    fn marking_never_raises_er_never_clears_a_bit_and_stops_nobody_while_the_line_moves(
        events in prop::collection::vec((gaps(), events()), 1..40),
    ) {
        for algorithm in algorithms() {
            let mut port = Port::new(algorithm);
            let mut now = Time::ZERO;
            let mut standstill = false;
            for &(gap, event) in &events {
                now += gap;
                standstill |= matches!(event, Event::RateChange { kbps: 0 });
                port.on_event(now, event);
                let (Event::ForwardRm { cell, .. } | Event::BackwardRm { cell, .. }) = event else {
                    continue;
                };
                let marked = port.out[port.out.len() - 1].0;
                prop_assert!(marked.er <= cell.er);
                prop_assert!(marked.er > Rate::ZERO || cell.er == Rate::ZERO || standstill);
                prop_assert!(marked.ci >= cell.ci && marked.ni >= cell.ni);
                let rest = RmCell { er: cell.er, ci: cell.ci, ni: cell.ni, ..marked };
                prop_assert_eq!(rest, cell);
            }
        }
    }
}
