//! Why a run could not be completed.

use celltrain_proto::units::Time;

/// The reason why a run could not be completed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The caller cancelled it.
    Cancelled,
    /// Simulated time stands still: actors act endlessly at one instant.
    Stuck {
        /// The instant.
        at: Time,
        /// The actors that act endlessly.
        who: String,
        /// What would let time advance.
        cure: String,
    },
    /// Cells appeared or vanished: a defect of the engine.
    NotConserved(String),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::Stuck { at, who, cure } => write!(
                f,
                "simulated time stands still at {at}: {who} act without end at one instant; {cure}"
            ),
            Self::NotConserved(what) => {
                write!(
                    f,
                    "cells were not conserved ({what}); please report this with the scenario"
                )
            }
        }
    }
}

impl std::error::Error for RunError {}

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
