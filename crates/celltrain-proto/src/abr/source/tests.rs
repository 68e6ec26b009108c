use super::*;
use crate::units::Cells;
use alloc::vec::Vec;
use proptest::prelude::*;

mod runs;

const PCR: Rate = Rate::cells_per_s(1_000.0);
const MS: Span = Span::from_ms(1);

fn source(change: impl FnOnce(&mut Parameters)) -> Source {
    let mut parameters = Parameters::new(PCR);
    change(&mut parameters);
    Source::new(parameters)
}

fn backward(ci: bool, ni: bool, er: Rate) -> RmCell {
    RmCell {
        direction: Direction::Backward,
        bn: false,
        ci,
        ni,
        er,
        ccr: PCR,
        mcr: Rate::ZERO,
    }
}

const fn cells(per_s: f64) -> Rate {
    Rate::cells_per_s(per_s)
}

/// Sends at every opportunity until `count` cells have left; returns the instants and cells.
fn send(source: &mut Source, start: Time, count: usize, data_waits: bool) -> Vec<(Time, NextCell)> {
    let mut sent = Vec::new();
    let mut now = start;
    while sent.len() < count {
        now = now.max(source.next_deadline(data_waits).expect("something waits"));
        sent.extend(source.next_cell(now, data_waits).map(|cell| (now, cell)));
    }
    sent
}

fn kinds(sent: &[(Time, NextCell)]) -> (usize, usize, usize) {
    let count =
        |wanted: fn(&NextCell) -> bool| sent.iter().filter(|(_, cell)| wanted(cell)).count();
    (
        count(|cell| matches!(cell, NextCell::ForwardRm(_))),
        count(|cell| matches!(cell, NextCell::BackwardRm(_))),
        count(|cell| matches!(cell, NextCell::Data)),
    )
}

#[test]
fn source_rule_1_in_rate_cells_are_spaced_at_acr() {
    let mut source = source(|_| {});
    let sent = send(&mut source, Time::ZERO, 100, true);
    assert!(sent.windows(2).all(|pair| pair[1].0 - pair[0].0 == MS));
}

#[test]
fn source_rule_1_no_credit_collects_while_nothing_is_sent() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 3, true);
    let later = Time::ZERO + Span::from_ms(50);
    let sent = send(&mut source, later, 3, true);
    assert_eq!(
        sent.iter().map(|(at, _)| *at - later).collect::<Vec<_>>(),
        [Span::ZERO, MS, MS * 2]
    );
}

#[test]
fn source_rule_2_acr_starts_at_icr_and_the_first_cell_is_a_forward_rm_cell() {
    let mut source = source(|p| p.icr = cells(100.0));
    assert_eq!(source.acr(), cells(100.0));
    let first = source.next_cell(Time::ZERO, true);
    let Some(NextCell::ForwardRm(rm)) = first else {
        panic!("{first:?}")
    };
    assert_eq!(rm.ccr, cells(100.0));
}

#[test]
fn source_rule_3a_one_forward_rm_cell_then_31_others() {
    let mut source = source(|_| {});
    let sent = send(&mut source, Time::ZERO, 32 * 100, true);
    for (index, (_, cell)) in sent.iter().enumerate() {
        assert_eq!(
            matches!(cell, NextCell::ForwardRm(_)),
            index % 32 == 0,
            "{index}"
        );
    }
}

#[test]
fn source_rule_3a_after_trm_a_forward_rm_cell_is_due_once_mrm_cells_have_left() {
    let mut source = source(|p| p.idle_forward_rm = false);
    send(&mut source, Time::ZERO, 2, true); // forward RM, one data cell
    let late = Time::ZERO + Span::from_ms(150);
    assert_eq!(
        source.next_cell(late, true),
        Some(NextCell::Data),
        "one cell is fewer than Mrm"
    );
    assert!(matches!(
        source.next_cell(late + MS, true),
        Some(NextCell::ForwardRm(_))
    ));
}

#[test]
fn source_rule_3a_a_due_forward_rm_cell_does_not_wait_for_data() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 3, true); // forward RM, two data cells: Mrm
    let due = source.next_deadline(false);
    assert_eq!(
        due,
        Some(Time::ZERO + Span::from_ms(100)),
        "Trm after the last one"
    );
    let cell = source.next_cell(due.unwrap(), false);
    assert!(matches!(cell, Some(NextCell::ForwardRm(_))));
    assert_eq!(source.next_deadline(false), None, "nothing was sent since");
}

#[test]
fn a_source_that_is_told_so_sends_no_forward_rm_cell_while_nothing_waits() {
    let mut source = source(|p| p.idle_forward_rm = false);
    send(&mut source, Time::ZERO, 32, true);
    assert_eq!(source.next_deadline(false), None);
    assert_eq!(
        source.next_cell(Time::ZERO + Span::from_secs(1), false),
        None
    );
}

#[test]
fn nothing_is_sent_before_there_is_anything_to_send() {
    let mut source = source(|_| {});
    assert_eq!(source.next_deadline(false), None);
    assert_eq!(source.next_cell(Time::ZERO, false), None);
}

#[test]
fn source_rule_3b_one_backward_rm_cell_between_forward_rm_cells_while_data_wait() {
    let mut source = source(|_| {});
    let mut all = Vec::new();
    for _ in 0..32 * 10 {
        let _ = source.turn_around(backward(false, false, PCR));
        let now = all
            .last()
            .map_or(Time::ZERO, |(at, _): &(Time, NextCell)| *at + MS);
        all.extend(source.next_cell(now, true).map(|cell| (now, cell)));
    }
    assert_eq!(kinds(&all), (10, 10, 300));
}

#[test]
fn source_rule_3b_backward_rm_cells_fill_the_rate_while_no_data_wait() {
    let mut source = source(|_| {});
    let mut all = Vec::new();
    for _ in 0..32 * 10 {
        let _ = source.turn_around(backward(false, false, PCR));
        let now = all
            .last()
            .map_or(Time::ZERO, |(at, _): &(Time, NextCell)| *at + MS);
        all.extend(source.next_cell(now, false).map(|cell| (now, cell)));
    }
    assert_eq!(kinds(&all), (10, 310, 0));
}

#[test]
fn source_rule_5_acr_is_at_most_icr_after_adtf() {
    let mut source = source(|p| p.icr = cells(100.0));
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &backward(false, false, PCR));
    source.on_backward_rm(Time::ZERO, &backward(false, false, PCR));
    assert_eq!(source.acr(), cells(225.0));
    // 0.6 s later two more cells are still sent at the old rate; ICR applies from the forward RM cell on.
    let resumed = Time::ZERO + Span::from_ms(600);
    let sent = send(&mut source, resumed, 3, true);
    let (_, NextCell::ForwardRm(rm)) = sent[2] else {
        panic!("{sent:?}")
    };
    assert_eq!((rm.ccr, source.acr()), (cells(100.0), cells(100.0)));
}

#[test]
fn source_rule_5_acr_below_icr_is_left_as_it_is() {
    let mut source = source(|p| p.icr = cells(500.0));
    send(&mut source, Time::ZERO, 3, true);
    source.on_backward_rm(Time::ZERO, &backward(false, false, cells(50.0)));
    send(&mut source, Time::ZERO + Span::from_secs(2), 1, true);
    assert_eq!(source.acr(), cells(50.0));
}

#[test]
fn source_rule_6_every_unanswered_forward_rm_cell_beyond_crm_cuts_the_rate() {
    let mut source = source(|p| {
        p.tbe = Cells(4 * 32);
        p.adtf = Span::from_secs(10);
    });
    let sent = send(&mut source, Time::ZERO, 32 * 7, true);
    let ccrs: Vec<f64> = sent
        .iter()
        .filter_map(|(_, cell)| match cell {
            NextCell::ForwardRm(rm) => Some(rm.ccr.as_cells_per_s()),
            _ => None,
        })
        .collect();
    let expected = [
        1000.0,
        1000.0,
        1000.0,
        1000.0,
        937.5,
        878.906_25,
        823.974_609_375,
    ];
    assert!(
        ccrs.iter()
            .zip(expected)
            .all(|(ccr, expected)| (ccr - expected).abs() < 1e-9),
        "{ccrs:?}"
    );
}

#[test]
fn source_rule_6_feedback_restarts_the_count_unless_a_switch_sent_it() {
    let mut source = source(|p| p.tbe = Cells(32));
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(
        Time::ZERO,
        &RmCell {
            bn: true,
            ..backward(false, true, PCR)
        },
    );
    send(&mut source, Time::ZERO, 32, true);
    assert_eq!(source.acr(), cells(937.5), "BN = 1 is not an answer");
    source.on_backward_rm(Time::ZERO, &backward(false, true, PCR));
    send(&mut source, Time::ZERO, 32, true);
    assert_eq!(source.acr(), cells(937.5));
}

#[test]
fn source_rule_7_the_forward_rm_cell_carries_the_new_rate() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 32, true);
    source.on_backward_rm(Time::ZERO, &backward(false, false, cells(700.0)));
    let sent = send(&mut source, Time::ZERO, 1, true);
    let (_, NextCell::ForwardRm(rm)) = sent[0] else {
        panic!("{sent:?}")
    };
    assert_eq!((rm.ccr, rm.er, rm.mcr), (cells(700.0), PCR, Rate::ZERO));
    assert!(!rm.ci && !rm.ni && !rm.bn && rm.direction == Direction::Forward);
}

#[test]
fn source_rule_8_ci_and_ni_choose_between_decrease_increase_and_neither() {
    let table = [
        (false, false, 562.5), // + RIF x PCR
        (false, true, 500.0),
        (true, false, 468.75), // - RDF x ACR
        (true, true, 468.75),
    ];
    for (ci, ni, expected) in table {
        let mut source = source(|p| p.icr = cells(500.0));
        source.on_backward_rm(Time::ZERO, &backward(ci, ni, PCR));
        assert_eq!(source.acr(), cells(expected), "CI {ci}, NI {ni}");
    }
}

#[test]
fn source_rule_8_marked_for_ever_acr_decays_to_mcr_and_stays() {
    let mut source = source(|p| p.mcr = cells(100.0));
    for _ in 0..100 {
        source.on_backward_rm(Time::ZERO, &backward(true, false, PCR));
    }
    assert_eq!(source.acr(), cells(100.0));
}

#[test]
fn source_rule_9_the_explicit_rate_is_a_ceiling_after_rule_8() {
    let mut source = source(|p| p.icr = cells(800.0));
    source.on_backward_rm(Time::ZERO, &backward(true, false, cells(300.0)));
    assert_eq!(
        source.acr(),
        cells(300.0),
        "first the decrease to 750, then ER"
    );
    source.on_backward_rm(Time::ZERO, &backward(false, false, cells(300.0)));
    assert_eq!(source.acr(), cells(300.0), "the increase stops at ER");
}

#[test]
fn a_change_of_acr_moves_the_next_cell_at_once() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &backward(false, true, cells(10.0)));
    assert_eq!(source.next_tx(), Time::ZERO + Span::from_ms(100));
    source.on_backward_rm(Time::ZERO, &backward(false, false, PCR));
    assert_eq!(source.acr(), cells(72.5));
    let hundredths = Rate::cells_per_s(72.5).cell_time();
    assert_eq!(source.next_tx(), Time::ZERO + hundredths);
}

#[test]
fn a_starved_source_goes_on_at_tcr() {
    let mut source = source(|_| {});
    source.on_backward_rm(Time::ZERO, &backward(false, false, Rate::ZERO));
    assert_eq!(source.acr(), cells(10.0));
}

#[test]
fn source_rule_5_idleness_does_not_take_acr_below_tcr() {
    let mut source = source(|p| {
        p.icr = cells(5.0);
        p.mrm = 0;
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &backward(false, false, PCR));
    assert!(source.acr() > cells(10.0));
    send(&mut source, Time::ZERO + Span::from_secs(1), 1, true);
    assert_eq!(source.acr(), cells(10.0));
}

/// A source starved right after its first cell.
fn stopped(idle_forward_rm: bool) -> Source {
    let mut source = source(|p| {
        p.starved = Starved::OutOfRate;
        p.idle_forward_rm = idle_forward_rm;
        p.rif = 1.0;
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &backward(false, false, Rate::ZERO));
    source
}

#[test]
fn source_rule_11_a_stopped_source_sends_ten_rm_cells_a_second_until_it_has_a_rate() {
    let mut source = stopped(true);
    let second = Time::ZERO + Span::from_secs(1);
    assert_eq!(source.acr(), Rate::ZERO);
    assert_eq!(source.next_deadline(true), None);
    assert_eq!(source.next_cell(second, true), None);
    for probe in 1..=10 {
        let due = Time::ZERO + MS * 100 * probe;
        assert_eq!(source.next_out_of_rate(true), Some(due));
        assert_eq!(source.out_of_rate_cell(due - Span::from_ps(1), true), None);
        let rm = source.out_of_rate_cell(due, true).unwrap();
        assert_eq!((rm.direction, rm.ccr), (Direction::Forward, Rate::ZERO));
    }
    // TCR itself is enough to send in-rate.
    source.on_backward_rm(second, &backward(false, false, cells(10.0)));
    assert_eq!(source.next_out_of_rate(true), None);
    assert_eq!(source.next_cell(second, true), Some(NextCell::Data));
}

#[test]
fn source_rule_11_out_of_rate_cells_change_nothing_of_the_in_rate_stream() {
    let [mut with, mut without] = [stopped(true), stopped(true)];
    with.out_of_rate_cell(Time::ZERO + MS * 100, true).unwrap();
    for source in [&mut with, &mut without] {
        source.on_backward_rm(Time::ZERO + MS * 150, &backward(false, false, PCR));
    }
    let start = Time::ZERO + MS * 150;
    assert_eq!(
        send(&mut with, start, 100, true),
        send(&mut without, start, 100, true)
    );
}

#[test]
fn source_rule_11_without_idle_rm_cells_a_stopped_source_asks_only_if_something_waits() {
    let due = Some(Time::ZERO + MS * 100);
    assert_eq!(stopped(true).next_out_of_rate(false), due);
    assert_eq!(stopped(false).next_out_of_rate(false), None);
    assert_eq!(stopped(false).next_out_of_rate(true), due);
}

#[test]
fn destination_rule_3_a_newer_backward_rm_cell_takes_the_older_one_s_place() {
    let mut source = source(|_| {});
    let first = source.turn_around(backward(false, false, cells(1.0)));
    assert_eq!(first, TurnAround::Waits);
    let second = source.turn_around(backward(false, false, cells(2.0)));
    assert_eq!(second, TurnAround::Overwrites);
    let sent = send(&mut source, Time::ZERO, 2, false);
    let (_, NextCell::BackwardRm(rm)) = sent[1] else {
        panic!("{sent:?}")
    };
    assert_eq!(rm.er, cells(2.0));
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Send(bool),
    Feedback {
        ci: bool,
        ni: bool,
        bn: bool,
        er: f64,
    },
    TurnAround,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0_u64..700).prop_map(Step::Wait),
        any::<bool>().prop_map(Step::Send),
        (any::<bool>(), any::<bool>(), any::<bool>(), 0.0..1_500.0)
            .prop_map(|(ci, ni, bn, er)| Step::Feedback { ci, ni, bn, er }),
        Just(Step::TurnAround),
    ]
}

proptest! {
    #[test]
    fn acr_stays_in_its_bounds_and_cells_keep_their_distance(
        mcr in 0.0..500.0_f64,
        icr in 500.0..1_000.0_f64,
        tbe in 1_u64..500,
        idle in any::<bool>(),
        steps in prop::collection::vec(step(), 1..300),
    ) {
        let mut source = source(|p| {
            p.mcr = cells(mcr);
            p.icr = cells(icr);
            p.tbe = Cells(tbe);
            p.idle_forward_rm = idle;
        });
        let mut now = Time::ZERO;
        let mut last: Option<Time> = None;
        for step in steps {
            match step {
                Step::Wait(ms) => now += Span::from_ms(ms),
                Step::Feedback { ci, ni, bn, er } => {
                    source.on_backward_rm(now, &RmCell { bn, ..backward(ci, ni, cells(er)) });
                }
                Step::TurnAround => {
                    let _ = source.turn_around(backward(false, false, PCR));
                }
                Step::Send(data) => {
                    if let Some(due) = source.next_deadline(data) {
                        now = now.max(due);
                        let gap = source.acr().cell_time();
                        if source.next_cell(now, data).is_some() {
                            prop_assert!(last.is_none_or(|last| now - last >= gap));
                            last = Some(now);
                        }
                    }
                }
            }
            let floor = mcr.max(10.0);
            prop_assert!(source.acr() >= cells(floor) && source.acr() <= PCR, "{:?}", source.acr());
        }
    }
}
