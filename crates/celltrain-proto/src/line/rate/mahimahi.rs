//! Packet-delivery traces of Mahimahi's `mm-link`, replayed as opportunities or as rates, and written from rates.
//!
//! A trace is text with one whole number of milliseconds per line, non-decreasing. Each line is an opportunity to
//! deliver a packet of 1500 octets at that instant: several small packets share one, a large one takes several, and
//! unused capacity is lost. After its last timestamp, which is therefore its period, the trace starts again, with that
//! instant as its new zero. Source: the manual page `mm-link(1)` and `src/frontend/link_queue.cc` of Mahimahi (whose
//! 1504 octets are those of the packet plus the four that a TUN device prepends).
//! Here an opportunity carries what such a packet takes on the line: 32 cells, those of AAL5 with or without LLC/SNAP, or
//! its frame.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::changes::{RateChanges, VaryingRate};
use super::list::RateList;
use super::range::RateRange;
use crate::frame::Framing;
use crate::parameters::{Bounds, Problem};
use crate::random::Stream;
use crate::units::{Bytes, CELL_OCTETS, Rate, Span, Time};

/// What an opportunity carries on a line of cells: those of a packet of 1500 octets.
const OPPORTUNITY: Bytes = Bytes(32 * CELL_OCTETS);
/// The longest frame that an opportunity may carry, in octets.
const LONGEST: Bytes = Bytes(65_535);
/// The time before an opportunity's instant in which the line carries its octets: 3125 ps per cell, a whole number, so
/// that all 32 leave in time.
const BURST: Span = Span::from_ps(100_000);
/// The maximum length of a trace, in opportunities.
const MAX_OPPORTUNITIES: usize = 10_000_000;
const MILLISECOND: Span = Span::from_ms(1);
/// The number of characters of a faulty line shown in a message.
const SHOWN: usize = 40;

/// What an opportunity carries on a line of frames, or of cells: what a packet of 1500 octets takes there.
pub fn opportunity(frames: Option<Framing>) -> Bytes {
    frames.map_or(OPPORTUNITY, |framing| Bytes(framing.octets(1_500).into()))
}

parameters! {
    /// The parameters of a line of delivery opportunities.
    #[derive(Clone, PartialEq, Debug)]
    pub struct MahimahiParameters {
        /// The trace itself; to read it from a file, use `file = "..."`. Allowed: at most ten million lines.
        pub trace: String;
        /// Gives the line a rate instead: for each interval of this length, the rate of its opportunities.
        pub bin: Option<Span>, in Bounds::at_least(MILLISECOND);
        /// What an opportunity carries on the line. Default: what a packet of 1500 octets takes there, 32 cells or its frame.
        pub opportunity: Option<Bytes>, in Bounds::within(Bytes(1), LONGEST);
    }
    |it| it.list().map_err(|error| Problem::of_all(error.to_string())).and_then(|list| list.check())
}

impl MahimahiParameters {
    fn list(&self) -> Result<RateList, TraceError> {
        let trace = DeliveryTrace::parse(&self.trace)?;
        Ok(match self.bin {
            Some(bin) => trace.rates(bin, self.octets()),
            None => trace.opportunities(self.octets()),
        })
    }

    /// The octets of an opportunity on the line.
    fn octets(&self) -> Bytes {
        self.opportunity.unwrap_or(OPPORTUNITY)
    }

    /// The trace of a line that has opportunities instead of a rate.
    fn opportunities(&self) -> Option<DeliveryTrace> {
        if self.bin.is_some() {
            return None;
        }
        DeliveryTrace::parse(&self.trace).ok()
    }
}

impl VaryingRate for MahimahiParameters {
    type Process = RateList;

    fn start(&self, _: Stream) -> RateList {
        self.list().expect("the trace was read when it was checked")
    }

    fn range(&self) -> RateRange {
        self.list()
            .map_or_else(|_| RateRange::default(), |list| list.range())
    }

    fn highest_lasting(&self) -> Rate {
        if self.bin.is_some() {
            return self.range().high;
        }
        self.opportunities().map_or(Rate::ZERO, |trace| {
            trace.rates(Span::from_ms(10), self.octets()).range().high
        })
    }

    fn carry_packets(&mut self, octets: Bytes) {
        self.opportunity.get_or_insert(octets);
    }

    fn mean_of_opportunities(&self) -> Option<Rate> {
        self.opportunities()
            .map(|trace| trace.mean_rate(self.octets()))
    }
}

/// The opportunities of a line to deliver a packet of 1500 octets, over one period.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryTrace {
    /// Milliseconds since the start of the period; not empty, not decreasing, the last one not zero.
    timestamps: Vec<u32>,
}

/// Why text is not a packet-delivery trace. Lines count from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TraceError {
    /// It has no lines.
    #[error("the trace is empty; expected a whole number of milliseconds a line")]
    Empty,
    /// A line is not a whole number of milliseconds, or is above 2^32 - 1 (49 days).
    #[error(
        "line {line}: \"{text}\"; expected a whole number of milliseconds, at most {}, and nothing else",
        u32::MAX
    )]
    NotATimestamp {
        /// The line's number.
        line: usize,
        /// Its text, truncated after 40 characters.
        text: String,
    },
    /// A timestamp is earlier than the previous one.
    #[error(
        "line {line}: \"{timestamp}\"; expected at least {previous}, the timestamp of the line before"
    )]
    Decreasing {
        /// The line's number.
        line: usize,
        /// Its timestamp in milliseconds.
        timestamp: u32,
        /// The timestamp of the previous line.
        previous: u32,
    },
    /// The last timestamp, which is the period, is zero.
    #[error(
        "line {line}: \"0\"; expected a last timestamp above 0, because it is the trace's period"
    )]
    ZeroPeriod {
        /// The last line's number.
        line: usize,
    },
    /// The trace has more lines than allowed.
    #[error("line {line}: expected the end of the trace, of at most {} lines", .line - 1)]
    TooLong {
        /// The number of the first excess line.
        line: usize,
    },
}

/// Why no trace can be made from a rate process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The duration is not a whole number of milliseconds from 1 to 2^32 - 1.
    #[error(
        "duration {0}; expected a whole number of milliseconds, 1 to {most}",
        most = u32::MAX
    )]
    Duration(Span),
    /// The trace would have more than ten million opportunities.
    #[error("the trace would have more than {MAX_OPPORTUNITIES} opportunities")]
    TooLong,
}

impl DeliveryTrace {
    /// Parses a trace. As in Mahimahi, comments, blank lines and spaces are not allowed.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        Self::parse_at_most(MAX_OPPORTUNITIES, text)
    }

    fn parse_at_most(lines: usize, text: &str) -> Result<Self, TraceError> {
        let mut timestamps = Vec::new();
        let mut previous = 0;
        for (line, text) in (1..).zip(text.lines()) {
            if line > lines {
                return Err(TraceError::TooLong { line });
            }
            // `parse` would also accept a plus sign.
            let digits = Some(text).filter(|text| text.bytes().all(|c| c.is_ascii_digit()));
            let Some(timestamp) = digits.and_then(|text| text.parse().ok()) else {
                let text = text.chars().take(SHOWN).collect();
                return Err(TraceError::NotATimestamp { line, text });
            };
            if timestamp < previous {
                return Err(TraceError::Decreasing {
                    line,
                    timestamp,
                    previous,
                });
            }
            timestamps.push(timestamp);
            previous = timestamp;
        }
        match timestamps.last() {
            None => Err(TraceError::Empty),
            Some(0) => Err(TraceError::ZeroPeriod {
                line: timestamps.len(),
            }),
            Some(_) => Ok(Self { timestamps }),
        }
    }

    /// The trace of a line that starts with `process` and ends after `duration`, a whole number of milliseconds.
    ///
    /// There is an opportunity at the end of each millisecond in which the line completes another `octets`. Because a
    /// trace ends with its last opportunity, there is always one at `duration`, and what the line has carried of the
    /// next one is omitted: the trace and the line differ by at most one.
    pub fn from_rates(
        mut process: impl RateChanges,
        duration: Span,
        octets: Bytes,
    ) -> Result<Self, RecordError> {
        let bits = bits_of(octets);
        let period = u32::try_from(duration.div_floor(MILLISECOND))
            .ok()
            .filter(|&ms| ms > 0 && Span::from_ms(u64::from(ms)) == duration)
            .ok_or(RecordError::Duration(duration))?;
        let horizon = Time::ZERO + duration;
        let mut timestamps = Vec::new();
        let (mut now, mut rate) = (Time::ZERO, process.first());
        // Bits that the line carries between `now` and the next opportunity.
        let mut ahead = bits;
        loop {
            let end = process.next_change(now).min(horizon);
            loop {
                let due = now.saturating_add(rate.span_of_bits(ahead));
                if due > end {
                    break;
                }
                if timestamps.len() == MAX_OPPORTUNITIES {
                    return Err(RecordError::TooLong);
                }
                timestamps.push(due.as_ps().div_ceil(MILLISECOND.as_ps()) as u32);
                ahead += bits;
            }
            if end == horizon {
                break;
            }
            ahead -= rate.bits_in(end - now);
            (now, rate) = (end, process.change());
        }
        if timestamps.last() != Some(&period) {
            if timestamps.len() == MAX_OPPORTUNITIES {
                return Err(RecordError::TooLong);
            }
            timestamps.push(period);
        }
        Ok(Self { timestamps })
    }

    /// The time after which the trace repeats: its last timestamp.
    pub fn period(&self) -> Span {
        let last = self.timestamps.last().copied().unwrap_or_default();
        Span::from_ms(u64::from(last))
    }

    /// The mean rate over a period, if each opportunity carries so many octets.
    pub fn mean_rate(&self, octets: Bytes) -> Rate {
        rate_of(self.timestamps.len(), octets, self.period())
    }

    /// The opportunities, repeated forever, as the rate of a line that carries the octets of each within the last 100 ns
    /// before its instant, and nothing between them.
    ///
    /// So waiting cells or frames leave at the opportunity, those that arrive after it wait for the next, and unused capacity is
    /// lost. Opportunities at 0 count as the end of the previous pass; nothing can wait for the very first.
    pub fn opportunities(&self, octets: Bytes) -> RateList {
        let period = self.period();
        let (at_zero, later) = self
            .timestamps
            .split_at(self.timestamps.partition_point(|&ms| ms == 0));
        let mut steps = Vec::new();
        let mut end = Time::ZERO;
        for bunch in later.chunk_by(|a, b| a == b) {
            let at = Time::ZERO + Span::from_ms(u64::from(bunch[0]));
            let is_last = at == Time::ZERO + period;
            let count = bunch.len() + if is_last { at_zero.len() } else { 0 };
            // More than 10,000 in a millisecond fill it completely.
            let burst = (BURST * count as u64).min(MILLISECOND);
            let start = Time::ZERO + (at - Time::ZERO).saturating_sub(burst);
            if start > end {
                steps.push((end, Rate::ZERO));
            }
            steps.push((start, rate_of(count, octets, burst)));
            end = at;
        }
        RateList::new(steps, Some(period))
            .expect("bursts start at 0 or later, increase, and end by the period")
    }

    /// The rate in each `bin` of the period, repeated forever, if each opportunity carries so many octets; `bin` must not be
    /// zero.
    ///
    /// An opportunity at t belongs to the bin (start, end] that contains t: the line has carried its octets by then.
    /// Those at 0 belong to the first bin. The last bin ends with the period, so that a period carries exactly the bits
    /// of the trace. Bins without an opportunity have rate zero, and a run of them is one step.
    pub fn rates(&self, bin: Span, octets: Bytes) -> RateList {
        let period = self.period();
        let bin_of = |ms: u32| {
            Span::from_ms(u64::from(ms))
                .saturating_sub(Span::from_ps(1))
                .div_floor(bin)
        };
        let start_of = |index: u64| Time::ZERO + bin * index;
        let mut steps = Vec::new();
        let mut next = 0;
        // Iterate over opportunities, not bins: a short bin costs no more than a long one.
        for bunch in self.timestamps.chunk_by(|&a, &b| bin_of(a) == bin_of(b)) {
            let index = bin_of(bunch[0]);
            if index > next {
                steps.push((start_of(next), Rate::ZERO));
            }
            let start = start_of(index);
            let end = start.saturating_add(bin).min(Time::ZERO + period);
            steps.push((start, rate_of(bunch.len(), octets, end - start)));
            next = index + 1;
        }
        RateList::new(steps, Some(period))
            .expect("bins start at 0, increase, and end by the period")
    }
}

fn bits_of(octets: Bytes) -> f64 {
    (8 * octets.0) as f64
}

fn rate_of(opportunities: usize, octets: Bytes, span: Span) -> Rate {
    // Picoseconds are multiplied before the only division: whole rates are exact.
    Rate::bps(opportunities as f64 * bits_of(octets) * 1e12 / span.as_ps() as f64)
}

/// The text of the trace, as [`DeliveryTrace::parse`] and Mahimahi read it.
impl fmt::Display for DeliveryTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timestamps
            .iter()
            .try_for_each(|timestamp| writeln!(f, "{timestamp}"))
    }
}

#[cfg(test)]
mod tests;
