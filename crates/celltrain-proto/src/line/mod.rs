//! Lines: processes of their rate, cell loss and delay variation.

mod changes;
pub mod dmt;
mod jitter;
pub mod loss;
mod mahimahi;
mod markov;
#[macro_use]
mod registry;
mod rate;
mod rate_list;
mod rate_range;
mod uniform;

pub use changes::{RateChanges, VaryingRate};
pub use jitter::{DelayDistribution, ExponentialJitter, Jitter, JitterLaw, UniformJitter};
pub use loss::Loss;
pub use mahimahi::{DeliveryTrace, RecordError, TraceError};
pub use rate::{
    CapParameters, DmtParameters, ListParameters, MahimahiParameters, MarkovParameters,
    RateParameters, RateProcess, UniformParameters,
};
pub use rate_list::{RateList, RateListError, RateStep};
pub use rate_range::RateRange;
