//! BBR.
