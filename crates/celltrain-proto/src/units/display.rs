//! The text form of quantities: a decimal number and a unit, from which the same quantity is read back.
//!
//! [`quantity`](crate::quantity) reads them.

use core::fmt;

use super::{BufferSize, Bytes, Cells, PS_PER_S, Packets, Rate, Span, Time};

/// Writes `value` in the largest of `units` that divides it.
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
impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(f, self.0, &[("packets", 1)])
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
impl fmt::Display for BufferSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cells(cells) => Cells(cells).fmt(f),
            Self::Packets(packets) => Packets(packets).fmt(f),
            Self::Octets(octets) => Bytes(octets).fmt(f),
        }
    }
}
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A larger unit only if its short text is the exact decimal form of this rate.
        for (name, exponent, size) in [("Gbit/s", 9, 1e9), ("Mbit/s", 6, 1e6), ("kbit/s", 3, 1e3)] {
            let text = alloc::format!("{}", self.as_bps() / size);
            let reads_back = alloc::format!("{text}e{exponent}").parse() == Ok(self.as_bps());
            if self.as_bps() >= size && text.len() <= 9 && reads_back {
                return write!(f, "{text} {name}");
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
    fn a_whole_number_is_written_in_the_largest_unit_that_divides_it() {
        assert_eq!(Span::ZERO.to_string(), "0 ps");
        assert_eq!(Span::from_ms(70_000).to_string(), "70 s");
        assert_eq!(Span::from_ps(414_062_500).to_string(), "414062500 ps");
        assert_eq!(Time::from_ps(2_000).to_string(), "2 ns");
        assert_eq!(Bytes(65_536).to_string(), "64 KiB");
        assert_eq!(Bytes(65_537).to_string(), "65537 bytes");
        assert_eq!(Cells(1_000).to_string(), "1000 cells");
    }

    #[test]
    fn a_rate_is_written_in_the_largest_unit_in_which_it_is_short_and_exact() {
        assert_eq!(Rate::ZERO.to_string(), "0 bit/s");
        assert_eq!(Rate::bps(1.024e6).to_string(), "1.024 Mbit/s");
        assert_eq!(Rate::bps(128e3).to_string(), "128 kbit/s");
        // Ten characters in both Mbit/s and kbit/s.
        assert_eq!(Rate::bps(45_678_912.5).to_string(), "45678912.5 bit/s");
        // A third of a Gbit/s has no short decimal form.
        assert_eq!(Rate::bps(1e9 / 3.0).to_string(), "333333333.3333333 bit/s");
    }
}
