//! Twisted pairs: attenuation and crosstalk.
//!
//! Source: ITU-T G.996.1 in the common two-term form of the attenuation; crosstalk of a binder of 49 other
//! pairs after ANSI T1.413.

use super::{from_db, to_db};

/// A gauge of wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wire {
    /// 22 AWG, 0.63 mm.
    Awg22,
    /// 24 AWG, 0.5 mm.
    Awg24,
    /// 26 AWG, 0.4 mm.
    Awg26,
}

const KM_PER_MILE: f64 = 1.6093;
const FEET_PER_KM: f64 = 3_280.84;
/// 20 log10 e: decibels in a neper.
const DB_PER_NEPER: f64 = 8.686;
/// Other pairs of a binder.
const OTHER_PAIRS: f64 = 49.0;

impl Wire {
    /// k1 and k2 of k1·√f + k2·f, in nepers a mile for f in Hz.
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
    /// assert!((Wire::Awg24.attenuation_db(300e3, 1.0) - 11.22).abs() < 0.01);
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

    #[test]
    fn aal5_section_5_attenuation_of_each_gauge_per_km() {
        let frequencies = [40e3, 100e3, 160e3, 300e3, 500e3, 1_000e3];
        for (wire, expected) in [
            (Wire::Awg22, [3.24, 5.12, 6.48, 8.87, 11.45, 16.19]),
            (Wire::Awg24, [4.10, 6.48, 8.20, 11.22, 14.49, 20.48]),
            (Wire::Awg26, [5.18, 8.18, 10.35, 14.16, 18.27, 25.81]),
        ] {
            for (hz, expected) in frequencies.into_iter().zip(expected) {
                let found = wire.attenuation_db(hz, 1.0);
                assert!(
                    (found - expected).abs() < 0.006,
                    "{wire:?} at {hz}: {found}"
                );
            }
        }
    }

    #[test]
    fn crosstalk_grows_by_18_db_for_a_thousand_fold_disturbers_and_with_frequency() {
        // (m/49)^0.6: a full binder has none to add; a tenth of the pairs couples 6 dB less.
        let full = near_end_crosstalk(-40.0, 100e3, 49);
        assert!((full - (-40.0 + to_db(8.818e-14 * 3.162_277_66e7))).abs() < 1e-6);
        let tenth = near_end_crosstalk(-40.0, 100e3, 49) - 6.0;
        assert!((to_db(libm::pow(0.1, 0.6)) + 6.0).abs() < 1e-9 && tenth < full);
        // NEXT rises with f^1.5, FEXT with f² before the line takes its part.
        let next = near_end_crosstalk(-40.0, 1e6, 10) - near_end_crosstalk(-40.0, 1e5, 10);
        assert!((next - 15.0).abs() < 1e-9);
        let fext = |hz| {
            far_end_crosstalk(-40.0, Wire::Awg24, 2.0, hz, 10) + Wire::Awg24.attenuation_db(hz, 2.0)
        };
        assert!((fext(1e6) - fext(1e5) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn two_equal_noises_are_3_db_more_than_one() {
        assert!((sum_of(-120.0, -120.0) + 116.99).abs() < 0.01);
        assert!((sum_of(-120.0, -300.0) + 120.0).abs() < 1e-9);
    }
}
