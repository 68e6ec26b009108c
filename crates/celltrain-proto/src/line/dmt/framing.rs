//! Framing: Reed-Solomon codewords, interleaving, and the rate that is left for cells.

use crate::units::{Rate, Span};

/// Data symbols in a second.
const SYMBOLS_PER_S: f64 = 4_000.0;
/// Most octets of a codeword.
const LONGEST_CODEWORD: u32 = 255;

/// The net rate under G.992.1 with one symbol to a codeword: whole octets of the symbol, at most 255, less
/// `parity` and one octet of overhead, 32 kbit/s each.
///
/// ```
/// use celltrain_proto::line::dmt::framing::net_rate;
/// use celltrain_proto::units::Rate;
/// assert_eq!(net_rate(1_375, 16), Rate::kbps(4_928));
/// ```
pub fn net_rate(bits_per_symbol: u32, parity: u32) -> Rate {
    let codeword = (bits_per_symbol / 8).min(LONGEST_CODEWORD);
    let octets = codeword.saturating_sub(parity + 1);
    Rate::bps(f64::from(octets) * 8.0 * SYMBOLS_PER_S)
}

/// The net rate under G.992.5: as many codewords of at most 255 octets as the symbol needs, each with
/// `parity` octets, and one octet of overhead.
///
/// ```
/// use celltrain_proto::line::dmt::framing::net_rate_of_codewords;
/// use celltrain_proto::units::Rate;
/// // 6000 bits are 750 octets, three codewords: 32 kbit/s for each octet left.
/// assert_eq!(net_rate_of_codewords(6_000, 16), Rate::kbps(32 * (750 - 3 * 16 - 1)));
/// ```
pub fn net_rate_of_codewords(bits_per_symbol: u32, parity: u32) -> Rate {
    let octets = bits_per_symbol / 8;
    let codewords = octets.div_ceil(LONGEST_CODEWORD);
    let left = octets.saturating_sub(codewords * parity + 1);
    Rate::bps(f64::from(left) * 8.0 * SYMBOLS_PER_S)
}

/// One-way delay of interleaving under G.992.1 with `symbols` to a codeword and this `depth`:
/// 4 + (S - 1)/4 + S·D/4 ms.
pub fn delay(symbols: f64, depth: u32) -> Span {
    let ms = 4.0 + (symbols - 1.0) / 4.0 + symbols * f64::from(depth) / 4.0;
    Span::from_secs_f64(ms / 1e3)
}

/// A latency path of G.992.3 7.7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LatencyPath {
    /// T: mux frames to an octet of overhead.
    pub t: u32,
    /// B: octets of a mux frame from the bearer.
    pub b: u32,
    /// M: mux frames to a codeword.
    pub m: u32,
    /// R: octets of parity.
    pub r: u32,
    /// L: bits of a symbol for this path.
    pub l: u32,
    /// D: interleaving depth.
    pub d: u32,
}

impl LatencyPath {
    /// N: octets of a codeword.
    pub const fn codeword(&self) -> u32 {
        self.m * (self.b + 1) + self.r
    }

    /// S: symbols of a codeword.
    pub fn symbols(&self) -> f64 {
        8.0 * f64::from(self.codeword()) / f64::from(self.l)
    }

    /// The net rate.
    pub fn net_rate(&self) -> Rate {
        let octets = f64::from(self.t * (self.b + 1) - 1) * f64::from(self.m);
        Rate::bps(32e3 * octets / (self.symbols() * f64::from(self.t)))
    }

    /// The delay of the interleaver.
    pub fn delay(&self) -> Span {
        Span::from_secs_f64(self.symbols() * f64::from(self.d) / 4.0 / 1e3)
    }

    /// INP: symbols of an impulse that the code repairs.
    pub fn impulse_protection(&self) -> f64 {
        0.5 * self.symbols() * f64::from(self.d * self.r) / f64::from(self.codeword())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aal5_section_5_net_rates_of_loops() {
        for (bits, kbps) in [
            (3_330, 7_616),
            (2_511, 7_616),
            (1_375, 4_928),
            (590, 1_792),
            (259, 480),
            (1_925, 7_136),
            (706, 2_272),
            (247, 416),
            (375, 928),
            (357, 864),
            (319, 704),
            (363, 896),
            (317, 704),
        ] {
            assert_eq!(net_rate(bits, 16), Rate::kbps(kbps), "{bits}");
        }
        assert_eq!(net_rate(100, 16), Rate::ZERO);
    }

    #[test]
    fn aal5_section_6_latency_path_of_a_modem() {
        let path = LatencyPath {
            t: 1,
            b: 128,
            m: 1,
            r: 16,
            l: 1_160,
            d: 64,
        };
        assert_eq!(path.codeword(), 145);
        assert_eq!(path.net_rate(), Rate::kbps(4_096));
        assert_eq!(path.delay(), Span::from_ms(16));
        assert!((path.impulse_protection() - 3.53).abs() < 0.005);
        let path = LatencyPath {
            t: 1,
            b: 13,
            m: 16,
            r: 16,
            l: 258,
            d: 1,
        };
        assert_eq!(path.codeword(), 240);
        assert!((path.symbols() - 7.442).abs() < 0.001);
        assert!((path.net_rate().as_bps() / 1e3 - 894.4).abs() < 0.05);
        assert!((path.delay().as_secs() * 1e3 - 1.86).abs() < 0.005);
        assert!((path.impulse_protection() - 0.248).abs() < 0.001);
    }

    #[test]
    fn aal5_section_6_interleaving_delay() {
        assert_eq!(delay(1.0, 64), Span::from_ms(20));
        assert_eq!(delay(1.0, 1), Span::from_us(4_250));
    }
}
