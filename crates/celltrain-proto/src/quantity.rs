//! Quantities: a decimal number and a unit.
//!
//! Numbers are parsed exactly: none passes through a binary fraction on its way to picoseconds or counts. The output
//! format of a quantity is defined next to its type, in [`units`](crate::units).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::units::{BufferSize, Bytes, CELL_BITS, Cells, Distance, Packets, Rate, Span};

/// A quantity written with its unit.
pub trait Quantity: Copy + fmt::Display {
    /// The description of the quantity, with examples, for messages and the schema.
    const EXPECTED: &'static str;

    /// Reads a number and its unit.
    fn read(text: &str) -> Result<Self, Reason>;

    /// Reads as [`Quantity::read`] does, with a self-contained error.
    fn parse(text: &str) -> Result<Self, QuantityError> {
        Self::read(text).map_err(|reason| QuantityError {
            expected: Self::EXPECTED,
            found: text.to_owned(),
            reason,
        })
    }
}

/// Text that is not the expected quantity.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected}, found \"{found}\": {reason}")]
pub struct QuantityError {
    /// What was expected, with examples.
    pub expected: &'static str,
    /// The text.
    pub found: String,
    /// What is wrong with it.
    pub reason: Reason,
}

/// Why text is not a quantity.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// It does not start with a decimal number.
    #[error("it does not start with a number")]
    NoNumber,
    /// The number is negative.
    #[error("it is negative")]
    Negative,
    /// The number has no unit.
    #[error("it has no unit")]
    NoUnit,
    /// The unit is not one of the quantity's.
    #[error(fmt = write_unknown)]
    UnknownUnit {
        /// The unit, as written.
        unit: String,
        /// The units of the quantity.
        known: Vec<&'static str>,
    },
    /// It is finer than the quantity's resolution (a fraction of a picosecond, cell, octet or metre).
    #[error("it is not a whole number of the smallest unit")]
    TooFine,
    /// It is larger than the quantity's maximum.
    #[error("it is too large")]
    TooLarge,
    /// It is a rate that is not zero but below 1 bit/s, at which a cell would take minutes.
    #[error("it is below 1 bit/s")]
    TooSlow,
}

/// Unit names are too short for spelling suggestions, except for a difference in case.
fn write_unknown(unit: &str, known: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(near) = known.iter().find(|it| it.eq_ignore_ascii_case(unit)) {
        return write!(f, "its unit is unknown; did you mean \"{near}\"?");
    }
    f.write_str("its unit is unknown; expected one of ")?;
    for (number, name) in known.iter().enumerate() {
        let comma = if number > 0 { ", " } else { "" };
        write!(f, "{comma}\"{name}\"")?;
    }
    Ok(())
}

/// A decimal number, `digits / 10^places`, and the text after it.
fn split_number(text: &str) -> Result<(u128, u32, &str), Reason> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err(Reason::Negative);
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '_'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let (mut digits, mut places, mut seen_point, mut seen_digit) = (0_u128, 0, false, false);
    for c in number.chars() {
        match c.to_digit(10) {
            Some(digit) => {
                digits = digits
                    .checked_mul(10)
                    .and_then(|d| d.checked_add(u128::from(digit)))
                    .filter(|&d| d < 1 << 80)
                    .ok_or(Reason::TooLarge)?;
                places += u32::from(seen_point);
                seen_digit = true;
            }
            None if c == '.' && !seen_point => seen_point = true,
            None if c == '_' && seen_digit => {}
            None => return Err(Reason::NoNumber),
        }
    }
    if !seen_digit || places > 24 {
        return Err(if seen_digit {
            Reason::TooFine
        } else {
            Reason::NoNumber
        });
    }
    Ok((digits, places, unit.trim_start()))
}

/// `digits / 10^places * multiplier` as a whole number.
fn whole(digits: u128, places: u32, multiplier: u128) -> Result<u64, Reason> {
    let product = digits.checked_mul(multiplier).ok_or(Reason::TooLarge)?;
    let divisor = 10_u128.pow(places);
    if product % divisor != 0 {
        return Err(Reason::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| Reason::TooLarge)
}

fn unit_of(unit: &str, table: &[(&'static str, u128)]) -> Result<u128, Reason> {
    if unit.is_empty() {
        return Err(Reason::NoUnit);
    }
    let known = table.iter().find(|(name, _)| *name == unit);
    known
        .map(|&(_, size)| size)
        .ok_or_else(|| Reason::UnknownUnit {
            unit: unit.to_owned(),
            known: table.iter().map(|&(name, _)| name).collect(),
        })
}

/// Reads a whole number of the base unit, of which each of `units` is a multiple with the given size.
pub fn read_whole(text: &str, units: &[(&'static str, u128)]) -> Result<u64, Reason> {
    let (digits, places, unit) = split_number(text)?;
    whole(digits, places, unit_of(unit, units)?)
}

/// Picoseconds in each unit of time.
const TIMES: [(&str, u128); 8] = [
    ("s", 1_000_000_000_000),
    ("ms", 1_000_000_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("ns", 1_000),
    ("ps", 1),
    ("min", 60_000_000_000_000),
    ("h", 3_600_000_000_000_000),
];
/// Bits per second.
const RATES: [(&str, u128); 6] = [
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("cells/s", CELL_BITS as u128),
    ("cell/s", CELL_BITS as u128),
];
const CELLS: [(&str, u128); 2] = [("cells", 1), ("cell", 1)];
const PACKETS: [(&str, u128); 2] = [("packets", 1), ("packet", 1)];
/// Octets.
const SIZES: [(&str, u128); 8] = [
    ("bytes", 1),
    ("byte", 1),
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

impl Quantity for Span {
    const EXPECTED: &'static str = "a time such as \"70 s\", \"10 ms\" or \"5 us\"";

    fn read(text: &str) -> Result<Self, Reason> {
        read_whole(text, &TIMES).map(Self::from_ps)
    }
}

impl Quantity for Cells {
    const EXPECTED: &'static str = "a number of cells such as \"256 cells\"";

    fn read(text: &str) -> Result<Self, Reason> {
        read_whole(text, &CELLS).map(Self)
    }
}

impl Quantity for Bytes {
    const EXPECTED: &'static str = "a number of octets such as \"9140 bytes\" or \"64 KiB\"";

    fn read(text: &str) -> Result<Self, Reason> {
        read_whole(text, &SIZES).map(Self)
    }
}

impl Quantity for BufferSize {
    const EXPECTED: &'static str =
        "a size of a queue such as \"256 cells\", \"100 packets\" or \"64 KiB\"";

    fn read(text: &str) -> Result<Self, Reason> {
        let (digits, places, unit) = split_number(text)?;
        let all = [&CELLS[..], &PACKETS, &SIZES].concat();
        let amount = whole(digits, places, unit_of(unit, &all)?)?;
        let is_of = |table: &[(&'static str, u128)]| table.iter().any(|(name, _)| *name == unit);
        Ok(if is_of(&CELLS) {
            Self::Cells(amount)
        } else if is_of(&PACKETS) {
            Self::Packets(amount)
        } else {
            Self::Octets(amount)
        })
    }
}

impl Quantity for Packets {
    const EXPECTED: &'static str = "a number of packets such as \"100 packets\"";

    fn read(text: &str) -> Result<Self, Reason> {
        read_whole(text, &PACKETS).map(Self)
    }
}

impl Quantity for Distance {
    const EXPECTED: &'static str = "a distance such as \"10 m\" or \"1000 km\"";

    fn read(text: &str) -> Result<Self, Reason> {
        let metres = read_whole(text, &[("m", 1), ("km", 1_000)])?;
        Self::from_metres(metres).ok_or(Reason::TooLarge)
    }
}

impl Quantity for Rate {
    const EXPECTED: &'static str =
        "a rate such as \"1.024 Mbit/s\", \"128 kbit/s\" or \"10 cells/s\"";

    fn read(text: &str) -> Result<Self, Reason> {
        let (digits, places, unit) = split_number(text)?;
        let bits = digits
            .checked_mul(unit_of(unit, &RATES)?)
            .ok_or(Reason::TooLarge)?;
        // The double nearest to the decimal number: a quotient of two rounded ones can be off by one.
        let decimal = format!("{bits}e-{places}");
        let rate = decimal.parse::<f64>().map_err(|_| Reason::NoNumber)?;
        // The time of a cell must be at least a picosecond.
        if rate > 4e14 {
            Err(Reason::TooLarge)
        } else if rate > 0.0 && rate < 1.0 {
            Err(Reason::TooSlow)
        } else {
            Ok(Self::bps(rate))
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn quantities_read_exactly() {
        assert_eq!(Span::read("70s"), Ok(Span::from_secs(70)));
        assert_eq!(Span::read("0.05 us"), Ok(Span::from_ps(50_000)));
        assert_eq!(Rate::read("1.024 Mbit/s"), Ok(Rate::bps(1_024_000.0)));
        assert_eq!(Rate::read("10cells/s"), Ok(Rate::bps(4_240.0)));
        assert_eq!(Rate::read("0 bit/s"), Ok(Rate::ZERO));
        assert_eq!(Rate::read("1 bit/s"), Ok(Rate::bps(1.0)));
        assert_eq!(Rate::read("400000 Gbit/s"), Ok(Rate::bps(4e14)));
        let many_digits = Rate::read("129295344084.84767 kbit/s");
        assert_eq!(many_digits, Ok(Rate::bps(129_295_344_084_847.67)));
        assert_eq!(Cells::read("256 cells"), Ok(Cells(256)));
        assert_eq!(Bytes::read("64 KiB"), Ok(Bytes(65_536)));
        assert_eq!(Cells::read("16_777_215 cells"), Ok(Cells(16_777_215)));
        assert_eq!(BufferSize::read("1 cell"), Ok(BufferSize::Cells(1)));
        assert_eq!(BufferSize::read("7 packets"), Ok(BufferSize::Packets(7)));
        assert_eq!(BufferSize::read("1.5 kB"), Ok(BufferSize::Octets(1_500)));
    }

    #[test]
    fn bad_quantities_say_what_is_wrong() {
        let bad = [
            ("", Reason::NoNumber),
            ("fast", Reason::NoNumber),
            ("1.2.3 s", Reason::NoNumber),
            ("-1 s", Reason::Negative),
            ("70", Reason::NoUnit),
            ("0.1 ps", Reason::TooFine),
            ("99999999999 h", Reason::TooLarge),
            ("99999999999999999999999999999999 s", Reason::TooLarge),
        ];
        for (text, reason) in bad {
            assert_eq!(Span::read(text), Err(reason), "{text:?}");
        }
        assert_eq!(Cells::read("1.5 cells"), Err(Reason::TooFine));
        assert_eq!(Rate::read("0.99 bit/s"), Err(Reason::TooSlow));
        assert_eq!(Rate::read("400001 Gbit/s"), Err(Reason::TooLarge));
    }

    #[test]
    fn a_distance_is_whole_metres_of_no_more_than_a_million_km() {
        assert_eq!(Distance::read("1.5 m"), Err(Reason::TooFine));
        assert_eq!(Distance::read("1000000.001 km"), Err(Reason::TooLarge));
        for text in ["0 m", "999 m", "1 km", "1000000 km"] {
            assert_eq!(
                Distance::read(text).map(|it| it.to_string()),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn an_unknown_unit_is_told_with_those_that_are_known() {
        let message = |error: QuantityError| error.to_string();
        assert_eq!(
            Cells::parse("64 bytes").map_err(message),
            Err("expected a number of cells such as \"256 cells\", found \"64 bytes\": its unit is unknown; \
                 expected one of \"cells\", \"cell\""
                .to_owned())
        );
        for (text, hint) in [
            ("10 mbit/s", "; did you mean \"Mbit/s\"?"),
            ("10 KBIT/S", "; did you mean \"kbit/s\"?"),
            ("10 m", "; expected one of \"bit/s\", \"kbit/s\", "),
        ] {
            let found = Rate::read(text).unwrap_err().to_string();
            assert!(found.contains(hint), "{found}");
        }
    }

    #[test]
    fn text_reads_back_to_the_same_value() {
        for ps in [0, 1, 999, 1_000, 50_000, 414_062_500, 70_000_000_000_000] {
            let span = Span::from_ps(ps);
            assert_eq!(Span::read(&span.to_string()), Ok(span));
        }
        for bps in [
            0.0,
            1.0,
            4_240.0,
            128e3,
            1.024e6,
            149.76e6,
            1e10,
            333_333.25,
            1e9 / 3.0,
        ] {
            let rate = Rate::bps(bps);
            assert_eq!(Rate::read(&rate.to_string()), Ok(rate), "{rate}");
        }
        for octets in [0, 1, 1_460, 1 << 10, 65_536, 3 << 20] {
            let size = Bytes(octets);
            assert_eq!(Bytes::read(&size.to_string()), Ok(size));
        }
    }
}
