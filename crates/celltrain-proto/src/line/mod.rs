//! Lines: processes by which their rate changes.

pub mod dmt;
mod markov;
mod rate;
mod rate_list;

pub use markov::MarkovRate;
pub use rate::RateProcess;
pub use rate_list::{RateList, RateListError};
