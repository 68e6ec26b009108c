//! ERICA and ERICA+.

use celltrain_language::{Fraction, Text};
use celltrain_proto::units::{Cells, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::marking::Marking;
use crate::scenario::default::{self, fraction};

/// Which rates ERICA may give.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EricaAllocation {
    /// Without overload, up to the largest rate given in the interval before.
    #[default]
    MaxPrevious,
    /// Fair share or share of the VC: the algorithm of 1995.
    Basic,
}

/// How the overload factor is averaged over intervals.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadAveraging {
    /// Quotient of the means of input and capacity.
    #[default]
    Ratio,
    /// Mean of the factor itself.
    OverloadFactor,
    /// The same, started anew by an interval without input.
    RestartingFactor,
    /// Quotient of the means of two rates, input and capacity; the capacity itself is not averaged.
    RatioOfRates,
}

/// Which queue stands for that at the end of an interval.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueSampling {
    /// The one that the latest RM cell met.
    #[default]
    RmCells,
    /// The one at that instant.
    IntervalEnd,
}

/// Where the present rate of a VC comes from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CcrSource {
    /// CCR of its latest forward RM cell.
    #[default]
    RmCell,
    /// Its cells in the last interval.
    Measured,
}

/// Which rate is remembered as the largest one given.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Remembers {
    /// As calculated.
    #[default]
    Calculated,
    /// As far as the target allowed it.
    Bounded,
    /// What the VC was told in the end.
    Given,
}

/// How often a VC has a verdict.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdicts {
    /// Once an interval, by the CCR that was known then.
    #[default]
    EachInterval,
    /// For each RM cell, by the latest CCR.
    EachCell,
}

/// A struct with the keys that ERICA and ERICA+ share beside its own. serde's `flatten` would do, but it
/// accepts unknown keys.
macro_rules! with_shared_keys {
    ($(#[$doc:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($own)*
            /// Longest averaging interval; needed unless `interval_cells` is given.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub interval: Option<Text<Span>>,
            /// Cells that end an averaging interval before its time; needed unless `interval` is given.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub interval_cells: Option<Text<Cells>>,
            /// Up to an overload factor of 1 plus this all VCs may have the largest rate given before.
            #[serde(default = "fraction::tenth")]
            pub delta: Fraction,
            /// Which rates may be given.
            #[serde(default)]
            pub allocation: EricaAllocation,
            /// How the overload factor is averaged over intervals.
            #[serde(default)]
            pub load_averaging: LoadAveraging,
            /// Weight of the newest interval in that average; 1 switches averaging off.
            #[serde(default = "fraction::four_fifths")]
            pub load_weight: Fraction,
            /// What remains of a silent VC in the number of active VCs from one interval to the next.
            #[serde(default = "fraction::nine_tenths")]
            pub activity_decay: Fraction,
            /// Whether a VC that returns raises the number of active VCs at once.
            #[serde(default = "default::yes")]
            pub immediate_update: bool,
            /// Whether a backward RM cell makes its VC active.
            #[serde(default)]
            pub backward_activity: bool,
            /// Where the present rate of a VC comes from.
            #[serde(default)]
            pub ccr: CcrSource,
            /// The part of the target that is the fair share before the first interval has ended.
            #[serde(default = "fraction::one")]
            pub initial_share: Fraction,
            /// Whether an interval without input leaves a VC all of the target instead of its fair share.
            #[serde(default)]
            pub idle_gives_all: bool,
            /// Which rate is remembered as the largest one given.
            #[serde(default)]
            pub remembers: Remembers,
            /// How many VCs an active one counts as.
            #[serde(default = "fraction::one")]
            pub activity_weight: Fraction,
            /// How often a VC has a verdict.
            #[serde(default)]
            pub verdicts: Verdicts,
            /// Whether no VC is given less than the MCR in its RM cells.
            #[serde(default)]
            pub guarantee_mcr: bool,
            /// Which cells carry it.
            #[serde(default)]
            pub marking: Marking,
        }

        impl $name {
            pub(crate) fn rules(&self) -> celltrain_proto::switch::EricaRules {
                celltrain_proto::switch::EricaRules {
                    interval: self.interval.map_or(Span::MAX, |interval| interval.0),
                    interval_cells: self.interval_cells.map_or(Cells(u64::MAX), |cells| cells.0),
                    delta: self.delta.0,
                    allocation: self.allocation.into(),
                    load_averaging: self.load_averaging.into(),
                    load_weight: self.load_weight.0,
                    activity_decay: self.activity_decay.0,
                    immediate_update: self.immediate_update,
                    backward_activity: self.backward_activity,
                    ccr: self.ccr.into(),
                    initial_share: self.initial_share.0,
                    idle_gives_all: self.idle_gives_all,
                    remembers: self.remembers.into(),
                    activity_weight: self.activity_weight.0,
                    one_verdict: self.verdicts == Verdicts::EachInterval,
                    guarantees_mcr: self.guarantee_mcr,
                    marking: self.marking.into(),
                }
            }
        }
    };
}

with_shared_keys! {
    /// ERICA: explicit rate by load measurement, for a target utilization.
    Erica {
        /// The part of the line to use.
        #[serde(default = "fraction::nineteen_twentieths")]
        pub target_utilization: Fraction,
        /// What cells of higher priority are taken from.
        #[serde(default)]
        pub priority_taken: PriorityTaken,
    }
}

/// What cells of higher priority are taken from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PriorityTaken {
    /// From the target: `target_utilization` of the line, less their rate.
    #[default]
    FromTarget,
    /// From the line: `target_utilization` of what they leave.
    FromLine,
}

with_shared_keys! {
    /// ERICA+: ERICA with a target queueing delay.
    EricaPlus {
        /// Target queueing delay.
        #[serde(default = "t0")]
        pub t0: Text<Span>,
        /// Steepness of the queue control above the target queue; more than 1.
        #[serde(default = "a")]
        pub a: Fraction,
        /// Gain at an empty queue; at least 1.
        #[serde(default = "b")]
        pub b: Fraction,
        /// Queue drain limit factor: the queue control never falls below it.
        #[serde(default = "fraction::half")]
        pub qdlf: Fraction,
        /// The shape of the queue control between these.
        #[serde(default)]
        pub queue_control: QueueControl,
        /// With a linear shape: how many times the target queue the control falls to its least at.
        #[serde(default = "k")]
        pub k: Fraction,
        /// Which queue stands for that at the end of an interval.
        #[serde(default)]
        pub queue_sampling: QueueSampling,
    }
}

/// The shape of the queue control of ERICA+.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueControl {
    /// Two hyperbolas.
    #[default]
    Hyperbolic,
    /// Two straight lines.
    Linear,
    /// `b` below the target, `qdlf` above.
    Step,
}

fn k() -> Fraction {
    Fraction(26.0 / 3.0)
}

fn t0() -> Text<Span> {
    Text(Span::from_us(1_500))
}

fn a() -> Fraction {
    Fraction(1.15)
}

fn b() -> Fraction {
    Fraction(1.05)
}

impl From<EricaAllocation> for celltrain_proto::switch::EricaAllocation {
    fn from(allocation: EricaAllocation) -> Self {
        match allocation {
            EricaAllocation::MaxPrevious => Self::MaxPrevious,
            EricaAllocation::Basic => Self::Basic,
        }
    }
}

impl From<LoadAveraging> for celltrain_proto::switch::LoadAveraging {
    fn from(averaging: LoadAveraging) -> Self {
        match averaging {
            LoadAveraging::Ratio => Self::Ratio,
            LoadAveraging::OverloadFactor => Self::OverloadFactor,
            LoadAveraging::RestartingFactor => Self::RestartingFactor,
            LoadAveraging::RatioOfRates => Self::RatioOfRates,
        }
    }
}

impl From<QueueSampling> for celltrain_proto::switch::QueueSampling {
    fn from(sampling: QueueSampling) -> Self {
        match sampling {
            QueueSampling::RmCells => Self::RmCells,
            QueueSampling::IntervalEnd => Self::IntervalEnd,
        }
    }
}

impl From<CcrSource> for celltrain_proto::switch::CcrSource {
    fn from(source: CcrSource) -> Self {
        match source {
            CcrSource::RmCell => Self::RmCell,
            CcrSource::Measured => Self::Measured,
        }
    }
}

impl From<Remembers> for celltrain_proto::switch::Remembers {
    fn from(remembers: Remembers) -> Self {
        match remembers {
            Remembers::Calculated => Self::Calculated,
            Remembers::Bounded => Self::Bounded,
            Remembers::Given => Self::Given,
        }
    }
}
