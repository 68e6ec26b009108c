//! The allowed values of a parameter.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::ops::Bound;

use crate::units::Span;

/// A parameter whose value is not allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Its key, such as `states.1.mean` in a list of tables; empty if several keys together are at fault.
    pub key: Cow<'static, str>,
    /// What was expected, and what was found.
    pub message: String,
}

impl Problem {
    /// A problem of several keys together.
    pub(crate) fn of_all(message: String) -> Self {
        Self {
            key: "".into(),
            message,
        }
    }
}

/// The allowed values of a parameter: an interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds<T> {
    low: Bound<T>,
    high: Bound<T>,
}

impl<T> Bounds<T> {
    /// `low` or more.
    pub const fn at_least(low: T) -> Self {
        Self {
            low: Bound::Included(low),
            high: Bound::Unbounded,
        }
    }

    /// More than `low`.
    pub const fn above(low: T) -> Self {
        Self {
            low: Bound::Excluded(low),
            high: Bound::Unbounded,
        }
    }

    /// `high` or less.
    pub const fn at_most(high: T) -> Self {
        Self {
            low: Bound::Unbounded,
            high: Bound::Included(high),
        }
    }

    /// From `low` to `high`, both included.
    pub const fn within(low: T, high: T) -> Self {
        Self {
            low: Bound::Included(low),
            high: Bound::Included(high),
        }
    }

    /// Less than `high`.
    pub const fn below(high: T) -> Self {
        Self {
            low: Bound::Unbounded,
            high: Bound::Excluded(high),
        }
    }
}

impl Bounds<f64> {
    /// A fraction of a whole, or a weight in a mean: above 0, at most 1.
    pub const PART: Self = Self {
        low: Bound::Excluded(0.0),
        high: Bound::Included(1.0),
    };
}

impl Bounds<Span> {
    /// A measurement interval: shorter ones would cost time and measure nothing.
    pub const INTERVAL: Self = Self::at_least(Span::from_us(1));
    /// Any time except zero.
    pub const POSITIVE: Self = Self::above(Span::ZERO);
}

impl<T: PartialOrd + fmt::Display + Copy> Bounds<T> {
    /// Checks a value; it is valid if absent or within the bounds.
    pub fn check(&self, key: &'static str, given: &impl Given<T>) -> Result<(), Problem> {
        let Some(value) = given.value() else {
            return Ok(());
        };
        let above = match &self.low {
            Bound::Included(low) => value >= *low,
            Bound::Excluded(low) => value > *low,
            Bound::Unbounded => true,
        };
        let below = match &self.high {
            Bound::Included(high) => value <= *high,
            Bound::Excluded(high) => value < *high,
            Bound::Unbounded => true,
        };
        if above && below {
            return Ok(());
        }
        Err(Problem {
            key: key.into(),
            message: format!("expected {self}, found {value}"),
        })
    }

    /// Both bounds.
    #[cfg(feature = "scenario")]
    pub(crate) fn ends(&self) -> (Bound<T>, Bound<T>) {
        (self.low, self.high)
    }
}

impl<T: fmt::Display> fmt::Display for Bounds<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Bound::Included(low), Bound::Included(high)) = (&self.low, &self.high) {
            return write!(f, "{low} to {high}");
        }
        match &self.low {
            Bound::Included(low) => write!(f, "at least {low}")?,
            Bound::Excluded(low) => write!(f, "more than {low}")?,
            Bound::Unbounded => {}
        }
        if !matches!(self.low, Bound::Unbounded) && !matches!(self.high, Bound::Unbounded) {
            f.write_str(" and ")?;
        }
        match &self.high {
            Bound::Included(high) => write!(f, "at most {high}"),
            Bound::Excluded(high) => write!(f, "less than {high}"),
            Bound::Unbounded => Ok(()),
        }
    }
}

/// A value that may be absent.
pub trait Given<T> {
    /// The value, if any.
    fn value(&self) -> Option<T>;
}

impl<T: Copy> Given<T> for T {
    fn value(&self) -> Option<T> {
        Some(*self)
    }
}

impl<T: Copy> Given<T> for Option<T> {
    fn value(&self) -> Option<T> {
        *self
    }
}

/// Checks that `value` of `key` is at least `least`, the value of the key `of`.
pub(crate) fn at_least<T: PartialOrd + fmt::Display + Copy>(
    key: &'static str,
    value: T,
    of: &str,
    least: T,
) -> Result<(), Problem> {
    if value >= least {
        return Ok(());
    }
    Err(Problem {
        key: key.into(),
        message: format!("expected at least {of}, {least}, found {value}"),
    })
}

/// Checks that `value` of `key` is more than `bound`, the value of the key `of`.
pub(crate) fn more_than<T: PartialOrd + fmt::Display + Copy>(
    key: &'static str,
    value: T,
    of: &str,
    bound: T,
) -> Result<(), Problem> {
    if value > bound {
        return Ok(());
    }
    Err(Problem {
        key: key.into(),
        message: format!("expected more than {of}, {bound}, found {value}"),
    })
}

/// Checks the tables of the list `key`.
pub(crate) fn each<T>(
    key: &str,
    tables: &[T],
    check: impl Fn(&T) -> Result<(), Problem>,
) -> Result<(), Problem> {
    for (index, table) in tables.iter().enumerate() {
        inside(&format!("{key}.{index}"), check(table))?;
    }
    Ok(())
}

/// Passes on a problem of the table that is the value of `key`.
pub(crate) fn inside(key: &str, checked: Result<(), Problem>) -> Result<(), Problem> {
    checked.map_err(|problem| Problem {
        key: format!("{key}.{}", problem.key).into(),
        ..problem
    })
}
