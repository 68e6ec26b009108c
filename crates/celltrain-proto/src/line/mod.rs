//! Lines: processes of their rate, cell loss and delay variation.

pub mod dmt;
mod jitter;
pub mod loss;
mod mahimahi;
mod markov;
mod rate;
mod rate_list;

pub use jitter::{ExponentialJitter, Jitter, JitterLaw, UniformJitter};
pub use loss::Loss;
pub use mahimahi::{DeliveryTrace, RecordError, TraceError};
pub use markov::MarkovRate;
pub use rate::RateProcess;
pub use rate_list::{RateList, RateListError};
