//! Instants, spans, rates, cells and octets as distinct types, and their text form.
//!
//! [`Time`] and [`Span`] are whole picoseconds in a `u64` (213 days); a [`Rate`] is in bit/s on the line, including
//! cell headers. [`Cells`] and [`Bytes`] are counts; a [`Distance`] is in whole metres. In text a quantity has a unit: `"70 s"`, `"1.024 Mbit/s"`, `"256
//! cells"`, `"9140 bytes"`.

mod buffer_size;
mod decibels;
mod display;
mod distance;
mod unit;

use core::ops::{Add, AddAssign, Div, Mul, Rem, Sub, SubAssign};

pub use buffer_size::BufferSize;
pub use decibels::Decibels;
pub use distance::Distance;
pub use unit::Unit;

/// Octets of a cell on the line (ITU-T I.361).
pub const CELL_OCTETS: u64 = 53;
/// Bits of a cell on the line, including the header.
pub const CELL_BITS: u64 = 8 * CELL_OCTETS;
/// Octets of a cell's payload.
pub const CELL_PAYLOAD: u64 = 48;

const PS_PER_S: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(u64);

/// A duration in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than any event: "no deadline".
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }
    /// Picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// Seconds since the start, for output.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }
    /// The span since `earlier`; zero if `earlier` is later.
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
    /// The instant `span` later; [`Time::NEVER`] if out of range.
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Span {
    /// The zero span.
    pub const ZERO: Self = Self(0);
    /// The longest span; stands for "forever".
    pub const MAX: Self = Self(u64::MAX);

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }
    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }
    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }
    /// `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * PS_PER_S)
    }
    /// `s` seconds, rounded to the nearest picosecond; zero for negative or NaN, [`Span::MAX`] beyond the range.
    pub fn from_secs_f64(s: f64) -> Self {
        Self(libm::round(s * PS_PER_S as f64) as u64)
    }
    /// Picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// Seconds, for output.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }
    /// How many whole times `unit` fits into it. `unit` must not be zero.
    pub const fn div_floor(self, unit: Self) -> u64 {
        self.0 / unit.0
    }
    /// `self + other`, or the longest span if out of range.
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
    /// `self - other`, or zero if negative.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}
impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}
impl Sub<Span> for Time {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0 - span.0)
    }
}
impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}
impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}
impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}
impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}
impl SubAssign for Span {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}
impl Mul<u64> for Span {
    type Output = Self;
    /// The product, or the longest span if out of range, so that no lower bound of an instant wraps.
    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}
impl Div<u64> for Span {
    type Output = Self;
    fn div(self, n: u64) -> Self {
        Self(self.0 / n)
    }
}
impl Rem for Span {
    type Output = Self;
    fn rem(self, unit: Self) -> Self {
        Self(self.0 % unit.0)
    }
}

/// A number of cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cells(pub u64);

/// A number of packets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Packets(pub u64);

/// A number of octets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bytes(pub u64);

/// A rate on the line in bit/s, including cell headers; finite and not negative.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Rate(f64);

impl Rate {
    /// The rate of a line that carries nothing.
    pub const ZERO: Self = Self(0.0);

    /// `bps` bit/s. A negative or NaN argument gives zero, an infinite one the largest finite rate.
    pub const fn bps(bps: f64) -> Self {
        if bps >= f64::MAX {
            Self(f64::MAX)
        } else if bps > 0.0 {
            Self(bps)
        } else {
            Self(0.0)
        }
    }
    /// `kbps` kbit/s.
    pub const fn kbps(kbps: u64) -> Self {
        Self(kbps as f64 * 1e3)
    }
    /// `cells` cells of 424 bits per second.
    pub const fn cells_per_s(cells: f64) -> Self {
        Self::bps(cells * CELL_BITS as f64)
    }
    /// bit/s.
    pub const fn as_bps(self) -> f64 {
        self.0
    }
    /// Cells per second.
    pub const fn as_cells_per_s(self) -> f64 {
        self.0 / CELL_BITS as f64
    }
    /// The smaller of two rates.
    #[must_use]
    pub const fn min(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
    /// The larger of two rates.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if other.0 > self.0 { other } else { self }
    }
    /// The rate times `factor` (zero for a negative factor).
    #[must_use]
    pub const fn scaled(self, factor: f64) -> Self {
        Self::bps(self.0 * factor)
    }
    /// The rate divided by another, a dimensionless number.
    pub const fn ratio(self, other: Self) -> f64 {
        self.0 / other.0
    }
    /// The transmission time of `bits`, to the nearest picosecond; [`Span::MAX`] at rate zero.
    pub fn span_of_bits(self, bits: f64) -> Span {
        if self.0 > 0.0 {
            // `as` saturates; the argument is positive, so adding one half and truncating rounds.
            Span((bits * PS_PER_S as f64 / self.0 + 0.5) as u64)
        } else {
            Span::MAX
        }
    }
    /// The time of `cells` back to back, in one division: no drift over a burst.
    ///
    /// ```
    /// use celltrain_proto::units::{Cells, Rate, Span};
    /// assert_eq!(Rate::kbps(1_024).span_of(Cells(1)), Span::from_ps(414_062_500));
    /// assert_eq!(Rate::kbps(149_760).span_of(Cells(117)), Span::from_ps(331_250_000));
    /// ```
    pub fn span_of(self, cells: Cells) -> Span {
        self.span_of_bits((cells.0 * CELL_BITS) as f64)
    }
    /// The time of one cell, to the nearest picosecond, which is the unit of ports and sources.
    pub fn cell_time(self) -> Span {
        self.span_of_bits(CELL_BITS as f64)
    }
    /// The bits transmitted in `span`.
    pub fn bits_in(self, span: Span) -> f64 {
        self.0 * span.as_secs()
    }
}

impl Add for Rate {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::bps(self.0 + other.0)
    }
}
impl Sub for Rate {
    type Output = Self;
    /// The difference, or zero if negative: a rate is never negative.
    fn sub(self, other: Self) -> Self {
        Self::bps(self.0 - other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_times_are_exact_where_they_can_be() {
        assert_eq!(Rate::kbps(1_024).cell_time(), Span::from_ps(414_062_500));
        assert_eq!(Rate::kbps(128).cell_time(), Span::from_ps(3_312_500_000));
        assert_eq!(Rate::ZERO.cell_time(), Span::MAX);
    }

    #[test]
    fn a_rate_is_never_negative_or_infinite() {
        assert_eq!(Rate::bps(-1.0), Rate::ZERO);
        assert_eq!(Rate::bps(f64::NAN), Rate::ZERO);
        assert_eq!(Rate::bps(f64::INFINITY).as_bps(), f64::MAX);
        assert_eq!(Rate::kbps(1) - Rate::kbps(2), Rate::ZERO);
    }
}
