//! Text forms of quantities: a decimal number and a unit.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use super::{Bytes, CELL_BITS, Cells, PS_PER_S, Rate, Span, Time};

/// Why a text is not the quantity it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuantityError {
    /// It does not start with a decimal number.
    NoNumber,
    /// The number is negative.
    Negative,
    /// The number stands alone.
    NoUnit,
    /// The unit is not one of those that the quantity can have.
    UnknownUnit,
    /// It is finer than the quantity's resolution (a part of a picosecond, cell or octet).
    TooFine,
    /// It is larger than the quantity can be.
    TooLarge,
    /// It is a rate below 1 bit/s, at which a cell takes minutes, but not zero.
    TooSlow,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoNumber => "it does not start with a number",
            Self::Negative => "it is negative",
            Self::NoUnit => "it has no unit",
            Self::UnknownUnit => "its unit is unknown",
            Self::TooFine => "it is not a whole number of the smallest unit",
            Self::TooLarge => "it is too large",
            Self::TooSlow => "it is below 1 bit/s",
        })
    }
}

impl core::error::Error for QuantityError {}

/// A quantity that is written with its unit.
pub trait Quantity: FromStr<Err = QuantityError> + fmt::Display {
    /// What the quantity is, with examples, for error messages and the schema.
    const EXPECTED: &'static str;
}

/// A decimal number, `digits / 10^places`, and the text behind it.
fn split_number(text: &str) -> Result<(u128, u32, &str), QuantityError> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err(QuantityError::Negative);
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
                    .ok_or(QuantityError::TooLarge)?;
                places += u32::from(seen_point);
                seen_digit = true;
            }
            None if c == '.' && !seen_point => seen_point = true,
            None if c == '_' && seen_digit => {}
            None => return Err(QuantityError::NoNumber),
        }
    }
    if !seen_digit || places > 24 {
        return Err(if seen_digit {
            QuantityError::TooFine
        } else {
            QuantityError::NoNumber
        });
    }
    Ok((digits, places, unit.trim_start()))
}

/// `digits / 10^places * multiplier` as a whole number.
fn whole(digits: u128, places: u32, multiplier: u128) -> Result<u64, QuantityError> {
    let product = digits
        .checked_mul(multiplier)
        .ok_or(QuantityError::TooLarge)?;
    let divisor = 10_u128.pow(places);
    if product % divisor != 0 {
        return Err(QuantityError::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| QuantityError::TooLarge)
}

fn unit_of<T: Copy>(unit: &str, table: &[(&str, T)]) -> Result<T, QuantityError> {
    if unit.is_empty() {
        return Err(QuantityError::NoUnit);
    }
    let known = table.iter().find(|(name, _)| *name == unit);
    known
        .map(|&(_, value)| value)
        .ok_or(QuantityError::UnknownUnit)
}

const SPAN_UNITS: [(&str, u128); 8] = [
    ("s", PS_PER_S as u128),
    ("ms", 1_000_000_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("ns", 1_000),
    ("ps", 1),
    ("min", 60 * PS_PER_S as u128),
    ("h", 3_600 * PS_PER_S as u128),
];
const RATE_UNITS: [(&str, u128); 6] = [
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("cells/s", CELL_BITS as u128),
    ("cell/s", CELL_BITS as u128),
];
const CELLS_UNITS: [(&str, u128); 2] = [("cells", 1), ("cell", 1)];
const BYTES_UNITS: [(&str, u128); 8] = [
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
}
impl Quantity for Rate {
    const EXPECTED: &'static str =
        "a rate such as \"1.024 Mbit/s\", \"128 kbit/s\" or \"10 cells/s\"";
}
impl Quantity for Cells {
    const EXPECTED: &'static str = "a number of cells such as \"256 cells\"";
}
impl Quantity for Bytes {
    const EXPECTED: &'static str = "a number of octets such as \"9140 bytes\" or \"64 KiB\"";
}

impl FromStr for Span {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (digits, places, unit) = split_number(text)?;
        Ok(Self::from_ps(whole(
            digits,
            places,
            unit_of(unit, &SPAN_UNITS)?,
        )?))
    }
}
impl FromStr for Cells {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (digits, places, unit) = split_number(text)?;
        Ok(Self(whole(digits, places, unit_of(unit, &CELLS_UNITS)?)?))
    }
}
impl FromStr for Bytes {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (digits, places, unit) = split_number(text)?;
        Ok(Self(whole(digits, places, unit_of(unit, &BYTES_UNITS)?)?))
    }
}
impl FromStr for Rate {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (digits, places, unit) = split_number(text)?;
        let bits = digits
            .checked_mul(unit_of(unit, &RATE_UNITS)?)
            .ok_or(QuantityError::TooLarge)?;
        // The nearest double to the decimal number: a quotient of two rounded ones can be the next.
        let decimal = alloc::format!("{bits}e-{places}");
        let rate = decimal
            .parse::<f64>()
            .map_err(|_| QuantityError::NoNumber)?;
        // The time of a cell is at least a picosecond.
        if rate > 4e14 {
            Err(QuantityError::TooLarge)
        } else if rate > 0.0 && rate < 1.0 {
            Err(QuantityError::TooSlow)
        } else {
            Ok(Self::bps(rate))
        }
    }
}

/// `value` in the largest of `units` that divides it, so that the text reads back to the same value.
fn write_whole(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)]) -> fmt::Result {
    let fits = |&&(_, size): &&(&str, u64)| value != 0 && value.is_multiple_of(size);
    let &(name, size) = units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
    write!(f, "{} {name}", value / size)
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 5] = [
            ("s", PS_PER_S),
            ("ms", 1_000_000_000),
            ("us", 1_000_000),
            ("ns", 1_000),
            ("ps", 1),
        ];
        write_whole(f, self.as_ps(), &UNITS)
    }
}
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span::from_ps(self.as_ps()).fmt(f)
    }
}
impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(f, self.0, &[("cells", 1)])
    }
}
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(
            f,
            self.0,
            &[("MiB", 1 << 20), ("KiB", 1 << 10), ("bytes", 1)],
        )
    }
}
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_unit = |size: f64| {
            let mut text = String::new();
            fmt::Write::write_fmt(&mut text, format_args!("{}", self.as_bps() / size))
                .map(|()| text)
        };
        // A larger unit only where its short text still reads back to the very same rate.
        for (name, size) in [("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)] {
            let text = in_unit(size)?;
            let whole = alloc::format!("{text} {name}");
            if self.as_bps() >= size && text.len() <= 9 && whole.parse() == Ok(*self) {
                return f.write_str(&whole);
            }
        }
        write!(f, "{} bit/s", self.as_bps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn quantities_read_exactly() {
        assert_eq!("70s".parse(), Ok(Span::from_secs(70)));
        assert_eq!("0.05 us".parse(), Ok(Span::from_ps(50_000)));
        assert_eq!("1.024 Mbit/s".parse(), Ok(Rate::bps(1_024_000.0)));
        assert_eq!("10cells/s".parse(), Ok(Rate::bps(4_240.0)));
        assert_eq!("0 bit/s".parse(), Ok(Rate::ZERO));
        assert_eq!("1 bit/s".parse(), Ok(Rate::bps(1.0)));
        assert_eq!("400000 Gbit/s".parse(), Ok(Rate::bps(4e14)));
        let many_digits = "129295344084.84767 kbit/s".parse();
        assert_eq!(many_digits, Ok(Rate::bps(129_295_344_084_847.67)));
        assert_eq!("256 cells".parse(), Ok(Cells(256)));
        assert_eq!("64 KiB".parse(), Ok(Bytes(65_536)));
        assert_eq!("16_777_215 cells".parse(), Ok(Cells(16_777_215)));
    }

    #[test]
    fn bad_quantities_say_what_is_wrong() {
        use QuantityError as E;
        let bad = [
            ("", E::NoNumber),
            ("fast", E::NoNumber),
            ("1.2.3 s", E::NoNumber),
            ("-1 s", E::Negative),
            ("70", E::NoUnit),
            ("70 sec", E::UnknownUnit),
            ("70 bytes", E::UnknownUnit),
            ("0.1 ps", E::TooFine),
            ("99999999999 h", E::TooLarge),
            ("99999999999999999999999999999999 s", E::TooLarge),
        ];
        for (text, error) in bad {
            assert_eq!(text.parse::<Span>(), Err(error), "{text:?}");
        }
        assert_eq!("1.5 cells".parse::<Cells>(), Err(E::TooFine));
        assert_eq!("1 mbit/s".parse::<Rate>(), Err(E::UnknownUnit));
        assert_eq!("0.99 bit/s".parse::<Rate>(), Err(E::TooSlow));
        assert_eq!("400001 Gbit/s".parse::<Rate>(), Err(E::TooLarge));
    }

    #[test]
    fn text_reads_back_to_the_same_value() {
        for ps in [0, 1, 999, 1_000, 50_000, 414_062_500, 70 * PS_PER_S] {
            let span = Span::from_ps(ps);
            assert_eq!(span.to_string().parse(), Ok(span));
        }
        for bps in [
            0.0, 1.0, 4_240.0, 128e3, 1.024e6, 149.76e6, 1e10, 333_333.25,
        ] {
            let rate = Rate::bps(bps);
            assert_eq!(rate.to_string().parse(), Ok(rate), "{rate}");
        }
        assert_eq!(Rate::bps(1.024e6).to_string(), "1.024 Mbit/s");
        assert_eq!(Bytes(65_536).to_string(), "64 KiB");
    }
}
