//! The 16-bit floating-point rates of RM cells (TM 4.0 §5.10.3.2).
//!
//! `reserved | nz | exponent (5) | mantissa (9)`: the rate is nz x 2^exponent x (1 + mantissa / 512) cells/s. As
//! unsigned words, codes sort as their rates do.

use crate::units::Rate;

const NZ: u16 = 1 << 14;
const MANTISSA_BITS: u32 = 9;
const MANTISSA: u16 = (1 << MANTISSA_BITS) - 1;
/// The largest code: 4 290 772 992 cells/s.
pub const LARGEST: u16 = 0x7FFF;

/// The largest code whose rate is at most `rate`, so that a rate is never overstated. Rates below 1 cell/s are coded as
/// 0.
pub fn encode(rate: Rate) -> u16 {
    let cells = rate.as_cells_per_s();
    if cells < 1.0 {
        return 0;
    }
    // The exponent and mantissa of the float are those of the code, except for bias and length.
    let bits = cells.to_bits();
    let exponent = (bits >> 52) - 1_023;
    if exponent > 31 {
        return LARGEST;
    }
    let mantissa = (bits >> (52 - MANTISSA_BITS)) as u16 & MANTISSA;
    NZ | (exponent as u16) << MANTISSA_BITS | mantissa
}

/// The smallest code whose rate is at least `rate`, for the ER that a source requests.
pub fn encode_up(rate: Rate) -> u16 {
    let code = encode(rate);
    if decode(code) >= rate || code == LARGEST {
        code
    } else if code == 0 {
        NZ
    } else {
        code + 1
    }
}

/// The rate of a code; the reserved bit is ignored.
pub fn decode(code: u16) -> Rate {
    if code & NZ == 0 {
        return Rate::ZERO;
    }
    let exponent = code >> MANTISSA_BITS & 31;
    let whole = f64::from(512 + (code & MANTISSA)) / 512.0;
    Rate::cells_per_s(whole * (1_u64 << exponent) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_the_standard() {
        let vectors = [
            (0.0, 0x0000, 0.0),
            (1.0, 0x4000, 1.0),
            (10.0, 0x4680, 10.0),
            (100.0, 0x4D20, 100.0),
            (1_000.0, 0x53E8, 1_000.0),
            (4_528.3, 0x5836, 4_528.0),
            (10_000.0, 0x5A71, 10_000.0),
            (75_471.7, 0x604D, 75_392.0),
            (96_000.0, 0x60EE, 96_000.0),
            (353_207.547, 0x64B1, 352_768.0),
            (1_412_830.19, 0x68B1, 1_411_072.0),
            (1e12, 0x7FFF, 4_290_772_992.0),
        ];
        for (cells, code, decoded) in vectors {
            assert_eq!(encode(Rate::cells_per_s(cells)), code, "{cells}");
            assert_eq!(decode(code).as_cells_per_s(), decoded, "{cells}");
        }
    }

    #[test]
    fn every_code_reads_back_and_orders_as_its_rate() {
        let mut last = Rate::ZERO;
        for code in NZ..=LARGEST {
            let rate = decode(code);
            assert!(rate > last);
            last = rate;
            // Slightly above the rate, since a product of floats may fall just short of it.
            assert_eq!(encode(rate.scaled(1.0 + 1e-12)), code);
            assert_eq!(encode_up(rate.scaled(1.0 - 1e-12)), code);
        }
    }

    #[test]
    fn rounding_is_down_or_up_by_less_than_one_in_512() {
        for step in 0..100_000 {
            let rate = Rate::cells_per_s(1.0 + f64::from(step) * 37.31);
            let (down, up) = (decode(encode(rate)), decode(encode_up(rate)));
            assert!(down <= rate && rate <= up);
            assert!(up.as_bps() - down.as_bps() <= rate.as_bps() / 512.0);
        }
    }
}
