//! Cells of other VCs that wait at the source of a tunnel VC.

use std::collections::VecDeque;

use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use crate::engine::state::room::{Exhausted, Room};
use crate::engine::state::train::Train;

/// The cells in order, at the hops that brought them here. Only the order of the cells in these trains matters.
#[derive(Clone, Default, Debug)]
pub(super) struct Aggregate {
    trains: VecDeque<Train>,
    /// How many cells came and how many left; then the numbers of the waiting event cells.
    came: u64,
    left: u64,
    event_cells: VecDeque<u64>,
    /// When the last cell passed without waiting.
    pub(super) passed: Option<Time>,
}

impl Aggregate {
    /// Adds cells; an event cell must be a train by itself.
    #[inline]
    pub(super) fn push(&mut self, train: Train) {
        let is_event = train.first.is_event();
        if is_event {
            self.event_cells.push_back(self.came);
        }
        self.came += u64::from(train.count);
        match self.trains.back_mut() {
            Some(last) if !is_event && last.first.is_followed_by(train.first, last.count) => {
                last.count += train.count;
            }
            _ => self.trains.push_back(train),
        }
    }

    /// The first cells, all of one direction.
    #[inline]
    pub(super) fn first(&self) -> Option<&Train> {
        self.trains.front()
    }

    /// Removes the first `count` cells, all of one direction.
    #[inline]
    pub(super) fn skip(&mut self, count: u32) {
        self.left += u64::from(count);
        if self
            .event_cells
            .front()
            .is_some_and(|&event_cell| event_cell < self.left)
        {
            self.event_cells.pop_front();
        }
        if let Some(first) = self.trains.front_mut() {
            if count < first.count {
                first.cut(count);
            } else {
                self.trains.pop_front();
            }
        }
    }

    /// How many cells wait before the first event cell.
    pub(super) fn before_event_cell(&self) -> Option<u64> {
        Some(self.event_cells.front()? - self.left)
    }

    /// All cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.trains.iter().flat_map(Train::cells)
    }
}

impl Room for Aggregate {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        Ok(self.trains.make_room()? + self.event_cells.make_room()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(number: u32, end: bool) -> Train {
        Train::single(Cell::data(0, number, end), end)
    }

    #[test]
    fn the_first_event_cell_is_known_while_others_come_and_go() {
        let mut aggregate = Aggregate::default();
        let mut before = Vec::new();
        for (number, end) in [(0, false), (1, true), (2, false), (3, true)] {
            aggregate.push(cell(number, end));
            before.push(aggregate.before_event_cell());
        }
        assert_eq!(before, [None, Some(1), Some(1), Some(1)]);
        before.clear();
        while aggregate.first().is_some() {
            aggregate.skip(1);
            before.push(aggregate.before_event_cell());
        }
        assert_eq!(before, [Some(0), Some(1), Some(0), None]);
    }

    #[test]
    fn consecutive_cells_wait_as_one_train() {
        let mut aggregate = Aggregate::default();
        for number in [4, 5, 6, 8] {
            aggregate.push(cell(number, false));
        }
        aggregate.skip(1);
        assert_eq!(aggregate.first().map(|train| train.count), Some(2));
        let numbers: Vec<_> = aggregate.cells().map(Cell::load).collect();
        assert_eq!(numbers, [5, 6, 8]);
    }
}
