//! ISDN lines in the binder that send and receive in turn: time compression multiplex (TCM).
//!
//! Source: ITU-T G.961 Appendix III for the signal, G.992.1 Annex C for the modems that live beside it.

use super::cable::{far_end_crosstalk, near_end_crosstalk};
use super::{Wire, to_db};
use crate::parameters::Bounds;

/// Symbols per second of the ISDN lines.
const BAUD: f64 = 320e3;
/// Amplitude of a pulse in V, into this many ohms.
const PULSE_V: f64 = 6.0;
const OHMS: f64 = 110.0;

choice! {
    /// How a DMT line is loaded beside TCM-ISDN (G.992.1 Annex C).
    pub enum BitMapping {
        /// Two bit maps, one for the symbols with near-end crosstalk and one for those with far-end crosstalk only (DBM).
        #[default]
        Dual,
        /// One bit map for the symbols with far-end crosstalk only; the other ones carry no data (FBM).
        Fext,
        /// One bit map for all symbols, loaded for near-end crosstalk: a modem that does not know of the cycle.
        Single,
    }
}

parameters! {
    /// ISDN lines in the binder that send and receive in turn, with a cycle of 2.5 ms (G.961 Appendix III).
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct TcmIsdn {
        /// How many of the 49 other pairs are such ISDN lines.
        pub disturbers: u32, in Bounds::within(1, 49);
        /// `"dual"`: a bit map for the symbols with near-end crosstalk and one for those with far-end crosstalk only.
        /// `"fext"`: data only in the symbols with far-end crosstalk only. `"single"`: one bit map for all symbols.
        pub bit_maps: BitMapping = BitMapping::default();
    }
}

impl TcmIsdn {
    /// The crosstalk at `hz` while the near ends send, in dBm/Hz.
    pub(super) fn next(self, hz: f64) -> f64 {
        near_end_crosstalk(psd(hz), hz, self.disturbers)
    }

    /// The crosstalk at `hz` while the far ends send, over `km` kilometres of `wire`, in dBm/Hz.
    pub(super) fn fext(self, wire: Wire, km: f64, hz: f64) -> f64 {
        far_end_crosstalk(psd(hz), wire, km, hz, self.disturbers)
    }
}

/// The spectral density of an ISDN line while it sends, in dBm/Hz: AMI with rectangular pulses of half a symbol.
///
/// For marks with probability 1/2 that alternate in sign, S(f) = A² T / (2 R) · sinc²(f T / 2) · sin²(π f T), counting
/// positive frequencies only. Transmit filters, which attenuate beyond 320 kHz, are left out.
pub(super) fn psd(hz: f64) -> f64 {
    let turns = core::f64::consts::PI * hz / BAUD;
    let half = turns / 2.0;
    let (pulse, code) = (libm::sin(half) / half, libm::sin(turns));
    let watts = PULSE_V * PULSE_V / (2.0 * OHMS * BAUD) * pulse * pulse * code * code;
    to_db(watts * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::dmt::from_db;

    #[test]
    fn aal5_section_9_density_of_tcm_isdn() {
        // At 160 kHz f T is 1/2: sinc²(1/4) = (sin(π/4) / (π/4))² = 0.8106, and sin² = 1. 36 / (220 · 320e3) = 5.1136e-7
        // W/Hz; times 0.8106 this is 4.145e-7 W/Hz, or -33.82 dBm/Hz.
        assert!((psd(160e3) + 33.82).abs() < 0.005, "{}", psd(160e3));
        // At 80 kHz: sinc²(1/8) = 0.9496 and sin² = 1/2: 2.428e-7 W/Hz.
        assert!((psd(80e3) + 36.15).abs() < 0.005, "{}", psd(80e3));
        // AMI has a null at its symbol rate.
        assert!(psd(320e3) < -200.0);
    }

    #[test]
    fn the_density_adds_up_to_the_power_of_the_pulses() {
        // A pulse of 6 V into 110 ohms in half of the symbols, for half of each: 36/110/4 W = 81.8 mW.
        let (step, top) = (100.0, 200e6);
        let mut milliwatts = 0.0;
        let mut hz = step / 2.0;
        while hz < top {
            milliwatts += from_db(psd(hz)) * step;
            hz += step;
        }
        assert!((milliwatts - 81.82).abs() < 0.2, "{milliwatts}");
    }

    #[test]
    fn near_ends_disturb_more_than_far_ends() {
        let isdn = TcmIsdn {
            disturbers: 10,
            bit_maps: BitMapping::Dual,
        };
        // At 160 kHz NEXT couples 8.818e-14 · 6.4e7 = 5.644e-6, or -52.48 dB, less 4.14 dB for 10 of 49 pairs.
        assert!((isdn.next(160e3) + 33.82 + 52.48 + 4.14).abs() < 0.02);
        // FEXT over 2 km: 7.999e-20 · 6561.7 · 2.56e10 = 1.3436e-5, or -48.72 dB; the line takes 16.40 dB.
        let fext = isdn.fext(Wire::Awg24, 2.0, 160e3);
        assert!((fext + 33.82 + 48.72 + 4.14 + 16.40).abs() < 0.02, "{fext}");
    }
}
