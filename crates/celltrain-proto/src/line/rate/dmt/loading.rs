//! Carriers, their signal-to-noise ratios, and the bits they carry.

use alloc::vec::Vec;

use super::cable::{far_end_crosstalk, near_end_crosstalk, sum_of};
use super::framing::Framing;
use super::{Wire, to_db};
use crate::units::Rate;

/// Carrier spacing in Hz.
const SPACING: f64 = 4_312.5;
/// SNR gap of uncoded QAM at an error ratio of 1e-7, in dB.
const UNCODED_GAP_DB: f64 = 9.8;

choice! {
    /// The carriers of one direction, over POTS and with non-overlapping directions.
    pub enum Band {
        /// G.992.1 downstream, carriers 33 to 255 without the pilot, 64.
        #[default]
        #[cfg_attr(feature = "scenario", serde(rename = "adsl-down"))]
        Adsl1Down,
        /// G.992.1 upstream, carriers 7 to 31.
        #[cfg_attr(feature = "scenario", serde(rename = "adsl-up"))]
        Adsl1Up,
        /// G.992.5 downstream, carriers 33 to 511 without the pilot, 64.
        #[cfg_attr(feature = "scenario", serde(rename = "adsl2plus-down"))]
        Adsl2PlusDown,
        /// G.992.5 upstream, as in G.992.3: carriers 7 to 31, single bits allowed.
        #[cfg_attr(feature = "scenario", serde(rename = "adsl2plus-up"))]
        Adsl2PlusUp,
        /// G.992.2 (G.lite) downstream, carriers 33 to 127 without the pilot, 64.
        #[cfg_attr(feature = "scenario", serde(rename = "g-lite-down"))]
        LiteDown,
        /// G.992.2 (G.lite) upstream, carriers 7 to 31.
        #[cfg_attr(feature = "scenario", serde(rename = "g-lite-up"))]
        LiteUp,
    }
}

impl Band {
    fn carriers(self) -> impl Iterator<Item = u32> {
        let (first, last) = match self {
            Self::Adsl1Down => (33, 255),
            Self::Adsl1Up | Self::Adsl2PlusUp | Self::LiteUp => (7, 31),
            Self::Adsl2PlusDown => (33, 511),
            Self::LiteDown => (33, 127),
        };
        let pilot = if self.is_down() { 64 } else { 0 };
        (first..=last).filter(move |&carrier| carrier != pilot)
    }

    /// Whether the network sends in the band.
    pub(super) const fn is_down(self) -> bool {
        matches!(self, Self::Adsl1Down | Self::Adsl2PlusDown | Self::LiteDown)
    }

    /// Whether it is a band of G.992.2.
    pub(super) const fn is_lite(self) -> bool {
        matches!(self, Self::LiteDown | Self::LiteUp)
    }

    /// Nominal power spectral density in dBm/Hz.
    pub const fn psd(self) -> f64 {
        if self.is_down() { -40.0 } else { -38.0 }
    }

    /// The highest net rate in kbit/s: G.992.2 defines rates up to 1.536 Mbit/s down and 512 kbit/s up.
    const fn highest_kbps(self) -> Option<u32> {
        match self {
            Self::LiteDown => Some(1_536),
            Self::LiteUp => Some(512),
            _ => None,
        }
    }

    /// The usual framing, with `parity` octets per codeword of `symbols` symbols, interleaved with this `depth`. Under
    /// G.992.5 a symbol has as many codewords as it needs.
    pub(super) const fn framing(self, parity: u32, symbols: u32, depth: u32) -> Framing {
        match self {
            Self::Adsl2PlusDown | Self::Adsl2PlusUp => Framing::Codewords { parity, depth },
            Self::Adsl1Down | Self::Adsl1Up | Self::LiteDown | Self::LiteUp => Framing::Adsl1 {
                parity,
                symbols,
                depth,
                highest_kbps: self.highest_kbps(),
            },
        }
    }

    /// The net rate for this many bits per symbol, with `parity` octets per codeword of one symbol or less.
    pub fn net_rate(self, bits_per_symbol: u32, parity: u32) -> Rate {
        self.framing(parity, 1, 1).net_rate(bits_per_symbol)
    }

    /// The minimum number of bits on a loaded carrier: G.992.1 and G.992.2 have no single bits.
    const fn fewest_bits(self) -> u32 {
        match self {
            Self::Adsl2PlusDown | Self::Adsl2PlusUp => 1,
            _ => 2,
        }
    }

    /// The maximum number of bits per carrier: 15, under G.992.2 8.
    const fn most_bits(self) -> u32 {
        if self.is_lite() { 8 } else { 15 }
    }

    /// The bits of a carrier with this signal-to-noise ratio and this gap; both in dB.
    ///
    /// b = floor(log2(1 + SNR/Γ)), at most 15, under G.992.2 8; under G.992.1 and G.992.2 not 1.
    pub fn load(self, snr_db: f64, gap_db: f64) -> u32 {
        let holds = |bits: &u32| snr_db >= required_snr_db(*bits, gap_db);
        (self.fewest_bits()..=self.most_bits())
            .rev()
            .find(holds)
            .unwrap_or(0)
    }
}

/// The signal-to-noise ratio that a carrier of `bits` needs with this gap; both in dB.
///
/// ```
/// use celltrain_proto::line::dmt::{gap_db, required_snr_db};
/// assert!((required_snr_db(8, gap_db(6.0, 3.0)) - 36.87).abs() < 0.005);
/// ```
pub fn required_snr_db(bits: u32, gap_db: f64) -> f64 {
    gap_db + to_db(f64::from((1_u32 << bits) - 1))
}

/// The SNR gap for this margin and coding gain; all in dB.
pub const fn gap_db(margin: f64, coding_gain: f64) -> f64 {
    UNCODED_GAP_DB + margin - coding_gain
}

/// Other pairs of the binder that send in the band at its nominal density; 49 at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Binder {
    /// Pairs that send at the receiver's end. Lines of the same kind do not, as their directions do not overlap.
    pub near_end: u32,
    /// Pairs that send at the far end, as lines of the same kind do.
    pub far_end: u32,
}

/// The carriers of a loop, with their signal-to-noise ratios.
#[derive(Clone, PartialEq, Debug)]
pub struct Channel {
    /// Each carrier with its ratio in dB, excluding noise changes over time.
    snr_db: Vec<(u32, f64)>,
    /// For each carrier and each number of bits that it may hold, the largest gap in dB at which it does; for a carrier
    /// that starts with two bits, their gap appears twice. In descending order.
    gaps_db: Vec<f64>,
}

impl Channel {
    /// A loop of `km` kilometres of `wire`, with background noise `noise` in dBm/Hz and the far-end
    /// crosstalk of `disturbers` lines of the same kind in the binder.
    pub fn new(band: Band, wire: Wire, km: f64, noise: f64, disturbers: u32) -> Self {
        let binder = Binder {
            near_end: 0,
            far_end: disturbers,
        };
        Self::in_binder(band, wire, km, noise, binder)
    }

    /// A loop of `km` kilometres of `wire`, with background noise `noise` in dBm/Hz and the crosstalk of
    /// a `binder`.
    pub fn in_binder(band: Band, wire: Wire, km: f64, noise: f64, binder: Binder) -> Self {
        Self::in_noise(band, wire, km, binder, |_| noise)
    }

    /// A loop of `km` kilometres of `wire`, with background noise `noise` in dBm/Hz by frequency in Hz, and the crosstalk
    /// of a `binder`.
    pub(super) fn in_noise(
        band: Band,
        wire: Wire,
        km: f64,
        binder: Binder,
        noise: impl Fn(f64) -> f64,
    ) -> Self {
        let psd = band.psd();
        let snr = |carrier: u32| {
            let hz = f64::from(carrier) * SPACING;
            let near = near_end_crosstalk(psd, hz, binder.near_end);
            let far = far_end_crosstalk(psd, wire, km, hz, binder.far_end);
            let noise = sum_of(sum_of(noise(hz), near), far);
            (carrier, psd - wire.attenuation_db(hz, km) - noise)
        };
        let snr_db = band.carriers().map(snr).collect();
        Self::of_carriers(snr_db, band.fewest_bits(), band.most_bits())
    }

    /// Carriers with their ratios in dB, which hold no bits, or from `fewest` to `most`.
    pub(super) fn of_carriers(snr_db: Vec<(u32, f64)>, fewest: u32, most: u32) -> Self {
        // Bits outside, carriers inside: the ratio falls along the carriers of a loop, so these are few descending runs,
        // which a stable sort only merges.
        let gaps_of = |bits: u32| {
            let needed = required_snr_db(bits.max(fewest), 0.0);
            snr_db.iter().map(move |&(_, snr)| snr - needed)
        };
        let mut gaps_db: Vec<f64> = (1..=most).flat_map(gaps_of).collect();
        gaps_db.sort_by(|one, other| other.total_cmp(one));
        Self { snr_db, gaps_db }
    }

    /// The signal-to-noise ratio of `carrier` in dB, if it carries data.
    pub fn snr_db(&self, carrier: u32) -> Option<f64> {
        let found = self.snr_db.iter().find(|it| it.0 == carrier);
        found.map(|it| it.1)
    }

    /// The gaps of [`Channel`], in descending order: a bit more is held from each of them down.
    pub(super) fn gaps_db(&self) -> &[f64] {
        &self.gaps_db
    }

    /// Bits per symbol with this gap and noise raised by `rise` above the initial level; both in dB.
    pub fn bits(&self, gap_db: f64, rise: f64) -> u32 {
        self.gaps_db.partition_point(|&held| held >= gap_db + rise) as u32
    }

    /// The margin in dB at which the loop just holds `bits`, after bit swaps have equalised it over all carriers;
    /// [`None`] for zero bits, or more than the carriers can ever hold.
    pub fn margin_db(&self, bits: u32, coding_gain: f64, rise: f64) -> Option<f64> {
        let last = bits.checked_sub(1)?;
        let gap = self.gaps_db.get(last as usize)?;
        Some(gap - rise - gap_db(0.0, coding_gain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    /// Six dB of margin, three of coding gain.
    const GAP: f64 = gap_db(6.0, 3.0);

    #[test]
    fn aal5_section_5_ratio_required_for_each_number_of_bits() {
        assert!((GAP - 12.8).abs() < 1e-12);
        for (bits, snr) in [
            (1, 12.80),
            (2, 17.57),
            (4, 24.56),
            (8, 36.87),
            (10, 42.90),
            (15, 57.95),
        ] {
            let found = required_snr_db(bits, GAP);
            assert!((found - snr).abs() <= 0.005, "{bits}: {found}");
        }
    }

    #[test]
    fn aal5_section_5_bits_of_a_carrier() {
        for (snr, adsl, adsl2) in [
            (12.79, 0, 0),
            (12.81, 0, 1),
            (17.56, 0, 1),
            (17.58, 2, 2),
            (24.55, 3, 3),
            (24.57, 4, 4),
            (57.94, 14, 14),
            (57.96, 15, 15),
            (90.0, 15, 15),
        ] {
            assert_eq!(Band::Adsl1Down.load(snr, GAP), adsl, "{snr}");
            assert_eq!(Band::Adsl2PlusDown.load(snr, GAP), adsl2, "{snr}");
        }
    }

    #[test]
    fn aal5_section_10_a_carrier_of_g_lite_holds_at_most_8_bits() {
        // Eight bits need 36.87 dB; nine would need 39.88 dB.
        for (snr, bits) in [(17.56, 0), (17.58, 2), (36.86, 7), (36.88, 8), (90.0, 8)] {
            assert_eq!(Band::LiteDown.load(snr, GAP), bits, "{snr}");
        }
        // A short loop: 94 and 25 carriers of 8 bits.
        for (band, bits) in [(Band::LiteDown, 752), (Band::LiteUp, 200)] {
            let channel = Channel::new(band, Wire::Awg24, 0.5, -140.0, 0);
            assert_eq!(channel.bits(GAP, 0.0), bits);
        }
    }

    #[test]
    fn aal5_section_10_g_lite_sends_at_the_density_of_adsl() {
        // 95 carriers of 4312.5 Hz: 56.12 dB above the density, so 16.1 dBm; G.992.2 allows 16.2 dBm.
        let power = Band::LiteDown.psd() + to_db(95.0 * SPACING);
        assert!((power - 16.12).abs() < 0.01, "{power}");
    }

    #[test]
    fn aal5_section_5_example_of_carrier_100_on_3_km() {
        let attenuation = Wire::Awg26.attenuation_db(100.0 * SPACING, 3.0);
        assert!((attenuation - 50.92).abs() <= 0.005, "{attenuation}");
        let channel = Channel::new(Band::Adsl1Down, Wire::Awg26, 3.0, -120.0, 0);
        let snr = channel.snr_db(100).unwrap();
        assert!((snr - 29.08).abs() <= 0.005, "{snr}");
        assert_eq!(Band::Adsl1Down.load(snr, GAP), 5);
    }

    #[test]
    fn aal5_section_5_carriers_of_each_band() {
        for (band, first, last, count) in [
            (Band::Adsl1Down, 33, 255, 222),
            (Band::Adsl1Up, 7, 31, 25),
            (Band::Adsl2PlusDown, 33, 511, 478),
            (Band::Adsl2PlusUp, 7, 31, 25),
            (Band::LiteDown, 33, 127, 94),
            (Band::LiteUp, 7, 31, 25),
        ] {
            let carriers: Vec<u32> = band.carriers().collect();
            assert_eq!((carriers[0], carriers[count - 1]), (first, last));
            assert_eq!(carriers.len(), count);
            assert!(!carriers.contains(&64), "the pilot holds no data");
        }
    }

    #[test]
    fn aal5_section_7_noise_of_1_db_costs_296_kbit_s_on_223_carriers() {
        // Ratios spread evenly over 24.08 dB, starting 20 dB above the gap: the eight steps from 7 to 14 bits.
        let snr = |i: u32| (33 + i, 30.0 + 24.08 * f64::from(i) / 223.0);
        let channel = Channel::of_carriers((0..223).map(snr).collect(), 2, 15);
        let lost = channel.bits(10.0, 0.0) - channel.bits(10.0, 1.0);
        let rate = 4_000.0 * f64::from(lost);
        // 223/24.08 = 9.26 carriers cross each step: 9 or 10, so 72 to 80 bits, where 223/3.01 = 74.
        assert!((288_000.0..=320_000.0).contains(&rate), "{rate}");
    }

    #[test]
    fn bit_swap_shares_the_margin_that_noise_on_one_carrier_leaves() {
        // In dB above the gap, a ratio of 31 is 14.91, 15 is 11.76 and 63 is 17.99.
        let channel = |one, other| Channel::of_carriers(vec![(40, one), (41, other)], 2, 15);
        // Five bits each at 36 dB: 36 - 14.91 - 9.8 = 11.29 dB of margin.
        let quiet = channel(36.0, 36.0).margin_db(10, 0.0, 0.0).unwrap();
        assert!((quiet - 11.286).abs() < 0.001, "{quiet}");
        // Four dB more noise on one carrier: 7.29 dB there without a swap. With one bit moved, 32 - 11.76 - 9.8 = 10.44
        // dB there and 36 - 17.99 - 9.8 = 8.21 dB on the other: the smaller counts.
        let swapped = channel(32.0, 36.0).margin_db(10, 0.0, 0.0).unwrap();
        assert!((swapped - 8.207).abs() < 0.001, "{swapped}");
    }

    #[test]
    fn margin_falls_by_what_the_noise_rises() {
        let channel = Channel::new(Band::Adsl1Down, Wire::Awg24, 3.0, -120.0, 0);
        let margin = |rise| channel.margin_db(1_375, 3.0, rise).unwrap();
        // 1375 bits at 6 dB; one step of one of 222 carriers is 0.014 dB on average.
        assert!((6.0..6.1).contains(&margin(0.0)), "{}", margin(0.0));
        assert!((margin(0.0) - margin(2.5) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn no_bits_and_more_than_15_a_carrier_have_no_margin() {
        let channel = Channel::new(Band::Adsl1Up, Wire::Awg24, 1.0, -120.0, 0);
        assert_eq!(channel.margin_db(0, 3.0, 0.0), None);
        assert!(channel.margin_db(375, 3.0, 0.0).is_some());
        assert_eq!(channel.margin_db(376, 3.0, 0.0), None);
    }

    #[test]
    fn neighbours_take_bits_and_near_end_ones_more() {
        let bits = |near_end, far_end| {
            let binder = Binder { near_end, far_end };
            Channel::in_binder(Band::Adsl1Down, Wire::Awg24, 2.0, -140.0, binder).bits(GAP, 0.0)
        };
        assert!(bits(0, 1) < bits(0, 0) && bits(0, 10) < bits(0, 1));
        assert!(bits(10, 0) < bits(0, 10) && bits(10, 10) <= bits(10, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn bits_are_the_sum_of_the_loads_and_the_margin_is_the_largest_that_holds_them(
            snr in prop::collection::vec(-10.0..80.0_f64, 1..40),
            gap in 5.0..20.0_f64,
            single in any::<bool>(),
        ) {
            let band = if single { Band::Adsl2PlusDown } else { Band::Adsl1Down };
            let carriers = (33..).zip(snr.iter().copied()).collect();
            let channel = Channel::of_carriers(carriers, band.fewest_bits(), 15);
            let bits = channel.bits(gap, 0.0);
            prop_assert_eq!(bits, snr.iter().map(|&snr| band.load(snr, gap)).sum::<u32>());
            if let Some(margin) = channel.margin_db(bits, 0.0, 0.0) {
                prop_assert!(margin >= gap - UNCODED_GAP_DB - 1e-9);
                prop_assert!(channel.bits(gap_db(margin - 1e-9, 0.0), 0.0) >= bits);
                prop_assert!(channel.bits(gap_db(margin + 1e-9, 0.0), 0.0) < bits);
            }
        }
    }
}
