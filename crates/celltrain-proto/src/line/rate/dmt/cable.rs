//! Twisted pairs: attenuation and crosstalk.
//!
//! Source: ITU-T G.996.1, with attenuation in the common two-term form; crosstalk from a binder of 49 other pairs as in
//! ANSI T1.413.

use super::{from_db, to_db};

choice! {
    /// The gauge of the wire.
    pub enum Wire {
        /// 0.63 mm.
        #[cfg_attr(feature = "scenario", serde(rename = "22-awg"))]
        Awg22,
        /// 0.5 mm.
        #[default]
        #[cfg_attr(feature = "scenario", serde(rename = "24-awg"))]
        Awg24,
        /// 0.4 mm.
        #[cfg_attr(feature = "scenario", serde(rename = "26-awg"))]
        Awg26,
    }
}

const KM_PER_MILE: f64 = 1.609_344;
const FEET_PER_KM: f64 = 5_280.0 / KM_PER_MILE;
/// Decibels in a neper: 20 log10 e.
const DB_PER_NEPER: f64 = 20.0 * core::f64::consts::LOG10_E;
/// Other pairs in a binder.
const OTHER_PAIRS: f64 = 49.0;

impl Wire {
    /// k1 and k2 of k1·√f + k2·f, in nepers per mile for f in Hz.
    const fn coefficients(self) -> (f64, f64) {
        match self {
            Self::Awg22 => (3.0e-3, 0.035e-8),
            Self::Awg24 => (3.8e-3, -0.541e-8),
            Self::Awg26 => (4.8e-3, -1.709e-8),
        }
    }

    /// Attenuation of `km` kilometres at `hz`, in dB.
    ///
    /// ```
    /// use celltrain_proto::line::dmt::Wire;
    /// assert!((Wire::Awg24.attenuation_db(300e3, 1.0) - 11.22).abs() < 0.005);
    /// ```
    pub fn attenuation_db(self, hz: f64, km: f64) -> f64 {
        let (k1, k2) = self.coefficients();
        DB_PER_NEPER * (k1 * libm::sqrt(hz) + k2 * hz) / KM_PER_MILE * km
    }
}

fn of_binder(disturbers: u32) -> f64 {
    libm::pow(f64::from(disturbers) / OTHER_PAIRS, 0.6)
}

/// Near-end crosstalk of `disturbers` pairs that send at `psd` dBm/Hz, at `hz`; in dBm/Hz.
pub fn near_end_crosstalk(psd: f64, hz: f64, disturbers: u32) -> f64 {
    psd + to_db(8.818e-14 * libm::pow(hz, 1.5) * of_binder(disturbers))
}

/// Far-end crosstalk of `disturbers` pairs that send at `psd` dBm/Hz over `km` kilometres of `wire`, at
/// `hz`; in dBm/Hz.
pub fn far_end_crosstalk(psd: f64, wire: Wire, km: f64, hz: f64, disturbers: u32) -> f64 {
    let coupling = 7.999e-20 * km * FEET_PER_KM * hz * hz * of_binder(disturbers);
    psd - wire.attenuation_db(hz, km) + to_db(coupling)
}

/// The sum of two levels of noise, in dBm/Hz.
pub(super) fn sum_of(one: f64, other: f64) -> f64 {
    to_db(from_db(one) + from_db(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares at the two decimals of the expected value.
    #[track_caller]
    fn assert_two_decimals(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 0.005, "{found}, not {expected}");
    }

    #[test]
    fn aal5_section_5_attenuation_of_each_gauge_per_km() {
        let frequencies = [40e3, 100e3, 160e3, 300e3, 500e3, 1_000e3];
        for (wire, expected) in [
            (Wire::Awg22, [3.24, 5.12, 6.48, 8.87, 11.45, 16.19]),
            (Wire::Awg24, [4.10, 6.48, 8.20, 11.22, 14.49, 20.48]),
            (Wire::Awg26, [5.18, 8.18, 10.35, 14.16, 18.27, 25.81]),
        ] {
            for (hz, expected) in frequencies.into_iter().zip(expected) {
                assert_two_decimals(wire.attenuation_db(hz, 1.0), expected);
            }
        }
    }

    #[test]
    fn aal5_section_5_near_end_crosstalk() {
        // At 100 kHz f^1.5 is 3.1623e7; times 8.818e-14 this is 2.7885e-6: -55.55 dB.
        assert_two_decimals(near_end_crosstalk(-40.0, 100e3, 49), -95.55);
        // Ten pairs of 49: 6 log10(10/49) = -4.14 dB.
        assert_two_decimals(near_end_crosstalk(-40.0, 100e3, 10), -99.69);
        // A decade of frequency: 15 dB.
        assert_two_decimals(near_end_crosstalk(-40.0, 1e6, 49), -80.55);
    }

    #[test]
    fn aal5_section_5_far_end_crosstalk() {
        // 1 km is 3280.84 ft; 7.999e-20 * 3280.84 * 9e10 = 2.3619e-5: -46.267 dB; the line itself
        // takes 11.225 dB.
        let fext = |km, disturbers| far_end_crosstalk(-40.0, Wire::Awg24, km, 300e3, disturbers);
        assert_two_decimals(fext(1.0, 49), -97.49);
        // Twice the length: 3.01 dB more coupling, 11.22 dB more attenuation.
        assert_two_decimals(fext(2.0, 49), -105.71);
        assert_two_decimals(fext(1.0, 10), -101.63);
    }

    #[test]
    fn no_disturber_causes_no_crosstalk() {
        let nothing = near_end_crosstalk(-40.0, 1e5, 0);
        assert_eq!(nothing, f64::NEG_INFINITY);
        assert_eq!(sum_of(-120.0, nothing), to_db(from_db(-120.0)));
    }

    #[test]
    fn two_equal_noises_are_3_db_more_than_one() {
        assert!((sum_of(-120.0, -120.0) + 116.99).abs() < 0.01);
        assert!((sum_of(-120.0, -300.0) + 120.0).abs() < 1e-9);
    }
}
