use super::*;
use crate::abr::Starved;
use crate::cell::Direction;
use proptest::prelude::*;
use std::vec::Vec;

const PCR: Rate = Rate::cells_per_s(1_000_000.0);

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// One cell every `us` microseconds.
fn each_us(us: u64) -> Rate {
    Rate::cells_per_s(1e6 / us as f64)
}

fn delays(tau1: u64, tau2: u64, tau3: u64) -> DgcraDelays {
    DgcraDelays {
        tolerance: Span::from_us(tau1),
        longest: Span::from_us(tau2),
        shortest: Span::from_us(tau3),
        out_of_rate_tolerance: Span::ZERO,
    }
}

/// A source that follows ER at once.
fn parameters(icr: Rate) -> Parameters {
    Parameters {
        icr,
        rif: 1.0,
        starved: Starved::OutOfRate,
        ..Parameters::new(PCR)
    }
}

fn backward_rm(er: Rate) -> RmCell {
    RmCell {
        direction: Direction::Backward,
        bn: false,
        ci: false,
        ni: false,
        er,
        ccr: Rate::ZERO,
        mcr: Rate::ZERO,
    }
}

#[test]
fn a_higher_rate_counts_from_tau3_and_a_lower_one_from_tau2() {
    let mut dgcra = Dgcra::new(parameters(each_us(10)), delays(0, 50, 20));
    for (us, gap) in [(119, 10), (120, 5), (249, 5), (250, 20)] {
        match us {
            119 => dgcra.on_backward_rm(at_us(100), &backward_rm(each_us(5))),
            249 => dgcra.on_backward_rm(at_us(200), &backward_rm(each_us(20))),
            _ => {}
        }
        assert_eq!(dgcra.pacr(at_us(us)), each_us(gap), "at {us} us");
    }
}

#[test]
fn an_increase_that_is_taken_back_still_counts_until_tau2() {
    let mut dgcra = Dgcra::new(parameters(each_us(10)), delays(0, 50, 20));
    dgcra.on_backward_rm(at_us(100), &backward_rm(each_us(5)));
    dgcra.on_backward_rm(at_us(101), &backward_rm(each_us(20)));
    for (us, gap) in [(119, 10), (120, 5), (150, 5), (151, 20)] {
        assert_eq!(dgcra.pacr(at_us(us)), each_us(gap), "at {us} us");
    }
}

#[test]
fn a_congestion_indication_lowers_the_rate_by_rdf() {
    let mut dgcra = Dgcra::new(Parameters::new(PCR), delays(0, 0, 0));
    let rm = RmCell {
        ci: true,
        ..backward_rm(PCR)
    };
    dgcra.on_backward_rm(at_us(1), &rm);
    assert_eq!(dgcra.pacr(at_us(1)), PCR.scaled(15.0 / 16.0));
}

#[test]
fn at_a_change_the_shorter_of_the_two_increments_counts() {
    let mut dgcra = Dgcra::new(parameters(each_us(10)), delays(0, 0, 0));
    for (us, new_gap, conforms) in [
        (0, None, true),
        (9, None, false),
        (10, None, true),
        (11, Some(4), false), // the higher rate counts at once: 10 + 4
        (14, None, true),
        (15, Some(20), false), // the lower rate counts for the gap after the next: 14 + 4
        (18, None, true),
        (37, None, false), // 18 + 20
        (38, None, true),
    ] {
        if let Some(gap) = new_gap {
            dgcra.on_backward_rm(at_us(us), &backward_rm(each_us(gap)));
        }
        assert_eq!(dgcra.conforms(at_us(us)), conforms, "at {us} us");
    }
}

#[test]
fn out_of_rate_cells_have_tcr_for_themselves() {
    let mut dgcra = Dgcra::new(parameters(PCR), delays(0, 0, 0));
    for (us, conforms) in [(0, true), (99_999, false), (100_000, true)] {
        assert_eq!(dgcra.out_of_rate_conforms(at_us(us)), conforms, "{us} us");
    }
    assert!(dgcra.conforms(at_us(100_000)));
}

/// The rates that backward RM cells set, each with its starting time.
fn rates(changes: &[(u64, u64)]) -> Vec<(u64, Rate)> {
    let mut us = 0;
    let steps = changes.iter().map(|&(gap, cell_us)| {
        us += gap;
        (us, each_us(cell_us))
    });
    core::iter::once((0, each_us(10))).chain(steps).collect()
}

proptest! {
    #[test]
    fn pacr_is_the_largest_rate_set_from_tau2_to_tau3_ago(
        changes in proptest::collection::vec((1_u64..30, 1_u64..8), 1..40),
        shortest in 0_u64..60, more in 0_u64..60,
    ) {
        let longest = shortest + more;
        let rates = rates(&changes);
        let mut dgcra = Dgcra::new(parameters(each_us(10)), delays(0, longest, shortest));
        let end = rates[rates.len() - 1].0 + longest + 2;
        for us in 0..end {
            for &(_, rate) in rates[1..].iter().filter(|&&(from, _)| from == us) {
                dgcra.on_backward_rm(at_us(us), &backward_rm(rate));
            }
            let largest = (us.saturating_sub(longest)..=us.saturating_sub(shortest))
                .filter_map(|t| rates.iter().rfind(|&&(from, _)| from <= t))
                .fold(Rate::ZERO, |largest, &(_, rate)| largest.max(rate));
            prop_assert_eq!(dgcra.pacr(at_us(us)), largest);
        }
    }

    #[test]
    fn at_a_constant_rate_it_is_the_gcra(
        gap in 1_u64..20, tolerance in 0_u64..60,
        arrivals in proptest::collection::vec(0_u64..30, 1..200),
    ) {
        let mut dgcra = Dgcra::new(parameters(each_us(gap)), delays(tolerance, 0, 0));
        let mut gcra = Gcra::new(each_us(gap).cell_time(), Span::from_us(tolerance));
        let mut us = 0;
        for wait in arrivals {
            us += wait;
            prop_assert_eq!(dgcra.conforms(at_us(us)), gcra.conforms(at_us(us)));
        }
    }

    #[test]
    fn a_source_whose_loop_is_between_tau3_and_tau2_long_conforms_without_tolerance(
        changes in proptest::collection::vec((1_u64..200, 1_u64..40), 1..40),
        shortest in 0_u64..60, to_loop in 0_u64..60, to_longest in 0_u64..60,
    ) {
        let delay = shortest + to_loop;
        let rates = rates(&changes);
        let mut dgcra =
            Dgcra::new(parameters(each_us(10)), delays(0, delay + to_longest, shortest));
        let (mut last, mut cells) = (None, 0);
        for us in 0..rates[rates.len() - 1].0 + delay + 100 {
            for &(_, rate) in rates[1..].iter().filter(|&&(from, _)| from == us) {
                dgcra.on_backward_rm(at_us(us), &backward_rm(rate));
            }
            let heard = us.saturating_sub(delay);
            let acr = rates.iter().rfind(|&&(from, _)| from <= heard).unwrap().1;
            if last.is_none_or(|last| at_us(us) >= last + acr.cell_time()) {
                prop_assert!(dgcra.conforms(at_us(us)), "at {} us", us);
                last = Some(at_us(us));
                cells += 1;
            }
        }
        prop_assert!(cells > 2);
    }
}
