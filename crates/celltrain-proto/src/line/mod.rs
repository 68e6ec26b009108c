//! Lines: processes of their rate, delay, cell loss and delay variation.

pub mod delay;
pub mod jitter;
pub mod loss;
pub mod rate;
pub mod schedule;
mod steps;

pub use delay::{DelayParameters, VaryingDelay};
pub use jitter::{DelayDistribution, Jitter, JitterLaw};
pub use loss::Loss;
pub use rate::{
    DeliveryTrace, RateChanges, RateList, RateParameters, RateProcess, RateRange, RateStep,
    RecordError, TraceError, VaryingRate, dmt, opportunity,
};
pub use schedule::ScheduleParameters;
pub use steps::{Steps, StepsError};
