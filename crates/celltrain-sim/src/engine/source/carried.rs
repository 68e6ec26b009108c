//! Cells of other VCs that wait at the source that carries them on.

use std::collections::VecDeque;

use crate::engine::cell::Cell;

/// The cells, at the hops that brought them here, first ones first.
#[derive(Default, Debug)]
pub(super) struct Carried {
    cells: VecDeque<Cell>,
    /// Cells that came, and those of them that are marked and wait, by number.
    came: u64,
    marked: VecDeque<u64>,
}

impl Carried {
    pub(super) fn push(&mut self, cell: Cell) {
        if cell.is_marked() {
            self.marked.push_back(self.came);
        }
        self.came += 1;
        self.cells.push_back(cell);
    }

    /// Removes the first cell.
    pub(super) fn pop(&mut self) -> Option<Cell> {
        let cell = self.cells.pop_front()?;
        if cell.is_marked() {
            self.marked.pop_front();
        }
        Some(cell)
    }

    /// The first cell.
    pub(super) fn first(&self) -> Option<Cell> {
        self.cells.front().copied()
    }

    /// How many cells are before the first marked one.
    pub(super) fn before_mark(&self) -> Option<u64> {
        let left = self.came - self.cells.len() as u64;
        Some(self.marked.front()? - left)
    }

    /// All cells.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_marked_cell_is_known_while_others_come_and_go() {
        let mut carried = Carried::default();
        let before: Vec<_> = [false, true, false, true]
            .iter()
            .map(|&end| {
                carried.push(Cell::data(0, 0, end));
                carried.before_mark()
            })
            .collect();
        assert_eq!(before, [None, Some(1), Some(1), Some(1)]);
        let popped = std::iter::from_fn(|| carried.pop().map(|_| carried.before_mark()));
        let before: Vec<_> = popped.collect();
        assert_eq!(before, [Some(0), Some(1), Some(0), None]);
    }
}
