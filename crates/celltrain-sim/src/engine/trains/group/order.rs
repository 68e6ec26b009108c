//! Sorts cells by arrival: they are spread over buckets of equal width, about one for each cell, and cells in the same
//! bucket are moved into place. As arrivals are about evenly spread, this takes a few steps for each cell.

use crate::engine::trains::group::runs::Run;

/// Below this number of cells a comparison sort is as good.
const FEW: usize = 32;

/// Working memory that all source groups share.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Sorter {
    /// Where the cells of each bucket start.
    starts: Vec<u32>,
    spread: Vec<Run>,
}

impl Sorter {
    /// Sorts `cells` by arrival; cells of one instant keep their order.
    pub(super) fn sort(&mut self, cells: &mut [Run]) {
        let arrivals = || cells.iter().map(|cell| cell.next.at.as_ps());
        let (Some(first), Some(last)) = (arrivals().min(), arrivals().max()) else {
            return;
        };
        if cells.len() < FEW || first == last {
            return cells.sort_by_key(|cell| cell.next.at);
        }
        let buckets = cells.len().next_power_of_two();
        // The smallest bucket width that covers all arrivals.
        let shift = ((last - first) / buckets as u64 + 1)
            .next_power_of_two()
            .ilog2();
        let bucket = |cell: &Run| ((cell.next.at.as_ps() - first) >> shift) as usize;
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for cell in &*cells {
            self.starts[bucket(cell) + 1] += 1;
        }
        for at in 1..self.starts.len() {
            self.starts[at] += self.starts[at - 1];
        }
        self.spread.clear();
        self.spread.extend_from_slice(cells);
        for cell in &self.spread {
            let place = &mut self.starts[bucket(cell)];
            cells[*place as usize] = *cell;
            *place += 1;
        }
        if !insert(cells, 4 * self.spread.len()) {
            cells.sort_by_key(|cell| cell.next.at);
        }
    }
}

/// Insertion sort, for cells that are nearly in order; false if it gave up because it needs more than `most` moves.
fn insert(cells: &mut [Run], most: usize) -> bool {
    let mut moves = 0;
    for at in 1..cells.len() {
        let cell = cells[at];
        let mut place = at;
        while place > 0 && cells[place - 1].next.at > cell.next.at {
            cells[place] = cells[place - 1];
            place -= 1;
        }
        cells[place] = cell;
        moves += at - place;
        if moves > most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use celltrain_proto::units::Time;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::state::cell::Cell;

    fn cells(arrivals: &[u64]) -> Vec<Run> {
        let cell = |(number, &at): (usize, &u64)| {
            let mut cell = Cell::data(1, number as u32, false);
            cell.at = Time::from_ps(at);
            Run {
                next: cell,
                more: 0,
            }
        };
        arrivals.iter().enumerate().map(cell).collect()
    }

    #[test]
    fn two_full_instants_are_sorted_too() {
        let arrivals: Vec<u64> = (0..4_000)
            .map(|n| n % 2 * 10_u64.pow(10) + 4_000 - n)
            .collect();
        let mut sorted = cells(&arrivals);
        Sorter::default().sort(&mut sorted);
        assert!(sorted.is_sorted_by_key(|cell| cell.next.at));
    }

    proptest! {
        #[test]
        fn cells_are_in_order_and_those_of_one_instant_as_they_were(
            arrivals in prop::collection::vec(prop_oneof![0..40_u64, 0..1_000_000_000_u64], 0..300),
        ) {
            let mut sorted = cells(&arrivals);
            Sorter::default().sort(&mut sorted);
            let mut expected = cells(&arrivals);
            expected.sort_by_key(|cell| cell.next.at);
            let facts = |cells: &[Run]| cells.iter().map(|cell| (cell.next.at, cell.next.load())).collect::<Vec<_>>();
            prop_assert_eq!(facts(&sorted), facts(&expected));
        }
    }
}
