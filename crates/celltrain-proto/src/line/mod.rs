//! Lines: processes by which their rate changes and their cells are lost.

pub mod dmt;
mod loss;
mod mahimahi;
mod markov;
mod rate;
mod rate_list;

pub use loss::{BernoulliLoss, GilbertElliott, GilbertElliottLoss, Loss, ProbabilityError};
pub use mahimahi::{DeliveryTrace, RecordError, TraceError};
pub use markov::MarkovRate;
pub use rate::RateProcess;
pub use rate_list::{RateList, RateListError};
