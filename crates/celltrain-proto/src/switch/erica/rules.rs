//! The rules that ERICA and ERICA+ share, and what cells of higher priority are taken from.

use super::super::algorithm::Marking;
use super::super::interval::Intervals;
use super::load::LoadAveraging;
use crate::parameters::{Bounds, Problem};
use crate::units::{Cells, Span};

choice! {
    /// Which rates ERICA may give.
    pub enum EricaAllocation {
        /// Without overload, up to the largest rate given in the interval before.
        #[default]
        MaxPrevious,
        /// Fair share or share of the VC: the algorithm of 1995, which can come to rest at an unfair point.
        Basic,
    }
}

choice! {
    /// Where the present rate of a VC comes from.
    pub enum CcrSource {
        /// CCR of its latest forward RM cell.
        #[default]
        RmCell,
        /// Its cells in the last interval: right also for VCs that send less than they may.
        Measured,
    }
}

choice! {
    /// Which rate is remembered as the largest one given.
    pub enum Remembers {
        /// As calculated.
        #[default]
        Calculated,
        /// As far as the target allowed it.
        Bounded,
        /// What the VC was told in the end: not more than the fair share while it comes from below.
        Given,
    }
}

choice! {
    /// How often a VC has a verdict.
    pub enum Verdicts {
        /// Once an interval, by the CCR that was known then.
        #[default]
        EachInterval,
        /// For each RM cell, by the latest CCR.
        EachCell,
    }
}

parameters! {
    /// The parameters that ERICA and ERICA+ share.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EricaRules {
        /// Longest averaging interval; needed unless `interval_cells` is given.
        pub interval: Option<Span>, in Bounds::INTERVAL;
        /// Cells that end an averaging interval before its time; needed unless `interval` is given.
        pub interval_cells: Option<Cells>, in Bounds::at_least(Cells(1));
        /// Up to an overload factor of 1 plus this all VCs may have the largest rate given before.
        pub delta: f64 = 0.1, in Bounds::at_most(1.0);
        /// Which rates may be given.
        pub allocation: EricaAllocation = EricaAllocation::default();
        /// How the overload factor is averaged over intervals.
        pub load_averaging: LoadAveraging = LoadAveraging::default();
        /// Weight of the newest interval in that average; 1 switches averaging off.
        pub load_weight: f64 = 0.8, in Bounds::PART;
        /// What remains of a silent VC in the number of active VCs from one interval to the next.
        pub activity_decay: f64 = 0.9, in Bounds::below(1.0);
        /// Whether a VC that returns raises the number of active VCs at once.
        pub immediate_update: bool = true;
        /// Whether a backward RM cell makes its VC active.
        pub backward_activity: bool = false;
        /// Where the present rate of a VC comes from.
        pub ccr: CcrSource = CcrSource::default();
        /// The part of the target that is the fair share before the first interval has ended.
        pub initial_share: f64 = 1.0, in Bounds::PART;
        /// Whether an interval without input leaves a VC all of the target instead of its fair share.
        pub idle_gives_all: bool = false;
        /// Which rate is remembered as the largest one given.
        pub remembers: Remembers = Remembers::default();
        /// How many VCs an active one counts as: 2 where the RM cells that answer the other direction count for
        /// themselves.
        pub activity_weight: f64 = 1.0, in Bounds::above(0.0);
        /// How often a VC has a verdict.
        pub verdicts: Verdicts = Verdicts::default();
        /// Whether no VC is given less than the MCR in its RM cells.
        pub guarantee_mcr: bool = false;
        /// Which cells carry it.
        pub marking: Marking = Marking::default();
    }
    |it| it.interval_ends()
}

impl EricaRules {
    /// Whether anything ends an interval.
    fn interval_ends(&self) -> Result<(), Problem> {
        if self.interval.is_some() || self.interval_cells.is_some() {
            return Ok(());
        }
        let expected = "expected `interval` (such as \"5 ms\"), `interval_cells` (such as \"100 cells\") or both";
        Err(Problem {
            key: "",
            message: expected.into(),
        })
    }

    pub(super) fn intervals(&self) -> Intervals {
        let cells = self.interval_cells.unwrap_or(Cells(u64::MAX));
        Intervals::new(self.interval.unwrap_or(Span::MAX), cells)
    }
}

choice! {
    /// What cells of higher priority are taken from.
    pub enum PriorityTaken {
        /// From the target: `target_utilization` of the line, less their rate (ATM Forum 96-1172).
        #[default]
        FromTarget,
        /// From the line: `target_utilization` of what they leave.
        FromLine,
    }
}
