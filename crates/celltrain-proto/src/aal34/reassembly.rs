//! Reassembly without octets: decides whether all cells of a PDU have arrived.

use crate::aal5::Verdict;

/// Reassembles the PDUs of one direction of a VC.
///
/// The sender numbers its cells. A PDU is whole if and only if the cells up to its last have arrived without a gap since its
/// first: a gap interrupts the sequence numbers, and what came before the first cell belongs to another PDU. So a lost
/// last cell loses its own PDU only. (A gap of a multiple of 16 cells is found by the length and the tags.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reassembly {
    /// The number of the first cell after the last gap, and how many have come since; it saturates.
    first: u32,
    count: u32,
}

impl Reassembly {
    /// `n` consecutive cells arrive, none of them the last of a PDU; the first has number `first`.
    #[inline]
    pub fn on_cells(&mut self, first: u32, n: u32) {
        if first != self.first.wrapping_add(self.count) {
            (self.first, self.count) = (first, 0);
        }
        self.count = self.count.saturating_add(n);
    }

    /// A cell arrives. `number` is the sender's cell counter, which wraps; if `end` marks the last cell of a PDU,
    /// `pdu_cells` is the number of cells in that PDU.
    #[inline]
    pub fn on_cell(&mut self, number: u32, end: bool, pdu_cells: u32) -> Verdict {
        self.on_cells(number, 1);
        if !end {
            return Verdict::Collecting;
        }
        let is_whole = self.count >= pdu_cells;
        (self.first, self.count) = (number.wrapping_add(1), 0);
        if is_whole {
            Verdict::Good
        } else {
            Verdict::Damaged
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use Verdict::{Damaged, Good};

    /// The verdicts on PDUs of three cells each when the cells in `lost` do not arrive.
    fn verdicts(first: u32, lost: &[u32]) -> Vec<Verdict> {
        let mut reassembly = Reassembly::default();
        let arriving = (0..9).filter(|cell| !lost.contains(cell));
        arriving
            .map(|cell| reassembly.on_cell(first.wrapping_add(cell), cell % 3 == 2, 3))
            .filter(|&verdict| verdict != Verdict::Collecting)
            .collect()
    }

    #[test]
    fn a_lost_cell_damages_its_pdu_alone() {
        for first in [0, u32::MAX - 3] {
            assert_eq!(verdicts(first, &[]), [Good, Good, Good]);
            assert_eq!(verdicts(first, &[3]), [Good, Damaged, Good]);
            assert_eq!(verdicts(first, &[4]), [Good, Damaged, Good]);
        }
    }

    #[test]
    fn a_lost_last_cell_loses_its_pdu_and_no_other() {
        assert_eq!(verdicts(0, &[2]), [Good, Good]);
        assert_eq!(verdicts(0, &[1, 2, 3]), [Damaged, Good]);
        assert_eq!(verdicts(0, &[2, 5]), [Good]);
    }

    #[test]
    fn a_train_counts_as_its_cells() {
        let mut reassembly = Reassembly::default();
        reassembly.on_cells(0, 2);
        assert_eq!(reassembly.on_cell(2, true, 3), Good);
        // The first cell of the next PDU is lost.
        reassembly.on_cells(4, 1);
        assert_eq!(reassembly.on_cell(5, true, 3), Damaged);
    }
}
