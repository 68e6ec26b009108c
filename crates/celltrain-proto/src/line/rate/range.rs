//! Bounds of a line's rate.

use crate::units::Rate;

/// Bounds of a line's rate.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct RateRange {
    /// The lowest rate.
    pub low: Rate,
    /// The highest rate.
    pub high: Rate,
    /// Changes per second: the most, or their mean number if changes are random.
    pub changes_per_s: f64,
}

impl RateRange {
    /// The bounds of a constant rate.
    pub fn constant(rate: Rate) -> Self {
        Self {
            low: rate,
            high: rate,
            changes_per_s: 0.0,
        }
    }
}
