//! A line whose rate follows a list of steps, for scripted experiments and measured lines.

use alloc::vec::Vec;

use super::changes::{RateChanges, VaryingRate};
use super::range::RateRange;
use crate::line::steps::{Steps, StepsError};
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
    |it| it.list().map_err(Problem::from).and_then(|list| list.check())
}

impl ListParameters {
    fn list(&self) -> Result<RateList, StepsError> {
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
pub type RateList = Steps<Rate>;

impl RateList {
    /// The bounds of its rates.
    pub(super) fn range(&self) -> RateRange {
        let rates = self.steps().iter().map(|step| step.1);
        let period = self.repeat().map_or(f64::INFINITY, Span::as_secs);
        RateRange {
            low: rates.clone().reduce(Rate::min).unwrap_or_default(),
            high: rates.reduce(Rate::max).unwrap_or_default(),
            changes_per_s: self.steps().len() as f64 / period,
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
        self.value()
    }

    fn next_change(&self, _: Time) -> Time {
        self.next()
    }

    fn change(&mut self) -> Rate {
        self.go_on();
        self.value()
    }
}
