//! Lines: processes of their rate, cell loss and delay variation.

pub mod jitter;
pub mod loss;
pub mod rate;

pub use jitter::{DelayDistribution, Jitter, JitterLaw};
pub use loss::Loss;
pub use rate::{
    DeliveryTrace, RateChanges, RateList, RateListError, RateParameters, RateProcess, RateRange,
    RateStep, RecordError, TraceError, VaryingRate, dmt,
};
