//! The quantities of one network: spread over orders of magnitude, at their limits, and often repeated, so that events
//! coincide.

use celltrain_language::Quantity;
use celltrain_proto::units::{Bytes, Cells, Distance, Packets, Rate, Span};

use crate::dice::Dice;
use crate::extremes;
use crate::schema::Kind;

/// Bits of a cell.
const CELL_BITS: f64 = 424.0;
/// Picoseconds per second.
const SECOND: f64 = 1e12;

/// The quantities that recur in one network.
#[derive(Clone, Debug)]
pub struct Palette {
    /// Rates in bit/s; the first is that of most lines.
    rates: Vec<u64>,
    /// Times in ps.
    times: Vec<u64>,
    /// Sizes in cells.
    cells: Vec<u64>,
    /// Octets.
    octets: Vec<u64>,
    /// The probability that a quantity is one of the smallest or largest possible.
    extreme: f64,
    /// Whether most rates and times are equal, so that cells of different sources arrive at the same instants.
    is_alike: bool,
    /// The approximate duration of the run, in ps.
    pub horizon: u64,
}

/// Round numbers of microseconds.
const ROUND_US: [u64; 16] = [
    1, 5, 10, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 100_000, 200_000, 500_000,
    1_000_000,
];

impl Palette {
    /// Quantities for a network whose run should have about `cells` cells, summed over its links.
    pub fn new(dice: &mut Dice, cells: f64) -> Self {
        let base = match dice.weighted(&[30, 30, 20, 12, 4, 4]) {
            0 => dice.log_uniform(64e3, 10e6),
            1 => *dice.pick(&[64e3, 100e3, 424e3, 1e6, 2e6, 4.24e6, 10e6, 42.4e6]),
            2 => dice.log_uniform(2e6, 155.52e6),
            3 => dice.log_uniform(500.0, 1e9),
            4 => dice.log_uniform(1.0, 500.0),
            _ => dice.log_uniform(1e9, 4e14),
        };
        let rates = [
            1.0,
            *dice.pick(&[1.0, 0.5, 2.0]),
            dice.log_uniform(0.05, 20.0),
        ];
        let rates: Vec<u64> = rates.map(|part| (base * part).max(1.0) as u64).to_vec();
        // Slow networks may run for a long time: what else happens in them is limited by `Painter::bounds`.
        let longest = if base < 500.0 { 2e3 } else { 20.0 };
        let horizon = (cells / 6.0 / (base / CELL_BITS)).clamp(1e-6, longest) * SECOND;
        let mut palette = Self {
            rates,
            times: Vec::new(),
            cells: vec![
                dice.log_uniform(1.0, 30.0) as u64,
                dice.log_uniform(2.0, 3000.0) as u64,
            ],
            octets: vec![
                *dice.pick(&[1, 40, 128, 512, 536, 1024, 1460, 4312, 9140]),
                dice.log_uniform(1.0, 65_495.0) as u64,
            ],
            extreme: *dice.pick(&[0.0, 0.0, 0.0, 0.02, 0.1]),
            is_alike: dice.chance(0.3),
            horizon: horizon as u64,
        };
        for _ in 0..3 {
            let time = palette.fresh_time(dice, 1_000_000);
            palette.times.push(time);
        }
        palette
    }

    /// Occasionally one of the smallest or largest quantities of `kind`, in networks that have such.
    pub fn extreme(&self, dice: &mut Dice, kind: Kind) -> Option<u64> {
        let is_extreme = dice.chance(self.extreme);
        is_extreme.then(|| *dice.pick(extremes::of(kind)))
    }

    /// The time of a cell at one of the rates, in ps.
    fn cell_time(&self, dice: &mut Dice) -> u64 {
        ((CELL_BITS * SECOND / *dice.pick(&self.rates) as f64) as u64).max(1)
    }

    fn fresh_time(&self, dice: &mut Dice, least: u64) -> u64 {
        match dice.weighted(&[3, 4, 4]) {
            0 => self.cell_time(dice) * dice.pick(&[1, 1, 2, 3, 4, 8, 16, 31, 32, 100]),
            1 => dice.pick(&ROUND_US) * 1_000_000,
            _ => {
                let least = least.max(1_000) as f64;
                dice.log_uniform(least, (self.horizon as f64).max(least)) as u64
            }
        }
    }

    /// A time from `least` to `most`, in ps.
    pub fn time(&self, dice: &mut Dice, least: u64, most: u64) -> u64 {
        let weights = if self.is_alike {
            [30, 2, 1, 60, 5]
        } else {
            [6, 2, 1, 40, 50]
        };
        let time = match dice.weighted(&weights) {
            0 => 0,
            1 => least,
            2 => most.min(self.horizon),
            3 if self.is_alike => self.times[0],
            3 => *dice.pick(&self.times),
            _ => self.fresh_time(dice, least),
        };
        time.clamp(least, most)
    }

    /// A rate above zero, in bit/s.
    pub fn rate(&self, dice: &mut Dice) -> u64 {
        let (base, weights) = if self.is_alike {
            (self.rates[0] as f64, [40, 4, 1, 1])
        } else {
            (*dice.pick(&self.rates) as f64, [8, 6, 2, 1])
        };
        let rate = match dice.weighted(&weights) {
            0 => base,
            1 => base * dice.pick(&[0.5, 2.0, 0.25, 4.0, 0.95, 1.0 / 3.0, 3.0, 0.1, 10.0, 1.5]),
            2 => base * dice.log_uniform(0.02, 20.0),
            _ => dice.log_uniform(500.0, 1e9),
        };
        (rate.round() as u64).clamp(1, 400_000_000_000_000)
    }

    /// A number of cells, from 0 on.
    pub fn cells(&self, dice: &mut Dice) -> u64 {
        match dice.weighted(&[1, 3, 4, 4, 4]) {
            0 => 0,
            1 => 1,
            2 => *dice.pick(&self.cells),
            3 => *dice.pick(&[2, 3, 4, 5, 8, 10, 32, 64, 100, 256, 1000, 1024]),
            _ => dice.log_uniform(1.0, 20_000.0) as u64,
        }
    }

    /// A number of octets, from 0 on.
    pub fn octets(&self, dice: &mut Dice) -> u64 {
        match dice.weighted(&[1, 6, 4, 4]) {
            0 => 1,
            1 => *dice.pick(&self.octets),
            2 => *dice.pick(&[
                28, 40, 41, 48, 88, 536, 1024, 1460, 2048, 8192, 16_384, 65_535,
            ]),
            _ => dice.log_uniform(1.0, 100_000.0) as u64,
        }
    }

    /// A length of cable in m.
    pub fn metres(&self, dice: &mut Dice) -> u64 {
        match dice.weighted(&[3, 3, 3]) {
            0 => 0,
            1 => *dice.pick(&[1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]),
            _ => dice.log_uniform(1.0, 1e6) as u64,
        }
    }
}

/// The text of `value`, given in the unit of `kind` (ps, bit/s, cells, octets, m), in the largest unit in which it is a
/// whole number.
pub fn text(kind: Kind, value: u64) -> String {
    let units: &[(u64, &str)] = match kind {
        Kind::Time => &[
            (1_000_000_000_000, "s"),
            (1_000_000_000, "ms"),
            (1_000_000, "us"),
            (1_000, "ns"),
            (1, "ps"),
        ],
        Kind::Rate => &[(1_000_000, "Mbit/s"), (1_000, "kbit/s"), (1, "bit/s")],
        Kind::Cells => &[(1, "cells")],
        Kind::Packets => &[(1, "packets")],
        Kind::Octets => &[(1 << 20, "MiB"), (1, "bytes")],
        Kind::Distance => &[(1_000, "km"), (1, "m")],
    };
    let zero = (value == 0).then_some(&units[0]);
    let unit = zero.or_else(|| units.iter().find(|unit| value.is_multiple_of(unit.0)));
    let &(size, name) = unit.unwrap_or(&units[units.len() - 1]);
    format!("{} {name}", value / size)
}

/// The number of a [`text`]; `None` for any other text.
pub fn value(kind: Kind, text: &str) -> Option<u64> {
    match kind {
        Kind::Time => Span::parse(text).ok().map(Span::as_ps),
        Kind::Rate => Rate::parse(text)
            .ok()
            .map(|rate| rate.as_bps().round() as u64),
        Kind::Cells => Cells::parse(text).ok().map(|cells| cells.0),
        Kind::Packets => Packets::parse(text).ok().map(|packets| packets.0),
        Kind::Octets => Bytes::parse(text).ok().map(|octets| octets.0),
        Kind::Distance => Distance::parse(text)
            .ok()
            .map(|it| it.metres().round() as u64),
    }
}
