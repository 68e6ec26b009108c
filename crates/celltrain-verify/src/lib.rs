//! Checks of results: one scenario evaluated in several ways and compared, invariants of its tables, and what makes a
//! scenario that fails smaller.

pub mod check;
pub mod compare;
pub mod report;
pub mod silence;
pub mod structure;
