use proptest::prelude::*;

use super::*;

/// ln(1 / loss) = 10.
fn loss() -> f64 {
    libm::exp(-10.0)
}

/// 4 Mbit/s a quarter of the time, in bursts of 1,000 cells: 424,000 bits, so that y = 10 x 424,000 x 3/4 = 3.18 Mbit.
fn bursty() -> Demand {
    Demand {
        peak: Rate::kbps(4_000),
        mean: Rate::kbps(1_000),
        burst: Cells(1_000),
    }
}

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < 1e-5,
        "{found}, not {expected}"
    );
}

#[test]
fn with_a_buffer_of_y_the_capacity_is_the_peak_rate_times_the_root_of_the_utilization() {
    // The differences vanish: R sqrt(4 y rho y) / (2 y) = R sqrt(rho) = 4 / 2.
    assert_near(bursty().equivalent_capacity(3.18e6, loss()), 2e6);
}

#[test]
fn capacities_are_those_worked_out_by_hand() {
    // In units of y = 1: x = 1/3, 4 (2/3 + sqrt(4/9 + 1/3)) / 2 = 2 (0.6666667 + 0.8819171).
    assert_near(bursty().equivalent_capacity(1.06e6, loss()), 3.097_168e6);
    // x = 2: 4 (-1 + sqrt(1 + 2)) / 2 = 2 x 0.7320508.
    assert_near(bursty().equivalent_capacity(6.36e6, loss()), 1.464_102e6);
}

#[test]
fn without_a_buffer_it_is_the_peak_rate_and_with_a_large_one_the_mean() {
    assert_eq!(bursty().equivalent_capacity(0.0, loss()), 4e6);
    let mean = bursty().equivalent_capacity(1e15, loss());
    assert!((1e6..1e6 + 1.0).contains(&mean), "{mean}");
}

#[test]
fn a_constant_rate_takes_that_rate() {
    let constant = Demand::constant(Rate::kbps(64));
    let rule = Rule::EffectiveBandwidth { loss: loss() };
    let mut booked = Booked::default();
    for _ in 0..10 {
        booked.add(&constant, 1e4, rule);
    }
    assert_near(booked.bandwidth(rule), 640e3);
}

#[test]
fn few_connections_take_the_sum_of_their_capacities_and_many_less() {
    let rule = Rule::EffectiveBandwidth { loss: loss() };
    let of = |count: usize| {
        let mut booked = Booked::default();
        for _ in 0..count {
            booked.add(&bursty(), 3.18e6, rule);
        }
        booked.bandwidth(rule)
    };
    // sqrt(20 - ln(2 pi)) = 4.261704, and the variance of one is 1 x (4 - 1).
    // 10: 10 + 4.261704 sqrt(30) = 33.34, more than 10 x 2. 100: 100 + 4.261704 sqrt(300) = 173.81488, less than 200.
    assert_near(of(10), 20e6);
    assert_near(of(100), 173.814_88e6);
}

#[test]
fn guaranteed_rates_add_up() {
    let mut booked = Booked::default();
    booked.add(&bursty(), 0.0, Rule::GuaranteedRate);
    booked.add(
        &Demand::constant(Rate::kbps(500)),
        0.0,
        Rule::GuaranteedRate,
    );
    assert_near(booked.bandwidth(Rule::GuaranteedRate), 1.5e6);
}

proptest! {
    #[test]
    fn a_capacity_lies_between_mean_and_peak_and_falls_with_the_buffer(
        peak in 1e3..1e9_f64, part in 0.001..1.0_f64, burst in 1_u64..100_000,
        buffer in 0.0..1e9_f64, exponent in 1.0..12.0_f64,
    ) {
        let demand = Demand {
            peak: Rate::bps(peak),
            mean: Rate::bps(peak * part),
            burst: Cells(burst),
        };
        let loss = libm::pow(10.0, -exponent);
        let of = |buffer: f64| demand.equivalent_capacity(buffer, loss);
        let slack = 1.0 + 1e-9;
        prop_assert!(of(buffer) <= peak * slack && of(buffer) * slack >= peak * part);
        prop_assert!(of(2.0 * buffer) <= of(buffer) * slack);
    }
}
