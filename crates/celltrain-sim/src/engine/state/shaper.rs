//! Shapers within the network: cells wait at a node until they conform to a contract (TM 4.0 §5.5; ITU-T I.371).

use std::collections::VecDeque;

use celltrain_proto::police;
use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use crate::engine::state::room::{Exhausted, Room};

/// A shaper at a node, and the cells that wait there, in the order in which they came.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Shaper {
    spacing: police::Shaper,
    /// Waiting cells, at the hops over which they arrived.
    waiting: VecDeque<Cell>,
    buffer: usize,
    counts: ShaperCounts,
    /// When the queue last changed.
    since: Time,
}

/// Counts since the start of the run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(in crate::engine) struct ShaperCounts {
    /// Cells that came.
    pub(in crate::engine) offered: u64,
    /// Cells that found the buffer full.
    pub(in crate::engine) dropped: u64,
    /// Cells that left.
    pub(in crate::engine) departed: u64,
    /// Integral of the queue in cell picoseconds.
    pub(in crate::engine) area_ps: u128,
    /// The most cells that have waited since the last reading.
    pub(in crate::engine) longest: u64,
}

impl Shaper {
    pub(in crate::engine) fn new(spacing: police::Shaper, buffer: u64) -> Self {
        Self {
            spacing,
            waiting: VecDeque::new(),
            buffer: usize::try_from(buffer).unwrap_or(usize::MAX),
            counts: ShaperCounts::default(),
            since: Time::ZERO,
        }
    }

    /// Takes a cell that comes at `now`; false if it finds the buffer full.
    pub(in crate::engine) fn accept(&mut self, now: Time, cell: Cell) -> bool {
        self.counts.offered += 1;
        if self.waiting.len() >= self.buffer {
            self.counts.dropped += 1;
            return false;
        }
        self.wait_until(now);
        self.waiting.push_back(cell);
        self.counts.longest = self.counts.longest.max(self.waiting.len() as u64);
        true
    }

    /// When the next cell leaves, from `now` on; [`Time::NEVER`] while none waits.
    pub(in crate::engine) fn deadline(&self, now: Time) -> Time {
        if self.waiting.is_empty() {
            Time::NEVER
        } else {
            self.spacing.earliest(now)
        }
    }

    /// The cell that leaves at `now`, if one is due.
    pub(in crate::engine) fn release(&mut self, now: Time) -> Option<Cell> {
        if self.deadline(now) > now {
            return None;
        }
        self.wait_until(now);
        let cell = self.waiting.pop_front()?;
        self.spacing.on_departure(now);
        self.counts.departed += 1;
        Some(cell)
    }

    /// The waiting cells.
    pub(in crate::engine) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.waiting.iter().copied()
    }

    /// The counts up to `now`; restarts the search for the longest queue.
    pub(in crate::engine) fn read(&mut self, now: Time) -> ShaperCounts {
        self.wait_until(now);
        let counts = self.counts;
        self.counts.longest = self.waiting.len() as u64;
        counts
    }

    fn wait_until(&mut self, now: Time) {
        let waiting = self.waiting.len() as u128;
        self.counts.area_ps += waiting * u128::from((now - self.since).as_ps());
        self.since = now;
    }
}

impl Room for Shaper {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        self.waiting.make_room()
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::units::{Cells, Rate, Span};

    use super::*;

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn each_us(us: u64) -> Rate {
        Rate::cells_per_s(1e6 / us as f64)
    }

    /// When cells that come at these instants leave, in us.
    fn departures(mut shaper: Shaper, arrivals: &[u64]) -> Vec<u64> {
        let mut left = Vec::new();
        let mut arrivals = arrivals.iter().map(|&us| at_us(us)).peekable();
        let mut now = Time::ZERO;
        loop {
            let due = shaper.deadline(now);
            let next = arrivals.peek().copied().unwrap_or(Time::NEVER);
            now = due.min(next);
            if now == Time::NEVER {
                return left;
            }
            if due <= next {
                shaper.release(now).expect("a cell is due");
                left.push((now - Time::ZERO).as_ps() / 1_000_000);
            } else {
                arrivals.next();
                shaper.accept(now, Cell::data(0, 0, false));
            }
        }
    }

    #[test]
    fn a_cell_leaves_at_once_or_one_gap_after_the_one_before() {
        let shaper = Shaper::new(police::Shaper::new(each_us(10), Span::ZERO, None), 9);
        assert_eq!(departures(shaper, &[5, 6, 7, 40, 55]), [5, 15, 25, 40, 55]);
    }

    #[test]
    fn a_tolerance_lets_cells_leave_that_much_closer() {
        // Theoretical arrivals at 5, 15, 25, 35, each up to 4 us earlier.
        let shaper = police::Shaper::new(each_us(10), Span::from_us(4), None);
        assert_eq!(
            departures(Shaper::new(shaper, 9), &[5, 6, 7, 8]),
            [5, 11, 21, 31]
        );
    }

    #[test]
    fn a_burst_leaves_at_the_peak_rate_and_the_rest_at_the_sustainable_one() {
        // Tp = 2, Ts = 10, MBS = 3: BT = 16; cell 4 is expected at 30 and leaves at 14.
        let sustained = Some((each_us(10), Cells(3)));
        let shaper = police::Shaper::new(each_us(2), Span::ZERO, sustained);
        assert_eq!(
            departures(Shaper::new(shaper, 9), &[0; 5]),
            [0, 2, 4, 14, 24]
        );
    }

    #[test]
    fn cells_that_find_the_buffer_full_are_dropped_and_counted() {
        let spacing = police::Shaper::new(each_us(10), Span::ZERO, None);
        let mut shaper = Shaper::new(spacing, 2);
        let came = [0, 1, 2, 3].map(|us| {
            if us == 1 {
                shaper.release(at_us(us));
            }
            shaper.accept(at_us(us), Cell::data(0, us as u32, false))
        });
        // One has left when the second comes; two wait when the fourth does.
        assert_eq!(came, [true, true, true, false]);
        let counts = shaper.read(at_us(10));
        // 1 us of one cell, then one from 1 us and another from 2 us on.
        let expected = ShaperCounts {
            offered: 4,
            dropped: 1,
            departed: 1,
            area_ps: 18_000_000,
            longest: 2,
        };
        assert_eq!(counts, expected);
        shaper.release(at_us(11));
        assert_eq!(shaper.read(at_us(11)).longest, 2);
        assert_eq!(shaper.read(at_us(11)).longest, 1);
    }
}
