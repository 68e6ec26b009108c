//! Trains of several inputs with equal gaps, so that their cells take turns. Since each member's next cell comes after
//! the same gap, their order never changes, and nothing is sorted.

use celltrain_proto::units::{Span, Time};

use crate::engine::state::cell::Cell;
use crate::engine::state::time::STEP;

/// The remaining cells of a member's train, at the common gap.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Run {
    /// The next cell, with the number of its member as its hop.
    pub(in crate::engine) next: Cell,
    /// The number of cells that follow it.
    pub(in crate::engine) more: u32,
}

/// The members that are in the middle of such trains.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Runs {
    /// Each with its next cell, in the order of these cells from `turn` to the end and then from the start.
    all: Vec<Run>,
    turn: usize,
    /// The common gap.
    gap: Span,
    /// The number of trains that have been [enlisted](Runs::enlist) and have not ended.
    enlisted: usize,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            turn: 0,
            gap: Span::MAX,
            enlisted: 0,
        }
    }
}

impl Runs {
    /// Reserves room for this number of trains.
    pub(in crate::engine) fn reserve(&mut self, trains: usize) {
        self.all.reserve_exact(trains);
    }

    /// Whether a train with this gap can take part. If so, it must [begin](Runs::begin) when its first cell arrives.
    #[inline]
    pub(in crate::engine) fn enlist(&mut self, gap: Span) -> bool {
        if self.enlisted == 0 && gap > Span::ZERO {
            self.gap = gap;
        }
        let fits = gap == self.gap;
        // Not `usize::from(fits)`: rustc 1.95 and 1.96 may then read a wrong value of `fits` (rust-lang/rust#158206).
        if fits {
            self.enlisted += 1;
        }
        fits
    }

    /// Begins an enlisted train whose first cell arrives before the next cells of all others; `more` cells follow, at
    /// least one.
    #[inline]
    pub(in crate::engine) fn begin(&mut self, first: Cell, more: u32) {
        let run = Run {
            next: first.after(self.gap, 1),
            more: more - 1,
        };
        self.all.insert(self.turn, run);
        self.turn += 1;
        self.end_round();
    }

    /// The next cell.
    #[inline]
    pub(in crate::engine) fn first(&self) -> Option<Cell> {
        let run = self.all.get(self.turn)?;
        Some(run.next)
    }

    /// Removes the next cell; there must be one.
    #[inline]
    pub(in crate::engine) fn drop_first(&mut self) {
        self.take_before(Time::NEVER);
    }

    /// Takes the next cell if it arrives before `end`.
    #[inline]
    pub(in crate::engine) fn take_before(&mut self, end: Time) -> Option<Cell> {
        let run = self.all.get_mut(self.turn)?;
        let cell = run.next;
        if cell.at >= end {
            return None;
        }
        if run.more == 0 {
            self.all.remove(self.turn);
            self.enlisted -= 1;
        } else {
            run.next = cell.after(self.gap, 1);
            run.more -= 1;
            self.turn += 1;
        }
        self.end_round();
        Some(cell)
    }

    #[inline]
    fn end_round(&mut self) {
        if self.turn >= self.all.len() {
            self.turn = 0;
        }
    }

    /// An upper bound on the number of cells before `end` in all these trains and in `others`: a number of further
    /// trains, with the earliest instant at which they start.
    pub(in crate::engine) fn most_before(&self, end: Time, others: (usize, Time)) -> u64 {
        let first = self.first().map_or(Time::NEVER, |cell| cell.at);
        [(self.all.len(), first), others]
            .into_iter()
            .filter(|&(_, first)| first < end)
            .map(|(trains, first)| trains as u64 * self.most_of_one(end - STEP - first))
            .sum()
    }

    /// An upper bound on the number of cells of one train within `span` after one of its cells, including that cell.
    #[inline]
    fn most_of_one(&self, span: Span) -> u64 {
        if span < self.gap {
            1
        } else {
            1 + span.div_floor(self.gap)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(member: u32, at: u64) -> Cell {
        let mut cell = Cell::data(member, 0, false);
        cell.at = Time::from_ps(at);
        cell
    }

    /// The cells that arrive before `end`.
    fn come(runs: &mut Runs, end: u64) -> Vec<(usize, u64)> {
        let next = || {
            let cell = runs.first().filter(|cell| cell.at.as_ps() < end)?;
            runs.drop_first();
            Some((cell.hop(), cell.at.as_ps()))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn members_take_turns_until_their_trains_end() {
        let mut runs = Runs::default();
        for _ in 0..3 {
            assert!(runs.enlist(Span::from_ps(10)));
        }
        runs.begin(cell(1, 0), 2);
        runs.begin(cell(2, 4), 1);
        assert_eq!(come(&mut runs, 14), [(1, 10)]);
        runs.begin(cell(3, 12), 2);
        let rest = [(2, 14), (1, 20), (3, 22), (3, 32)];
        assert_eq!(come(&mut runs, 99), rest);
    }

    #[test]
    fn another_gap_takes_part_when_all_trains_have_ended() {
        let (ten, five) = (Span::from_ps(10), Span::from_ps(5));
        let mut runs = Runs::default();
        assert!(runs.enlist(ten));
        assert!(!runs.enlist(five));
        runs.begin(cell(1, 0), 1);
        assert!(!runs.enlist(five));
        come(&mut runs, 99);
        assert!(runs.enlist(five));
    }

    #[test]
    fn trains_without_a_gap_have_no_turns() {
        assert!(!Runs::default().enlist(Span::ZERO));
    }
}
