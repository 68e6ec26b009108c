//! Arrivals at the times given in a trace.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::arrivals::{Arrivals, Run, TrafficSource};
use crate::parameters::Problem;
use crate::units::{Rate, Span};

parameters! {
    /// The parameters of [`Replay`].
    #[derive(Clone, PartialEq, Debug)]
    pub struct ReplayParameters {
        /// The trace: a line for each arrival, with its time in s and, if several cells or packets arrive, their number.
        /// To read it from a file, use `file = "..."`.
        pub trace: Trace;
        /// The trace repeats after this time.
        pub repeat: Option<Span>;
    }
    |it| it.parse().map(drop).map_err(|error| Problem {
        key: "trace".into(),
        message: error.to_string(),
    })
}

impl ReplayParameters {
    /// The trace from its start.
    ///
    /// # Errors
    ///
    /// As [`Replay::parse`].
    pub fn parse(&self) -> Result<Replay, ReplayError> {
        Replay::new(self.trace.arrivals.clone()?, self.repeat)
    }
}

/// The text of a trace and the arrivals in it, which are parsed once: the cost of a run is estimated from them several
/// times.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    text: String,
    arrivals: Result<Arc<[(Span, u64)]>, ReplayError>,
}

impl<T: Into<String>> From<T> for Trace {
    fn from(text: T) -> Self {
        let text = text.into();
        Self {
            arrivals: arrivals(&text).map(Arc::from),
            text,
        }
    }
}

#[cfg(feature = "scenario")]
impl crate::parameters::written::Written for Trace {
    fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A mistake in the text is found when the parameters are checked, as in other values.
        String::read(deserializer).map(Self::from)
    }
    fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.write(serializer)
    }
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <String as crate::parameters::written::Written>::schema(generator)
    }
}

impl TrafficSource for ReplayParameters {
    type Process = Replay;

    fn start(&self, _: Run) -> Option<Replay> {
        Some(
            self.parse()
                .expect("the trace was read when it was checked"),
        )
    }

    /// The mean rate of the trace; one that does not repeat is taken to last at least 1 ms.
    fn peak(&self, bits: u64) -> Option<Rate> {
        let load = self.parse().map(|trace| trace.load());
        Some(load.map_or(Rate::ZERO, |(count, length)| {
            let least = if self.repeat.is_some() { 0.0 } else { 1e-3 };
            Rate::bps(count as f64 * bits as f64 / length.as_secs().max(least))
        }))
    }

    /// All arrivals of the passes that begin within `seconds`.
    fn most(&self, seconds: f64, _: u64) -> f64 {
        let passes = self
            .repeat
            .map_or(1.0, |repeat| libm::floor(seconds / repeat.as_secs()) + 1.0);
        let load = self.parse().map(|trace| trace.load());
        load.map_or(0.0, |(count, _)| count as f64 * passes)
    }

    /// Each arrival of a trace that repeats: it may do so at any rate.
    fn changes_per_s(&self) -> f64 {
        let Some(repeat) = self.repeat else {
            return 0.0;
        };
        let load = self.parse().map(|trace| trace.load());
        load.map_or(0.0, |(count, _)| count as f64 / repeat.as_secs())
    }

    /// A trace may have several lines for one instant.
    fn most_at_once(&self) -> f64 {
        self.parse().map_or(0.0, |trace| {
            let instants = trace.arrivals.chunk_by(|one, next| one.0 == next.0);
            let counts = instants.map(|lines| lines.iter().map(|line| line.1 as f64).sum());
            counts.fold(0.0, f64::max)
        })
    }

    /// The longest queue of one pass, and what the passes add to it if more comes than is served.
    fn most_waiting(&self, served: f64, seconds: f64, bits: u64) -> f64 {
        let Ok(trace) = self.parse() else { return 0.0 };
        let of_a_pass = trace.longest_queue(served);
        let grows = self.repeat.map_or(0.0, |repeat| {
            let (count, _) = trace.load();
            (count as f64 / repeat.as_secs() - served).max(0.0) * seconds
        });
        // What a pass leaves behind is no more than its longest queue, and the next one adds no more than that.
        let passes = if self.repeat.is_some() { 2.0 } else { 1.0 };
        (passes * of_a_pass + grows).min(self.most(seconds, bits))
    }
}

/// A trace: the number of arrivals at each instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    arrivals: Arc<[(Span, u64)]>,
    repeat: Option<Span>,
    next: usize,
    /// Arrivals left at the instant before `next`.
    left: u64,
    /// The instant of the last arrival within the current pass.
    last: Span,
    /// The time from the last arrival of the previous pass to the start of this one.
    carried: Span,
}

/// What is wrong with a trace.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub struct ReplayError {
    /// The line number, from one; zero for the trace as a whole.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.message)
    }
}

impl ReplayError {
    fn of_all(message: &str) -> Self {
        Self {
            line: 0,
            message: message.into(),
        }
    }
}

impl Replay {
    /// Parses a trace: a line for each instant, with its time in s and, if there is more than one, the number of
    /// arrivals. Empty lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    ///
    /// Fails if text is not a number, times decrease, there is no arrival, or the period ends before the last time.
    pub fn parse(text: &str, repeat: Option<Span>) -> Result<Self, ReplayError> {
        Self::new(arrivals(text)?.into(), repeat)
    }

    fn new(arrivals: Arc<[(Span, u64)]>, repeat: Option<Span>) -> Result<Self, ReplayError> {
        let last = arrivals.last().map_or(Span::ZERO, |arrival| arrival.0);
        if repeat.is_some_and(|repeat| repeat <= last) {
            return Err(ReplayError::of_all(
                "the trace repeats before its last arrival",
            ));
        }
        Ok(Self {
            arrivals,
            repeat,
            next: 0,
            left: 0,
            last: Span::ZERO,
            carried: Span::ZERO,
        })
    }

    /// The longest queue of one pass if `served` arrivals leave per second.
    fn longest_queue(&self, served: f64) -> f64 {
        // Nothing leaves in no time, whatever the rate is.
        let served = served.min(f64::MAX);
        let (mut queue, mut longest, mut before) = (0.0_f64, 0.0_f64, Span::ZERO);
        for &(at, count) in &*self.arrivals {
            queue = (queue - served * (at - before).as_secs()).max(0.0) + count as f64;
            longest = longest.max(queue);
            before = at;
        }
        longest
    }

    /// Arrivals in one pass, and the length of the pass: the period, or the last instant.
    pub fn load(&self) -> (u64, Span) {
        let counts = self.arrivals.iter().map(|arrival| arrival.1);
        let count = counts.fold(0, u64::saturating_add);
        let last = self.arrivals.last().map_or(Span::ZERO, |arrival| arrival.0);
        (count, self.repeat.unwrap_or(last))
    }
}

/// The number of arrivals at each instant of a trace.
fn arrivals(text: &str) -> Result<Vec<(Span, u64)>, ReplayError> {
    let mut arrivals: Vec<(Span, u64)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |message: String| ReplayError {
            line: line_number,
            message,
        };
        let mut words = line.split_whitespace();
        let time = words.next().and_then(|word| word.parse::<f64>().ok());
        let time = time.filter(|time| time.is_finite() && (0.0..1e7).contains(time));
        let count = words.next().map_or(Some(1), |word| word.parse().ok());
        let (Some(time), Some(count), None) = (time, count, words.next()) else {
            return Err(wrong(alloc::format!(
                "expected a time in s and perhaps a count, such as \"0.25 3\", found \"{line}\""
            )));
        };
        let at = Span::from_secs_f64(time);
        if arrivals.last().is_some_and(|last| last.0 > at) {
            return Err(wrong(alloc::format!(
                "the time {line} is before that of the line above"
            )));
        }
        if count > 0 {
            arrivals.push((at, count));
        }
    }
    if arrivals.is_empty() {
        return Err(ReplayError::of_all("the trace has no arrival"));
    }
    Ok(arrivals)
}

impl Arrivals for Replay {
    fn first(&mut self) -> Span {
        self.gap()
    }

    fn gap(&mut self) -> Span {
        if self.left > 0 {
            self.left -= 1;
            return Span::ZERO;
        }
        if self.next == self.arrivals.len() {
            let Some(repeat) = self.repeat else {
                return Span::MAX;
            };
            self.carried = repeat - self.last;
            self.last = Span::ZERO;
            self.next = 0;
        }
        let (at, count) = self.arrivals[self.next];
        self.next += 1;
        self.left = count - 1;
        let gap = core::mem::take(&mut self.carried) + (at - self.last);
        self.last = at;
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_come_at_the_times_of_the_trace() {
        let mut replay = Replay::parse("# a comment\n0.5\n0.5 2\n\n1.25\n", None).expect("good");
        let gaps: [Span; 4] = core::array::from_fn(|_| replay.gap());
        assert_eq!(gaps, [500, 0, 0, 750].map(Span::from_ms));
        assert_eq!(replay.gap(), Span::MAX);
        assert_eq!(replay.load(), (4, Span::from_ms(1_250)));
    }

    #[test]
    fn a_trace_with_a_period_starts_again() {
        let mut replay = Replay::parse("0.5\n1", Some(Span::from_secs(2))).expect("good");
        let gaps: [Span; 5] = core::array::from_fn(|_| replay.gap());
        assert_eq!(gaps, [500, 500, 1_500, 500, 1_500].map(Span::from_ms));
    }

    #[test]
    fn a_source_counts_the_arrivals_of_all_passes_that_begin_in_time() {
        let source = |trace: &str, repeat| ReplayParameters {
            trace: trace.into(),
            repeat,
        };
        // 1,000 at once are 1,000, however long the run is.
        assert_eq!(source("0 1000", None).most(1e6, 424), 1_000.0);
        // The passes at 0, 2, 4 and 6 s.
        let repeated = source("0.5\n1 2", Some(Span::from_secs(2)));
        assert_eq!(repeated.most(7.0, 424), 12.0);
        let often = source("0", Some(Span::from_ps(1)));
        assert_eq!(often.peak(424), Some(Rate::bps(424e12)));
        let most = source("0 18446744073709551615\n1 9", None);
        assert_eq!(most.most(1.0, 424), u64::MAX as f64);
    }

    #[test]
    fn a_source_counts_the_arrivals_of_one_instant() {
        let source = ReplayParameters {
            trace: "0 2\n1 3\n1 4\n2 6".into(),
            repeat: None,
        };
        assert_eq!(source.most_at_once(), 7.0);
    }

    #[test]
    fn a_trace_is_parsed_once() {
        let source = ReplayParameters {
            trace: "0 2\n1 3".into(),
            repeat: None,
        };
        let arrivals = source.trace.arrivals.as_ref().expect("good");
        let run = |seed| Run {
            bits: 424,
            stream: crate::random::Stream::named(seed, "replay"),
            horizon: Span::from_secs(9),
        };
        let started = [1, 2].map(|seed| source.start(run(seed)).expect("not greedy"));
        assert!(started.iter().all(|it| Arc::ptr_eq(&it.arrivals, arrivals)));
    }

    #[test]
    fn a_source_knows_the_longest_queue_of_its_trace() {
        let source = |trace: &str, repeat| ReplayParameters {
            trace: trace.into(),
            repeat,
        };
        // 4 at 1 s, 3 of which wait when 5 more come.
        let once = source("1 4\n2 2\n2 3", None);
        assert_eq!(once.most_waiting(1.0, 1e6, 424), 8.0);
        assert_eq!(once.most_waiting(f64::INFINITY, 1e6, 424), 5.0);
        assert_eq!(once.most_waiting(0.0, 1e6, 424), 9.0);
        // 9 in 3 s, and 2 leave per second: one a second more; two passes may meet.
        let repeated = source("1 4\n2 2\n2 3", Some(Span::from_secs(3)));
        assert_eq!(repeated.most_waiting(2.0, 100.0, 424), 2.0 * 7.0 + 100.0);
        assert_eq!(repeated.most_waiting(4.0, 100.0, 424), 2.0 * 5.0);
    }

    #[test]
    fn a_mistake_names_its_line() {
        for (text, line) in [
            ("0\nx", 2),
            ("1\n0.5", 2),
            ("0 1 2", 1),
            ("-1", 1),
            ("nan", 1),
            ("", 0),
            ("0 0", 0),
        ] {
            let error = Replay::parse(text, None).expect_err(text);
            assert_eq!(error.line, line, "{error}");
        }
        let early = Replay::parse("3", Some(Span::from_secs(3))).expect_err("too early");
        assert_eq!(early.line, 0);
    }
}
