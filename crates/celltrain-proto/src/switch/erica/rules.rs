//! The rules common to ERICA and ERICA+, and how higher-priority cells are accounted for.

use super::super::algorithm::Marking;
use super::super::interval::Intervals;
use super::load::LoadAveraging;
use crate::parameters::{Bounds, Problem};
use crate::units::{Cells, Span};

choice! {
    /// Which rates ERICA may allocate.
    pub enum EricaAllocation {
        /// While not overloaded, up to the largest rate given in the previous interval.
        #[default]
        MaxPrevious,
        /// Fair share or VC share only: the algorithm of 1995, which can settle at an unfair point.
        Basic,
    }
}

choice! {
    /// Where the current rate of a VC comes from.
    pub enum CcrSource {
        /// The CCR of its latest forward RM cell.
        #[default]
        RmCell,
        /// Its cells in the last interval; correct also for VCs that send below their allowed rate.
        Measured,
    }
}

choice! {
    /// Which rate is remembered as the largest one given.
    pub enum Remembers {
        /// The calculated rate.
        #[default]
        Calculated,
        /// The calculated rate, limited by the target capacity.
        Bounded,
        /// The rate finally given to the VC: at most the fair share while its CCR is below it.
        Given,
    }
}

choice! {
    /// How often the rate of a VC is computed.
    pub enum Verdicts {
        /// Once per interval, from the CCR known then.
        #[default]
        EachInterval,
        /// For each RM cell, from the latest CCR.
        EachCell,
    }
}

parameters! {
    /// The parameters common to ERICA and ERICA+.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EricaRules {
        /// Maximum averaging interval; required unless `interval_cells` is given.
        pub interval: Option<Span>, in Bounds::INTERVAL;
        /// Cells that end an averaging interval early; required unless `interval` is given.
        pub interval_cells: Option<Cells>, in Bounds::at_least(Cells(1));
        /// Up to an overload factor of 1 plus this, all VCs may have the largest rate given in the previous interval.
        pub delta: f64 = 0.1, in Bounds::at_most(1.0);
        /// Which rates may be allocated.
        pub allocation: EricaAllocation = EricaAllocation::default();
        /// How the overload factor is averaged over intervals.
        pub load_averaging: LoadAveraging = LoadAveraging::default();
        /// Weight of the newest interval in that average; 1 switches averaging off.
        pub load_weight: f64 = 0.8, in Bounds::PART;
        /// Factor by which an inactive VC's contribution to the number of active VCs shrinks each interval.
        pub activity_decay: f64 = 0.9, in Bounds::below(1.0);
        /// Whether a returning VC raises the number of active VCs at once.
        pub immediate_update: bool = true;
        /// Whether a backward RM cell marks its VC as active.
        pub backward_activity: bool = false;
        /// Where the current rate of a VC comes from.
        pub ccr: CcrSource = CcrSource::default();
        /// The fraction of the target that is the fair share before the first interval has ended.
        pub initial_share: f64 = 1.0, in Bounds::PART;
        /// Whether after an interval without input a VC gets the whole target instead of its fair share.
        pub idle_gives_all: bool = false;
        /// Which rate is remembered as the largest one given.
        pub remembers: Remembers = Remembers::default();
        /// How many VCs an active one counts as: 2 if the RM cells that answer the other direction count separately.
        pub activity_weight: f64 = 1.0, in Bounds::above(0.0);
        /// How often the rate of a VC is computed.
        pub verdicts: Verdicts = Verdicts::default();
        /// Whether every VC is given at least the MCR in its RM cells.
        pub guarantee_mcr: bool = false;
        /// Which RM cells carry the feedback.
        pub marking: Marking = Marking::default();
    }
    |it| it.interval_ends()
}

impl EricaRules {
    /// Whether an interval has an end.
    fn interval_ends(&self) -> Result<(), Problem> {
        if self.interval.is_some() || self.interval_cells.is_some() {
            return Ok(());
        }
        let expected = "expected `interval` (such as \"5 ms\"), `interval_cells` (such as \"100 cells\") or both";
        Err(Problem::of_all(expected.into()))
    }

    pub(super) fn intervals(&self) -> Intervals {
        let cells = self.interval_cells.unwrap_or(Cells(u64::MAX));
        Intervals::new(self.interval.unwrap_or(Span::MAX), cells)
    }
}

choice! {
    /// What the rate of higher-priority cells is subtracted from.
    pub enum PriorityTaken {
        /// The target: `target_utilization` of the line, minus their rate (ATM Forum 96-1172).
        #[default]
        FromTarget,
        /// The line: `target_utilization` of what they leave.
        FromLine,
    }
}
