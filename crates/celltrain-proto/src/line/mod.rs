//! Lines: processes by which their rate changes.

pub mod dmt;
mod rate;

pub use rate::RateProcess;
