//! Checks of results: one scenario evaluated in several ways and compared, invariants of its tables, and the reduction of
//! a scenario that fails.

pub mod check;
pub mod compare;
mod deadline;
pub mod invariants;
pub mod report;
pub mod shrink;
pub mod silence;
pub mod structure;
pub mod text;
pub mod verdict;

#[cfg(test)]
#[path = "../../celltrain-sim/tests/common/row.rs"]
mod row;
