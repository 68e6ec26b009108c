//! The dynamic GCRA: policing an ABR source whose allowed rate changes (TM 4.0 §5.10.8; ITU-T I.371).
//!
//! The policer follows the rate that the passing backward RM cells allow the source. It does not know exactly when a
//! change of that rate appears in the source's cells, only within what time, so it grants the largest rate that may
//! apply.

use alloc::collections::VecDeque;

use super::Gcra;
use crate::abr::{Parameters, Source};
use crate::cell::RmCell;
use crate::units::{Rate, Span, Time};

/// The feedback delay from the policer to the source and back in its cells, and the tolerances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DgcraDelays {
    /// tau1: how early an in-rate cell may be.
    pub tolerance: Span,
    /// tau2: the maximum feedback delay; lower rates apply from then on. At least tau3.
    pub longest: Span,
    /// tau3: the minimum feedback delay; higher rates apply from then on.
    pub shortest: Span,
    /// How early an out-of-rate cell may be.
    pub out_of_rate_tolerance: Span,
}

/// The policer of one ABR connection at its source's interface. Times never decrease from call to call.
#[derive(Clone, Debug)]
pub struct Dgcra {
    /// The source as driven by the backward RM cells (source rules 8 and 9). Reductions by idleness or missing feedback
    /// (rules 5 and 6) are not seen here, so its rate is never understated.
    source: Source,
    potential: PotentialRate,
    tolerance: Span,
    /// LVST and the increment of the last conforming cell.
    last: Option<(Time, Span)>,
    out_of_rate: Gcra,
}

impl Dgcra {
    /// Creates the policer of a source that starts at its ICR.
    pub fn new(parameters: Parameters, delays: DgcraDelays) -> Self {
        let source = Source::new(parameters);
        Self {
            potential: PotentialRate::new(source.acr(), delays),
            source,
            tolerance: delays.tolerance,
            last: None,
            out_of_rate: Gcra::new(parameters.tcr.cell_time(), delays.out_of_rate_tolerance),
        }
    }

    /// A backward RM cell passes on its way to the source.
    pub fn on_backward_rm(&mut self, now: Time, rm: &RmCell) {
        self.source.on_backward_rm(now, rm);
        self.potential.on_rate(now, self.source.acr());
    }

    /// PACR: the largest rate that the source may be using in cells that pass at `now`.
    pub fn pacr(&mut self, now: Time) -> Rate {
        self.potential.at(now)
    }

    /// Whether the in-rate cell (CLP = 0) that arrives at `now` conforms; a non-conforming one changes nothing.
    pub fn conforms(&mut self, now: Time) -> bool {
        let increment = self.pacr(now).cell_time();
        let expected = self.last.map_or(now, |(virtual_time, before)| {
            virtual_time.saturating_add(increment.min(before))
        });
        let conforms = expected <= now.saturating_add(self.tolerance);
        if conforms {
            self.last = Some((expected.max(now), increment));
        }
        conforms
    }

    /// Whether the out-of-rate RM cell (CLP = 1) that arrives at `now` conforms to TCR.
    pub fn out_of_rate_conforms(&mut self, now: Time) -> bool {
        self.out_of_rate.conforms(now)
    }
}

/// A rate between two backward RM cells.
#[derive(Clone, Debug)]
struct Step {
    from: Time,
    until: Time,
    rate: Rate,
}

/// The largest of the rates set between tau2 and tau3 ago.
#[derive(Clone, Debug)]
struct PotentialRate {
    longest: Span,
    shortest: Span,
    /// Steps whose feedback delay cannot have elapsed yet, in order.
    coming: VecDeque<Step>,
    /// Steps that may apply, without those superseded by a later step of the same or a higher rate: rates decrease.
    /// Never empty, as the newest step has no end.
    possible: VecDeque<Step>,
}

impl PotentialRate {
    fn new(rate: Rate, delays: DgcraDelays) -> Self {
        let step = Step {
            from: Time::ZERO,
            until: Time::NEVER,
            rate,
        };
        Self {
            longest: delays.longest.max(delays.shortest),
            shortest: delays.shortest,
            coming: VecDeque::new(),
            possible: VecDeque::from([step]),
        }
    }

    fn on_rate(&mut self, now: Time, rate: Rate) {
        self.advance(now);
        let newest = self.coming.back_mut().or(self.possible.back_mut());
        if let Some(newest) = newest {
            if newest.rate == rate {
                return;
            }
            newest.until = now;
        }
        self.coming.push_back(Step {
            from: now,
            until: Time::NEVER,
            rate,
        });
    }

    fn at(&mut self, now: Time) -> Rate {
        self.advance(now);
        self.possible[0].rate
    }

    fn advance(&mut self, now: Time) {
        let has_come = |step: &Step| step.from.saturating_add(self.shortest) <= now;
        let has_gone = |step: &Step| {
            step.until != Time::NEVER && step.until.saturating_add(self.longest) <= now
        };
        while self.coming.front().is_some_and(has_come)
            && let Some(step) = self.coming.pop_front()
        {
            while self.possible.back().is_some_and(|s| s.rate <= step.rate) {
                self.possible.pop_back();
            }
            self.possible.push_back(step);
        }
        while self.possible.front().is_some_and(has_gone) {
            self.possible.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
