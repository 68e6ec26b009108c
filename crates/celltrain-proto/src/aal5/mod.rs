//! First form; the rules of the standard follow.
#![allow(missing_docs)]
pub fn cells(n: u64) -> u64 {
    (n + 8).div_ceil(48)
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Collecting,
    Good,
    Damaged,
}
#[derive(Clone, Debug, Default)]
pub struct Reassembly {
    first: u32,
    count: u32,
}
impl Reassembly {
    #[inline]
    pub fn on_cell(&mut self, seq: u32, end: bool, pdu_cells: u32) -> Verdict {
        if self.count == 0 {
            self.first = seq;
        }
        self.count += 1;
        if !end {
            return Verdict::Collecting;
        }
        let good = self.count == pdu_cells && seq.wrapping_sub(self.first) == pdu_cells - 1;
        self.count = 0;
        if good {
            Verdict::Good
        } else {
            Verdict::Damaged
        }
    }
}
