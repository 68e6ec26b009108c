//! Lines: processes by which their rate changes.

pub mod dmt;
mod mahimahi;
mod markov;
mod rate;
mod rate_list;

pub use mahimahi::{DeliveryTrace, RecordError, TraceError};
pub use markov::MarkovRate;
pub use rate::RateProcess;
pub use rate_list::{RateList, RateListError};
