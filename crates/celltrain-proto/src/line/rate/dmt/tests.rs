//! Rates of complete loops: cable, loading and framing together.

use super::framing::net_rate;
use super::{Band, Channel, Wire, gap_db};

/// Bits per symbol, kbit/s, whole cells/s.
type Direction = (u32, f64, u32);
/// Loops at a noise of -120 dBm/Hz, 6 dB of margin, 3 dB of coding gain, 16 octets of parity, S = 1:
/// km, wire, attenuation at 300 kHz in dB, down, up.
const LOOPS: [(f64, Wire, f64, Direction, Direction); 8] = [
    (1.0, Wire::Awg24, 11.2, (3_330, 7_616.0, 17_962), UP_1),
    (2.0, Wire::Awg24, 22.4, (2_511, 7_616.0, 17_962), UP_1),
    (3.0, Wire::Awg24, 33.7, (1_375, 4_928.0, 11_622), UP_1),
    (4.0, Wire::Awg24, 44.9, (590, 1_792.0, 4_226), UP_4),
    (5.0, Wire::Awg24, 56.1, (259, 480.0, 1_132), UP_5),
    (2.0, Wire::Awg26, 28.3, (1_925, 7_136.0, 16_830), UP_1),
    (3.0, Wire::Awg26, 42.5, (706, 2_272.0, 5_358), UP_3_THIN),
    (4.0, Wire::Awg26, 56.6, (247, 416.0, 981), UP_4_THIN),
];
const UP_1: Direction = (375, 928.0, 2_188);
const UP_4: Direction = (357, 864.0, 2_037);
const UP_5: Direction = (319, 704.0, 1_660);
const UP_3_THIN: Direction = (363, 896.0, 2_113);
const UP_4_THIN: Direction = (317, 704.0, 1_660);

#[test]
fn aal5_section_5_1_bits_rates_and_cells_of_each_loop() {
    for (km, wire, attenuation, down, up) in LOOPS {
        let found = wire.attenuation_db(300e3, km);
        assert!((found - attenuation).abs() < 0.05, "{km} {wire:?}: {found}");
        for (band, (bits, kbps, cells)) in [(Band::Adsl1Down, down), (Band::Adsl1Up, up)] {
            let loaded = Channel::new(band, wire, km, -120.0, 0).bits(gap_db(6.0, 3.0), 0.0);
            assert_eq!(loaded, bits, "{km} {wire:?} {band:?}");
            let rate = net_rate(loaded, 16);
            assert_eq!(rate.as_bps(), kbps * 1e3, "{km} {wire:?} {band:?}");
            assert_eq!(
                rate.as_cells_per_s() as u32,
                cells,
                "{km} {wire:?} {band:?}"
            );
        }
    }
}
