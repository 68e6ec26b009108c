//! A line whose rate follows a list of steps, for scripted experiments and measured lines.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::parameters::Problem;
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

parameters! {
    /// A rate and the time from which it applies.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct RateStep {
        /// Time after the start of the run.
        pub at: Span;
        /// The rate from then on; "0 bit/s" is an outage.
        pub rate: Rate;
    }
}

parameters! {
    /// The parameters of a [`RateList`].
    #[derive(Clone, PartialEq, Debug)]
    pub struct ListParameters {
        /// The first at `"0 s"`, each later than the previous one; `"0 bit/s"` is an outage.
        pub rates: Vec<RateStep>;
        /// The list repeats after this time. Allowed: after the last `at`.
        pub repeat: Option<Span>;
    }
    |it| it.list().map_err(|error| Problem::of_all(error.to_string())).and_then(|list| list.check())
}

impl ListParameters {
    fn list(&self) -> Result<RateList, RateListError> {
        let steps = self
            .rates
            .iter()
            .map(|step| (Time::ZERO + step.at, step.rate));
        RateList::new(steps.collect(), self.repeat)
    }
}

impl VaryingRate for ListParameters {
    type Process = RateList;

    fn start(&self, _: Stream) -> RateList {
        self.list().expect("the list was read when it was checked")
    }

    fn range(&self) -> RateRange {
        self.list()
            .map_or_else(|_| RateRange::default(), |list| list.range())
    }
}

/// Rates from given instants on; the last one holds forever, or until the list repeats.
#[derive(Clone, Debug)]
pub struct RateList {
    steps: Vec<(Time, Rate)>,
    repeat: Option<Span>,
    /// When the current pass through the list started.
    pass: Time,
    /// Index of the current step.
    current: usize,
}

/// Why a list of steps is not a rate process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RateListError {
    /// There are no steps.
    #[error("there are no steps; at least one is needed, at 0 s")]
    Empty,
    /// Step 0 is not at the start of the run.
    #[error("step 0 is at {at}; it must be at 0 s")]
    StartsLate {
        /// The instant of step 0.
        at: Time,
    },
    /// A step is not later than the previous one.
    #[error("step {index} is at {at}; it must be later than the step before it, at {previous}")]
    NotIncreasing {
        /// The step's index, from 0.
        index: usize,
        /// Its instant.
        at: Time,
        /// The instant of the previous step.
        previous: Time,
    },
    /// The list repeats before or exactly when its last step is reached.
    #[error(
        "the list repeats after {repeat}; it must do so later than its last step (step {index}), at {at}"
    )]
    RepeatsTooSoon {
        /// The index of the last step, from 0.
        index: usize,
        /// Its instant.
        at: Time,
        /// The time after which the list repeats.
        repeat: Span,
    },
}

impl RateList {
    /// Creates a process with the rates `steps`, each from its instant on: the first at the start of the run, each
    /// later one strictly after the previous one. The list repeats after `repeat`, if given.
    pub fn new(steps: Vec<(Time, Rate)>, repeat: Option<Span>) -> Result<Self, RateListError> {
        let (Some(&(first, _)), Some(&(last, _))) = (steps.first(), steps.last()) else {
            return Err(RateListError::Empty);
        };
        if first != Time::ZERO {
            return Err(RateListError::StartsLate { at: first });
        }
        for (index, pair) in (1..).zip(steps.windows(2)) {
            let (previous, at) = (pair[0].0, pair[1].0);
            if at <= previous {
                return Err(RateListError::NotIncreasing {
                    index,
                    at,
                    previous,
                });
            }
        }
        if let Some(repeat) = repeat
            && repeat <= last - Time::ZERO
        {
            return Err(RateListError::RepeatsTooSoon {
                index: steps.len() - 1,
                at: last,
                repeat,
            });
        }
        Ok(Self {
            steps,
            repeat,
            pass: Time::ZERO,
            current: 0,
        })
    }

    /// The steps of one pass.
    pub fn steps(&self) -> &[(Time, Rate)] {
        &self.steps
    }

    /// The time after which the list repeats.
    pub fn repeat(&self) -> Option<Span> {
        self.repeat
    }

    /// The bounds of its rates.
    pub(super) fn range(&self) -> RateRange {
        let rates = self.steps.iter().map(|step| step.1);
        let period = self.repeat.map_or(f64::INFINITY, Span::as_secs);
        RateRange {
            low: rates.clone().reduce(Rate::min).unwrap_or_default(),
            high: rates.reduce(Rate::max).unwrap_or_default(),
            changes_per_s: self.steps.len() as f64 / period,
        }
    }

    /// Checks that cells can leave.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let high = self.range().high;
        if high > Rate::ZERO {
            return Ok(());
        }
        let message = alloc::format!("expected a rate above zero, found {high}");
        Err(Problem::of_all(message))
    }
}

impl RateChanges for RateList {
    fn first(&mut self) -> Rate {
        self.steps[0].1
    }

    fn next_change(&self, _: Time) -> Time {
        match (self.steps.get(self.current + 1), self.repeat) {
            (Some(&(at, _)), _) => self.pass.saturating_add(at - Time::ZERO),
            (None, Some(repeat)) => self.pass.saturating_add(repeat),
            (None, None) => Time::NEVER,
        }
    }

    fn change(&mut self) -> Rate {
        if self.current + 1 < self.steps.len() {
            self.current += 1;
        } else if let Some(repeat) = self.repeat {
            self.current = 0;
            self.pass = self.pass.saturating_add(repeat);
        }
        self.steps[self.current].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    /// The first `n` changes after the start.
    fn changes(mut process: RateList, n: usize) -> Vec<(Time, Rate)> {
        let mut now = Time::ZERO;
        let mut seen = vec![(now, process.first())];
        while seen.len() < n && process.next_change(now) != Time::NEVER {
            now = process.next_change(now);
            seen.push((now, process.change()));
        }
        seen
    }

    #[test]
    fn a_list_gives_its_rates_at_its_instants_and_keeps_the_last() {
        let steps = vec![
            (ms(0), Rate::kbps(512)),
            (ms(5), Rate::ZERO),
            (ms(7), Rate::kbps(64)),
        ];
        let list = RateList::new(steps.clone(), None).unwrap();
        assert_eq!(changes(list, 9), steps);
    }

    #[test]
    fn a_repeated_list_starts_again_after_its_period() {
        let (a, b) = (Rate::kbps(512), Rate::kbps(64));
        let list = RateList::new(vec![(ms(0), a), (ms(5), b)], Some(Span::from_ms(8))).unwrap();
        let expected = [(0, a), (5, b), (8, a), (13, b), (16, a), (21, b)];
        assert_eq!(changes(list, 6), expected.map(|(at, rate)| (ms(at), rate)));
    }

    #[test]
    fn a_repeated_list_ends_with_the_range_of_time() {
        let steps = vec![(ms(0), Rate::kbps(1))];
        let list = RateList::new(steps, Some(Span::MAX)).unwrap();
        assert_eq!(changes(list, 9).len(), 1);
    }

    #[test]
    fn a_bad_list_is_refused_by_its_offending_step() {
        let list = |at: &[u64], repeat: Option<u64>| {
            let steps = at.iter().map(|&at| (ms(at), Rate::kbps(1))).collect();
            RateList::new(steps, repeat.map(Span::from_ms)).map(|_| ())
        };
        assert_eq!(list(&[0, 1, 2], Some(3)), Ok(()));
        let cases: [(&[u64], Option<u64>, &str); 5] = [
            (
                &[],
                None,
                "there are no steps; at least one is needed, at 0 s",
            ),
            (&[3, 4], None, "step 0 is at 3 ms; it must be at 0 s"),
            (
                &[0, 4, 4],
                None,
                "step 2 is at 4 ms; it must be later than the step before it, at 4 ms",
            ),
            (
                &[0, 4, 3, 2],
                None,
                "step 2 is at 3 ms; it must be later than the step before it, at 4 ms",
            ),
            (
                &[0, 4],
                Some(4),
                "the list repeats after 4 ms; it must do so later than its last step (step 1), at 4 ms",
            ),
        ];
        for (at, repeat, message) in cases {
            assert_eq!(list(at, repeat).unwrap_err().to_string(), message);
        }
    }
}
