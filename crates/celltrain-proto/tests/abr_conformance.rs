//! Conformance of the ABR end systems to ATM Forum TM 4.0, rule by rule: source rules 1-13 (§5.10.4), destination rules
//! 1-6 (§5.10.5), and the switch rules for virtual ends and switch-generated cells (§5.10.6, §5.10.7). Tests named
//! `abr_section_` follow the chapters on scheduling, virtual ends and two-way VCs.

use celltrain_proto::abr::{
    BackwardRm, Becn, BecnMark, CongestionPolicy, Coupling, Destination, NextCell, OlderBackwardRm,
    Parameters, Source, Starved, TurnAround, VirtualEnds,
};
use celltrain_proto::cell::{Direction, RmCell, rate_code};
use celltrain_proto::units::{Cells, Rate, Span, Time};

/// 1,000 cells/s: one cell per millisecond.
const PCR: Rate = cells(1_000.0);
const MS: Span = Span::from_ms(1);
const BACKWARD: RmCell = RmCell {
    direction: Direction::Backward,
    bn: false,
    ci: false,
    ni: false,
    er: PCR,
    ccr: PCR,
    mcr: Rate::ZERO,
};
const FORWARD: RmCell = RmCell {
    direction: Direction::Forward,
    ..BACKWARD
};

const fn cells(per_s: f64) -> Rate {
    Rate::cells_per_s(per_s)
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + MS * ms
}

fn er(per_s: f64) -> RmCell {
    RmCell {
        er: cells(per_s),
        ..BACKWARD
    }
}

fn source(change: impl FnOnce(&mut Parameters)) -> Source {
    let mut parameters = Parameters::new(PCR);
    change(&mut parameters);
    assert_eq!(parameters.validate(), Ok(()));
    Source::new(parameters)
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

/// As [`send`], with a backward RM cell always waiting; returns the numbers of forward RM, backward RM and data cells
/// sent.
fn send_with_backward(source: &mut Source, count: usize, data_waits: bool) -> [usize; 3] {
    let mut sent = [0; 3];
    for _ in 0..count {
        let _ = source.turn_around(BACKWARD);
        match send(source, Time::ZERO, 1, data_waits)[0].1 {
            NextCell::ForwardRm(_) => sent[0] += 1,
            NextCell::BackwardRm(_) => sent[1] += 1,
            NextCell::Data => sent[2] += 1,
        }
    }
    sent
}

fn forward_rm(cell: NextCell) -> RmCell {
    match cell {
        NextCell::ForwardRm(rm) => rm,
        other => panic!("expected a forward RM cell, found {other:?}"),
    }
}

/// CCR of the forward RM cells in cells/s.
fn ccrs(sent: &[(Time, NextCell)]) -> Vec<f64> {
    let forward = sent.iter().filter_map(|(_, cell)| match cell {
        NextCell::ForwardRm(rm) => Some(rm.ccr.as_cells_per_s()),
        _ => None,
    });
    forward.collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{found:?} where {expected:?} was expected"
    );
}

// Source rules.

#[test]
fn source_rule_01_cells_of_all_kinds_together_keep_the_distance_of_acr() {
    let mut source = source(|p| p.icr = cells(250.0));
    let mut instants = Vec::new();
    for _ in 0..100 {
        let _ = source.turn_around(BACKWARD);
        instants.push(send(&mut source, Time::ZERO, 1, true)[0].0);
    }
    assert!(instants.windows(2).all(|pair| pair[1] - pair[0] == MS * 4));
}

#[test]
fn source_rule_01_acr_stays_between_mcr_and_pcr() {
    let mut source = source(|p| p.mcr = cells(300.0));
    source.on_backward_rm(Time::ZERO, &er(5_000.0));
    assert_eq!(source.acr(), PCR);
    source.on_backward_rm(Time::ZERO, &er(1.0));
    assert_eq!(source.acr(), cells(300.0));
}

#[test]
fn source_rule_02_the_first_cell_is_a_forward_rm_cell_at_icr() {
    let mut source = source(|p| p.icr = cells(100.0));
    let _ = source.turn_around(BACKWARD);
    let first = source.next_cell(Time::ZERO, true).expect("data wait");
    assert_eq!(forward_rm(first).ccr, cells(100.0));
}

#[test]
fn source_rule_03_with_data_and_backward_rm_cells_32_cells_are_1_and_1_and_30() {
    let mut source = source(|_| {});
    assert_eq!(
        send_with_backward(&mut source, 320, true),
        [10, 10, 300],
        "forward, backward, data"
    );
}

#[test]
fn source_rule_03_with_backward_rm_cells_alone_32_cells_are_1_and_31() {
    let mut source = source(|_| {});
    assert_eq!(send_with_backward(&mut source, 320, false), [10, 310, 0]);
}

#[test]
fn source_rule_03_a_busy_source_spends_every_nrm_th_cell_on_a_forward_rm_cell() {
    for nrm in [2, 32, 256] {
        let mut source = source(|p| {
            p.nrm = nrm;
            p.trm = Span::from_secs(1);
        });
        let sent = send(&mut source, Time::ZERO, 1_024, true);
        assert_eq!(ccrs(&sent).len(), 1_024 / nrm as usize, "Nrm {nrm}");
    }
}

#[test]
fn source_rule_03_trm_shortens_the_distance_only_once_mrm_cells_have_left() {
    // 20 ms per cell: Trm expires after five of them, long before Nrm.
    let mut source = source(|p| p.icr = cells(50.0));
    let sent = send(&mut source, Time::ZERO, 21, true);
    let forward: Vec<usize> = (0..21)
        .filter(|&index| matches!(sent[index].1, NextCell::ForwardRm(_)))
        .collect();
    assert_eq!(forward, [0, 5, 10, 15, 20]);
    // At 200 ms per cell Trm expires at once, but two cells must be sent first.
    let mut slow = Source::new(Parameters {
        icr: cells(5.0),
        starved: Starved::Floor,
        tcr: cells(1.0),
        ..Parameters::new(PCR)
    });
    let sent = send(&mut slow, Time::ZERO, 7, true);
    let forward: Vec<usize> = (0..7)
        .filter(|&index| matches!(sent[index].1, NextCell::ForwardRm(_)))
        .collect();
    assert_eq!(forward, [0, 3, 6]);
}

#[test]
fn source_rule_04_cells_under_rules_1_to_3_are_in_rate_alone() {
    // Cells with CLP = 1 come from another method, and a source that has a rate sends none.
    let mut source = source(|p| p.starved = Starved::OutOfRate);
    for ms in 0..1_000 {
        send(&mut source, at_ms(ms), 1, true);
        assert_eq!(source.next_out_of_rate(true), None);
        assert_eq!(source.out_of_rate_cell(at_ms(ms), true), None);
    }
}

#[test]
fn source_rule_05_more_than_adtf_between_forward_rm_cells_costs_the_rate_above_icr() {
    for (pause, expected) in [(497, 1_000.0), (499, 100.0)] {
        let mut source = source(|p| {
            p.icr = cells(100.0);
            p.rif = 1.0;
        });
        send(&mut source, Time::ZERO, 1, true);
        source.on_backward_rm(Time::ZERO, &BACKWARD);
        // Two cells for Mrm, and the forward RM cell 2 ms later: 499 or 501 ms after the first one.
        let sent = send(&mut source, at_ms(pause), 3, true);
        assert_eq!(ccrs(&sent), [expected], "pause of {pause} ms");
    }
}

#[test]
fn source_rule_05_up_to_mrm_cells_leave_at_the_old_rate_before_icr_binds() {
    let mut source = source(|p| {
        p.icr = cells(100.0);
        p.rif = 1.0;
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &BACKWARD);
    let sent = send(&mut source, at_ms(600), 4, true);
    let since = |index: usize| sent[index].0 - at_ms(600);
    assert_eq!([since(0), since(1), since(2)], [Span::ZERO, MS, MS * 2]);
    assert_eq!(forward_rm(sent[2].1).ccr, cells(100.0));
    assert_eq!(since(3), MS * 12);
}

#[test]
fn source_rule_06_with_crm_4_the_fifth_unanswered_forward_rm_cell_is_the_first_reduced_one() {
    let mut source = source(|p| p.tbe = Cells(4 * 32));
    let sent = send(&mut source, Time::ZERO, 32 * 7, true);
    let expected = [
        1_000.0,
        1_000.0,
        1_000.0,
        1_000.0,
        937.5,
        878.906_25,
        823.974_609_375,
    ];
    assert_near(&ccrs(&sent), &expected);
}

#[test]
fn source_rule_06_ends_at_mcr_and_cdf_zero_turns_it_off() {
    let mut cut = source(|p| {
        p.tbe = Cells(32);
        p.mcr = cells(900.0);
    });
    let sent = send(&mut cut, Time::ZERO, 32 * 4, true);
    assert_near(&ccrs(&sent), &[1_000.0, 937.5, 900.0, 900.0]);
    let mut off = source(|p| {
        p.tbe = Cells(32);
        p.cdf = 0.0;
    });
    let sent = send(&mut off, Time::ZERO, 32 * 3, true);
    assert_near(&ccrs(&sent), &[1_000.0; 3]);
}

#[test]
fn source_rule_06_a_cell_with_bn_is_no_answer_and_any_other_is() {
    for (bn, expected) in [(true, 937.5), (false, 1_000.0)] {
        let mut source = source(|p| p.tbe = Cells(32));
        send(&mut source, Time::ZERO, 32, true);
        let ni = true;
        source.on_backward_rm(Time::ZERO, &RmCell { bn, ni, ..BACKWARD });
        let sent = send(&mut source, Time::ZERO, 1, true);
        assert_near(&ccrs(&sent), &[expected]);
    }
}

#[test]
fn source_rule_06_follows_rule_5_on_the_same_forward_rm_cell() {
    let mut source = source(|p| {
        p.icr = cells(160.0);
        p.rif = 1.0;
        p.tbe = Cells(1);
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &BACKWARD);
    send(&mut source, Time::ZERO, 32, true);
    // To ICR first, then decreased by a sixteenth: 160 and 150, not 937.5 and 160.
    let sent = send(&mut source, at_ms(700), 3, true);
    assert_near(&ccrs(&sent), &[150.0]);
}

#[test]
fn source_rule_07_the_new_rate_is_in_ccr_and_binds_the_cells_after() {
    let mut source = source(|p| p.tbe = Cells(32));
    let sent = send(&mut source, Time::ZERO, 34, true);
    let (cut, next) = (sent[32], sent[33]);
    assert_eq!(forward_rm(cut.1).ccr, cells(937.5));
    assert_eq!(cut.0, at_ms(32), "it is itself sent at the old rate");
    assert_eq!(next.0 - cut.0, cells(937.5).cell_time());
}

#[test]
fn source_rule_08_ci_decreases_and_without_ni_acr_increases() {
    let table = [
        (false, false, 562.5),
        (false, true, 500.0),
        (true, false, 468.75),
        (true, true, 468.75),
    ];
    for (ci, ni, expected) in table {
        let mut source = source(|p| p.icr = cells(500.0));
        source.on_backward_rm(Time::ZERO, &RmCell { ci, ni, ..BACKWARD });
        assert_eq!(source.acr(), cells(expected), "CI {ci}, NI {ni}");
    }
}

#[test]
fn source_rule_09_er_is_a_ceiling_after_the_cut_of_rule_8_and_mcr_the_floor() {
    let table = [(900.0, 750.0), (700.0, 700.0), (50.0, 100.0)];
    for (explicit, expected) in table {
        let mut source = source(|p| {
            p.icr = cells(800.0);
            p.mcr = cells(100.0);
        });
        let ci = true;
        source.on_backward_rm(Time::ZERO, &RmCell { ci, ..er(explicit) });
        assert_eq!(source.acr(), cells(expected), "ER {explicit}");
    }
}

#[test]
fn source_rule_10_a_forward_rm_cell_asks_for_pcr_and_tells_acr_and_mcr() {
    let mut source = source(|p| {
        p.icr = cells(400.0);
        p.mcr = cells(20.0);
    });
    let first = source.next_cell(Time::ZERO, true).expect("data wait");
    let expected = RmCell {
        er: PCR,
        ccr: cells(400.0),
        mcr: cells(20.0),
        ..FORWARD
    };
    assert_eq!(forward_rm(first), expected);
}

#[test]
fn source_rule_10_through_the_rate_code_er_is_rounded_up_and_the_others_down() {
    // 149.76 Mbit/s is 353,207.547 cells/s: between the codes of 352,768 and 353,280.
    let pcr = Rate::kbps(149_760);
    let mut source = Source::new(Parameters {
        icr: cells(75_471.7),
        mcr: cells(4_528.3),
        rif: 1.0,
        rm_quantise: true,
        ..Parameters::new(pcr)
    });
    let rm = forward_rm(source.next_cell(Time::ZERO, true).expect("data wait"));
    let told = [rm.er, rm.ccr, rm.mcr].map(Rate::as_cells_per_s);
    assert_eq!(told, [353_280.0, 75_392.0, 4_528.0]);
    assert_eq!(RmCell::parse(&rm.emit()), Ok(rm), "the octets say the same");
    // An ER that was not lowered restores ACR to exactly PCR; others are rounded down.
    source.on_backward_rm(
        Time::ZERO,
        &RmCell {
            er: rm.er,
            ..BACKWARD
        },
    );
    assert_eq!(source.acr(), pcr);
    source.on_backward_rm(Time::ZERO, &er(75_471.7));
    assert_eq!(source.acr(), cells(75_392.0));
    assert_eq!(rate_code::encode(source.acr()), 0x604D);
}

/// A source starved since its first cell at time zero.
fn stopped(change: impl FnOnce(&mut Parameters)) -> Source {
    let mut source = source(|p| {
        p.starved = Starved::OutOfRate;
        change(p);
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &er(0.0));
    source
}

#[test]
fn source_rule_11_a_source_without_a_rate_sends_forward_rm_cells_at_tcr_out_of_rate() {
    let mut source = stopped(|_| {});
    let mut probes = Vec::new();
    for ms in 0..=1_000 {
        assert_eq!(source.next_cell(at_ms(ms), true), None);
        let probe = source.out_of_rate_cell(at_ms(ms), true);
        probes.extend(probe.map(|rm| (ms, rm)));
    }
    let instants: Vec<u64> = probes.iter().map(|probe| probe.0).collect();
    assert_eq!(
        instants,
        [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]
    );
    let expected = RmCell {
        ccr: Rate::ZERO,
        ..FORWARD
    };
    assert!(probes.iter().all(|probe| probe.1 == expected));
}

#[test]
fn source_rule_12_a_virtual_source_passes_no_efci_on() {
    // The data cell is returned without EFCI, which `NextCell::Data` does not have; the received EFCI becomes CI of
    // loop 1.
    let mut ends = virtual_ends(COUPLING);
    ends.on_data(true);
    ends.next_cell(Time::ZERO, true);
    assert_eq!(ends.next_cell(at_ms(1), true), Some(NextCell::Data));
    assert!(ends.on_forward_rm(Time::ZERO, FORWARD, Cells(0)).ci);
}

/// A source with ICR 100 that has risen to PCR and then sends 3 cells in 30 ms: SR = 100 cells/s.
fn wasteful(use_it_or_lose_it: bool) -> (Source, RmCell) {
    let mut source = source(|p| {
        p.icr = cells(100.0);
        p.rif = 1.0;
        p.trm = Span::from_us(25_000);
        p.use_it_or_lose_it = use_it_or_lose_it;
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &BACKWARD);
    for ms in [10, 20] {
        assert_eq!(source.next_cell(at_ms(ms), true), Some(NextCell::Data));
    }
    let rm = forward_rm(source.next_cell(at_ms(30), true).expect("data wait"));
    (source, rm)
}

#[test]
fn source_rule_13_a_rate_not_used_is_lost_down_to_icr_beyond_the_use() {
    let (source, rm) = wasteful(true);
    // 1000 > max(100, 2 x 100): ACR becomes 100 + 100.
    assert_near(&[rm.ccr.as_cells_per_s()], &[200.0]);
    assert_eq!(source.acr(), rm.ccr);
    let (source, rm) = wasteful(false);
    assert_eq!((source.acr(), rm.ccr), (PCR, PCR), "off by default");
}

#[test]
fn source_rule_13_the_next_answer_does_not_raise_acr_but_the_one_after_does() {
    let (mut source, rm) = wasteful(true);
    let becn = RmCell {
        bn: true,
        ni: true,
        ..BACKWARD
    };
    source.on_backward_rm(at_ms(31), &becn);
    source.on_backward_rm(at_ms(32), &BACKWARD);
    assert_eq!(source.acr(), rm.ccr);
    source.on_backward_rm(at_ms(33), &BACKWARD);
    assert_eq!(source.acr(), PCR);
}

#[test]
fn source_rule_13_leaves_a_source_alone_that_uses_more_than_half_of_its_rate() {
    let mut source = source(|p| {
        p.icr = cells(100.0);
        p.rif = 1.0;
        p.use_it_or_lose_it = true;
    });
    send(&mut source, Time::ZERO, 1, true);
    source.on_backward_rm(Time::ZERO, &BACKWARD);
    // One cell per 1.9 ms: 526 cells/s of 1000.
    let mut now = Time::ZERO;
    for _ in 0..100 {
        now += Span::from_us(1_900);
        source.next_cell(now, true).expect("data wait");
    }
    assert_eq!(source.acr(), PCR);
}

// Destination rules.

const POLICY: CongestionPolicy = CongestionPolicy {
    high: Cells(100),
    low: Cells(50),
    ci: false,
    ni: false,
    explicit_rate: false,
};

fn congested(policy: CongestionPolicy) -> Destination {
    let mut destination = Destination::new(policy);
    destination.on_buffer(Cells(101), cells(200.0));
    destination
}

#[test]
fn destination_rule_1_the_latest_data_cell_decides_on_efci() {
    for (efci, ci) in [([true, false], false), ([false, true], true)] {
        let mut destination = Destination::default();
        for efci in efci {
            destination.on_data(efci);
        }
        assert_eq!(destination.on_forward_rm(FORWARD).ci, ci);
    }
}

#[test]
fn destination_rule_2_turns_around_with_everything_kept_and_efci_told_once() {
    let forward = RmCell {
        ni: true,
        ccr: cells(77.0),
        mcr: cells(7.0),
        ..FORWARD
    };
    let direction = Direction::Backward;
    let backward = RmCell {
        direction,
        ..forward
    };
    let mut destination = Destination::default();
    assert_eq!(destination.on_forward_rm(forward), backward);
    destination.on_data(true);
    let marked = RmCell {
        ci: true,
        ..backward
    };
    assert_eq!(destination.on_forward_rm(forward), marked);
    assert_eq!(destination.on_forward_rm(forward), backward);
}

#[test]
fn destination_rule_2_a_congested_destination_tells_so_as_its_policy_says() {
    let table = [
        (POLICY, (false, false, 1_000.0)),
        (
            CongestionPolicy { ci: true, ..POLICY },
            (true, false, 1_000.0),
        ),
        (
            CongestionPolicy { ni: true, ..POLICY },
            (false, true, 1_000.0),
        ),
        (
            CongestionPolicy {
                explicit_rate: true,
                ..POLICY
            },
            (false, false, 200.0),
        ),
    ];
    for (policy, (ci, ni, explicit)) in table {
        let backward = congested(policy).on_forward_rm(FORWARD);
        assert_eq!(
            backward,
            RmCell {
                ci,
                ni,
                ..er(explicit)
            },
            "{policy:?}"
        );
    }
}

#[test]
fn destination_rule_2_congestion_starts_above_high_and_ends_below_low() {
    let mut destination = Destination::new(CongestionPolicy { ci: true, ..POLICY });
    let fills = [
        (60, false),
        (100, false),
        (101, true),
        (60, true),
        (50, true),
        (49, false),
        (60, false),
    ];
    for (fill, ci) in fills {
        destination.on_buffer(Cells(fill), cells(200.0));
        assert_eq!(destination.on_forward_rm(FORWARD).ci, ci, "fill {fill}");
    }
}

#[test]
fn destination_rule_2_er_is_lowered_no_further_than_mcr_and_never_raised() {
    let policy = CongestionPolicy {
        explicit_rate: true,
        ..POLICY
    };
    for (asked, mcr, expected) in [(1_000.0, 300.0, 300.0), (150.0, 0.0, 150.0)] {
        let forward = RmCell {
            er: cells(asked),
            mcr: cells(mcr),
            ..FORWARD
        };
        let backward = congested(policy).on_forward_rm(forward);
        assert_eq!(backward.er, cells(expected));
    }
}

/// A source in which an older backward RM cell with CI and ER 1 waits.
fn with_waiting(older: OlderBackwardRm) -> Source {
    let mut source = source(|p| p.older_backward_rm = older);
    let ci = true;
    let waits = source.turn_around(RmCell { ci, ..er(1.0) });
    assert_eq!(waits, TurnAround::Waits);
    source
}

#[test]
fn destination_rule_3_an_older_cell_is_overwritten_or_leaves_out_of_rate() {
    let older = RmCell {
        ci: true,
        ..er(1.0)
    };
    let out_of_rate = TurnAround::OutOfRate {
        rm: older,
        overwrites: false,
    };
    let table = [
        (OlderBackwardRm::Overwrite, TurnAround::Overwrites, false),
        (
            OlderBackwardRm::OverwriteKeepCi,
            TurnAround::Overwrites,
            true,
        ),
        (OlderBackwardRm::OutOfRate, out_of_rate, false),
    ];
    for (option, expected, ci) in table {
        let mut source = with_waiting(option);
        assert_eq!(source.turn_around(er(2.0)), expected, "{option:?}");
        let sent = send(&mut source, Time::ZERO, 2, true);
        let newer = RmCell { ci, ..er(2.0) };
        assert_eq!(sent[1].1, NextCell::BackwardRm(newer), "{option:?}");
    }
}

#[test]
fn destination_rule_4_an_older_cell_never_leaves_after_a_newer_one() {
    let options = [
        OlderBackwardRm::Overwrite,
        OlderBackwardRm::OverwriteKeepCi,
        OlderBackwardRm::OutOfRate,
    ];
    for option in options {
        let mut source = with_waiting(option);
        let passed = source.turn_around_out_of_rate(er(2.0));
        assert!(passed.overwrites(), "the older one is counted as lost");
        let sent = send(&mut source, Time::ZERO, 64, true);
        let backward = |sent: &(Time, NextCell)| matches!(sent.1, NextCell::BackwardRm(_));
        assert!(!sent.iter().any(backward), "{option:?}");
    }
}

#[test]
fn destination_rule_5_a_congested_destination_makes_at_most_ten_cells_a_second() {
    let policy = CongestionPolicy {
        ci: true,
        explicit_rate: true,
        ..POLICY
    };
    let mut destination = Destination::new(policy);
    assert_eq!(
        destination.own_backward_rm(Time::ZERO),
        None,
        "not congested"
    );
    destination.on_buffer(Cells(200), cells(200.0));
    let made: Vec<RmCell> = (0..1_000)
        .filter_map(|ms| destination.own_backward_rm(at_ms(ms)))
        .collect();
    assert_eq!(made.len(), 10);
    let expected = RmCell {
        bn: true,
        ci: true,
        ccr: Rate::ZERO,
        ..er(200.0)
    };
    assert!(made.iter().all(|rm| *rm == expected));
}

#[test]
fn destination_rule_5_a_cell_of_its_own_has_ci_or_ni_whatever_the_policy() {
    for ci in [false, true] {
        for ni in [false, true] {
            let mut destination = congested(CongestionPolicy { ci, ni, ..POLICY });
            let made = destination.own_backward_rm(Time::ZERO);
            assert!(made.is_some_and(|rm| rm.bn && (rm.ci || rm.ni)));
        }
    }
}

#[test]
fn destination_rule_6_an_answer_to_clp_1_leaves_at_once_although_the_end_has_no_rate() {
    let mut source = stopped(|_| {});
    let answer = Destination::default().on_forward_rm(FORWARD);
    let out_of_rate = TurnAround::OutOfRate {
        rm: answer,
        overwrites: false,
    };
    assert_eq!(source.turn_around_out_of_rate(answer), out_of_rate);
    assert_eq!(source.turn_around(answer), TurnAround::Waits, "in-rate");
    assert_eq!(source.next_deadline(true), None);
}

// Switch rules.

#[test]
fn switch_rule_1_virtual_ends_control_by_explicit_rate_without_marks() {
    let mut ends = virtual_ends(COUPLING);
    ends.set_allocation(cells(123.0));
    let backward = ends.on_forward_rm(Time::ZERO, FORWARD, Cells(0));
    assert_eq!(backward, er(123.0));
}

#[test]
fn switch_rule_2_at_most_ten_cells_a_second_with_bn_and_ci_or_ni() {
    for (mark, ci, ni) in [
        (BecnMark::Decrease, true, false),
        (BecnMark::NoIncrease, false, true),
    ] {
        let mut becn = Becn::default();
        let made: Vec<(u64, RmCell)> = (0..1_050)
            .filter_map(|ms| Some((ms, becn.make(at_ms(ms), mark, PCR)?)))
            .collect();
        let instants: Vec<u64> = made.iter().map(|made| made.0).collect();
        assert_eq!(
            instants,
            [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]
        );
        let expected = RmCell {
            bn: true,
            ci,
            ni,
            ccr: Rate::ZERO,
            ..BACKWARD
        };
        assert!(made.iter().all(|made| made.1 == expected));
        assert_eq!(becn.earliest(), at_ms(1_100));
    }
}

#[test]
fn switch_rule_4_marks_are_never_cleared_and_er_is_never_raised() {
    let mut ends = virtual_ends(COUPLING);
    let (ci, ni) = (true, true);
    for asked in [10.0, 500.0, 900.0] {
        let forward = RmCell {
            ci,
            ni,
            mcr: cells(20.0),
            direction: Direction::Forward,
            ..er(asked)
        };
        let backward = ends.on_forward_rm(Time::ZERO, forward, Cells(0));
        let direction = Direction::Backward;
        assert_eq!(
            backward,
            RmCell {
                direction,
                ..forward
            }
        );
    }
}

// Section 7: scheduling and timers.

#[test]
fn abr_section_7_after_idleness_the_first_cell_leaves_at_once_without_credit() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 2, true);
    let sent = send(&mut source, at_ms(50), 3, true);
    let instants = sent.iter().map(|sent| sent.0);
    assert!(instants.eq([at_ms(50), at_ms(51), at_ms(52)]));
}

#[test]
fn abr_section_7_trm_calls_for_a_forward_rm_cell_although_nothing_waits() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 2, true);
    assert_eq!(
        source.next_deadline(false),
        None,
        "one cell is fewer than Mrm"
    );
    send(&mut source, Time::ZERO, 1, true);
    assert_eq!(source.next_deadline(false), Some(at_ms(100)));
    assert_eq!(source.next_cell(at_ms(99), false), None);
    forward_rm(
        source
            .next_cell(at_ms(100), false)
            .expect("Trm has expired"),
    );
    assert_eq!(source.next_deadline(false), None);
}

#[test]
fn abr_section_7_after_nrm_less_1_cells_the_forward_rm_cell_does_not_wait_for_data() {
    let mut source = source(|_| {});
    send(&mut source, Time::ZERO, 32, true);
    assert_eq!(source.next_deadline(false), Some(at_ms(32)));
    forward_rm(source.next_cell(at_ms(32), false).expect("it is due"));
}

#[test]
fn abr_section_7_a_change_of_acr_moves_the_next_cell_both_ways() {
    let mut source = source(|p| p.rif = 1.0);
    send(&mut source, at_ms(7), 1, true);
    for (explicit, gap) in [(50.0, 20), (500.0, 2), (1_000.0, 1)] {
        source.on_backward_rm(at_ms(7), &er(explicit));
        assert_eq!(source.next_deadline(true), Some(at_ms(7 + gap)));
    }
}

#[test]
fn abr_section_7_cells_that_left_in_rate_postpone_the_first_out_of_rate_cell() {
    let mut source = source(|p| p.starved = Starved::OutOfRate);
    send(&mut source, Time::ZERO, 78, true);
    source.on_backward_rm(at_ms(77), &er(0.0));
    assert_eq!(source.next_out_of_rate(true), Some(at_ms(177)));
}

#[test]
fn abr_section_7_out_of_rate_cells_change_nothing_of_the_in_rate_stream() {
    // CRM is 2, so that one unanswered cell too many shows in CCR.
    let mut with = stopped(|p| p.tbe = Cells(64));
    let mut without = with.clone();
    for probe in 1..=5 {
        assert!(with.out_of_rate_cell(at_ms(100 * probe), true).is_some());
    }
    let start = at_ms(550);
    for source in [&mut with, &mut without] {
        let bn = true;
        source.on_backward_rm(start, &RmCell { bn, ..BACKWARD });
    }
    assert_eq!(
        send(&mut with, start, 40, true),
        send(&mut without, start, 40, true)
    );
}

#[test]
fn abr_section_7_a_backward_rm_cell_with_er_of_at_least_tcr_restarts_a_stopped_source() {
    for (rif, explicit, restarts) in [
        (1.0 / 16.0, 10.0, true),
        (1.0 / 16.0, 9.0, false),
        (1.0 / 32_768.0, 1_000.0, true),
        (1.0 / 32_768.0, 9.0, false),
    ] {
        let mut source = stopped(|p| p.rif = rif);
        let now = at_ms(150);
        source.on_backward_rm(now, &er(explicit));
        let case = format!("RIF {rif}, ER {explicit}");
        assert_eq!(source.next_deadline(true).is_some(), restarts, "{case}");
        assert_eq!(source.next_out_of_rate(true).is_none(), restarts, "{case}");
    }
}

#[test]
fn abr_section_7_ni_or_ci_do_not_restart_a_stopped_source() {
    for (ci, ni) in [(true, false), (false, true)] {
        let mut source = stopped(|_| {});
        source.on_backward_rm(at_ms(150), &RmCell { ci, ni, ..BACKWARD });
        assert_eq!(source.acr(), Rate::ZERO);
    }
}

// Section 10: virtual source and virtual destination.

const COUPLING: Coupling = Coupling {
    queue_target: Cells(20),
    round_trip: Span::from_ms(100),
    limits_source: false,
};

/// Virtual ends whose source starts at 1,000 cells/s.
fn virtual_ends(coupling: Coupling) -> VirtualEnds {
    let rif = 1.0;
    let parameters = Parameters {
        rif,
        ..Parameters::new(PCR)
    };
    VirtualEnds::new(parameters, coupling)
}

#[test]
fn abr_section_10_vsvd_er_of_loop_1_is_the_least_of_er_val2_and_acr2() {
    let table = [
        (300.0, 400.0, 500.0, 300.0),
        (500.0, 300.0, 400.0, 300.0),
        (400.0, 500.0, 300.0, 300.0),
    ];
    for (asked, val2, acr2, expected) in table {
        let mut ends = virtual_ends(COUPLING);
        ends.set_allocation(cells(val2));
        ends.on_backward_rm(Time::ZERO, &er(acr2));
        assert_eq!(ends.acr(), cells(acr2));
        let direction = Direction::Forward;
        let forward = RmCell {
            direction,
            ..er(asked)
        };
        let backward = ends.on_forward_rm(Time::ZERO, forward, Cells(20));
        assert_eq!(backward, er(expected));
    }
}

#[test]
fn abr_section_10_vsvd_a_queue_above_its_target_drains_within_a_round_trip_of_loop_1() {
    let mut ends = virtual_ends(COUPLING);
    // (q - 20) / 0.1 s below 1,000 cells/s, but at least MCR, 50 cells/s.
    for (queue, expected) in [
        (0, 1_000.0),
        (20, 1_000.0),
        (21, 990.0),
        (70, 500.0),
        (500, 50.0),
    ] {
        let forward = RmCell {
            mcr: cells(50.0),
            ..FORWARD
        };
        let er1 = ends.on_forward_rm(Time::ZERO, forward, Cells(queue)).er;
        assert_near(&[er1.as_cells_per_s()], &[expected]);
    }
}

#[test]
fn abr_section_10_vsvd_loop_2_is_a_source_of_its_own() {
    let mut ends = virtual_ends(COUPLING);
    let first = ends.next_cell(Time::ZERO, true).expect("data wait");
    assert_eq!(forward_rm(first).ccr, PCR);
    ends.on_backward_rm(Time::ZERO, &er(250.0));
    assert_eq!(ends.next_deadline(true), Some(at_ms(4)));
    assert_eq!(ends.next_cell(at_ms(4), true), Some(NextCell::Data));
    assert_eq!(ends.next_deadline(false), None);
}

#[test]
fn abr_section_10_vsvd_the_allocation_bounds_the_virtual_source_only_where_it_is_asked_to() {
    for (limits_source, expected) in [(false, 800.0), (true, 300.0)] {
        let mut ends = virtual_ends(Coupling {
            limits_source,
            ..COUPLING
        });
        ends.set_allocation(cells(300.0));
        ends.on_backward_rm(Time::ZERO, &er(800.0));
        assert_eq!(ends.acr(), cells(expected));
    }
}

#[test]
fn abr_section_10_vsvd_efci_of_loop_1_ends_as_ci_of_loop_1() {
    let mut ends = virtual_ends(COUPLING);
    ends.on_data(true);
    assert!(ends.on_forward_rm(Time::ZERO, FORWARD, Cells(0)).ci);
    assert!(!ends.on_forward_rm(Time::ZERO, FORWARD, Cells(0)).ci);
    assert_eq!(ends.acr(), PCR, "loop 2 is not affected");
}

// Section 12: both directions of a VC.

#[test]
fn abr_section_12_while_data_wait_backward_rm_cells_get_a_thirty_second_of_acr() {
    // Four arrive per forward RM cell; one is sent, three are overwritten.
    let mut source = source(|_| {});
    let (mut sent, mut lost) = (0, 0);
    for slot in 0..3_200 {
        if slot % 8 == 0 {
            lost += u64::from(source.turn_around(BACKWARD).overwrites());
        }
        let cell = source.next_cell(at_ms(slot), true);
        sent += u64::from(matches!(cell, Some(NextCell::BackwardRm(_))));
    }
    assert_eq!((sent, lost), (100, 299), "and one waits");
}

#[test]
fn abr_section_12_with_priority_all_backward_rm_cells_leave_before_data() {
    let mut source = source(|p| p.backward_rm = BackwardRm::Priority);
    assert_eq!(send_with_backward(&mut source, 320, true), [10, 310, 0]);
}

#[test]
fn abr_section_12_out_of_rate_and_ideal_backward_rm_cells_leave_at_once_and_cost_no_rate() {
    let out_of_rate = TurnAround::OutOfRate {
        rm: BACKWARD,
        overwrites: false,
    };
    for (option, expected) in [
        (BackwardRm::OutOfRate, out_of_rate),
        (BackwardRm::Ideal, TurnAround::Ideal(BACKWARD)),
    ] {
        let mut source = source(|p| p.backward_rm = option);
        let mut with = Vec::new();
        for slot in 0..320 {
            assert_eq!(source.turn_around(BACKWARD), expected);
            with.extend(source.next_cell(at_ms(slot), true));
        }
        let forward = with
            .iter()
            .filter(|cell| matches!(cell, NextCell::ForwardRm(_)));
        assert_eq!(forward.count(), 10);
        let data = with.iter().filter(|cell| **cell == NextCell::Data);
        assert_eq!(data.count(), 310, "{option:?}");
    }
}
