//! Levels and ratios in decibels.

use core::fmt;

/// A level or a ratio of powers, in dB or dBm/Hz: a plain number, which may be negative.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Decibels(pub f64);

impl fmt::Display for Decibels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
