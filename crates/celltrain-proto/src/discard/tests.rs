use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::random::Stream;
use crate::units::Span;

const DATA: Arriving = Arriving {
    is_data: true,
    is_end: false,
    clp: false,
};
const END: Arriving = Arriving {
    is_end: true,
    ..DATA
};
const RM: Arriving = Arriving {
    is_data: false,
    ..DATA
};
const LOW: Arriving = Arriving { clp: true, ..DATA };
const LOW_END: Arriving = Arriving { clp: true, ..END };

fn red() -> RedParameters {
    RedParameters {
        min: Cells(3),
        max: Cells(9),
        max_probability: 0.5,
        weight: 0.5,
        gentle: true,
    }
}

fn ared() -> AredParameters {
    AredParameters {
        target: Span::from_ms(5),
        min: Some(Cells(3)),
        max: Some(Cells(9)),
        weight: Some(0.5),
        interval: Span::from_us(20),
        increment: 0.01,
        decrease: 0.9,
        max_probability: 0.1,
    }
}

/// The policy with these parameters, on a line on which a frame takes 10 us.
fn policy(parameters: &Parameters) -> Policy {
    parameters.build(&Port {
        frame: Cells(32),
        frame_time: Span::from_us(10),
        weights: &[0.3, 0.3, 0.2],
        stream: Stream::named(1, "discard"),
    })
}

fn tail_drop(clp_threshold: Option<u32>) -> Discard {
    Discard::new(None, clp_threshold, 1)
}

fn ppd(clp_threshold: Option<u32>) -> Discard {
    let parameters = Parameters::PartialPacket(PartialPacketParameters {});
    Discard::new(Some(policy(&parameters)), clp_threshold, 1)
}

/// EPD with a threshold of 8 cells.
fn epd(partial: bool, clp_threshold: Option<u32>) -> Discard {
    let threshold = Cells(8);
    let parameters = Parameters::EarlyPacket(EarlyPacketParameters { threshold, partial });
    Discard::new(Some(policy(&parameters)), clp_threshold, 1)
}

/// Offers each cell to VC 0 at a queue of that many cells, in a buffer of 10: `+` admitted, `-` refused.
fn verdicts(discard: &mut Discard, cells: &[(u32, Arriving)]) -> String {
    let view = |queued| QueueView {
        queued,
        buffer: 10,
        of_vc: queued,
        active_vcs: 1,
    };
    let admits = |&(queued, cell)| discard.admits(Time::ZERO, 0, cell, &view(queued));
    let sign = |admitted| if admitted { '+' } else { '-' };
    cells.iter().map(admits).map(sign).collect()
}

#[test]
fn tail_drop_looks_at_nothing_but_room() {
    let cells = [(10, DATA), (9, DATA), (11, END), (0, END), (10, RM)];
    assert_eq!(verdicts(&mut tail_drop(None), &cells), "-+-+-");
}

#[test]
fn ppd_refuses_the_rest_after_a_loss_but_keeps_the_last_cell() {
    let frame = [(9, DATA), (10, DATA), (5, DATA), (5, DATA), (5, END)];
    let next = [(5, DATA), (5, END)];
    let mut ppd = ppd(None);
    assert_eq!(verdicts(&mut ppd, &frame), "+---+");
    assert_eq!(verdicts(&mut ppd, &next), "++", "the next frame is whole");
}

#[test]
fn ppd_begins_a_new_frame_even_if_the_last_cell_was_lost() {
    let cells = [(9, DATA), (10, END), (9, DATA), (9, END)];
    let mut ppd = ppd(None);
    assert_eq!(verdicts(&mut ppd, &cells), "+-++");
}

#[test]
fn ppd_counts_a_lost_first_cell_as_a_loss_like_any_other() {
    let cells = [(10, DATA), (3, DATA), (3, END)];
    let mut ppd = ppd(None);
    assert_eq!(verdicts(&mut ppd, &cells), "--+");
}

#[test]
fn epd_refuses_a_whole_frame_with_its_last_cell() {
    let cells = [
        (8, DATA),
        (2, DATA),
        (2, END),
        (7, DATA),
        (9, DATA),
        (9, END),
    ];
    let mut epd = epd(true, None);
    assert_eq!(verdicts(&mut epd, &cells), "---+++");
}

#[test]
fn epd_rejects_no_frame_that_has_begun_below_its_threshold() {
    let cells = [(7, DATA), (8, DATA), (9, DATA), (9, END)];
    let mut epd = epd(true, None);
    assert_eq!(verdicts(&mut epd, &cells), "++++");
}

#[test]
fn epd_also_discards_partial_packets_when_the_buffer_fills() {
    let cells = [(7, DATA), (10, DATA), (9, DATA), (9, END), (7, DATA)];
    let mut epd = epd(true, None);
    assert_eq!(verdicts(&mut epd, &cells), "+--++");
}

#[test]
fn epd_of_whole_frames_only_keeps_what_follows_a_lost_cell() {
    let cells = [(7, DATA), (10, DATA), (9, DATA), (9, END), (8, DATA)];
    assert_eq!(verdicts(&mut epd(false, None), &cells), "+-++-");
}

#[test]
fn epd_holds_for_frames_of_one_cell() {
    let cells = [(8, END), (7, END), (8, END), (9, END)];
    let mut epd = epd(true, None);
    assert_eq!(verdicts(&mut epd, &cells), "-+--");
}

#[test]
fn rm_cells_pass_within_a_rejected_frame_and_do_not_end_it() {
    let rm_end = Arriving { is_end: true, ..RM };
    let cells = [
        (8, RM),
        (8, DATA),
        (8, rm_end),
        (2, DATA),
        (10, RM),
        (2, END),
    ];
    let mut epd = epd(true, None);
    assert_eq!(verdicts(&mut epd, &cells), "+-+---");
    assert_eq!(verdicts(&mut epd, &[(10, RM), (2, DATA)]), "-+");
}

#[test]
fn frames_of_different_vcs_do_not_touch_each_other() {
    let mut epd = epd(true, None);
    let mut admits = |vc, cell, queued| {
        let (buffer, of_vc, active_vcs) = (10, 0, 0);
        let view = QueueView {
            queued,
            buffer,
            of_vc,
            active_vcs,
        };
        epd.admits(Time::ZERO, vc, cell, &view)
    };
    assert!(!admits(0, DATA, 8));
    assert!(admits(7, DATA, 2), "VC 7 is beyond the table at first");
    assert!(!admits(0, END, 2));
    assert!(admits(7, END, 9));
}

#[test]
fn clp_threshold_of_tail_drop_holds_for_single_cells() {
    let cells = [(6, LOW), (5, LOW), (6, DATA), (10, DATA), (5, LOW_END)];
    let mut tail = tail_drop(Some(6));
    assert_eq!(verdicts(&mut tail, &cells), "-++-+");
}

#[test]
fn clp_threshold_of_ppd_is_a_buffer_of_its_own() {
    // The last cell has CLP = 1 and also meets the threshold; in the second frame it has CLP = 0.
    let first = [(5, DATA), (6, LOW), (6, DATA), (6, LOW_END)];
    let second = [(6, LOW), (5, LOW), (6, END)];
    let mut ppd = ppd(Some(6));
    assert_eq!(verdicts(&mut ppd, &first), "+---");
    assert_eq!(verdicts(&mut ppd, &second), "--+");
}

#[test]
fn clp_threshold_costs_epd_the_whole_frame_only_at_its_first_cell() {
    let mut epd = epd(true, Some(6));
    assert_eq!(verdicts(&mut epd, &[(6, LOW), (0, DATA), (0, END)]), "---");
    assert_eq!(verdicts(&mut epd, &[(6, DATA), (6, LOW), (6, END)]), "+-+");
}

#[test]
fn a_clp_threshold_beyond_the_buffer_adds_no_room() {
    let mut tail = tail_drop(Some(20));
    assert_eq!(verdicts(&mut tail, &[(9, LOW), (10, LOW)]), "+-");
}

#[test]
fn red_decides_at_first_cells_and_hears_of_idle_time() {
    let parameters = RedParameters {
        gentle: false,
        weight: 1.0,
        ..red()
    };
    let mut red = Discard::new(Some(policy(&Parameters::Red(parameters))), None, 1);
    // w = 1: the mean is the queue itself, and from max = 9 every frame is rejected.
    let cells = [(9, DATA), (1, DATA), (1, END), (1, DATA), (9, END)];
    assert_eq!(verdicts(&mut red, &cells), "---++");
    red.on_empty(Time::ZERO);
    assert_eq!(verdicts(&mut red, &[(0, DATA), (9, END)]), "++");
    assert_eq!(verdicts(&mut red, &[(9, DATA)]), "-");
}

#[test]
fn only_policies_that_compare_shares_need_the_counts_of_vcs() {
    for (policy, expected) in policies() {
        let discard = Discard::new(policy.clone(), None, 1);
        assert_eq!(discard.needs_vc_counts(), expected, "{policy:?}");
    }
}

/// Tail drop, PPD, and one of each other policy for a buffer of about 16 cells, each with whether it compares shares.
fn policies() -> Vec<(Option<Policy>, bool)> {
    let (threshold, z) = (Cells(6), 0.8);
    let all = [
        (Parameters::PartialPacket(PartialPacketParameters {}), false),
        (Parameters::DropFront(DropFrontParameters {}), false),
        (
            Parameters::EarlyPacket(EarlyPacketParameters {
                threshold,
                partial: true,
            }),
            false,
        ),
        (
            Parameters::SelectiveDrop(SelectiveDropParameters { threshold, z }),
            true,
        ),
        (
            Parameters::FairBuffer(FairBufferParameters { threshold, z }),
            true,
        ),
        (Parameters::Red(red()), false),
        (Parameters::Ared(ared()), false),
        (
            Parameters::Dfba(DfbaParameters {
                low: Cells(4),
                threshold: Cells(12),
                z,
                alpha: 0.5,
            }),
            true,
        ),
    ];
    let built = all.map(|(parameters, counts)| (Some(policy(&parameters)), counts));
    [(None, false)].into_iter().chain(built).collect()
}

#[test]
fn every_policy_is_among_those_tested() {
    let tested = policies().len() - 1;
    assert_eq!(
        tested,
        Parameters::NAMES.len(),
        "`policies` needs one of each policy"
    );
}

/// What happened to one data cell.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    admitted: bool,
    is_end: bool,
    is_first: bool,
}

/// Sends cells in random order to a queue in front of a line; returns the outcomes of each VC's data cells.
fn run(policy: Option<Policy>, buffer: u32, steps: &[(u32, u8)]) -> Vec<Vec<Outcome>> {
    const VCS: usize = 4;
    let mut discard = Discard::new(policy, None, VCS);
    let mut queue: VecDeque<u32> = VecDeque::new();
    let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); VCS];
    let mut now = Time::ZERO;
    for &(vc, kind) in steps {
        now += Span::from_us(3);
        if kind < 4 {
            if queue.pop_front().is_some() && queue.is_empty() {
                discard.on_empty(now);
            }
            continue;
        }
        let of_vc = |vc| queue.iter().filter(|&&other| other == vc).count() as u32;
        let view = QueueView {
            queued: queue.len() as u32,
            buffer,
            of_vc: of_vc(vc),
            active_vcs: (0..VCS as u32).filter(|&vc| of_vc(vc) > 0).count() as u32,
        };
        let (is_data, is_end) = (kind > 4, kind > 9);
        let cell = Arriving {
            is_data,
            is_end,
            clp: false,
        };
        let admitted = discard.admits(now, vc, cell, &view);
        if admitted {
            queue.push_back(vc);
        }
        assert!(
            admitted || is_data || view.queued >= buffer,
            "an RM cell was refused although there was room"
        );
        assert!(queue.len() as u32 <= buffer);
        let of = &mut outcomes[vc as usize];
        if is_data {
            let is_first = of.last().is_none_or(|last| last.is_end);
            of.push(Outcome {
                admitted,
                is_end,
                is_first,
            });
        }
    }
    outcomes
}

fn steps() -> impl Strategy<Value = Vec<(u32, u8)>> {
    prop::collection::vec((0..4_u32, 0..12_u8), 0..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ppd_forwards_no_cell_between_a_dropped_one_and_the_last(steps in steps()) {
        for (policy, _) in policies().into_iter().skip(1) {
            for outcomes in run(policy.clone(), 12, &steps) {
                let mut lost = false;
                for outcome in outcomes {
                    lost &= !outcome.is_first;
                    prop_assert!(!(lost && outcome.admitted && !outcome.is_end), "{:?}", policy);
                    lost |= !outcome.admitted;
                }
            }
        }
    }

    #[test]
    fn epd_forwards_whole_frames_or_nothing_while_the_buffer_does_not_fill(steps in steps()) {
        for (policy, _) in policies().into_iter().skip(2) {
            for outcomes in run(policy.clone(), 1_000, &steps) {
                for pair in outcomes.windows(2) {
                    let same = pair[0].is_end || pair[0].admitted == pair[1].admitted;
                    prop_assert!(same, "{:?}", policy);
                }
            }
        }
    }

    #[test]
    fn tail_drop_and_ppd_refuse_nothing_while_the_buffer_does_not_fill(steps in steps()) {
        for (policy, _) in policies().into_iter().take(2) {
            let outcomes = run(policy, 1_000, &steps);
            prop_assert!(outcomes.iter().flatten().all(|outcome| outcome.admitted));
        }
    }
}
