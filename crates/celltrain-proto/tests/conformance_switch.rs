//! Conformance of switches: explicit-rate and binary control, hop-by-hop flow control, discard, scheduling and
//! policing, with the golden values of their sources, using only the public interface.

use std::collections::VecDeque;

use celltrain_proto::cell::{Direction, RmCell};
use celltrain_proto::discard::{
    self, Arriving, Discard, EarlyPacketParameters, FairBufferParameters, PartialPacketParameters,
    Policy, Port, QueueView, SelectiveDropParameters,
};
use celltrain_proto::flow::{credit, gfc};
use celltrain_proto::police::{
    Action, Gcra, Policer, Scope, Shaper, Sustained, Verdict, burst_tolerance, max_burst_size,
};
use celltrain_proto::random::Stream;
use celltrain_proto::schedule::{
    Class, Kind as _, ServiceOrder as _, WeightedFair, WeightedFairParameters,
};
use celltrain_proto::switch::{
    Binary, BinaryMarking, BinaryParameters, Capc, CapcParameters, CcrSource, Eprca, EprcaForm,
    EprcaParameters, Erica, EricaAllocation, EricaParameters, EricaPlus, EricaPlusParameters,
    EricaPlusSmoothed, EricaPlusSmoothedParameters, EricaRules, FairShare, FairShareParameters,
    LoadAveraging, Marking, Mit, MitParameters, Mmrca, MmrcaFeedback, MmrcaParameters, Phantom,
    PhantomParameters, PortState, PriorityTaken, QueueControl, QueueSampling, Remembers,
    SwitchAlgorithm, Verdicts,
};
use celltrain_proto::units::{Cells, Rate, Span, Time};

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn cells_per_s(cells: f64) -> Rate {
    Rate::cells_per_s(cells)
}

fn rm(direction: Direction, ccr: f64) -> RmCell {
    RmCell {
        direction,
        bn: false,
        ci: false,
        ni: false,
        er: cells_per_s(1e10),
        ccr: cells_per_s(ccr),
        mcr: Rate::ZERO,
    }
}

/// A forward RM cell of `vc` with this CCR arrives at the queue in `port`.
fn forward(switch: &mut impl SwitchAlgorithm, now: Time, vc: u32, ccr: f64, port: PortState) {
    switch.on_forward_rm(now, vc, &mut rm(Direction::Forward, ccr), &port);
}

/// The backward RM cell of `vc` after the port.
fn backward(
    switch: &mut impl SwitchAlgorithm,
    now: Time,
    vc: u32,
    ccr: f64,
    port: PortState,
) -> RmCell {
    let mut rm = rm(Direction::Backward, ccr);
    switch.on_backward_rm(now, vc, &mut rm, &port);
    rm
}

fn port(queue: u64, rate: f64) -> PortState {
    PortState {
        queue: Cells(queue),
        rate: cells_per_s(rate),
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "expected {expected}, found {found}"
    );
}

// ERICA and ERICA+.

/// Intervals of 1 s, no averaging, delta 0.1, every option off.
const RULES: EricaRules = EricaRules {
    initial_share: 1.0,
    idle_gives_all: false,
    remembers: Remembers::Calculated,
    activity_weight: 1.0,
    verdicts: Verdicts::EachInterval,
    interval: Some(Span::from_secs(1)),
    interval_cells: None,
    delta: 0.1,
    allocation: EricaAllocation::MaxPrevious,
    load_averaging: LoadAveraging::Ratio,
    load_weight: 1.0,
    activity_decay: 0.0,
    immediate_update: false,
    backward_activity: false,
    ccr: CcrSource::RmCell,
    guarantee_mcr: false,
    marking: Marking::BackwardRm,
};

fn erica(utilization: f64, line: f64, rules: EricaRules) -> Erica {
    let mut switch = Erica::new(EricaParameters {
        target_utilization: utilization,
        priority_taken: PriorityTaken::FromTarget,
        rules,
    });
    switch.on_rate_change(Time::ZERO, cells_per_s(line));
    switch
}

/// `cells` of `vc` arrive in an interval, the first an RM cell with this CCR.
fn send(switch: &mut Erica, ms: u64, vc: u32, cells: u64, ccr: f64) {
    if cells > 0 {
        switch.on_cells(at_ms(ms), vc, cells);
    }
    forward(switch, at_ms(ms), vc, ccr, port(0, 0.0));
}

fn er(switch: &mut Erica, ms: u64, vc: u32) -> f64 {
    let rm = backward(switch, at_ms(ms), vc, 0.0, port(0, 0.0));
    rm.er.as_cells_per_s()
}

#[test]
fn switch_section_1_the_capacity_is_what_higher_priorities_leave_or_the_target_part_of_it() {
    for (utilization, priority, expected) in [
        (1.0, 0, 100_000.0),
        (0.9, 0, 90_000.0),
        (1.0, 40_000, 60_000.0),
        (1.0, 150_000, 0.0),
    ] {
        let mut switch = erica(utilization, 100_000.0, RULES);
        send(&mut switch, 500, 0, 10, 100.0);
        if priority > 0 {
            switch.on_priority_cells(at_ms(500), priority);
        }
        // In the second, identical interval max_prev is that of the first.
        assert_near(er(&mut switch, 1_000, 0), expected, 1e-6);
    }
}

#[test]
fn switch_section_1_an_interval_ends_by_time_or_by_cells_and_may_be_empty() {
    let mut switch = erica(
        1.0,
        100_000.0,
        EricaRules {
            interval_cells: Some(Cells(100)),
            ..RULES
        },
    );
    // Two VCs in the first interval, which ends after 100 cells at 10 ms; one in the next.
    switch.on_cells(at_ms(1), 0, 50);
    switch.on_cells(at_ms(10), 1, 50);
    assert_near(er(&mut switch, 11, 0), 50_000.0, 1e-6);
    // Intervals without a cell: N is 1.
    let given = er(&mut switch, 60_000, 0);
    assert!(given.is_finite());
    assert_near(given, 100_000.0, 1e-6);
}

#[test]
fn switch_section_2_a_vc_gets_one_rate_an_interval_however_many_rm_cells_pass() {
    let mut switch = erica(1.0, 1_000.0, RULES);
    send(&mut switch, 500, 0, 1_200, 1_200.0);
    send(&mut switch, 500, 1, 400, 400.0);
    // z is 1.6.
    assert_near(er(&mut switch, 1_000, 0), 750.0, 1e-6);
    send(&mut switch, 1_500, 0, 400, 400.0);
    send(&mut switch, 1_500, 1, 400, 400.0);
    assert_near(er(&mut switch, 1_600, 0), 750.0, 1e-6);
    // A VC that sends less than the fair share is raised to it first.
    assert_near(er(&mut switch, 2_000, 0), 500.0, 1e-6);
}

#[test]
fn switch_section_2_1_three_vcs_of_which_one_is_slow_get_the_rates_of_the_worked_example() {
    let mut switch = erica(1.0, 300_000.0, RULES);
    let mut ccrs = [10_000, 100_000, 300_000];
    let given = [
        [100_000, 100_000, 219_512],
        [100_000, 219_512, 219_512],
        [100_000, 146_659, 146_659],
        [100_000, 146_659, 146_659],
    ];
    for (interval, expected) in (0..).zip(given) {
        for (vc, &ccr) in (0..).zip(&ccrs) {
            send(&mut switch, 1_000 * interval + 500, vc, ccr, ccr as f64);
        }
        let over = 1_000 * (interval + 1);
        let found = [0, 1, 2].map(|vc| er(&mut switch, over, vc).round() as u64);
        assert_eq!(found, expected, "interval {interval}");
        ccrs = [10_000, found[1], found[2]];
    }
}

#[test]
fn switch_section_2_2_the_overload_factor_has_no_gaps_at_zero() {
    let basic = EricaRules {
        allocation: EricaAllocation::Basic,
        ..RULES
    };
    // Capacity, cells of VC 0 and of VC 1, CCR of VC 0, rate given to VC 0.
    for (capacity, cells, ccr, expected) in [
        (0.0, [100, 100], 100.0, 0.0),
        (1_000.0, [0, 0], 100.0, 1_000.0),
        (1_000.0, [1_500, 500], 1_500.0, 750.0),
        (1_000.0, [600, 1_400], 600.0, 500.0),
        (0.0, [0, 0], 100.0, 0.0),
    ] {
        let mut switch = erica(1.0, capacity, basic);
        send(&mut switch, 500, 0, cells[0], ccr);
        if cells[1] > 0 {
            switch.on_cells(at_ms(500), 1, cells[1]);
        }
        assert_near(er(&mut switch, 1_000, 0), expected, 1e-6);
    }
}

#[test]
fn switch_section_2_3_both_ways_to_average_the_overload_factor() {
    // The inputs are 2000 and 500 at a capacity of 1000. Factors: (1 + 2)/2, then (1.5 + 0.5)/2. Ratio of means: 2,
    // then 1250/1000. CCR is 900, the fair share 500.
    for (load_averaging, expected) in [
        (LoadAveraging::OverloadFactor, [600.0, 900.0]),
        (LoadAveraging::Ratio, [500.0, 720.0]),
    ] {
        let rules = EricaRules {
            allocation: EricaAllocation::Basic,
            load_averaging,
            load_weight: 0.5,
            ..RULES
        };
        let mut switch = erica(1.0, 1_000.0, rules);
        for (interval, (cells, expected)) in (0..).zip([1_000, 250].into_iter().zip(expected)) {
            for vc in [0, 1] {
                send(&mut switch, 1_000 * interval + 500, vc, cells, 900.0);
            }
            assert_near(er(&mut switch, 1_000 * (interval + 1), 0), expected, 1e-6);
        }
    }
}

#[test]
fn switch_section_2_4_the_number_of_active_vcs_decays_by_its_factor() {
    let mut switch = erica(
        1.0,
        1_000.0,
        EricaRules {
            allocation: EricaAllocation::Basic,
            activity_decay: 0.5,
            ..RULES
        },
    );
    // Two VCs are active in the first interval, then VC 0 alone: N is 2, 1.5, 1.25, and the share 1000/N.
    switch.on_cells(at_ms(500), 1, 1);
    for (interval, n) in (0..).zip([2.0, 1.5, 1.25]) {
        send(&mut switch, 1_000 * interval + 500, 0, 1, 1.0);
        // The load is almost zero, so that CCR/z is the whole capacity: since its CCR is below the fair share, the VC
        // is first raised to that.
        assert_near(
            er(&mut switch, 1_000 * (interval + 1), 0),
            1_000.0 / n,
            1e-6,
        );
    }
}

#[test]
fn switch_section_3_f_has_the_values_of_the_hyperbolic_queue_control() {
    let line = 100_000.0;
    // q in cells; 100 cells take 1 ms.
    for (queue, f) in [
        (0, 1.05),
        (50, 1.032_8),
        (100, 1.016_1),
        (150, 1.0),
        (200, 0.958_3),
        (300, 0.884_6),
        (500, 0.766_7),
        (750, 0.657_1),
        (1_000, 0.575),
        (1_300, 0.5),
        (100_000, 0.5),
    ] {
        let mut switch = EricaPlus::new(EricaPlusParameters {
            queue_sampling: QueueSampling::RmCells,
            t0: Span::from_us(1_500),
            a: 1.15,
            b: 1.05,
            qdlf: 0.5,
            queue_control: QueueControl::Hyperbolic,
            k: 26.0 / 3.0,
            rules: RULES,
        });
        switch.on_rate_change(Time::ZERO, cells_per_s(line));
        // The first intervals saw no queue; the rates that they gave remain as max_prev for a while.
        for ms in [1, 1_001, 2_001] {
            backward(&mut switch, at_ms(ms), 0, 0.0, port(queue, line));
        }
        let given = backward(&mut switch, at_ms(3_001), 0, 0.0, port(queue, line)).er;
        assert_near(given.as_cells_per_s() / line, f, 6e-5);
    }
}

#[test]
fn switch_section_3_1_a_smoothed_capacity_follows_the_line_step_by_step() {
    let mut switch = EricaPlusSmoothed::new(EricaPlusSmoothedParameters {
        t0: Span::from_ms(1),
        a: 1.15,
        b: 1.05,
        qdlf: 0.5,
        x: 0.25,
        smoothing_interval: Span::from_ms(10),
        averaging_interval: Span::from_ms(30),
        marking: Marking::BackwardRm,
    });
    switch.on_rate_change(Time::ZERO, cells_per_s(100_000.0));
    switch.on_rate_change(at_ms(5), cells_per_s(20_000.0));
    // A quarter of the way at 10, 20 and 30 ms; without arrivals and queue, ER is b times the capacity.
    for (ms, capacity) in [
        (9, 100_000.0),
        (10, 80_000.0),
        (20, 65_000.0),
        (30, 53_750.0),
    ] {
        let given = backward(&mut switch, at_ms(ms), 0, 0.0, port(0, 20_000.0)).er;
        assert_near(given.as_cells_per_s(), 1.05 * capacity, 1e-6);
    }
}

// Simple controls.

#[test]
fn switch_section_4_fair_share_gives_the_line_over_the_vcs_of_the_last_window() {
    let mut switch = FairShare::new(FairShareParameters {
        interval: Span::from_ms(10),
        marking: Marking::BackwardRm,
    });
    for vc in 0..4 {
        switch.on_cells(at_ms(3), vc, 1);
    }
    for (ms, n) in [
        (9, 1.0),
        (10, 4.0),
        (12, 4.0),
        (19, 4.0),
        (20, 2.0),
        (30, 1.0),
    ] {
        let given = backward(&mut switch, at_ms(ms), 0, 0.0, port(0, 1_000.0)).er;
        assert_near(given.as_cells_per_s(), 1_000.0 / n, 1e-9);
        if ms == 12 {
            switch.on_cells(at_ms(ms), 2, 1);
            switch.on_cells(at_ms(ms), 3, 1);
        }
    }
}

#[test]
fn switch_section_4_binary_control_marks_above_qh_until_ql_is_reached() {
    let mut switch = Binary::new(BinaryParameters {
        threshold: Cells(100),
        low: Some(Cells(50)),
        ni_threshold: Some(Cells(40)),
        marking: BinaryMarking::BackwardRm,
    });
    for (queue, ci, ni) in [
        (40, false, false),
        (41, false, true),
        (100, false, true),
        (101, true, true),
        (51, true, true),
        (50, false, true),
        (100, false, true),
    ] {
        let rm = backward(&mut switch, Time::ZERO, 0, 0.0, port(queue, 1_000.0));
        assert_eq!((rm.ci, rm.ni), (ci, ni), "queue of {queue}");
    }
}

#[test]
fn switch_section_5_five_samples_of_30000_take_macr_from_10000_to_15516() {
    let mut switch = Eprca::new(EprcaParameters {
        qt: Cells(100),
        dqt: Cells(1_000),
        av: 1.0 / 16.0,
        vcs: 7.0 / 8.0,
        dpf: 7.0 / 8.0,
        erf: 15.0 / 16.0,
        mrf: 0.25,
        binary: true,
        form: EprcaForm::Selective,
    });
    let line = 20_000.0;
    switch.on_rate_change(Time::ZERO, cells_per_s(line));
    for macr in [11_250.0, 12_421.88, 13_520.51, 14_550.48, 15_516.07] {
        forward(&mut switch, Time::ZERO, 0, 30_000.0, port(0, line));
        // While very congested, every VC gets MRF MACR; while congested, those above DPF MACR get ERF MACR and CI.
        let very = backward(&mut switch, Time::ZERO, 0, 1.0, port(1_001, line));
        assert_near(very.er.as_cells_per_s(), 0.25 * macr, 0.002);
        let fast = backward(&mut switch, Time::ZERO, 0, 30_000.0, port(101, line));
        assert_near(fast.er.as_cells_per_s(), 15.0 / 16.0 * macr, 0.006);
        assert!(fast.ci && !very.ci);
    }
}

#[test]
fn switch_section_6_ers_of_100000_moves_by_the_load() {
    for (z, ers) in [
        (0.5, 105_000.0),
        (0.9, 101_000.0),
        (1.1, 92_000.0),
        (1.5, 60_000.0),
        (2.0, 50_000.0),
    ] {
        let mut switch = Capc::new(CapcParameters {
            interval: Span::from_ms(10),
            target_utilization: 0.5,
            rup: 0.1,
            rdn: 0.8,
            eru: 1.5,
            erf: 0.5,
            cqt: Cells(50),
        });
        // The target is half of the line, and ERS starts there.
        let line = 200_000.0;
        switch.on_rate_change(Time::ZERO, cells_per_s(line));
        switch.on_cells(at_ms(1), 0, (1_000.0 * z) as u64);
        for (ms, expected) in [(9, 100_000.0), (10, ers)] {
            let rm = backward(&mut switch, at_ms(ms), 0, 0.0, port(0, line));
            assert_near(rm.er.as_cells_per_s(), expected, 0.1);
            assert!(!rm.ci);
        }
        assert!(backward(&mut switch, at_ms(10), 0, 0.0, port(51, line)).ci);
    }
}

#[test]
fn switch_section_7_mit_shares_equally_what_limited_vcs_leave() {
    let mut switch = Mit::new(MitParameters {
        interval: Span::from_ms(10),
        target_utilization: 1.0,
    });
    let line = 150_000.0;
    switch.on_rate_change(Time::ZERO, cells_per_s(line));
    for (vc, ccr) in (0..).zip([10_000.0, 40_000.0, 90_000.0, 90_000.0]) {
        forward(&mut switch, at_ms(1), vc, ccr, port(0, line));
    }
    // 150,000 / 4 leaves the first below it; 140,000 / 3 the second; the others get 100,000 / 2.
    let rm = backward(&mut switch, at_ms(1), 3, 90_000.0, port(0, line));
    assert_near(rm.er.as_cells_per_s(), 50_000.0, 0.001);
}

#[test]
fn switch_section_7_mmrca_slows_down_those_above_the_middle_of_max_and_min() {
    let mut switch = Mmrca::new(MmrcaParameters {
        qt: Cells(100),
        dqt: Cells(1_000),
        interval: Span::from_ms(100),
        feedback: MmrcaFeedback::ExplicitRate,
    });
    let line = 150_000.0;
    for (vc, ccr) in (0..).zip([10_000.0, 10_000.0, 10_000.0, 50_000.0]) {
        forward(&mut switch, at_ms(1), vc, ccr, port(0, line));
    }
    // While congested, ER of the only VC above (50,000 + 10,000) / 2; while very congested, CI of all.
    for (queue, ccr, is_slowed, ci) in [
        (100, 50_000.0, false, false),
        (101, 50_000.0, true, false),
        (101, 30_000.0, false, false),
        (1_001, 10_000.0, false, true),
    ] {
        let rm = backward(&mut switch, at_ms(1), 0, ccr, port(queue, line));
        assert_eq!(
            rm.er == cells_per_s(30_000.0),
            is_slowed,
            "{ccr} at {queue}"
        );
        assert_eq!(rm.ci, ci, "{ccr} at {queue}");
    }
}

#[test]
fn switch_section_8_phantom_rests_where_n_vcs_leave_one_part_in_1_and_5_n() {
    for (n, total) in [
        (1.0, 0.833_333),
        (2.0, 0.909_091),
        (5.0, 0.961_538),
        (10.0, 0.980_392),
    ] {
        let line = 1e9;
        let mut switch = Phantom::new(PhantomParameters {
            interval: Span::from_ms(10),
            target_utilization: 1.0,
            utilization_factor: 5.0,
            alpha_inc: 1.0 / 16.0,
            alpha_dec: 0.25,
            h: 0.125,
        });
        switch.on_rate_change(Time::ZERO, cells_per_s(line));
        // The VCs together send the total at which they settle according to the source.
        for interval in 0..300 {
            switch.on_cells(at_ms(10 * interval), 0, (0.01 * total * line) as u64);
        }
        let rm = backward(&mut switch, at_ms(3_000), 0, 0.0, port(0, line));
        let given = rm.er.as_cells_per_s();
        assert_near(n * given / line, total, 1e-4);
    }
}

// Hop-by-hop flow control.

#[test]
fn switch_section_9_halt_has_a_hysteresis_and_a_terminal_goes_on_5_s_after_the_last_halt() {
    use gfc::Command::{Halt, Null};
    let mut controlling = gfc::Controlling::new(Cells(256), Cells(128), gfc::Thresholds::default());
    for (queue, command) in [(256, Null), (257, Halt), (128, Halt), (127, Null)] {
        controlling.on_queue(Cells(queue));
        assert_eq!(controlling.command(), command, "queue of {queue}");
    }
    let mut controlled = gfc::Controlled::new(Span::from_secs(5), [1, 1]);
    controlled.on_command(at_ms(1_000), Halt);
    controlled.on_command(at_ms(4_000), Halt);
    assert_eq!(controlled.halted_until(), Some(at_ms(9_000)));
    controlled.on_command(at_ms(4_001), Null);
    assert_eq!(controlled.halted_until(), None);
}

#[test]
fn switch_section_9_set_reloads_the_counter_of_a_group_and_each_of_its_cells_decrements_it() {
    use gfc::{Command, Group};
    // HALT, SET_A and SET_B are bits 8 to 6 of the first octet.
    assert_eq!(Command::Halt.field() << 4, 0x80);
    assert_eq!(Command::SetA.field() << 4, 0x40);
    assert_eq!(Command::SetBoth.field() << 4, 0x60);
    let mut terminal = gfc::Controlled::new(Span::from_secs(5), [2, 1]);
    // Uncontrolled until a GFC field that is not zero.
    terminal.on_command(at_ms(1), Command::Null);
    assert_eq!(terminal.credit(Group::A), None);
    for _ in 0..2 {
        terminal.on_command(at_ms(2), Command::SetBoth);
        assert_eq!(terminal.credit(Group::A), Some(2));
        terminal.on_send(Group::A);
        assert_eq!(terminal.credit(Group::A), Some(1));
        assert_eq!(terminal.credit(Group::B), Some(1));
    }
}

/// The cells that a greedy sender sends in the last `slots` of twice as many, and the cells that found no place.
fn credit_loop(n2: u32, n3: u32, round_trip: u64, slots: u64) -> (u64, u64) {
    let mut sender = credit::Sender::new(n2, n3);
    let mut receiver = credit::Receiver::new(n2, n3);
    let mut cells = VecDeque::new();
    let mut credits = VecDeque::new();
    let (mut sent, mut lost) = (0, 0);
    for slot in 0..2 * slots {
        if cells.front() == Some(&slot) {
            cells.pop_front();
            if receiver.on_arrival() {
                // Forwarded in the slot of arrival.
                let vr = receiver.on_forwarded();
                credits.extend(vr.map(|vr| (slot + round_trip / 2, vr)));
            } else {
                lost += 1;
            }
        }
        while let Some(&(due, vr)) = credits.front()
            && due <= slot
        {
            credits.pop_front();
            sender.on_credit(vr);
        }
        if sender.may_send() {
            sender.on_send();
            sent += u64::from(slot >= slots);
            cells.push_back(slot + 1 + round_trip / 2);
        }
    }
    (sent, lost)
}

#[test]
fn switch_section_10_credits_of_10_and_50_use_0_545_of_a_round_trip_of_100() {
    assert_eq!(credit::n3(Rate::kbps(10_000), Span::from_ms(10)), 236);
    for (n2, n3, per_cycle, cycle) in [(10, 50, 60, 110), (1, 50, 51, 101), (10, 100, 110, 110)] {
        let found = credit_loop(n2, n3, 100, 20 * cycle);
        assert_eq!(found, (20 * per_cycle, 0), "N2 {n2}, N3 {n3}");
    }
    assert_near(60.0 / 110.0, 0.545, 0.000_5);
}

// Discard.

const DATA: Arriving = Arriving {
    is_data: true,
    is_end: false,
    clp: false,
};
const END: Arriving = Arriving {
    is_end: true,
    ..DATA
};

/// The policy with these parameters.
fn policy(parameters: &discard::Parameters) -> Policy {
    parameters.build(&Port {
        frame: Cells(32),
        frame_time: Span::from_ms(1),
        weights: &[],
        stream: Stream::named(1, "discard"),
    })
}

fn epd(threshold: u64) -> Policy {
    policy(&discard::Parameters::EarlyPacket(EarlyPacketParameters {
        threshold: Cells(threshold),
        partial: true,
    }))
}

/// Returns `+` for each cell that is admitted at its queue length, in a buffer of 10.
fn verdicts(policy: Option<Policy>, cells: &[(u32, Arriving)]) -> String {
    let mut discard = Discard::new(policy, None, 1);
    let sign = |&(queued, cell): &(u32, Arriving)| {
        let view = QueueView {
            queued,
            buffer: 10,
            of_vc: queued,
            active_vcs: 1,
        };
        let admitted = discard.admits(Time::ZERO, 0, cell, &view);
        if admitted { '+' } else { '-' }
    };
    cells.iter().map(sign).collect()
}

#[test]
fn switch_section_11_ppd_drops_the_rest_but_the_last_cell_and_epd_whole_frames() {
    let full_within = [(9, DATA), (10, DATA), (5, DATA), (5, END), (5, DATA)];
    assert_eq!(verdicts(None, &full_within), "+-+++");
    let ppd = discard::Parameters::PartialPacket(PartialPacketParameters {});
    assert_eq!(verdicts(Some(policy(&ppd)), &full_within), "+--++");
    let frames = [(8, DATA), (2, DATA), (2, END), (7, DATA), (9, END)];
    assert_eq!(verdicts(Some(epd(8)), &frames), "---++");
    // RM cells pass within a rejected frame.
    let rm = Arriving {
        is_data: false,
        ..DATA
    };
    assert_eq!(
        verdicts(Some(epd(8)), &[(8, DATA), (9, rm), (2, END)]),
        "-+-"
    );
}

#[test]
fn switch_section_11_fba_accepts_at_most_the_published_share_of_each_queue() {
    let (threshold, z) = (Cells(900), 0.8);
    let admits = |parameters: discard::Parameters, queued, of_vc| {
        let view = QueueView {
            queued,
            buffer: 1_000,
            of_vc,
            active_vcs: 10,
        };
        let mut discard = Discard::new(Some(policy(&parameters)), None, 1);
        discard.admits(Time::ZERO, 0, END, &view)
    };
    let fba = || discard::Parameters::FairBuffer(FairBufferParameters { threshold, z });
    for (queued, largest) in [(910, 728), (925, 296), (950, 152), (975, 104)] {
        assert!(admits(fba(), queued, largest), "q {queued}");
        assert!(!admits(fba(), queued, largest + 1), "q {queued}");
    }
    // Selective drop: Y N / q above Z is rejected, so at most 0.8 x 950 / 10.
    let selective = || discard::Parameters::SelectiveDrop(SelectiveDropParameters { threshold, z });
    assert!(admits(selective(), 950, 76) && !admits(selective(), 950, 77));
    assert!(admits(selective(), 900, 900), "not above R");
}

// Scheduling.

#[test]
fn switch_section_12_weights_of_3_to_1_serve_a_a_a_b_a_b_b_b() {
    let mut wfq = WeightedFair::build(&WeightedFairParameters {}, &[0.75, 0.25]);
    let mut queues = [4, 4];
    wfq.on_arrival(0);
    wfq.on_arrival(1);
    let mut order = String::new();
    while let Some(vc) = wfq.next(|_| true) {
        let queue = &mut queues[vc as usize];
        *queue -= 1;
        wfq.on_served(vc, *queue > 0);
        order.push(if vc == 0 { 'A' } else { 'B' });
    }
    assert_eq!(order, "AAABABBB");
}

#[test]
fn switch_section_12_cbr_goes_before_rt_vbr_nrt_vbr_abr_and_ubr() {
    let names = Class::ALL.map(Class::as_str);
    assert_eq!(names, ["cbr", "rt-vbr", "nrt-vbr", "abr", "ubr"]);
    assert!(Class::ALL.is_sorted_by(|a, b| a < b));
}

// Shaping and policing.

/// One cell every `us` microseconds.
fn each_us(us: u64) -> Rate {
    cells_per_s(1e6 / us as f64)
}

#[test]
fn switch_section_13_a_burst_tolerance_of_300_is_a_burst_of_38_cells() {
    let (scr, pcr) = (each_us(10), each_us(2));
    assert_eq!(max_burst_size(Span::from_us(300), scr, pcr), Cells(38));
    assert_eq!(burst_tolerance(Cells(38), scr, pcr), Span::from_us(37 * 8));
    // The burst that such a GCRA admits and a shaper lets out.
    let mut gcra = Gcra::new(Span::from_us(10), Span::from_us(300));
    let burst = (0..1_000).take_while(|k| gcra.conforms(at_us(2 * k)));
    assert_eq!(burst.count(), 38);
    let mut shaper = Shaper::new(pcr, Span::ZERO, Some((scr, Cells(38))));
    let mut now = at_ms(1_000);
    let start = now;
    for k in 0..60 {
        now = shaper.earliest(now);
        let us = if k < 38 { 2 * k } else { 84 + 10 * (k - 38) };
        assert_eq!(now, start + Span::from_us(us), "cell {k}");
        shaper.on_departure(now);
    }
}

#[test]
fn switch_section_13_a_cell_conforms_only_if_it_does_to_both_buckets_and_tagging_counts_in_neither()
{
    let sustained = |scope| {
        let (scr, mbs) = (each_us(10), Cells(2));
        Some(Sustained { scr, mbs, scope })
    };
    let policer = |action| Policer::new(each_us(2), Span::ZERO, sustained(Scope::Clp0), action);
    // Two cells at the peak rate form the burst; the third violates SCR, and the cell 1 us later also PCR.
    for (action, third) in [
        (Action::Tag, Verdict::Tag),
        (Action::Discard, Verdict::Discard),
    ] {
        let mut policer = policer(action);
        assert_eq!(policer.police(at_us(0), false, false), Verdict::Pass);
        assert_eq!(policer.police(at_us(1), false, false), Verdict::Discard);
        assert_eq!(policer.police(at_us(2), false, false), Verdict::Pass);
        assert_eq!(policer.police(at_us(4), false, false), third);
        assert_eq!(
            policer.police(at_us(6), true, false),
            Verdict::Pass,
            "CLP 1"
        );
        assert_eq!(policer.police(at_us(12), false, false), Verdict::Pass);
    }
}

// Invariants.

#[test]
fn switch_section_14_greedy_vcs_together_get_at_most_the_capacity_and_delta() {
    let (line, delta) = (100_000.0, 0.1);
    let mut switch = erica(1.0, line, RULES);
    let mut rates = [90_000.0, 5_000.0, 40_000.0, 20_000.0];
    for interval in 0..50 {
        for (vc, rate) in (0..).zip(rates) {
            send(&mut switch, 1_000 * interval + 500, vc, rate as u64, rate);
        }
        let over = 1_000 * (interval + 1);
        rates = [0, 1, 2, 3].map(|vc| er(&mut switch, over, vc));
        assert!(rates.iter().all(|&rate| rate > 0.0), "{rates:?}");
        if interval >= 20 {
            let sum: f64 = rates.iter().sum();
            assert!(sum <= line * (1.0 + delta) + 1.0, "{interval}: {rates:?}");
            assert!(sum > 0.9 * line, "{interval}: {rates:?}");
        }
    }
}

#[test]
fn switch_section_14_a_frame_without_its_first_cell_is_never_forwarded_by_epd() {
    // A buffer of ten cells, two cells in and one out per step, frames of five cells.
    let mut discard = Discard::new(Some(epd(6)), None, 1);
    let (mut queued, mut dropped, mut served) = (0_u32, 0_u32, 0_u32);
    let mut first_admitted = false;
    let arrived = 10_000;
    for number in 0..arrived {
        let view = QueueView {
            queued,
            buffer: 10,
            of_vc: queued,
            active_vcs: 1,
        };
        let is_end = number % 5 == 4;
        let admitted = discard.admits(Time::ZERO, 0, Arriving { is_end, ..DATA }, &view);
        if number % 5 == 0 {
            first_admitted = admitted;
        }
        assert!(!admitted || first_admitted, "cell {number}");
        queued += u32::from(admitted);
        dropped += u32::from(!admitted);
        if number % 2 == 1 && queued > 0 {
            queued -= 1;
            served += 1;
        }
        assert!(queued <= 10);
    }
    assert!(dropped > 4_000);
    assert_eq!(arrived, served + dropped + queued);
}

#[test]
fn switch_section_14_credits_never_overflow_whatever_n2_n3_and_the_round_trip() {
    for n2 in [1, 2, 7, 30] {
        for n3 in [0, 1, 10, 100] {
            for round_trip in [0, 2, 20, 90] {
                let (sent, lost) = credit_loop(n2, n3, round_trip, 1_000);
                assert!(sent > 0 && lost == 0, "{n2} {n3} {round_trip}");
            }
        }
    }
}
