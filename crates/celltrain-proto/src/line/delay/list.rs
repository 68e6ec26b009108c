//! A delay that follows a list of points: measured lines, hand-overs, moving satellites.

use alloc::vec::Vec;

use crate::line::steps::{Steps, StepsError};
use crate::parameters::Problem;
use crate::units::{Span, Time};

choice! {
    /// The delay between two points of a list.
    pub enum Interpolation {
        /// Each delay holds until the next.
        #[default]
        Steps,
        /// The delay goes from each point to the next in a straight line, and from the last one of a list that repeats
        /// to the first.
        Linear,
    }
}

parameters! {
    /// A delay and the time from which it applies.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct DelayStep {
        /// Time after the start of the run.
        pub at: Span;
        /// The delay of a cell that departs then.
        pub delay: Span;
    }
}

parameters! {
    /// The parameters of a [`DelayList`].
    #[derive(Clone, PartialEq, Debug)]
    pub struct DelayListParameters {
        /// The first at `"0 s"`, each later than the previous one.
        pub delays: Vec<DelayStep>;
        /// The list repeats after this time. Allowed: after the last `at`.
        pub repeat: Option<Span>;
        /// The delay between two points of the list.
        pub interpolation: Interpolation = Interpolation::Steps;
    }
    |it| it.steps().map(|_| ()).map_err(Problem::from)
}

impl DelayListParameters {
    fn steps(&self) -> Result<Steps<Span>, StepsError> {
        let steps = self
            .delays
            .iter()
            .map(|step| (Time::ZERO + step.at, step.delay));
        Steps::new(steps.collect(), self.repeat)
    }

    /// Starts the list. It must be valid.
    pub(super) fn start(&self) -> DelayList {
        DelayList {
            steps: self.steps().expect("the list was read when it was checked"),
            shortest: self.shortest(),
            interpolation: self.interpolation,
        }
    }

    pub(super) fn shortest(&self) -> Span {
        let delays = self.delays.iter().map(|step| step.delay);
        delays.min().unwrap_or_default()
    }

    pub(super) fn longest(&self) -> Span {
        let delays = self.delays.iter().map(|step| step.delay);
        delays.max().unwrap_or_default()
    }
}

/// A delay that follows a list.
#[derive(Clone, Debug)]
pub struct DelayList {
    steps: Steps<Span>,
    shortest: Span,
    interpolation: Interpolation,
}

impl DelayList {
    /// By how much the delay at `now`, which never decreases, is longer than the shortest of the list.
    pub(super) fn above_shortest(&mut self, now: Time) -> Span {
        self.steps.advance(now);
        let (since, next) = (self.steps.since(), self.steps.next());
        let delay = match self.interpolation {
            Interpolation::Linear if next != Time::NEVER => {
                let (from, to) = (self.steps.value(), self.steps.next_value());
                let way = i128::from(to.as_ps()) - i128::from(from.as_ps());
                let (past, whole) = ((now - since).as_ps(), (next - since).as_ps());
                // Between two delays, so it is one.
                let change = way * i128::from(past) / i128::from(whole);
                Span::from_ps((i128::from(from.as_ps()) + change) as u64)
            }
            _ => self.steps.value(),
        };
        delay - self.shortest
    }
}
