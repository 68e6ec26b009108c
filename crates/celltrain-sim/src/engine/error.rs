//! Why a run could not be completed.

use std::fmt;

use celltrain_proto::units::Time;

use crate::measure::Results;
use crate::scenario::Limits;

/// The reason why a run could not be completed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// The caller cancelled it.
    #[error("the run was cancelled")]
    Cancelled,
    /// Simulated time stands still: actors act endlessly at one instant.
    #[error("simulated time stands still at {at}: {who} act without end at one instant; {cure}")]
    Stuck {
        /// The instant.
        at: Time,
        /// The actors that act endlessly.
        who: String,
        /// What would let time advance.
        cure: String,
    },
    /// Cells appeared or vanished: a defect of the engine.
    #[error("cells were not conserved ({0}); please report this with the scenario")]
    NotConserved(String),
    /// It needed more than its limits allow.
    #[error(transparent)]
    LimitPassed(Box<Passed>),
}

/// What a run may need no more of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Cells, summed over all links.
    Cells,
    /// Memory of what grows during a run.
    Memory,
    /// Rows of probes.
    TraceRows,
    /// Memory that the system gives.
    System,
}

impl Limit {
    /// Its key in `[limits]`; `None` for the memory of the system.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::Cells => Some("cells"),
            Self::Memory => Some("memory_mib"),
            Self::TraceRows => Some("trace_rows"),
            Self::System => None,
        }
    }

    /// Its value among `limits`, in the unit of the key.
    pub(in crate::engine) fn of(self, limits: &Limits) -> f64 {
        match self {
            Self::Cells => limits.cells,
            Self::Memory => limits.memory_mib,
            Self::TraceRows => limits.trace_rows,
            Self::System => f64::INFINITY,
        }
    }
}

/// A run that passed a limit, and what it had measured by then.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The limit.
    pub limit: Limit,
    /// What it allows, in the unit of its key; infinite for the memory of the system.
    pub allowed: f64,
    /// The simulated time at which this was noticed.
    pub at: Time,
    /// The results of the same run if it had ended at that instant; `None` if the measured interval had not begun.
    pub partial: Option<Results>,
}

/// Equal results have equal digests.
impl PartialEq for Passed {
    fn eq(&self, other: &Self) -> bool {
        let digest = |it: &Self| it.partial.as_ref().map(|results| results.digest.clone());
        self.limit == other.limit
            && self.allowed.to_bits() == other.allowed.to_bits()
            && self.at == other.at
            && digest(self) == digest(other)
    }
}

impl Eq for Passed {}

impl std::error::Error for Passed {}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit.key() {
            Some(key) => write!(
                f,
                "the run needed more than limits.{key} = {:.3e} and was stopped at {}",
                self.allowed, self.at
            )?,
            None => write!(
                f,
                "the system has no memory left, and the run was stopped at {}",
                self.at
            )?,
        }
        if self.partial.is_none() {
            f.write_str(", before it measured anything")?;
        }
        f.write_str("; make it shorter or smaller, or raise the limit")
    }
}

/// Why an evaluation stopped before its end.
#[derive(Debug)]
pub(in crate::engine) enum Stop {
    /// The run fails with this error.
    Error(RunError),
    /// Cells left this link at one instant in an order that lazy evaluation does not keep: the link must be evaluated
    /// cell by cell.
    OrderLost(usize),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Self::Error(error)
    }
}
