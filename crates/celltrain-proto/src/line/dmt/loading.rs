//! Carriers, their signal-to-noise ratios, and the bits they hold.

use alloc::vec::Vec;

use super::cable::{far_end_crosstalk, sum_of};
use super::{Wire, framing};
use crate::units::Rate;

/// Spacing of the carriers in Hz.
const SPACING: f64 = 4_312.5;
/// Gap of uncoded QAM at an error ratio of 1e-7, in dB.
const UNCODED_GAP_DB: f64 = 9.8;
/// The ratio above the gap at which a carrier holds 1 to 15 bits, in dB: b = floor(log2(1 + ratio)), so
/// 10 log10(2^b - 1).
const RATIO_DB: [f64; 15] = [
    0.0,
    4.771_212_547_196_624,
    8.450_980_400_142_567,
    11.760_912_590_556_813,
    14.913_616_938_342_727,
    17.993_405_494_535_818,
    21.038_037_209_559_57,
    24.065_401_804_339_55,
    27.084_209_001_347_126,
    30.098_756_337_121_6,
    33.111_178_426_625_05,
    36.122_539_060_964_37,
    39.133_369_259_326_23,
    42.143_934_312_552_06,
    45.154_366_811_416_99,
];

/// The carriers of one direction, over POTS and without overlap of the directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Band {
    /// G.992.1 downstream: 33 to 255, the pilot 64 without data.
    Adsl1Down,
    /// G.992.1 upstream: 7 to 31.
    Adsl1Up,
    /// G.992.5 downstream: 33 to 511, the pilot 64 without data.
    Adsl2PlusDown,
    /// G.992.5 upstream, as G.992.3: 7 to 31, single bits allowed.
    Adsl2PlusUp,
}

impl Band {
    fn carriers(self) -> impl Iterator<Item = u32> {
        let (first, last) = match self {
            Self::Adsl1Down => (33, 255),
            Self::Adsl1Up | Self::Adsl2PlusUp => (7, 31),
            Self::Adsl2PlusDown => (33, 511),
        };
        let pilot = match self {
            Self::Adsl1Down | Self::Adsl2PlusDown => 64,
            Self::Adsl1Up | Self::Adsl2PlusUp => 0,
        };
        (first..=last).filter(move |&carrier| carrier != pilot)
    }

    /// Nominal power spectral density in dBm/Hz.
    pub const fn psd(self) -> f64 {
        match self {
            Self::Adsl1Down | Self::Adsl2PlusDown => -40.0,
            Self::Adsl1Up | Self::Adsl2PlusUp => -38.0,
        }
    }

    /// The net rate of so many bits a symbol, with `parity` octets to a codeword.
    pub fn net_rate(self, bits_per_symbol: u32, parity: u32) -> Rate {
        match self {
            Self::Adsl1Down | Self::Adsl1Up => framing::net_rate(bits_per_symbol, parity),
            Self::Adsl2PlusDown | Self::Adsl2PlusUp => {
                framing::net_rate_of_codewords(bits_per_symbol, parity)
            }
        }
    }

    /// Whether a carrier may hold a single bit.
    const fn has_single_bits(self) -> bool {
        matches!(self, Self::Adsl2PlusDown | Self::Adsl2PlusUp)
    }

    /// The bits of a carrier with this ratio of signal to noise, at this gap; both in dB.
    pub fn load(self, snr_db: f64, gap_db: f64) -> u32 {
        match RATIO_DB.partition_point(|ratio| *ratio <= snr_db - gap_db) as u32 {
            1 if !self.has_single_bits() => 0,
            bits => bits,
        }
    }
}

/// The gap between capacity and bits, for this margin and coding gain; all in dB.
pub const fn gap_db(margin: f64, coding_gain: f64) -> f64 {
    UNCODED_GAP_DB + margin - coding_gain
}

/// The carriers of a loop, with the ratio of signal to noise of each.
#[derive(Clone, PartialEq, Debug)]
pub struct Channel {
    band: Band,
    /// In dB, without the changes of noise over time.
    snr_db: Vec<f64>,
}

impl Channel {
    /// A loop of `km` kilometres of `wire`, with background noise `noise` in dBm/Hz and the far-end
    /// crosstalk of `disturbers` lines of the same kind in the binder. The directions do not overlap, so
    /// that these lines cause no near-end crosstalk.
    pub fn new(band: Band, wire: Wire, km: f64, noise: f64, disturbers: u32) -> Self {
        let snr = |carrier: u32| {
            let hz = f64::from(carrier) * SPACING;
            let received = band.psd() - wire.attenuation_db(hz, km);
            let noise = if disturbers == 0 {
                noise
            } else {
                sum_of(
                    noise,
                    far_end_crosstalk(band.psd(), wire, km, hz, disturbers),
                )
            };
            received - noise
        };
        Self {
            band,
            snr_db: band.carriers().map(snr).collect(),
        }
    }

    /// The carriers.
    pub fn band(&self) -> Band {
        self.band
    }

    /// Bits of one symbol at this gap, with noise higher by `rise` than at the start; both in dB.
    pub fn bits(&self, gap_db: f64, rise: f64) -> u32 {
        let loads = self
            .snr_db
            .iter()
            .map(|snr| self.band.load(snr - rise, gap_db));
        loads.sum()
    }

    /// The margin in dB at which the loop just holds `bits`, once bit swaps have made it alike on all
    /// carriers; to a hundredth of a dB.
    pub fn margin_db(&self, bits: u32, coding_gain: f64, rise: f64) -> f64 {
        let (mut low, mut high) = (-60.0, 100.0);
        while high - low > 0.005 {
            let middle = f64::midpoint(low, high);
            if self.bits(gap_db(middle, coding_gain), rise) >= bits {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six dB of margin, three of coding gain.
    const GAP: f64 = gap_db(6.0, 3.0);

    #[test]
    fn aal5_section_5_ratio_required_for_each_number_of_bits() {
        assert!((GAP - 12.8).abs() < 1e-12);
        for (bits, snr) in [(2, 17.57), (4, 24.56), (8, 36.87), (10, 42.90), (15, 57.95)] {
            assert_eq!(Band::Adsl1Down.load(snr + 0.01, GAP), bits);
            assert!(Band::Adsl1Down.load(snr - 0.01, GAP) < bits);
        }
        assert_eq!(Band::Adsl2PlusDown.load(12.81, GAP), 1);
        assert_eq!(Band::Adsl1Down.load(12.81, GAP), 0);
        assert_eq!(Band::Adsl1Down.load(90.0, GAP), 15);
    }

    #[test]
    fn the_table_of_ratios_is_that_of_the_formula() {
        for (bits, ratio) in (1..=15).zip(RATIO_DB) {
            let exact = 10.0 * libm::log10(libm::pow(2.0, f64::from(bits)) - 1.0);
            assert!((ratio - exact).abs() < 1e-12, "{bits}");
        }
    }

    #[test]
    fn aal5_section_5_example_of_carrier_100_on_3_km() {
        let hz = 100.0 * SPACING;
        let attenuation = Wire::Awg26.attenuation_db(hz, 3.0);
        assert!((attenuation - 50.92).abs() < 0.005, "{attenuation}");
        let snr = -40.0 - attenuation + 120.0;
        assert!((snr - 29.08).abs() < 0.005, "{snr}");
        assert_eq!(Band::Adsl1Down.load(snr, GAP), 5);
    }

    #[test]
    fn aal5_section_5_bits_per_symbol_of_loops() {
        for (km, wire, down, up) in [
            (1.0, Wire::Awg24, 3_330, 375),
            (2.0, Wire::Awg24, 2_511, 375),
            (3.0, Wire::Awg24, 1_375, 375),
            (4.0, Wire::Awg24, 590, 357),
            (5.0, Wire::Awg24, 259, 319),
            (2.0, Wire::Awg26, 1_925, 375),
            (3.0, Wire::Awg26, 706, 363),
            (4.0, Wire::Awg26, 247, 317),
        ] {
            let bits = |band| Channel::new(band, wire, km, -120.0, 0).bits(GAP, 0.0);
            assert_eq!(
                (bits(Band::Adsl1Down), bits(Band::Adsl1Up)),
                (down, up),
                "{km} {wire:?}"
            );
        }
    }

    #[test]
    fn aal5_section_7_three_db_of_noise_cost_a_bit_on_each_carrier() {
        // A loop whose 222 carriers hold 4 to 15 bits: each loses one, but for the few held at 15 before.
        let channel = Channel::new(Band::Adsl1Down, Wire::Awg24, 2.5, -120.0, 0);
        let lost = channel.bits(GAP, 0.0) - channel.bits(GAP, 3.01);
        assert!((218..=222).contains(&lost), "{lost}");
    }

    #[test]
    fn the_margin_is_what_the_loop_was_loaded_for_and_falls_with_the_noise() {
        let channel = Channel::new(Band::Adsl1Down, Wire::Awg24, 3.0, -120.0, 0);
        let bits = channel.bits(GAP, 0.0);
        assert!((channel.margin_db(bits, 3.0, 0.0) - 6.0).abs() < 0.05);
        assert!((channel.margin_db(bits, 3.0, 2.0) - 4.0).abs() < 0.05);
        assert!((channel.margin_db(bits, 3.0, -3.0) - 9.0).abs() < 0.05);
    }

    #[test]
    fn neighbours_take_bits() {
        let bits = |disturbers| {
            Channel::new(Band::Adsl1Down, Wire::Awg24, 2.0, -140.0, disturbers).bits(GAP, 0.0)
        };
        assert!(bits(1) < bits(0) && bits(10) < bits(1) && bits(49) < bits(10));
    }
}
