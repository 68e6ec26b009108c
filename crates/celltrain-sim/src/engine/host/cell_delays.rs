//! The delays of the data cells of one direction of a VC, each from its source to its end.

use std::collections::VecDeque;

use celltrain_proto::units::{Span, Time};
use hdrhistogram::Histogram;

use crate::engine::state::room::{Exhausted, Room};
use crate::measure::DelayReading;

/// Significant digits of a delay in the histogram.
const DIGITS: u8 = 3;

/// Consecutive cells that left their source one gap apart.
#[derive(Clone, Copy, Debug)]
struct Run {
    number: u32,
    at: Time,
    gap: Span,
    count: u32,
}

/// When cells left, and the delays of those that arrived.
#[derive(Clone, Debug)]
pub(in crate::engine) struct CellDelays {
    /// Cells that left and have not been followed by one that arrived, in order.
    sent: VecDeque<Run>,
    reading: DelayReading,
}

impl CellDelays {
    /// Before the first cell.
    pub(in crate::engine) fn new() -> Self {
        Self {
            sent: VecDeque::new(),
            reading: empty(),
        }
    }

    /// Notes that `count` cells leave the source from `at` on, one `gap` apart, the first with this number.
    pub(in crate::engine) fn on_departure(&mut self, number: u32, at: Time, gap: Span, count: u32) {
        self.sent.push_back(Run {
            number,
            at,
            gap,
            count,
        });
    }

    /// Measures the delays of `count` cells that arrive from `at` on, one `gap` apart, the first with this number. They
    /// must have left, and no cell with a later number may have arrived.
    pub(in crate::engine) fn on_arrival(&mut self, number: u32, at: Time, gap: Span, count: u32) {
        let mut done = 0;
        while done < count {
            let Some(run) = self.sent.front() else { return };
            // Cells with numbers in between have been lost.
            let place = number.wrapping_add(done).wrapping_sub(run.number);
            if place >= run.count {
                self.sent.pop_front();
                continue;
            }
            let with_run = (run.count - place).min(count - done);
            let first = at + gap * u64::from(done) - (run.at + run.gap * u64::from(place));
            if with_run == 1 || run.gap == gap {
                add(&mut self.reading, first, with_run);
            } else {
                let run = *run;
                for more in 0..with_run {
                    let left = run.at + run.gap * u64::from(place + more);
                    let delay = at + gap * u64::from(done + more) - left;
                    add(&mut self.reading, delay, 1);
                }
            }
            done += with_run;
        }
    }

    /// The delays measured since the last call.
    pub(in crate::engine) fn take(&mut self) -> DelayReading {
        std::mem::replace(&mut self.reading, empty())
    }
}

fn empty() -> DelayReading {
    DelayReading {
        histogram: Histogram::new(DIGITS).expect("three digits are allowed"),
        first: None,
        least: Span::MAX,
        most: Span::ZERO,
        sum_ps: 0,
    }
}

fn add(reading: &mut DelayReading, delay: Span, count: u32) {
    let count = u64::from(count);
    let recorded = reading.histogram.record_n(delay.as_ps(), count);
    recorded.expect("the histogram grows to any number of 64 bits");
    reading.first.get_or_insert(delay);
    reading.least = reading.least.min(delay);
    reading.most = reading.most.max(delay);
    reading.sum_ps += u128::from(delay.as_ps()) * u128::from(count);
}

impl Room for CellDelays {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        self.sent.make_room()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn gap(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    /// Count, first, least, most and sum of the delays in ps.
    fn of(mut delays: CellDelays) -> (u64, Option<u64>, u64, u64, u128) {
        let it = delays.take();
        let ps = Span::as_ps;
        (
            it.histogram.len(),
            it.first.map(ps),
            ps(it.least),
            ps(it.most),
            it.sum_ps,
        )
    }

    #[test]
    fn a_train_has_the_delays_of_its_cells() {
        let mut delays = CellDelays::new();
        delays.on_departure(4, at(100), gap(10), 3);
        // Left at 100, 110, 120; arrive at 500, 530, 560.
        delays.on_arrival(4, at(500), gap(30), 3);
        assert_eq!(of(delays), (3, Some(400), 400, 440, 1_260));
    }

    #[test]
    fn lost_cells_are_passed_over_and_numbers_wrap() {
        let mut delays = CellDelays::new();
        delays.on_departure(u32::MAX - 1, at(0), gap(10), 4);
        delays.on_departure(2, at(100), Span::ZERO, 1);
        // The second, third and fourth are lost.
        delays.on_arrival(u32::MAX - 1, at(7), Span::ZERO, 1);
        delays.on_arrival(2, at(105), Span::ZERO, 1);
        assert_eq!(of(delays), (2, Some(7), 5, 7, 12));
    }

    #[test]
    fn cells_that_leave_as_two_trains_may_arrive_as_one() {
        let mut delays = CellDelays::new();
        delays.on_departure(0, at(0), gap(10), 2);
        delays.on_departure(2, at(50), gap(10), 2);
        // Left at 0, 10, 50, 60; arrive at 100, 110, 120, 130.
        delays.on_arrival(0, at(100), gap(10), 4);
        assert_eq!(of(delays), (4, Some(100), 70, 100, 340));
    }

    #[test]
    fn delays_are_measured_anew_after_they_were_taken() {
        let mut delays = CellDelays::new();
        delays.on_departure(0, at(0), gap(10), 2);
        delays.on_arrival(0, at(100), Span::ZERO, 1);
        delays.take();
        delays.on_arrival(1, at(130), Span::ZERO, 1);
        assert_eq!(of(delays), (1, Some(120), 120, 120, 120));
    }
}
