//! The common part of ERICA and ERICA+: everything but the target capacity.

use alloc::vec::Vec;

use super::super::algorithm::Marking;
use super::super::interval::{Intervals, Measured};
use super::super::queue_function::QueueFunction;
use super::load::Load;
use super::rules::{CcrSource, EricaAllocation, EricaRules, PriorityTaken, Remembers, Verdicts};
use crate::cell::RmCell;
use crate::units::{Cells, Rate, Time};

#[derive(Clone, Copy, Default, Debug)]
struct Vc {
    ccr: Rate,
    /// Cells in the open interval.
    cells: u64,
    /// Seen in the open interval.
    active: bool,
    /// Its contribution, up to 1, to the number of active VCs of the last interval.
    activity: f64,
    /// The rate given in the open interval, if rates are given once per interval.
    given: Option<Rate>,
}

/// The values that apply to all VCs from one end of an interval to the next.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Shares {
    /// Sum of the VCs' contributions; as the divisor N it is at least 1.
    active_vcs: f64,
    fair_share: Rate,
    max_previous: Rate,
    max_current: Rate,
}

/// The sums of N, input and target over the intervals that have ended since the last reset.
///
/// The sum over intervals that changed nothing is kept separately. N is a whole number in those, so that sum is exact
/// and independent of how many are skipped at a time.
#[derive(Clone, Copy, Default, Debug)]
struct Ended {
    intervals: u64,
    sum: f64,
    sum_at_rest: f64,
    /// Cells that arrived, and the target in millionths of cells: whole numbers, for the same reason.
    input: u64,
    target: u128,
    /// The target of the last interval.
    latest_target: u128,
}

/// How much of the line is allocated.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Goal {
    /// ERICA: a fraction U of the line, or of what higher priorities leave of it.
    Utilization { part: f64, taken: PriorityTaken },
    /// ERICA+: the fraction of it that keeps the queue at its target.
    Queue {
        function: QueueFunction,
        /// The queue last reported.
        queue: Cells,
    },
}

impl Goal {
    /// The target capacity if `left` of the line is left for ABR.
    fn target(self, line: Rate, left: Rate) -> Rate {
        match self {
            Self::Utilization {
                part,
                taken: PriorityTaken::FromLine,
            } => left.scaled(part),
            Self::Utilization { part, .. } => line.scaled(part) - (line - left),
            Self::Queue { function, queue } => {
                left.scaled(function.gain(queue, function.target(left)))
            }
        }
    }
}

/// Intervals, per-VC state and allocations.
#[derive(Clone, Debug)]
pub(in super::super) struct Core {
    rules: EricaRules,
    intervals: Intervals,
    load: Load,
    shares: Shares,
    goal: Goal,
    /// The current rate of the line; `None` until the first is known.
    line: Option<Rate>,
    vcs: Vec<Vc>,
    /// Whether anything but the passing of time has happened in the open interval.
    touched: bool,
    ended: Ended,
}

impl Core {
    pub(in super::super) fn new(goal: Goal, rules: EricaRules) -> Self {
        Self {
            intervals: rules.intervals(),
            load: Load::new(rules.load_averaging, rules.load_weight),
            rules,
            shares: Shares::default(),
            goal,
            line: None,
            vcs: Vec::new(),
            touched: false,
            ended: Ended::default(),
        }
    }

    /// Sets the line rate `line` for the intervals that end after `now`.
    pub(in super::super) fn set_line(&mut self, now: Time, line: Rate) {
        self.catch_up(now);
        if self.line.is_none() {
            let target = self.goal.target(line, line);
            self.load.start_at(target);
            let share = target.scaled(self.rules.initial_share);
            self.shares.fair_share = share;
            self.shares.max_previous = share;
            self.shares.max_current = share;
        }
        self.line = Some(line);
    }

    /// Intervals that are over ended with the queue known before; later ones end with `now_queued`.
    pub(in super::super) fn set_queue(&mut self, now: Time, now_queued: Cells) {
        self.catch_up(now);
        if let Goal::Queue { queue, .. } = &mut self.goal {
            *queue = now_queued;
        }
    }

    /// `n` cells of higher priority use part of the line.
    #[inline]
    pub(in super::super) fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.catch_up(now);
        self.intervals.on_priority_cells(n);
    }

    /// Cells that arrive before this instant are only counted: no interval ends, and no share changes.
    #[inline]
    pub(in super::super) fn counts_until(&self) -> Time {
        if self.rules.immediate_update {
            return Time::ZERO;
        }
        self.intervals.counts_until()
    }

    #[inline]
    pub(in super::super) fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.on_activity(now, vc);
        self.vcs[vc as usize].cells += n;
        if let Some(measured) = self.intervals.on_cells(now, n) {
            self.end(measured);
        }
    }

    #[inline]
    pub(in super::super) fn on_activity(&mut self, now: Time, vc: u32) {
        self.catch_up(now);
        let vc = self.vc(vc);
        if !vc.active {
            vc.active = true;
            let returned = 1.0 - vc.activity;
            self.touched = true;
            if self.rules.immediate_update && returned > 0.0 {
                self.shares.active_vcs += returned * self.rules.activity_weight;
                self.set_fair_share();
            }
        }
    }

    /// A forward RM cell of `vc` arrives, with the rate at which `vc` may send.
    pub(in super::super) fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell) {
        self.catch_up(now);
        if self.rules.ccr == CcrSource::RmCell {
            self.vc(vc).ccr = rm.ccr;
        }
        if self.rules.marking == Marking::ForwardRm {
            self.mark(vc, rm);
        }
    }

    pub(in super::super) fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell) {
        self.catch_up(now);
        if self.rules.backward_activity {
            self.on_activity(now, vc);
        }
        if self.rules.marking == Marking::BackwardRm {
            self.mark(vc, rm);
        }
    }

    /// Writes the rate given to `vc` into an RM cell.
    fn mark(&mut self, vc: u32, rm: &mut RmCell) {
        let given = self.vc(vc).given;
        let mut er = given.unwrap_or_else(|| self.verdict(vc));
        if self.rules.guarantee_mcr {
            er = er.max(rm.mcr);
        }
        rm.er = rm.er.min(er);
    }

    fn verdict(&mut self, vc: u32) -> Rate {
        let ccr = self.vc(vc).ccr;
        let fair_share = self.shares.fair_share;
        let share = if self.rules.idle_gives_all && self.load.is_idle() {
            self.load.capacity()
        } else {
            self.load.share_of(ccr)
        };
        let mut er = fair_share.max(share);
        let overloaded = self.load.exceeds(1.0 + self.rules.delta);
        if self.rules.allocation == EricaAllocation::MaxPrevious && !overloaded {
            er = er.max(self.shares.max_previous);
        }
        let calculated = er;
        // A VC that starts first rises to its fair share, and beyond it one interval later.
        if er > fair_share && ccr < fair_share {
            er = fair_share;
        }
        er = er.min(self.load.capacity());
        let remembered = match self.rules.remembers {
            Remembers::Calculated => calculated,
            Remembers::Bounded => calculated.min(self.load.capacity()),
            Remembers::Given => er,
        };
        self.shares.max_current = self.shares.max_current.max(remembered);
        if self.rules.verdicts == Verdicts::EachInterval {
            self.vc(vc).given = Some(er);
        }
        self.touched = true;
        er
    }

    fn vc(&mut self, vc: u32) -> &mut Vc {
        let index = vc as usize;
        if index >= self.vcs.len() {
            self.vcs.resize(index + 1, Vc::default());
        }
        &mut self.vcs[index]
    }

    fn set_fair_share(&mut self) {
        let n = self.shares.active_vcs.max(1.0);
        self.shares.fair_share = Rate::bps(self.load.capacity().as_bps() / n);
    }

    /// Ends the intervals that are over at `now`.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        while let Some(measured) = self.intervals.end_due(now) {
            if self.end(measured) {
                let skipped = self.intervals.skip_due(now);
                self.count_at_rest(skipped);
            }
        }
    }

    /// Ends an interval; returns whether it was empty and changed nothing, so that another one would not either.
    fn end(&mut self, measured: Measured) -> bool {
        let (load, shares) = (self.load, self.shares);
        let mut at_rest = measured.is_empty() && !core::mem::take(&mut self.touched);
        let line = self.line.unwrap_or_default();
        let left = measured.left_of(line);
        let target = self.goal.target(line, left);
        self.load.on_interval(measured, target);
        self.ended.latest_target =
            (target.as_cells_per_s() * measured.length.as_secs() * 1e6) as u128;
        self.ended.input += measured.cells;
        self.shares.active_vcs = 0.0;
        for vc in &mut self.vcs {
            let activity = if vc.active {
                1.0
            } else {
                self.rules.activity_decay * vc.activity
            };
            let ccr = match self.rules.ccr {
                CcrSource::RmCell => vc.ccr,
                CcrSource::Measured => measured.rate_of(vc.cells),
            };
            at_rest &= activity == vc.activity && ccr == vc.ccr;
            self.shares.active_vcs += activity * self.rules.activity_weight;
            *vc = Vc {
                ccr,
                activity,
                ..Vc::default()
            };
        }
        self.set_fair_share();
        self.shares.max_previous = self.shares.max_current;
        self.shares.max_current = self.shares.fair_share;
        at_rest &= load == self.load && shares == self.shares;
        if at_rest {
            self.count_at_rest(1);
        } else {
            self.ended.intervals += 1;
            self.ended.target += self.ended.latest_target;
            self.ended.sum += self.shares.active_vcs.max(1.0);
        }
        at_rest
    }

    fn count_at_rest(&mut self, intervals: u64) {
        self.ended.intervals += intervals;
        self.ended.target += u128::from(intervals) * self.ended.latest_target;
        self.ended.sum_at_rest += intervals as f64 * self.shares.active_vcs.max(1.0);
    }

    /// The current target capacity.
    pub(in super::super) fn target(&mut self, now: Time) -> Rate {
        self.catch_up(now);
        self.load.capacity()
    }

    /// The mean of N over the intervals that have ended since the last reset.
    pub(in super::super) fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        self.catch_up(now);
        let sum = self.ended.sum + self.ended.sum_at_rest;
        (self.ended.intervals > 0).then(|| sum / self.ended.intervals as f64)
    }

    /// The weight of a VC in N while it is fully active.
    pub(in super::super) fn activity_weight(&self) -> f64 {
        self.rules.activity_weight
    }

    /// Input over target, each summed over the intervals that have ended since the last reset.
    pub(in super::super) fn load_factor(&mut self, now: Time) -> Option<f64> {
        self.catch_up(now);
        let Ended { input, target, .. } = self.ended;
        (target > 0).then(|| input as f64 * 1e6 / target as f64)
    }

    pub(in super::super) fn reset_statistics(&mut self, now: Time) {
        self.catch_up(now);
        self.ended = Ended::default();
    }
}
