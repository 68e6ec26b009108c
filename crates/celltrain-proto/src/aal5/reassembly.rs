//! Reassembly without octets: decides whether the cells up to an end mark form one whole PDU.

/// The outcome of a cell's arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Undecided: the cell is not the last of a PDU.
    Collecting,
    /// A complete, uncorrupted PDU.
    Good,
    /// The cells up to this end mark are not a PDU: part of it was lost, or the end of the previous one.
    Damaged,
}

/// Reassembles the PDUs of one direction of a VC.
///
/// The sender numbers its cells. The cells since the last end mark form a whole PDU if and only if their number equals
/// the PDU's and the first of them is its first: then none of its cells is missing, and none precedes it from an
/// earlier PDU whose end was lost. The CRC reaches the same verdict except for one corrupted PDU in 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reassembly {
    /// Number of the first cell since the last end mark.
    first: u32,
    /// Cells since the last end mark; it saturates, which is harmless because no PDU is that long.
    count: u32,
}

impl Reassembly {
    /// `n` consecutive cells arrive, none of them the last of a PDU; the first has number `first`.
    #[inline]
    pub fn on_cells(&mut self, first: u32, n: u32) {
        if self.count == 0 {
            self.first = first;
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
        let whole = self.count == pdu_cells && number.wrapping_sub(self.first) == pdu_cells - 1;
        self.count = 0;
        if whole {
            Verdict::Good
        } else {
            Verdict::Damaged
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aal5::{cells, decode, encode};
    use alloc::vec::Vec;
    use proptest::prelude::*;

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
    fn a_lost_cell_spoils_its_pdu_alone() {
        use Verdict::{Damaged, Good};
        assert_eq!(verdicts(0, &[]), [Good, Good, Good]);
        assert_eq!(verdicts(0, &[3]), [Good, Damaged, Good]);
        assert_eq!(verdicts(0, &[4]), [Good, Damaged, Good]);
    }

    #[test]
    fn a_lost_last_cell_spoils_the_next_pdu_too() {
        assert_eq!(verdicts(0, &[2]), [Verdict::Damaged, Verdict::Good]);
    }

    #[test]
    fn a_pdu_that_is_lost_wholly_spoils_no_other() {
        assert_eq!(verdicts(0, &[3, 4, 5]), [Verdict::Good, Verdict::Good]);
    }

    #[test]
    fn the_right_number_of_wrong_cells_is_no_pdu() {
        // One cell of the first PDU, whose end is lost, and two of the second: three cells, but not a PDU.
        assert_eq!(verdicts(0, &[1, 2, 3]), [Verdict::Damaged, Verdict::Good]);
    }

    #[test]
    fn numbers_may_wrap_within_a_pdu() {
        assert_eq!(verdicts(u32::MAX - 3, &[]), [Verdict::Good; 3]);
    }

    #[test]
    fn cells_without_an_end_never_make_a_pdu_by_wrapping_round() {
        let mut reassembly = Reassembly {
            first: 0,
            count: u32::MAX,
        };
        assert_eq!(reassembly.on_cell(0, false, 0), Verdict::Collecting);
        assert_eq!(reassembly.on_cell(1, true, 1), Verdict::Damaged);
        assert_eq!(reassembly.on_cell(2, true, 1), Verdict::Good);
    }

    proptest! {
        #[test]
        fn counting_finds_what_the_crc_finds(
            pdus in prop::collection::vec((1_usize..400, any::<u8>()), 1..12),
            losses in prop::collection::vec(0_u8..4, 120),
        ) {
            let mut reassembly = Reassembly::default();
            let mut collected: Vec<u8> = Vec::new();
            let mut number = 0_u32;
            let mut losses = losses.into_iter();
            // Contents differ between PDUs and between cells; otherwise pieces of two PDUs could pass for one.
            for (index, (length, fill)) in pdus.into_iter().enumerate() {
                let payload: Vec<u8> = (0..length).map(|at| fill ^ (at / 48) as u8 ^ (index as u8) << 4).collect();
                let pdu = encode(&payload);
                let count = cells(length as u64) as u32;
                for (at, octets) in pdu.chunks(48).enumerate() {
                    let end = at as u32 + 1 == count;
                    let lost = losses.next().is_some_and(|loss| loss == 0);
                    if !lost {
                        collected.extend_from_slice(octets);
                        let verdict = reassembly.on_cell(number, end, count);
                        let by_crc = match (end, decode(&collected)) {
                            (false, _) => Verdict::Collecting,
                            (true, Ok(_)) => Verdict::Good,
                            (true, Err(_)) => Verdict::Damaged,
                        };
                        prop_assert_eq!(verdict, by_crc);
                        if end {
                            collected.clear();
                        }
                    }
                    number += 1;
                }
            }
        }
    }
}
