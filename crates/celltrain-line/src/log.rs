//! Per-packet records, and distributions of delays.

use celltrain_proto::units::{Span, Time};
use celltrain_sim::scenario::Direction;
use hdrhistogram::Histogram;

use crate::packet::LostTo;

/// The record of a packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// Its direction.
    pub direction: Direction,
    /// Its octets, including the IP header.
    pub octets: u32,
    /// When it arrived.
    pub came: Time,
    /// What happened to it.
    pub outcome: Outcome,
}

/// What happened to a packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    /// It left the line.
    Left {
        /// The departure time in the model.
        due: Time,
        /// The wall-clock time at which the far kernel had accepted it.
        left: Time,
        /// Whether a queue marked it.
        is_marked: bool,
    },
    /// It was lost.
    Lost(LostTo),
    /// It was still in the line when the line closed.
    Inside,
}

impl Outcome {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left { .. } => "delivered",
            Self::Lost(cause) => cause.name(),
            Self::Inside => "inside",
        }
    }
}

/// A distribution of spans, exact to three digits, from a nanosecond to an hour.
#[derive(Clone, Debug)]
pub struct Spans(Histogram<u64>);

impl Default for Spans {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3);
        Self(histogram.expect("the bounds are legal"))
    }
}

impl Spans {
    /// Adds a span.
    pub fn add(&mut self, span: Span) {
        self.0.saturating_record(span.as_ps() / 1_000);
    }

    /// The number of spans.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The number of spans longer than `span`, to the accuracy of the distribution.
    pub fn above(&self, span: Span) -> u64 {
        let ns = span.as_ps() / 1_000;
        self.0.len() - self.0.count_between(0, ns)
    }

    /// The `quantile` of the spans, in s; NaN if there are none.
    pub fn quantile_s(&self, quantile: f64) -> f64 {
        self.seconds(|it| it.value_at_quantile(quantile) as f64)
    }

    /// The mean in s; NaN if there are none.
    pub fn mean_s(&self) -> f64 {
        self.seconds(Histogram::mean)
    }

    /// The maximum in s; NaN if there are none.
    pub fn max_s(&self) -> f64 {
        self.seconds(|it| it.max() as f64)
    }

    /// Bins of a histogram: upper bound in s, and the number of spans; bounds double, starting at a microsecond.
    pub fn bins(&self) -> Vec<(f64, u64)> {
        let bins = self.0.iter_log(1_000, 2.0);
        bins.map(|bin| {
            (
                bin.value_iterated_to() as f64 / 1e9,
                bin.count_since_last_iteration(),
            )
        })
        .collect()
    }

    fn seconds(&self, of: impl FnOnce(&Histogram<u64>) -> f64) -> f64 {
        if self.0.is_empty() {
            f64::NAN
        } else {
            of(&self.0) / 1e9
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_knows_how_many_are_too_late() {
        let mut spans = Spans::default();
        for us in 1..=100 {
            spans.add(Span::from_us(us));
        }
        assert_eq!(spans.above(Span::from_us(90)), 10);
        assert!((spans.quantile_s(0.5) - 50e-6).abs() < 0.1e-6);
        assert_eq!(spans.bins().iter().map(|bin| bin.1).sum::<u64>(), 100);
    }

    #[test]
    fn without_any_there_is_no_number() {
        let spans = Spans::default();
        assert!(spans.mean_s().is_nan() && spans.max_s().is_nan());
        assert_eq!(spans.above(Span::ZERO), 0);
    }
}
