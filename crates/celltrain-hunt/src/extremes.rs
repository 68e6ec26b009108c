//! The smallest and largest quantities of the language, and those at which counters of 16, 24, 31, 32 and 53 bits
//! overflow.

use crate::schema::Kind;

/// Picoseconds per second.
const SECOND: u64 = 1_000_000_000_000;
/// The longest run, in ps.
const LONGEST: u64 = 200 * 24 * 3_600 * SECOND;

/// In ps.
const TIMES: [u64; 12] = [
    1,
    2,
    999,
    1_000,
    1_001,
    60 * SECOND,
    3_600 * SECOND,
    24 * 3_600 * SECOND,
    LONGEST / 2,
    LONGEST - 1,
    LONGEST,
    LONGEST + 1,
];

/// In bit/s; the largest is 400,000 Gbit/s.
const RATES: [u64; 10] = [
    1,
    2,
    3,
    423,
    424,
    4_240,
    10_000_000_000,
    424_000_000_000,
    399_999_999_999_999,
    400_000_000_000_000,
];

const CELLS: [u64; 15] = [
    1,
    2,
    (1 << 16) - 1,
    1 << 16,
    (1 << 20) - 1,
    1 << 20,
    (1 << 24) - 1,
    1 << 24,
    (1 << 31) - 2,
    (1 << 31) - 1,
    1 << 31,
    (1 << 31) + 1,
    (1 << 32) - 1,
    1 << 32,
    1 << 53,
];

const OCTETS: [u64; 16] = [
    1,
    2,
    65_495,
    65_535,
    65_536,
    (1 << 20) - 1,
    1 << 24,
    // The largest window that can be scaled.
    65_535 << 14,
    1 << 30,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    1 << 40,
    1 << 53,
];

/// In m.
const METRES: [u64; 5] = [1, 2, 40_000_000, 1_000_000_000, 299_792_458_000];

/// Extreme quantities of a kind, in ps, bit/s, cells, packets, octets or m. The language refuses some of them for some keys.
pub fn of(kind: Kind) -> &'static [u64] {
    match kind {
        Kind::Time => &TIMES,
        Kind::Rate => &RATES,
        Kind::Cells | Kind::Packets => &CELLS,
        Kind::Octets => &OCTETS,
        Kind::Distance => &METRES,
    }
}
