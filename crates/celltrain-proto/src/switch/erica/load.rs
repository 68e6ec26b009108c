//! The overload factor z of ERICA: input rate over target capacity, averaged by one of the published methods.

use super::super::interval::Measured;
use crate::units::Rate;

choice! {
    /// How the overload factor is averaged over intervals.
    pub enum LoadAveraging {
        /// Ratio of mean input to mean capacity: capacity in cells, interval length and input cells are each averaged.
        #[default]
        Ratio,
        /// Mean of the factor itself: `z = (1 - a)·z + a·in/cap`. An infinite or zero z is not averaged but restarts
        /// the mean.
        OverloadFactor,
        /// Mean of the factor itself, reset by an interval without input; the first interval with a z after that is not
        /// averaged with an earlier one.
        RestartingFactor,
        /// Ratio of two mean rates, input and capacity; the capacity itself is not averaged.
        RatioOfRates,
    }
}

/// The quantities averaged by [`LoadAveraging::Ratio`] and, per second, by [`LoadAveraging::RatioOfRates`].
#[derive(Clone, Copy, PartialEq, Debug)]
struct Means {
    capacity_cells: f64,
    seconds: f64,
    input_cells: f64,
}

/// Overload factor and target capacity of the last interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in super::super) struct Load {
    averaging: LoadAveraging,
    weight: f64,
    z: f64,
    capacity: Rate,
    /// `None` before the first interval, which sets the initial means.
    means: Option<Means>,
    /// The mean of z, for [`LoadAveraging::RestartingFactor`].
    factor: Option<f64>,
}

impl Load {
    /// Starts with z = 1 and no capacity. `weight` is a in (0, 1], the weight of the newest interval.
    pub(super) fn new(averaging: LoadAveraging, weight: f64) -> Self {
        Self {
            averaging,
            weight,
            z: 1.0,
            capacity: Rate::ZERO,
            means: None,
            factor: None,
        }
    }

    /// Sets the capacity until the first interval has ended.
    pub(super) fn start_at(&mut self, capacity: Rate) {
        self.capacity = capacity;
    }

    /// An interval has ended, with target capacity `capacity`.
    pub(super) fn on_interval(&mut self, measured: Measured, capacity: Rate) {
        match self.averaging {
            LoadAveraging::OverloadFactor => self.average_factor(measured, capacity),
            LoadAveraging::Ratio => self.average_parts(measured, capacity),
            LoadAveraging::RestartingFactor => self.restart_or_average(measured, capacity),
            LoadAveraging::RatioOfRates => self.average_rates(measured, capacity),
        }
    }

    fn average_factor(&mut self, measured: Measured, capacity: Rate) {
        let newest = overload(measured.rate(), capacity);
        let restarts = self.z == 0.0 || self.z.is_infinite() || newest.is_infinite();
        self.z = if restarts {
            newest
        } else {
            mean(self.z, newest, self.weight)
        };
        self.capacity = capacity;
    }

    fn restart_or_average(&mut self, measured: Measured, capacity: Rate) {
        let newest = overload(measured.rate(), capacity);
        let counts = newest > 0.0 && newest.is_finite();
        self.factor = counts.then(|| {
            self.factor
                .map_or(newest, |old| mean(old, newest, self.weight))
        });
        self.z = self.factor.unwrap_or(newest);
        self.capacity = capacity;
    }

    fn average_rates(&mut self, measured: Measured, capacity: Rate) {
        let newest = Means {
            capacity_cells: capacity.as_cells_per_s(),
            seconds: 1.0,
            input_cells: measured.rate().as_cells_per_s(),
        };
        let means = self.averaged(newest);
        self.capacity = capacity;
        let mean_capacity = Rate::cells_per_s(means.capacity_cells);
        self.z = overload(Rate::cells_per_s(means.input_cells), mean_capacity);
    }

    fn average_parts(&mut self, measured: Measured, capacity: Rate) {
        let seconds = measured.length.as_secs();
        let newest = Means {
            capacity_cells: capacity.as_cells_per_s() * seconds,
            seconds,
            input_cells: measured.cells as f64,
        };
        let means = self.averaged(newest);
        self.capacity = Rate::cells_per_s(means.capacity_cells / means.seconds);
        let input = Rate::cells_per_s(means.input_cells / means.seconds);
        self.z = overload(input, self.capacity);
    }

    fn averaged(&mut self, newest: Means) -> Means {
        let means = self.means.map_or(newest, |old| Means {
            capacity_cells: mean(old.capacity_cells, newest.capacity_cells, self.weight),
            seconds: mean(old.seconds, newest.seconds, self.weight),
            input_cells: mean(old.input_cells, newest.input_cells, self.weight),
        });
        self.means = Some(means);
        means
    }

    /// Whether there was no input over the period that z averages.
    pub(super) fn is_idle(&self) -> bool {
        self.z == 0.0
    }

    /// The target capacity, averaged if the method does so.
    pub(super) fn capacity(&self) -> Rate {
        self.capacity
    }

    /// Whether z exceeds `limit`.
    pub(super) fn exceeds(&self, limit: f64) -> bool {
        self.z > limit
    }

    /// `rate / z`: what a VC of `rate` should send at for z to become 1. Zero at infinite overload, and zero without
    /// any input, so that the fair share applies.
    pub(super) fn share_of(&self, rate: Rate) -> Rate {
        if self.z > 0.0 {
            Rate::bps(rate.as_bps() / self.z)
        } else {
            Rate::ZERO
        }
    }
}

/// `input / capacity`; infinite if the capacity is zero, even without input.
fn overload(input: Rate, capacity: Rate) -> f64 {
    if capacity > Rate::ZERO {
        input.ratio(capacity)
    } else {
        f64::INFINITY
    }
}

fn mean(old: f64, newest: f64, weight: f64) -> f64 {
    (1.0 - weight) * old + weight * newest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    /// z after one 10 ms interval for each pair of input and capacity in cells.
    fn z_after(averaging: LoadAveraging, weight: f64, intervals: &[(u64, f64)]) -> f64 {
        let mut load = Load::new(averaging, weight);
        for &(cells, capacity) in intervals {
            let length = Span::from_ms(10);
            let capacity = Rate::cells_per_s(100.0 * capacity);
            let priority = 0;
            load.on_interval(
                Measured {
                    length,
                    cells,
                    priority,
                },
                capacity,
            );
        }
        load.z
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-12,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn the_first_method_averages_the_factor_from_one_on() {
        let z = |intervals| z_after(LoadAveraging::OverloadFactor, 0.8, intervals);
        // 0.2 · 1 + 0.8 · 1.5, then 0.2 · 1.4 + 0.8 · 0.5
        assert_near(z(&[(150, 100.0)]), 1.4);
        assert_near(z(&[(150, 100.0), (50, 100.0)]), 0.68);
    }

    #[test]
    fn the_first_method_restarts_after_an_infinite_factor() {
        let z = |intervals| z_after(LoadAveraging::OverloadFactor, 0.8, intervals);
        assert!(z(&[(150, 0.0)]).is_infinite());
        assert!(z(&[(0, 0.0)]).is_infinite());
        assert_near(z(&[(150, 0.0), (50, 100.0)]), 0.5);
    }

    #[test]
    fn the_second_method_is_a_quotient_of_means() {
        let z = |intervals| z_after(LoadAveraging::Ratio, 0.5, intervals);
        assert_near(z(&[(150, 100.0)]), 1.5);
        // (150 + 50) / (100 + 300); the first method would average 1.5 and 1/6.
        assert_near(z(&[(150, 100.0), (50, 300.0)]), 0.5);
    }

    #[test]
    fn the_second_method_recovers_from_an_interval_without_capacity() {
        let z = |intervals| z_after(LoadAveraging::Ratio, 0.5, intervals);
        assert!(z(&[(150, 0.0)]).is_infinite());
        // (150 + 50) / 2 cells of input over (0 + 100) / 2 of capacity
        assert_near(z(&[(150, 0.0), (50, 100.0)]), 2.0);
    }

    #[test]
    fn the_restarting_factor_begins_with_the_first_one_and_again_after_silence() {
        let z = |intervals| z_after(LoadAveraging::RestartingFactor, 0.2, intervals);
        assert_near(z(&[(150, 100.0)]), 1.5);
        // 0.8 · 1.5 + 0.2 · 0.5
        assert_near(z(&[(150, 100.0), (50, 100.0)]), 1.3);
        assert_near(z(&[(150, 100.0), (0, 100.0)]), 0.0);
        assert_near(z(&[(150, 100.0), (0, 100.0), (50, 100.0)]), 0.5);
        assert_near(z(&[(150, 100.0), (50, 0.0), (50, 100.0)]), 0.5);
    }

    #[test]
    fn the_ratio_of_rates_weighs_short_intervals_like_long_ones_and_leaves_the_capacity_as_it_is() {
        let mut load = Load::new(LoadAveraging::RatioOfRates, 0.5);
        for (ms, cells, capacity) in [(10, 1_500, 100_000.0), (1, 50, 300_000.0)] {
            let length = Span::from_ms(ms);
            let priority = 0;
            let measured = Measured {
                length,
                cells,
                priority,
            };
            load.on_interval(measured, Rate::cells_per_s(capacity));
        }
        // (150,000 + 50,000) / (100,000 + 300,000)
        assert_near(load.z, 0.5);
        assert_near(load.capacity().as_cells_per_s(), 300_000.0);
    }

    #[test]
    fn a_weight_of_one_switches_averaging_off() {
        for averaging in [
            LoadAveraging::OverloadFactor,
            LoadAveraging::Ratio,
            LoadAveraging::RestartingFactor,
            LoadAveraging::RatioOfRates,
        ] {
            assert_near(z_after(averaging, 1.0, &[(300, 100.0), (90, 100.0)]), 0.9);
            assert_near(z_after(averaging, 1.0, &[(300, 100.0), (0, 100.0)]), 0.0);
        }
    }
}
