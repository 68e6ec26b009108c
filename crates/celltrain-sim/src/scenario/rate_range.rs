//! Bounds of a line's rate.

use celltrain_proto::line::RateList;
use celltrain_proto::units::{Rate, Span};

/// Bounds of a line's rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RateRange {
    /// The lowest rate.
    pub low: Rate,
    /// The highest rate.
    pub high: Rate,
    /// Changes per second.
    pub changes_per_s: f64,
}

impl RateRange {
    /// The bounds of a list of rates.
    pub(super) fn of_list(list: &RateList) -> Self {
        let rates = list.steps().iter().map(|step| step.1);
        let period = list.repeat().map_or(f64::INFINITY, Span::as_secs);
        Self {
            low: rates.clone().reduce(Rate::min).unwrap_or_default(),
            high: rates.reduce(Rate::max).unwrap_or_default(),
            changes_per_s: list.steps().len() as f64 / period,
        }
    }
}
