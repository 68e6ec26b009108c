//! Lines: processes by which their rate changes.

mod rate;

pub use rate::RateProcess;
