//! A circuit of constant rate in cells of AAL1 (ITU-T I.363.1, unstructured data transfer): a cell carries 47 octets of the
//! circuit after one with sequence number and protection.

use super::arrivals::{LongestGap, Run, TrafficSource};
use super::cbr::Cbr;
use crate::parameters::Bounds;
use crate::units::{CELL_BITS, Rate};

/// Bits of the circuit in a cell.
const CELL_DATA: f64 = 8.0 * 47.0;

parameters! {
    /// The parameters of a circuit.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Aal1Parameters {
        /// Rate of the circuit, such as 2.048 Mbit/s, without cells.
        pub rate: Rate, in Bounds::above(Rate::ZERO);
    }
}

impl TrafficSource for Aal1Parameters {
    type Process = Cbr;

    fn start(&self, _: Run) -> Option<Cbr> {
        Some(Cbr::every(self.rate.span_of_bits(CELL_DATA)))
    }

    fn peak(&self, _: u64) -> Option<Rate> {
        Some(Rate::bps(self.rate.as_bps() * CELL_BITS as f64 / CELL_DATA))
    }

    fn is_circuit(&self) -> bool {
        true
    }

    fn longest_gap(&self, _: u64) -> Option<LongestGap> {
        Some(LongestGap {
            least: self.rate.span_of_bits(CELL_DATA),
            ..LongestGap::default()
        })
    }
}

/// The first octet of the payload of a cell: CSI 0, the sequence count 0 to 7, CRC-3 and even parity (I.363.1).
pub fn sar_header(sequence: u32) -> u8 {
    let count = sequence as u8 & 7;
    // The remainder of the four bits, shifted by three, modulo x^3 + x + 1.
    let mut remainder = count << 3;
    for bit in (3..6).rev() {
        if remainder >> bit & 1 == 1 {
            remainder ^= 0b1011 << (bit - 3);
        }
    }
    let seven = count << 3 | remainder & 7;
    seven << 1 | (seven.count_ones() & 1) as u8
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::Arrivals;
    use super::super::tests::start;
    use super::*;
    use crate::units::Span;

    #[test]
    fn a_circuit_of_2048_kbit_s_fills_a_cell_in_183_59375_us() {
        // 376 bits at 2.048 Mbit/s; 5446.8 cells per second.
        let rate = Rate::kbps(2_048);
        let gap = start(&Aal1Parameters { rate }).gap();
        assert_eq!(gap, Span::from_ps(183_593_750));
    }

    #[test]
    fn its_line_rate_is_that_of_its_cells() {
        let rate = Rate::bps(376e3);
        let peak = Aal1Parameters { rate }.peak(CELL_BITS);
        assert_eq!(peak, Some(Rate::bps(424e3)));
    }

    #[test]
    fn headers_have_crc_and_even_parity() {
        // x^3 times 1, 2 and 4 leave x + 1, x^2 + x and x^2 + x + 1 (x^5) modulo x^3 + x + 1.
        let headers = core::array::from_fn(|count| sar_header(count as u32));
        assert_eq!(headers, [0x00, 0x17, 0x2D, 0x3A, 0x4E, 0x59, 0x63, 0x74]);
        assert_eq!(sar_header(8), 0);
    }
}
