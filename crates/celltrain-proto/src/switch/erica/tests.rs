use super::super::Marking;
use super::super::tests::{ms, port, rm};
use super::*;
use crate::units::{Cells, Span};

/// Intervals of 1 s, no averaging, every option off.
pub(in super::super) const RULES: EricaRules = EricaRules {
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
    initial_share: 1.0,
    idle_gives_all: false,
    remembers: Remembers::Calculated,
    activity_weight: 1.0,
    verdicts: Verdicts::EachInterval,
    guarantee_mcr: false,
    marking: Marking::BackwardRm,
};

fn cells_per_s(cells: u64) -> Rate {
    Rate::cells_per_s(cells as f64)
}

/// Parameters with `target_utilization` of the line as the target.
pub(in super::super) fn parameters(target_utilization: f64, rules: EricaRules) -> EricaParameters {
    EricaParameters {
        target_utilization,
        priority_taken: PriorityTaken::FromTarget,
        rules,
    }
}

/// A port of 300 000 cells/s, all of it the target.
fn erica(rules: EricaRules) -> Erica {
    let mut switch = Erica::new(parameters(1.0, rules));
    switch.on_rate_change(Time::ZERO, cells_per_s(300_000));
    switch
}

fn forward(switch: &mut Erica, now: Time, vc: u32, ccr: u64) {
    let ccr = cells_per_s(ccr);
    let mut cell = RmCell { ccr, ..rm() };
    switch.on_forward_rm(now, vc, &mut cell, &port(0, cells_per_s(300_000)));
    assert_eq!(cell, RmCell { ccr, ..rm() });
}

/// `cells` of `vc` arrive, the first of them an RM cell with a CCR of `cells` per second.
fn send(switch: &mut Erica, now: Time, vc: u32, cells: u64) {
    switch.on_cells(now, vc, cells);
    forward(switch, now, vc, cells);
}

/// The ER in cells/s given to `vc`.
fn er(switch: &mut Erica, now: Time, vc: u32) -> f64 {
    let mut cell = RmCell {
        er: Rate::kbps(1_000_000),
        ..rm()
    };
    switch.on_backward_rm(now, vc, &mut cell, &port(0, cells_per_s(300_000)));
    cell.er.as_cells_per_s()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found} is not {expected}"
    );
}

#[test]
fn three_vcs_of_which_one_is_slow_come_near_their_max_min_shares() {
    let mut switch = erica(RULES);
    let mut ccrs = [10_000, 100_000, 300_000];
    let expected = [
        [100_000, 100_000, 219_512],
        [100_000, 219_512, 219_512],
        [100_000, 146_659, 146_659],
        [100_000, 146_659, 146_659],
    ];
    for (interval, expected) in expected.into_iter().enumerate() {
        let sent = ms(1_000 * interval as u64 + 500);
        for (vc, &ccr) in (0..).zip(&ccrs) {
            send(&mut switch, sent, vc, ccr);
        }
        let over = ms(1_000 * (interval as u64 + 1));
        let given = [0, 1, 2].map(|vc| er(&mut switch, over, vc).round() as u64);
        assert_eq!(given, expected, "interval {interval}");
        // The first VC is limited to 10,000 by its source.
        ccrs = [10_000, given[1], given[2]];
    }
}

#[test]
fn the_basic_algorithm_comes_to_rest_at_an_unfair_point_and_max_prev_repairs_that() {
    for (allocation, expected) in [
        (EricaAllocation::Basic, 100_000.0),
        (EricaAllocation::MaxPrevious, 150_000.0),
    ] {
        let mut switch = erica(EricaRules {
            allocation,
            ..RULES
        });
        let mut given = [0.0; 3];
        // First z is 2 and the largest rate given is 150,000. Then z is 1, VC 0 sends less than allowed, CCR/z is CCR,
        // and only max_prev could raise VC 2 to the rate of VC 1.
        for (interval, ccrs) in [
            (0, [100_000, 300_000, 200_000]),
            (1, [50_000, 150_000, 100_000]),
        ] {
            for (vc, ccr) in (0..).zip(ccrs) {
                send(&mut switch, ms(1_000 * interval + 500), vc, ccr);
            }
            given = [0, 1, 2].map(|vc| er(&mut switch, ms(1_000 * (interval + 1)), vc));
        }
        // VC 0 is below the fair share: with either option it first rises to that.
        assert_near(given[0], 100_000.0);
        assert_near(given[1], 150_000.0);
        assert_near(given[2], expected);
    }
}

#[test]
fn the_limits_of_the_overload_factor_give_what_the_table_says() {
    let basic = EricaRules {
        allocation: EricaAllocation::Basic,
        ..RULES
    };
    // Capacity, cells of VC 0 and of VC 1, CCR of VC 0, rate given to VC 0.
    for (capacity, cells, ccr, expected) in [
        (0, [100, 100], 100, 0.0),
        (1_000, [0, 0], 100, 1_000.0),
        (1_000, [1_500, 500], 1_500, 750.0),
        (1_000, [600, 1_400], 600, 500.0),
        (0, [0, 0], 100, 0.0),
    ] {
        for load_averaging in [LoadAveraging::Ratio, LoadAveraging::OverloadFactor] {
            let rules = EricaRules {
                load_averaging,
                ..basic
            };
            let mut switch = Erica::new(parameters(1.0, rules));
            switch.on_rate_change(Time::ZERO, cells_per_s(capacity));
            for (vc, n) in (0..).zip(cells).filter(|&(_, n)| n > 0) {
                switch.on_cells(ms(500), vc, n);
            }
            forward(&mut switch, ms(500), 0, ccr);
            assert_near(er(&mut switch, ms(1_000), 0), expected);
        }
    }
}

#[test]
fn only_the_target_utilization_of_the_line_is_given_away() {
    let mut switch = Erica::new(parameters(0.9, RULES));
    switch.on_rate_change(Time::ZERO, cells_per_s(300_000));
    assert_near(er(&mut switch, ms(1), 0), 270_000.0);
    send(&mut switch, ms(500), 0, 100_000);
    send(&mut switch, ms(500), 1, 100_000);
    assert_near(er(&mut switch, ms(1_000), 1), 135_000.0);
}

#[test]
fn a_vc_has_one_verdict_an_interval() {
    let mut switch = erica(RULES);
    send(&mut switch, ms(1), 0, 400_000);
    send(&mut switch, ms(1), 1, 200_000);
    // z is 2, so VC 0 keeps half of its 400,000 even if its CCR changes in the meantime.
    assert_near(er(&mut switch, ms(1_000), 0), 200_000.0);
    forward(&mut switch, ms(1_001), 0, 250_000);
    assert_near(er(&mut switch, ms(1_999), 0), 200_000.0);
    // The next interval is idle: the largest previous rate, and the whole fair share of one VC.
    assert_near(er(&mut switch, ms(2_000), 0), 300_000.0);
}

#[test]
fn cells_may_end_an_interval_before_its_time() {
    let mut switch = erica(EricaRules {
        interval_cells: Some(Cells(1_000)),
        ..RULES
    });
    switch.on_cells(ms(1), 0, 600);
    switch.on_cells(ms(2), 1, 399);
    assert_near(er(&mut switch, ms(2), 2), 300_000.0);
    // 1000 cells in 2 ms are 500,000 cells/s from three VCs.
    forward(&mut switch, ms(2), 0, 250_000);
    switch.on_cells(ms(2), 2, 1);
    assert_near(er(&mut switch, ms(2), 0), 150_000.0);
    assert_near(er(&mut switch, ms(2), 1), 100_000.0);
}

#[test]
fn a_silent_vc_fades_from_the_number_of_active_vcs() {
    let mut switch = erica(EricaRules {
        activity_decay: 0.5,
        ..RULES
    });
    switch.on_cells(ms(1), 0, 1);
    switch.on_cells(ms(1), 1, 1);
    // N is 2, 1.5 and 1.25 while only VC 0 sends.
    for (interval, fair_share) in [(1, 150_000.0), (2, 200_000.0), (3, 240_000.0)] {
        forward(&mut switch, ms(1_000 * interval), 2, 0);
        assert_near(er(&mut switch, ms(1_000 * interval), 2), fair_share);
        switch.on_cells(ms(1_000 * interval), 0, 1);
    }
}

#[test]
fn a_returning_vc_counts_at_once_for_what_it_had_faded_by() {
    for (immediate_update, fair_share) in [(false, 200_000.0), (true, 150_000.0)] {
        let mut switch = erica(EricaRules {
            activity_decay: 0.5,
            immediate_update,
            ..RULES
        });
        switch.on_cells(ms(1), 0, 1);
        switch.on_cells(ms(1), 1, 1);
        switch.on_cells(ms(1_001), 0, 1);
        // In the second interval N is 1.5: VC 1 has half decayed. Now it returns.
        switch.on_cells(ms(2_001), 0, 1);
        switch.on_cells(ms(2_001), 1, 1);
        assert_near(er(&mut switch, ms(2_002), 2), fair_share);
    }
}

#[test]
fn the_first_vc_at_an_idle_port_does_not_make_two() {
    let mut switch = erica(EricaRules {
        immediate_update: true,
        ..RULES
    });
    switch.on_cells(ms(1), 0, 1);
    assert_near(er(&mut switch, ms(1), 2), 300_000.0);
    switch.on_cells(ms(1), 1, 1);
    assert_near(er(&mut switch, ms(1), 3), 150_000.0);
}

#[test]
fn a_backward_rm_cell_makes_its_vc_active_if_it_is_told_to() {
    for (backward_activity, fair_share) in [(false, 300_000.0), (true, 150_000.0)] {
        let mut switch = erica(EricaRules {
            backward_activity,
            ..RULES
        });
        switch.on_cells(ms(1), 0, 1);
        er(&mut switch, ms(1), 1);
        assert_near(er(&mut switch, ms(1_000), 2), fair_share);
    }
}

#[test]
fn a_measured_rate_takes_the_place_of_ccr() {
    let mut switch = erica(EricaRules {
        ccr: CcrSource::Measured,
        ..RULES
    });
    // The CCR of VC 0 is far above the rate at which it sends.
    switch.on_cells(ms(1), 0, 200_000);
    forward(&mut switch, ms(1), 0, 3_000_000);
    switch.on_cells(ms(1), 1, 400_000);
    assert_near(er(&mut switch, ms(1_000), 0), 150_000.0);
    assert_near(er(&mut switch, ms(1_000), 1), 200_000.0);
}

#[test]
fn mcr_is_given_at_least_if_it_is_guaranteed() {
    for (guarantee_mcr, expected) in [(false, 150_000.0), (true, 180_000.0)] {
        let mut switch = erica(EricaRules {
            guarantee_mcr,
            ..RULES
        });
        send(&mut switch, ms(1), 0, 200_000);
        send(&mut switch, ms(1), 1, 200_000);
        let mut cell = RmCell {
            er: Rate::kbps(1_000_000),
            mcr: cells_per_s(180_000),
            ..rm()
        };
        switch.on_backward_rm(ms(1_000), 0, &mut cell, &port(0, Rate::ZERO));
        assert_near(cell.er.as_cells_per_s(), expected);
    }
}

#[test]
fn forward_marking_leaves_backward_cells_alone() {
    let mut switch = erica(EricaRules {
        marking: Marking::ForwardRm,
        ..RULES
    });
    let mut cell = RmCell {
        er: Rate::kbps(1_000_000),
        ..rm()
    };
    switch.on_forward_rm(ms(1), 0, &mut cell, &port(0, Rate::ZERO));
    assert_near(cell.er.as_cells_per_s(), 300_000.0);
    assert_near(er(&mut switch, ms(1), 0), 1e9 / 424.0);
}

#[test]
fn the_capacity_is_that_of_the_line_at_the_end_of_the_interval() {
    let mut switch = erica(RULES);
    switch.on_rate_change(ms(999), cells_per_s(200_000));
    assert_near(er(&mut switch, ms(999), 0), 300_000.0);
    assert_near(er(&mut switch, ms(1_000), 0), 200_000.0);
    // A change at the very end is too late.
    switch.on_rate_change(ms(2_000), cells_per_s(100_000));
    assert_near(er(&mut switch, ms(2_000), 0), 200_000.0);
}

#[test]
fn the_mean_of_n_counts_idle_intervals_as_one() {
    let mut switch = erica(RULES);
    assert_eq!(switch.mean_active_vcs(ms(999)), None);
    for vc in 0..5 {
        switch.on_cells(ms(1), vc, 1);
    }
    assert_eq!(switch.mean_active_vcs(ms(3_999)), Some(7.0 / 3.0));
    switch.reset_statistics(ms(3_999));
    assert_eq!(switch.mean_active_vcs(ms(3_999)), None);
    assert_eq!(switch.mean_active_vcs(ms(4_000)), Some(1.0));
}

#[test]
fn until_the_first_interval_has_ended_a_vc_gets_the_initial_share() {
    let mut switch = erica(EricaRules {
        initial_share: 0.1,
        ..RULES
    });
    assert_near(er(&mut switch, ms(10), 0), 30_000.0);
    // No VC was active: the fair share is the whole target.
    assert_near(er(&mut switch, ms(1_010), 0), 300_000.0);
}

#[test]
fn after_an_interval_without_input_a_vc_at_its_fair_share_gets_all_where_idleness_gives_all() {
    for (idle_gives_all, expected) in [(false, 150_000.0), (true, 300_000.0)] {
        let mut switch = erica(EricaRules {
            idle_gives_all,
            allocation: EricaAllocation::Basic,
            // Both VCs still count after an interval without cells.
            activity_decay: 0.999_999_999_999,
            ..RULES
        });
        send(&mut switch, ms(500), 0, 200_000);
        send(&mut switch, ms(500), 1, 200_000);
        assert_near(er(&mut switch, ms(2_500), 0), expected);
    }
}

#[test]
fn the_largest_rate_is_remembered_as_calculated_or_as_given() {
    for (remembers, expected) in [
        (Remembers::Calculated, 600_000.0),
        (Remembers::Bounded, 300_000.0),
    ] {
        let mut switch = erica(EricaRules { remembers, ..RULES });
        // z = 1/2 and CCR = 300,000: the calculated rate is 600,000, twice the target.
        switch.on_cells(ms(500), 0, 150_000);
        forward(&mut switch, ms(500), 0, 300_000);
        assert_near(er(&mut switch, ms(1_500), 0), 300_000.0);
        switch.on_cells(ms(1_500), 0, 300_000);
        switch.on_rate_change(ms(1_600), cells_per_s(900_000));
        switch.on_cells(ms(1_700), 1, 600_000);
        // In balance at 900,000 with two VCs: the fair share is 450,000, and max_prev is above it or not.
        forward(&mut switch, ms(1_700), 0, 450_000);
        assert_near(er(&mut switch, ms(2_500), 0), f64::max(expected, 450_000.0));
    }
}

#[test]
fn higher_priorities_are_taken_from_the_target_or_from_the_line() {
    // U = 0.9 of 100,000 cells/s, of which 20,000 are of higher priority.
    for (taken, expected) in [
        (PriorityTaken::FromTarget, 70_000.0),
        (PriorityTaken::FromLine, 72_000.0),
    ] {
        let mut switch = Erica::new(EricaParameters {
            priority_taken: taken,
            ..parameters(0.9, RULES)
        });
        switch.on_rate_change(Time::ZERO, Rate::cells_per_s(100_000.0));
        switch.on_cells(ms(1), 0, 1);
        switch.on_priority_cells(ms(1), 20_000);
        let mut cell = rm();
        switch.on_backward_rm(
            Time::ZERO + Span::from_secs(1),
            0,
            &mut cell,
            &port(0, Rate::ZERO),
        );
        let er = cell.er.as_cells_per_s();
        assert!((er - expected).abs() < 1e-6, "{taken:?}: {er}");
    }
}

#[test]
fn an_active_vc_counts_as_many_as_its_weight() {
    let mut switch = erica(EricaRules {
        activity_weight: 2.0,
        ..RULES
    });
    // z = 1/2; one VC that counts as two: its fair share is half of the target.
    send(&mut switch, ms(500), 0, 150_000);
    assert_near(er(&mut switch, ms(1_000), 0), 300_000.0);
    assert_near(er(&mut switch, ms(1_000), 1), 150_000.0);
    assert_eq!(switch.mean_active_vcs(ms(1_000)), Some(2.0));
}

#[test]
fn a_rate_that_was_cut_to_the_fair_share_is_remembered_as_given() {
    for (remembers, expected) in [
        (Remembers::Calculated, 200_000.0),
        (Remembers::Given, 150_000.0),
    ] {
        let mut switch = erica(EricaRules {
            remembers,
            initial_share: 0.5,
            ..RULES
        });
        // Two VCs at z = 1/2: the share of VC 0 is 200,000, but its CCR is below the fair share of 150,000.
        send(&mut switch, ms(500), 0, 100_000);
        send(&mut switch, ms(500), 1, 50_000);
        assert_near(er(&mut switch, ms(1_500), 0), 150_000.0);
        // In balance, both at their fair share: the rate given before decides.
        send(&mut switch, ms(1_500), 0, 150_000);
        send(&mut switch, ms(1_500), 1, 150_000);
        assert_near(er(&mut switch, ms(2_500), 0), expected);
    }
}

#[test]
fn a_verdict_for_each_cell_follows_the_latest_ccr() {
    for (verdicts, expected) in [
        (Verdicts::EachInterval, 150_000.0),
        (Verdicts::EachCell, 300_000.0),
    ] {
        let mut switch = erica(EricaRules { verdicts, ..RULES });
        // z = 1/2, with a fair share of 150,000 for each of two VCs.
        send(&mut switch, ms(500), 0, 100_000);
        send(&mut switch, ms(500), 1, 50_000);
        assert_near(er(&mut switch, ms(1_100), 0), 150_000.0);
        // The VC has reached its fair share; its own share, 150,000 / z, is now larger.
        forward(&mut switch, ms(1_200), 0, 150_000);
        assert_near(er(&mut switch, ms(1_300), 0), expected);
    }
}

#[test]
fn the_load_factor_is_input_over_target_summed_over_the_intervals() {
    let mut switch = erica(RULES);
    send(&mut switch, ms(500), 0, 150_000);
    send(&mut switch, ms(1_500), 0, 300_000);
    // Intervals without input count too: 450,000 of 4 x 300,000.
    let factor = switch.load_factor(ms(4_000));
    assert!(factor.is_some_and(|factor| (factor - 0.375).abs() < 1e-12));
    switch.reset_statistics(ms(4_000));
    send(&mut switch, ms(4_500), 0, 300_000);
    assert_eq!(switch.load_factor(ms(4_999)), None);
    assert_eq!(switch.load_factor(ms(5_000)), Some(1.0));
}
