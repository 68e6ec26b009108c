//! Framing: Reed-Solomon codewords, interleaving, and the net rate for cells.

use crate::units::{Rate, Span};

/// Data symbols per second.
const SYMBOLS_PER_S: f64 = 4_000.0;
/// The maximum number of octets in a codeword.
const LONGEST_CODEWORD: u32 = 255;
/// The rate in kbit/s of an octet in each data symbol.
const KBPS_OF_OCTET: u32 = 32;

/// How the bits of a symbol give the cell rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// G.992.1 and G.992.2, with rates that are multiples of 32 kbit/s.
    Adsl1 {
        /// R: parity octets per codeword, even, 0 to 16; a multiple of S.
        parity: u32,
        /// S: symbols per codeword, 1, 2, 4, 8 or 16.
        symbols: u32,
        /// D: interleaving depth, 1, 2, 4 ... 64.
        depth: u32,
        /// The highest net rate, in kbit/s: that of G.992.2.
        highest_kbps: Option<u32>,
    },
    /// A single carrier: `baud` symbols per second, in codewords of 255 octets.
    SingleCarrier {
        /// Symbols per second.
        baud: u32,
        /// R: parity octets per codeword.
        parity: u32,
    },
    /// G.992.5 with as many codewords per symbol as needed.
    Codewords {
        /// R: parity octets per codeword, even, 0 to 16.
        parity: u32,
        /// D: interleaving depth; not zero.
        depth: u32,
    },
    /// A latency path of G.992.3 or G.992.5 with the given parameters.
    Adsl2(LatencyPath),
}

impl Framing {
    /// The bits of a symbol that are used when the carriers hold `bits`. G.992.1 uses whole octets, at most 255; the
    /// rest is margin.
    pub fn used_bits(&self, bits: u32) -> u32 {
        match self {
            Self::Adsl1 { .. } => 8 * self.octets_of(bits).0,
            Self::Codewords { parity, .. } => codewords_of(bits, *parity).0 * 8,
            Self::Adsl2(_) | Self::SingleCarrier { .. } => bits,
        }
    }

    /// The net rate with `bits` per symbol.
    pub fn net_rate(&self, bits: u32) -> Rate {
        match self {
            Self::Adsl1 { .. } => {
                let (used, overhead) = self.octets_of(bits);
                rate_of_octets(used.saturating_sub(overhead))
            }
            Self::SingleCarrier { baud, parity } => {
                let data = f64::from(LONGEST_CODEWORD - parity) / f64::from(LONGEST_CODEWORD);
                Rate::bps(f64::from(*baud) * f64::from(bits) * data)
            }
            Self::Codewords { parity, .. } => net_rate_of_codewords(bits, *parity),
            Self::Adsl2(path) => path.net_rate(bits),
        }
    }

    /// The one-way delay with `bits` per symbol; [`Span::MAX`] under G.992.3 for zero bits.
    pub fn delay(&self, bits: u32) -> Span {
        match self {
            Self::Adsl1 { symbols, depth, .. } => delay(f64::from(*symbols), *depth),
            Self::SingleCarrier { .. } => Span::ZERO,
            Self::Codewords { parity, depth } => {
                let symbols = 1.0 / f64::from(codewords_of(bits, *parity).1);
                Span::from_secs_f64(symbols * f64::from(*depth) / SYMBOLS_PER_S)
            }
            Self::Adsl2(path) => path.delay(bits),
        }
    }

    /// The octets of a symbol that are used under G.992.1 when the carriers hold `bits`, and how many of them are
    /// overhead: a share of the codeword's parity, and an octet for synchronisation and the overhead channel.
    fn octets_of(&self, bits: u32) -> (u32, u32) {
        let Self::Adsl1 {
            parity,
            symbols,
            highest_kbps,
            ..
        } = self
        else {
            return (0, 0);
        };
        let overhead = parity / symbols + 1;
        let most = highest_kbps.map_or(u32::MAX, |kbps| kbps / KBPS_OF_OCTET + overhead);
        let used = (bits / 8).min(LONGEST_CODEWORD / symbols).min(most);
        (used, overhead)
    }
}

/// The rate of `octets` in each data symbol.
fn rate_of_octets(octets: u32) -> Rate {
    Rate::bps(f64::from(octets) * 8.0 * SYMBOLS_PER_S)
}

/// The net rate under G.992.1 with one symbol per codeword: whole octets of the symbol, at most 255, minus `parity` and
/// one octet of overhead, 32 kbit/s each.
///
/// ```
/// use celltrain_proto::line::dmt::framing::net_rate;
/// use celltrain_proto::units::Rate;
/// assert_eq!(net_rate(1_375, 16), Rate::kbps(4_928));
/// ```
pub fn net_rate(bits_per_symbol: u32, parity: u32) -> Rate {
    let octets = (bits_per_symbol / 8).min(LONGEST_CODEWORD);
    rate_of_octets(octets.saturating_sub(parity + 1))
}

/// The used octets of a symbol, and the number of codewords. Each additional codeword costs its parity: octets that
/// would not pay for it are left unused.
fn codewords_of(bits_per_symbol: u32, parity: u32) -> (u32, u32) {
    let octets = bits_per_symbol / 8;
    let (full, rest) = (octets / LONGEST_CODEWORD, octets % LONGEST_CODEWORD);
    if rest > parity {
        (octets, full + 1)
    } else {
        (full * LONGEST_CODEWORD, full)
    }
}

/// The net rate under G.992.5: as many codewords of at most 255 octets as the symbol needs, each with `parity` octets,
/// and one octet of overhead. Octets that would only pay for another codeword's parity are not used, so that more bits
/// never give a lower rate.
///
/// ```
/// use celltrain_proto::line::dmt::framing::net_rate_of_codewords;
/// use celltrain_proto::units::Rate;
/// // 6000 bits are 750 octets, three codewords: 32 kbit/s for each octet left.
/// assert_eq!(net_rate_of_codewords(6_000, 16), Rate::kbps(32 * (750 - 3 * 16 - 1)));
/// ```
pub fn net_rate_of_codewords(bits_per_symbol: u32, parity: u32) -> Rate {
    let (octets, codewords) = codewords_of(bits_per_symbol, parity);
    rate_of_octets(octets.saturating_sub(codewords * parity + 1))
}

/// One-way interleaving delay under G.992.1 with `symbols` per codeword and this `depth`: 4 + (S - 1)/4 + S·D/4 ms.
pub fn delay(symbols: f64, depth: u32) -> Span {
    let ms = 4.0 + (symbols - 1.0) / 4.0 + symbols * f64::from(depth) / 4.0;
    Span::from_secs_f64(ms / 1e3)
}

/// A latency path of G.992.3 7.7. Rate adaptation changes only its bits per symbol, L, so L is an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LatencyPath {
    /// T: mux frames per overhead octet; not zero.
    pub t: u32,
    /// B: bearer octets per mux frame; not zero.
    pub b: u32,
    /// M: mux frames per codeword; not zero.
    pub m: u32,
    /// R: parity octets per codeword.
    pub r: u32,
    /// D: interleaving depth; not zero.
    pub d: u32,
}

impl LatencyPath {
    /// N: octets per codeword; the standard allows 255.
    pub const fn codeword(&self) -> u32 {
        self.m * (self.b + 1) + self.r
    }

    /// S: symbols per codeword at `l` bits per symbol; infinite for `l` = 0.
    pub fn symbols(&self, l: u32) -> f64 {
        8.0 * f64::from(self.codeword()) / f64::from(l)
    }

    /// The net rate at `l` bits per symbol.
    pub fn net_rate(&self, l: u32) -> Rate {
        let octets = f64::from(self.t * (self.b + 1) - 1) * f64::from(self.m);
        // A single division of whole numbers, so that whole rates are exact.
        let codewords = 8.0 * f64::from(self.codeword()) * f64::from(self.t);
        Rate::bps(8.0 * SYMBOLS_PER_S * octets * f64::from(l) / codewords)
    }

    /// The interleaver delay at `l` bits per symbol, S·D/4 ms; [`Span::MAX`] for `l` = 0.
    pub fn delay(&self, l: u32) -> Span {
        Span::from_secs_f64(self.symbols(l) * f64::from(self.d) / SYMBOLS_PER_S)
    }

    /// INP: the impulse length, in symbols, that the code corrects at `l` bits per symbol.
    pub fn impulse_protection(&self, l: u32) -> f64 {
        0.5 * self.symbols(l) * f64::from(self.d * self.r) / f64::from(self.codeword())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERLEAVED: LatencyPath = LatencyPath {
        t: 1,
        b: 128,
        m: 1,
        r: 16,
        d: 64,
    };
    const FAST: LatencyPath = LatencyPath {
        t: 1,
        b: 13,
        m: 16,
        r: 16,
        d: 1,
    };

    #[test]
    fn aal5_section_6_interleaved_latency_path_of_a_modem() {
        let (path, l) = (INTERLEAVED, 1_160);
        assert_eq!(path.codeword(), 145);
        assert_eq!(path.symbols(l), 1.0);
        assert_eq!(path.net_rate(l), Rate::kbps(4_096));
        assert_eq!(path.delay(l), Span::from_ms(16));
        assert!((path.impulse_protection(l) - 3.53).abs() < 0.005);
    }

    #[test]
    fn aal5_section_6_fast_latency_path_of_a_modem() {
        let (path, l) = (FAST, 258);
        assert_eq!(path.codeword(), 240);
        assert!((path.symbols(l) - 7.442).abs() < 0.000_5);
        assert!((path.net_rate(l).as_bps() / 1e3 - 894.4).abs() < 0.05);
        assert!((path.delay(l).as_secs() * 1e3 - 1.86).abs() < 0.005);
        assert!((path.impulse_protection(l) - 0.248).abs() < 0.000_5);
    }

    #[test]
    fn aal5_section_6_parity_share_follows_from_protection_and_delay() {
        // R/N = INP / (2 delay in ms).
        for (path, l) in [(INTERLEAVED, 1_160), (FAST, 258), (FAST, 900)] {
            let share = f64::from(path.r) / f64::from(path.codeword());
            let ms = path.delay(l).as_secs() * 1e3;
            assert!((share - 0.5 * path.impulse_protection(l) / ms).abs() < 1e-9);
        }
    }

    #[test]
    fn aal5_section_6_interleaving_delay_of_adsl() {
        assert_eq!(delay(1.0, 64), Span::from_ms(20));
        assert_eq!(delay(1.0, 1), Span::from_us(4_250));
        // Four symbols per codeword at a depth of 8: 4 + 0.75 + 8 ms.
        assert_eq!(delay(4.0, 8), Span::from_us(12_750));
    }

    #[test]
    fn aal5_section_6_adsl_uses_whole_octets_and_at_most_255() {
        let framing = Framing::Adsl1 {
            parity: 16,
            symbols: 1,
            depth: 64,
            highest_kbps: None,
        };
        for (bits, used, kbps) in [
            (143, 136, 0),
            (144, 144, 32),
            (151, 144, 32),
            (1_375, 1_368, 4_928),
            (2_040, 2_040, 7_616),
            (3_330, 2_040, 7_616),
        ] {
            assert_eq!(framing.used_bits(bits), used);
            assert_eq!(framing.net_rate(bits), Rate::kbps(kbps), "{bits}");
        }
        assert_eq!(framing.delay(1_375), Span::from_ms(20));
    }

    #[test]
    fn aal5_section_6_a_codeword_of_several_symbols_shares_its_parity() {
        // S = 4: 4 of 16 octets of parity in each symbol, and at most floor(255/4) = 63 octets.
        let framing = Framing::Adsl1 {
            parity: 16,
            symbols: 4,
            depth: 16,
            highest_kbps: None,
        };
        for (bits, used, kbps) in [
            (320, 320, 35 * 32),
            (327, 320, 35 * 32),
            (800, 504, 58 * 32),
        ] {
            assert_eq!(framing.used_bits(bits), used);
            assert_eq!(framing.net_rate(bits), Rate::kbps(kbps), "{bits}");
        }
        // 4 + 3/4 + 4 · 16/4 ms.
        assert_eq!(framing.delay(320), Span::from_us(20_750));
    }

    #[test]
    fn aal5_section_10_g_lite_has_a_highest_rate() {
        // 1.536 Mbit/s are 48 octets, with 8 of parity and one of overhead 57.
        let framing = Framing::Adsl1 {
            parity: 8,
            symbols: 1,
            depth: 16,
            highest_kbps: Some(1_536),
        };
        for (bits, used, kbps) in [(448, 448, 1_504), (456, 456, 1_536), (752, 456, 1_536)] {
            assert_eq!(framing.used_bits(bits), used);
            assert_eq!(framing.net_rate(bits), Rate::kbps(kbps), "{bits}");
        }
    }

    #[test]
    fn aal5_section_11_a_single_carrier_has_its_symbol_rate_times_its_bits() {
        // 680 kbaud of 64 points: 4.08 Mbit/s, of which 239/255 are data.
        let framing = Framing::SingleCarrier {
            baud: 680_000,
            parity: 16,
        };
        assert!((framing.net_rate(6).as_bps() - 3_824_000.0).abs() < 1e-6);
        assert_eq!(framing.used_bits(6), 6);
        assert_eq!(framing.net_rate(0), Rate::ZERO);
    }

    #[test]
    fn a_further_codeword_is_used_only_where_it_pays_for_its_parity() {
        let framing = Framing::Codewords {
            parity: 16,
            depth: 64,
        };
        // 255 octets leave 238; 271 would also leave 271 - 32 - 1 = 238; 272 leave 239.
        for (octets, used, left) in [
            (16, 0, 0),
            (17, 17, 0),
            (18, 18, 1),
            (255, 255, 238),
            (256, 255, 238),
            (271, 255, 238),
            (272, 272, 239),
            (750, 750, 701),
        ] {
            let bits = 8 * octets + 7;
            assert_eq!(framing.used_bits(bits), 8 * used, "{octets}");
            assert_eq!(framing.net_rate(bits), Rate::kbps(32 * left), "{octets}");
        }
        let rates = |bits| net_rate_of_codewords(bits, 16);
        assert!((0..7_170).all(|bits| rates(bits) <= rates(bits + 1)));
        // Two codewords per symbol: S = 1/2, 64/8 ms.
        assert_eq!(framing.delay(8 * 400), Span::from_ms(8));
    }

    #[test]
    fn aal5_section_6_adsl2_uses_every_bit_and_its_rate_is_proportional() {
        let framing = Framing::Adsl2(INTERLEAVED);
        assert_eq!(framing.used_bits(1_161), 1_161);
        assert_eq!(framing.net_rate(2_320), Rate::kbps(8_192));
        assert_eq!(framing.delay(2_320), Span::from_ms(8));
        assert_eq!(framing.net_rate(0), Rate::ZERO);
        assert_eq!(framing.delay(0), Span::MAX);
    }
}
