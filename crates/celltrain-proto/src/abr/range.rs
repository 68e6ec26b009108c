//! The allowed range of an ABR parameter, and the error for a value outside it.

use core::fmt;

/// The allowed values of a parameter, in the unit of [`ParameterError::value`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Expected {
    /// Only this value.
    Exactly(f64),
    /// Any larger value.
    MoreThan(f64),
    /// This value or any larger one.
    AtLeast(f64),
    /// From the first value to the second.
    Between(f64, f64),
    /// A power of two from the first value to the second.
    PowerOfTwo(f64, f64),
    /// Zero, or a power of two from the first value to the second.
    ZeroOrPowerOfTwo(f64, f64),
    /// A whole number of hundredths from the first value to the second.
    Hundredths(f64, f64),
    /// The first value, halved at most this many times.
    Halved(f64, u32),
}

impl Expected {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::Exactly(only) => value == only,
            Self::MoreThan(low) => low < value && value <= f64::MAX,
            Self::AtLeast(low) => low <= value && value <= f64::MAX,
            Self::Between(low, high) => low <= value && value <= high,
            Self::PowerOfTwo(low, high) => low <= value && value <= high && is_power_of_two(value),
            Self::ZeroOrPowerOfTwo(low, high) => {
                value == 0.0 || Self::PowerOfTwo(low, high).holds(value)
            }
            // Rounded hundredths divided by 100 give the float nearest to the decimal, so the comparison is exact.
            Self::Hundredths(low, high) => {
                low <= value && value <= high && libm::round(value * 100.0) / 100.0 == value
            }
            Self::Halved(largest, times) => {
                (0..=times).any(|halvings| value * f64::from(1_u32 << halvings) == largest)
            }
        }
    }

    /// Returns an error that names the parameter unless `value` is allowed.
    pub(super) fn check(self, name: &'static str, value: f64) -> Result<(), ParameterError> {
        if self.holds(value) {
            return Ok(());
        }
        let expected = self;
        Err(ParameterError {
            name,
            value,
            expected,
        })
    }
}

/// Whether a positive float has no fraction bits (subnormal numbers are outside every range here).
fn is_power_of_two(value: f64) -> bool {
    value.to_bits() << 12 == 0
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(only) => write!(f, "{only}"),
            Self::MoreThan(low) => write!(f, "more than {low}"),
            Self::AtLeast(low) => write!(f, "at least {low}"),
            Self::Between(low, high) => write!(f, "{low} to {high}"),
            Self::PowerOfTwo(low, high) => write!(f, "a power of two from {low} to {high}"),
            Self::ZeroOrPowerOfTwo(low, high) => {
                write!(f, "0 or a power of two from {low} to {high}")
            }
            Self::Hundredths(low, high) => write!(f, "{low} to {high} in steps of 0.01"),
            Self::Halved(largest, times) => {
                write!(f, "{largest}, halved at most {times} times")
            }
        }
    }
}

/// A parameter outside its range.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error("{name} = {value}, expected {expected}")]
pub struct ParameterError {
    /// The parameter's name in the standard.
    pub name: &'static str,
    /// Its value in cells/s, seconds or cells, or a fraction.
    pub value: f64,
    /// The allowed values, in the same unit.
    pub expected: Expected,
}
