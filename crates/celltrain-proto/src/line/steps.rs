//! Values with the instants from which they hold: of a rate, a delay or a probability that follows a script.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::parameters::Problem;
use crate::units::{Span, Time};

/// Values from given instants on; the last one holds forever, or until the list repeats.
#[derive(Clone, Debug)]
pub struct Steps<T> {
    values: Vec<(Time, T)>,
    repeat: Option<Span>,
    /// When the current pass through the list started.
    pass: Time,
    /// Index of the current step.
    current: usize,
    /// When the next step begins.
    next: Time,
}

/// Why a list of steps says nothing of some instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepsError {
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

impl From<StepsError> for Problem {
    fn from(error: StepsError) -> Self {
        Self::of_all(error.to_string())
    }
}

impl<T: Copy> Steps<T> {
    /// The values `steps`, each from its instant on: the first at the start of the run, each later one strictly after
    /// the previous one. The list repeats after `repeat`, if given.
    pub fn new(steps: Vec<(Time, T)>, repeat: Option<Span>) -> Result<Self, StepsError> {
        let (Some(&(first, _)), Some(&(last, _))) = (steps.first(), steps.last()) else {
            return Err(StepsError::Empty);
        };
        if first != Time::ZERO {
            return Err(StepsError::StartsLate { at: first });
        }
        for (index, pair) in (1..).zip(steps.windows(2)) {
            let (previous, at) = (pair[0].0, pair[1].0);
            if at <= previous {
                return Err(StepsError::NotIncreasing {
                    index,
                    at,
                    previous,
                });
            }
        }
        if let Some(repeat) = repeat
            && repeat <= last - Time::ZERO
        {
            return Err(StepsError::RepeatsTooSoon {
                index: steps.len() - 1,
                at: last,
                repeat,
            });
        }
        let mut steps = Self {
            values: steps,
            repeat,
            pass: Time::ZERO,
            current: 0,
            next: Time::NEVER,
        };
        steps.next = steps.following();
        Ok(steps)
    }

    /// The steps of one pass.
    pub fn steps(&self) -> &[(Time, T)] {
        &self.values
    }

    /// The time after which the list repeats.
    pub fn repeat(&self) -> Option<Span> {
        self.repeat
    }

    /// The present value.
    pub(super) fn value(&self) -> T {
        self.values[self.current].1
    }

    /// When the present value began to hold.
    pub(super) fn since(&self) -> Time {
        self.pass
            .saturating_add(self.values[self.current].0 - Time::ZERO)
    }

    /// When the next step begins; [`Time::NEVER`] if there is none.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// The value of the next step; the present one if there is none.
    pub(super) fn next_value(&self) -> T {
        match self.values.get(self.current + 1) {
            Some(step) => step.1,
            None if self.repeat.is_some() => self.values[0].1,
            None => self.value(),
        }
    }

    /// Goes on to the next step.
    pub(super) fn go_on(&mut self) {
        if self.current + 1 < self.values.len() {
            self.current += 1;
        } else if let Some(repeat) = self.repeat {
            self.current = 0;
            self.pass = self.pass.saturating_add(repeat);
        }
        self.next = self.following();
    }

    /// Goes on to the step that holds at `now`, which never decreases; true if that is another one.
    #[inline]
    pub(super) fn advance(&mut self, now: Time) -> bool {
        let changes = now >= self.next;
        if changes {
            self.seek(now);
        }
        changes
    }

    fn seek(&mut self, now: Time) {
        if let Some(repeat) = self.repeat {
            let passes = now.saturating_since(self.pass).div_floor(repeat);
            if passes > 0 {
                self.pass += repeat * passes;
                self.current = 0;
            }
        }
        let since = Time::ZERO + now.saturating_since(self.pass);
        let later = &self.values[self.current + 1..];
        self.current += later.partition_point(|step| step.0 <= since);
        self.next = self.following();
    }

    /// When the step after the current one begins.
    fn following(&self) -> Time {
        match (self.values.get(self.current + 1), self.repeat) {
            (Some(&(at, _)), _) => self.pass.saturating_add(at - Time::ZERO),
            (None, Some(repeat)) => self.pass.saturating_add(repeat),
            (None, None) => Time::NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    const fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    /// The first `n` values, each with the instant from which it holds.
    fn changes(mut list: Steps<u32>, n: usize) -> Vec<(Time, u32)> {
        let mut seen = vec![(Time::ZERO, list.value())];
        while seen.len() < n && list.next() != Time::NEVER {
            let now = list.next();
            list.go_on();
            seen.push((now, list.value()));
        }
        seen
    }

    #[test]
    fn a_list_gives_its_values_at_its_instants_and_keeps_the_last() {
        let steps = vec![(ms(0), 512), (ms(5), 0), (ms(7), 64)];
        let list = Steps::new(steps.clone(), None).unwrap();
        assert_eq!(changes(list, 9), steps);
    }

    #[test]
    fn a_repeated_list_starts_again_after_its_period() {
        let list = Steps::new(vec![(ms(0), 1), (ms(5), 2)], Some(Span::from_ms(8))).unwrap();
        let expected = [(0, 1), (5, 2), (8, 1), (13, 2), (16, 1), (21, 2)];
        assert_eq!(
            changes(list, 6),
            expected.map(|(at, value)| (ms(at), value))
        );
    }

    #[test]
    fn a_repeated_list_ends_with_the_range_of_time() {
        let list = Steps::new(vec![(ms(0), 1)], Some(Span::MAX)).unwrap();
        assert_eq!(changes(list, 9).len(), 1);
    }

    #[test]
    fn a_bad_list_is_refused_by_its_offending_step() {
        let list = |at: &[u64], repeat: Option<u64>| {
            let steps = at.iter().map(|&at| (ms(at), 1)).collect();
            Steps::new(steps, repeat.map(Span::from_ms)).map(|_| ())
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_list_that_is_asked_now_and_then_is_where_one_step_after_another_leads(
            gaps in prop::collection::vec(1..9_u64, 0..7),
            after in prop::option::of(1..9_u64),
            waits in prop::collection::vec(0..40_u64, 1..30),
        ) {
            let mut at = 0;
            let mut steps = vec![(ms(0), 0)];
            for (value, gap) in (1..).zip(&gaps) {
                at += gap;
                steps.push((ms(at), value));
            }
            let mut one = Steps::new(steps, after.map(|after| Span::from_ms(at + after))).unwrap();
            let (mut other, mut now) = (one.clone(), Time::ZERO);
            for wait in waits {
                now += Span::from_ms(wait);
                let mut changes = false;
                while other.next() <= now {
                    other.go_on();
                    changes = true;
                }
                prop_assert_eq!(one.advance(now), changes);
                let state = |list: &Steps<u32>| (list.value(), list.since(), list.next(), list.next_value());
                prop_assert_eq!(state(&one), state(&other));
            }
        }
    }
}
