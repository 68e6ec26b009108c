use proptest::prelude::*;

use super::*;
use crate::engine::state::cell::Cell;

/// A cell-by-cell queue with one cell time in each period of 100 ps.
struct Plain {
    queue: VecDeque<u32>,
    /// When the first cell leaves.
    finish: u64,
    /// Whether the cell in transmission keeps its rate when that of the line changes.
    keeps: bool,
    departures: Vec<(u32, u64)>,
    most: usize,
    area: i128,
    now: u64,
}

const PERIOD: u64 = 100;

/// The cell time of a transmission that starts at `at`.
fn cell_time(at: u64, times: &[u64]) -> u64 {
    times[(at / PERIOD) as usize % times.len()]
}

impl Plain {
    /// Advances to `now`, excluding arrivals at `now`. At one instant departures come before a change of rate.
    fn advance(&mut self, now: u64, times: &[u64]) {
        while self.now < now {
            self.now += 1;
            self.area += self.queue.len() as i128;
            if self.finish == self.now {
                let number = self.queue.pop_front().expect("a cell leaves");
                self.departures.push((number, self.now));
                self.finish = self.now + cell_time(self.now - 1, times);
            }
            if self.now.is_multiple_of(PERIOD) && !self.queue.is_empty() {
                self.finish = resumed(self.finish, self.now, times, self.keeps);
            }
            if self.queue.is_empty() {
                self.finish = u64::MAX;
            }
        }
    }

    fn take(&mut self, number: u32, buffer: usize, times: &[u64]) -> bool {
        if self.queue.len() == buffer {
            return false;
        }
        if self.queue.is_empty() {
            self.finish = self.now + cell_time(self.now, times);
        }
        self.queue.push_back(number);
        self.most = self.most.max(self.queue.len());
        true
    }
}

/// When a cell leaves after the change of rate at `now`, if it would otherwise have left at `finish`; unchanged if it
/// `keeps` its rate.
fn resumed(finish: u64, now: u64, times: &[u64], keeps: bool) -> u64 {
    if keeps {
        return finish;
    }
    let (old, new) = (cell_time(now - 1, times), cell_time(now, times));
    now + ((finish - now) * new).div_ceil(old)
}

proptest! {
    #[test]
    fn trains_fare_as_their_cells_do_one_by_one(
        // Some cell times are longer than a period.
        times in prop::collection::vec(prop::sample::select(vec![1_u64, 3, 7, 10, 29, 150, 1000]), 9),
        buffer in 1_u32..12,
        trains in prop::collection::vec((0_u64..60, 0_u64..25, 1_u32..30), 1..30),
        keeps in any::<bool>(),
    ) {
        let mut plain = Plain {
            queue: VecDeque::new(),
            finish: u64::MAX,
            keeps,
            departures: Vec::new(),
            most: 0,
            area: 0,
            now: 0,
        };
        let mut varying = Varying::new(Span::from_ps(times[0]), buffer, Time::from_ps(PERIOD));
        let mut left: Vec<Train> = Vec::new();
        let (mut at, mut number, mut changes) = (0, 0, 0);
        let mut lost = (Vec::new(), Vec::new());
        let change_until = |varying: &mut Varying, left: &mut Vec<Train>, at: u64, changes: &mut u64| {
            while (*changes + 1) * PERIOD <= at {
                *changes += 1;
                let now = *changes * PERIOD;
                let new = cell_time(now, &times);
                let first = if varying.waits() {
                    let finish = varying.first_departure().as_ps();
                    Time::from_ps(resumed(finish, now, &times, keeps))
                } else {
                    Time::NEVER
                };
                varying.change(first, Span::from_ps(new), Time::from_ps(now + PERIOD), left);
            }
        };
        for (pause, gap, count) in trains {
            at += pause;
            let mut cell = Cell::data(0, number, false);
            cell.at = Time::from_ps(at);
            let mut train = Train { gap: Span::from_ps(gap), count, ..Train::single(cell, false) };
            for step in 0..u64::from(count) {
                plain.advance(at + step * gap, &times);
                if !plain.take(number, buffer as usize, &times) {
                    lost.0.push(number);
                }
                number += 1;
            }
            at += u64::from(count - 1) * gap;
            loop {
                let from = train.first.at.as_ps();
                change_until(&mut varying, &mut left, from, &mut changes);
                let (mut part, are_all) =
                    train.take_until(Time::from_ps((changes + 1) * PERIOD - 1));
                loop {
                    let taken = match varying.accept_train(&part) {
                        VaryingAdmission::Known(Outcome::Leave { first, gap, count }) => {
                            left.push(part.leaving(first, gap, count));
                            count
                        }
                        VaryingAdmission::Waits(count) => count,
                        VaryingAdmission::Known(Outcome::Lost(count)) => {
                            lost.1.extend(part.cells().take(count as usize).map(Cell::load));
                            count
                        }
                    };
                    if taken == part.count {
                        break;
                    }
                    part.cut(taken);
                }
                if are_all {
                    break;
                }
            }
            change_until(&mut varying, &mut left, at, &mut changes);
            varying.look(Time::from_ps(at));
            prop_assert_eq!(varying.queued() as usize, plain.queue.len());
            prop_assert_eq!(varying.departed(), plain.departures.len() as u64);
            prop_assert_eq!(varying.area(), plain.area);
            prop_assert_eq!(varying.take_maximum() as usize, plain.most);
            plain.most = plain.queue.len();
        }
        let known = left.iter().flat_map(Train::cells);
        let known = known.map(|cell| (cell.load(), cell.at.as_ps()));
        let known: Vec<_> = known.filter(|&(_, departure)| departure <= at).collect();
        prop_assert_eq!(known, plain.departures);
        prop_assert_eq!(lost.1, lost.0);
    }
}
