//! Why a run could not be completed.

use celltrain_proto::units::Time;

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
