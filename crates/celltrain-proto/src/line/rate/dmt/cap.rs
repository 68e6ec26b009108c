//! CAP: an ADSL line with a single carrier.
//!
//! Carrierless amplitude and phase modulation sends symbols of 4 to 256 points at one symbol rate in one band: from 240 kHz
//! up downstream, from 35 kHz up upstream, with an excess bandwidth of 15 %. An ideal decision-feedback equaliser turns the
//! ratios of the band into one, 1 + SNR = exp(mean of ln(1 + SNR(f))), from which the bits per symbol follow with the same
//! gap as for a carrier of DMT. Loop, noise, margin, adaptation and retraining are those of DMT.
//!
//! Source: ANSI T1.TR.59 (RADSL) for bands and symbol rates; J. Salz, "Optimum mean-square decision feedback equalization",
//! BSTJ 52 (1973), for the ratio.

use alloc::vec::Vec;

use super::cable::{far_end_crosstalk, sum_of};
use super::framing::Framing;
use super::line::{Adaptation, DmtLine, Retrain};
use super::loading::{Channel, gap_db};
use super::noise::Neighbour;
use super::{Wire, from_db, to_db};
use crate::line::rate::changes::VaryingRate;
use crate::line::rate::range::RateRange;
use crate::parameters::{Bounds, Problem, each, inside};
use crate::random::Stream;
use crate::units::{Decibels, Distance, Rate};

/// Bandwidth over symbol rate.
const EXCESS: f64 = 1.15;
/// Bits per symbol: 4 to 256 points.
const FEWEST_BITS: u32 = 2;
const MOST_BITS: u32 = 8;
/// Frequencies at which a band is sampled.
const SAMPLES: u32 = 64;

choice! {
    /// The direction of a CAP line, which has a band and a power of its own.
    pub enum CapDirection {
        /// From the network: from 240 kHz up, at -40 dBm/Hz.
        #[default]
        Down,
        /// To the network: from 35 kHz up, at -38 dBm/Hz.
        Up,
    }
}

impl CapDirection {
    /// The lower edge of the band in Hz.
    const fn lower_edge(self) -> f64 {
        match self {
            Self::Down => 240e3,
            Self::Up => 35e3,
        }
    }

    /// Power spectral density in dBm/Hz.
    const fn psd(self) -> f64 {
        match self {
            Self::Down => -40.0,
            Self::Up => -38.0,
        }
    }
}

parameters! {
    /// The parameters of a CAP line.
    #[derive(Clone, PartialEq, Debug)]
    pub struct CapParameters {
        /// `"down"` (from 240 kHz up) or `"up"` (from 35 kHz up).
        pub direction: CapDirection;
        /// Thousands of symbols per second: usually 340, 680 or 952 down, 136 up.
        pub symbol_rate_kbaud: u32, in Bounds::within(17, 1_088);
        /// `"22-awg"` (0.63 mm), `"24-awg"` (0.5 mm), `"26-awg"` (0.4 mm).
        pub wire: Wire = Wire::default();
        /// Length of the loop. A loop too long to carry two bits per symbol is refused.
        pub length: Distance;
        /// Background noise in dBm/Hz.
        pub noise_dbm_per_hz: Decibels = Decibels(-140.0), in Bounds::within(Decibels(-200.0), Decibels(0.0));
        /// Other lines of the same kind in the binder, of 49, whose far-end crosstalk adds to the noise.
        pub disturbers: u32 = 0, in Bounds::within(0, 49);
        /// The margin at which the line is loaded, in dB.
        pub target_margin_db: Decibels = Decibels(6.0), in Bounds::within(Decibels(0.0), Decibels(31.0));
        /// Gain of the code, in dB.
        pub coding_gain_db: Decibels = Decibels(3.0), in Bounds::within(Decibels(0.0), Decibels(12.0));
        /// Octets of parity in each Reed-Solomon codeword of 255 octets.
        pub parity: u32 = 16, in Bounds::within(0, 16);
        /// Intermittent noises, as of a line with `process = "dmt"`.
        pub neighbours: Vec<Neighbour> = Vec::new();
        /// Rate adaptation (RADSL), as of a line with `process = "dmt"`; a step is a bit per symbol, of 3 dB.
        pub adaptation: Option<Adaptation>;
        /// When the line retrains, as of a line with `process = "dmt"`.
        pub retrain: Retrain = Retrain::default();
    }
    |it| it.related()
}

impl CapParameters {
    fn related(&self) -> Result<(), Problem> {
        each("neighbours", &self.neighbours, Neighbour::check)?;
        inside("retrain", self.retrain.check())?;
        if self.range().high == Rate::ZERO {
            return Err(Problem {
                key: "length".into(),
                message: "the loop holds no bits: it is too long, or too noisy".into(),
            });
        }
        Ok(())
    }

    const fn framing(&self) -> Framing {
        Framing::SingleCarrier {
            baud: 1_000 * self.symbol_rate_kbaud,
            parity: self.parity,
        }
    }

    /// The centre of the band in Hz.
    fn centre_hz(&self) -> f64 {
        let baud = 1e3 * f64::from(self.symbol_rate_kbaud);
        self.direction.lower_edge() + EXCESS * baud / 2.0
    }

    /// The signal-to-noise ratio at `hz`, in dB.
    fn snr_at(&self, hz: f64) -> f64 {
        let (psd, km) = (self.direction.psd(), self.length.km());
        let far = far_end_crosstalk(psd, self.wire, km, hz, self.disturbers);
        psd - self.wire.attenuation_db(hz, km) - sum_of(self.noise_dbm_per_hz.0, far)
    }

    /// The ratio behind an ideal equaliser, in dB. Beyond one symbol rate the band repeats itself, so the middle counts.
    fn snr_db(&self) -> f64 {
        let baud = 1e3 * f64::from(self.symbol_rate_kbaud);
        let first = self.centre_hz() - baud / 2.0;
        let sum: f64 = (0..SAMPLES)
            .map(|it| first + baud * (f64::from(it) + 0.5) / f64::from(SAMPLES))
            .map(|hz| libm::log1p(from_db(self.snr_at(hz))))
            .sum();
        to_db(libm::expm1(sum / f64::from(SAMPLES)))
    }

    fn channel(&self) -> Channel {
        Channel::of_carriers(alloc::vec![(1, self.snr_db())], FEWEST_BITS, MOST_BITS)
    }
}

impl VaryingRate for CapParameters {
    type Process = DmtLine;

    fn start(&self, stream: Stream) -> DmtLine {
        let (margin, gain) = (self.target_margin_db.0, self.coding_gain_db.0);
        let (channel, framing) = (self.channel(), self.framing());
        let line = DmtLine::new(channel, framing, margin, gain, self.retrain, stream)
            .with_neighbours(&self.neighbours);
        match self.adaptation {
            Some(adaptation) => line.with_adaptation(adaptation),
            None => line,
        }
    }

    /// Zero if intermittent noise can cause a retrain, and the rate without it.
    fn range(&self) -> RateRange {
        let gap = gap_db(self.target_margin_db.0, self.coding_gain_db.0);
        let high = self.framing().net_rate(self.channel().bits(gap, 0.0));
        let changes = !self.neighbours.is_empty();
        RateRange {
            low: if changes { Rate::ZERO } else { high },
            high,
            changes_per_s: f64::from(u8::from(changes)),
        }
    }

    fn is_random(&self) -> bool {
        true
    }

    fn trains(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::rate::changes::RateChanges;
    use crate::units::Span;

    fn cap(
        direction: CapDirection,
        symbol_rate_kbaud: u32,
        metres: u64,
        noise: f64,
    ) -> CapParameters {
        CapParameters {
            direction,
            symbol_rate_kbaud,
            wire: Wire::Awg24,
            length: Distance::from_metres(metres).expect("it is short"),
            noise_dbm_per_hz: Decibels(noise),
            disturbers: 0,
            target_margin_db: Decibels(6.0),
            coding_gain_db: Decibels(3.0),
            parity: 16,
            neighbours: Vec::new(),
            adaptation: None,
            retrain: Retrain::default(),
        }
    }

    #[test]
    fn aal5_section_11_centres_of_the_bands() {
        for (direction, kbaud, khz) in [
            (CapDirection::Down, 340, 435.5),
            (CapDirection::Down, 680, 631.0),
            (CapDirection::Down, 952, 787.4),
            (CapDirection::Up, 136, 113.2),
        ] {
            let centre = cap(direction, kbaud, 1_000, -120.0).centre_hz() / 1e3;
            assert!((centre - khz).abs() < 0.05, "{centre}");
        }
    }

    #[test]
    fn aal5_section_11_the_ratio_of_the_band_is_its_geometric_mean() {
        // At ratios far above one, that is the mean in dB. Over 3 km the upstream band, 45.2 to 181.2 kHz, loses
        // 3 · 8.686 · (3.8e-3 · 331.7 - 0.541e-8 · 113.2e3) / 1.6093 dB, where 331.7 is the mean of the root of the
        // frequency: 2/3 · (181.2e3^1.5 - 45.2e3^1.5) / 136e3.
        let found = cap(CapDirection::Up, 136, 3_000, -120.0).snr_db();
        let loss = 3.0 * 8.685_9 * (3.8e-3 * 331.0 - 0.541e-8 * 113.2e3) / 1.609_344;
        assert!((found - (120.0 - 38.0 - loss)).abs() < 0.1, "{found}");
    }

    #[test]
    fn aal5_section_11_bits_per_symbol_follow_from_ratio_and_gap() {
        // 61.7 dB are more than 36.87 dB: 8 bits. 1088 kbit/s less 16 of 255 octets.
        let up = cap(CapDirection::Up, 136, 3_000, -120.0);
        assert!((up.range().high.as_bps() - 1.088e6 * 239.0 / 255.0).abs() < 1e-6);
        // At -90 dBm/Hz the ratio is 31.7 dB: six bits need 12.8 + 17.99 = 30.79 dB, seven 33.84 dB.
        let loud = cap(CapDirection::Up, 136, 3_000, -90.0);
        assert!((loud.range().high.as_bps() - 816e3 * 239.0 / 255.0).abs() < 1e-6);
    }

    #[test]
    fn a_loop_that_holds_less_than_two_bits_is_refused_and_so_are_wrong_symbol_rates() {
        assert_eq!(cap(CapDirection::Down, 340, 3_000, -120.0).check(), Ok(()));
        for (wrong, key) in [
            (cap(CapDirection::Down, 340, 9_000, -120.0), "length"),
            (
                cap(CapDirection::Down, 2_000, 1_000, -120.0),
                "symbol_rate_kbaud",
            ),
        ] {
            assert_eq!(wrong.check().map_err(|it| it.key), Err(key.into()));
        }
    }

    #[test]
    fn ten_db_of_noise_take_three_bits() {
        // At first 31.7 dB, and 21.7 dB with the neighbour: three bits need 21.25 dB.
        let mut loud = cap(CapDirection::Up, 136, 3_000, -90.0);
        loud.neighbours = alloc::vec![Neighbour {
            rise_db: Decibels(10.0),
            mean_on: Span::from_secs(10_000_000),
            mean_off: Span::from_secs(1),
        }];
        let mut line = loud.start(Stream::named(1, "line"));
        assert_eq!(line.first(), Rate::bps(408e3 * 239.0 / 255.0));
        let range = loud.range();
        assert_eq!((range.low, range.changes_per_s), (Rate::ZERO, 1.0));
    }
}
