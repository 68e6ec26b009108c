//! Processes that change the rate of a line.
//!
//! A process is one file with its parameters, which implement [`VaryingRate`], and a type that implements
//! [`RateChanges`]. A row in the registry below makes the type a variant of [`RateProcess`], and the parameters a variant
//! of [`RateParameters`], as which a scenario is read.

mod bursts;
mod changes;
pub mod dmt;
mod fading;
mod hand_over;
mod list;
mod mahimahi;
mod markov;
mod range;
#[macro_use]
mod registry;
mod uniform;

pub use bursts::Gaps;
pub use changes::{RateChanges, VaryingRate};
pub use list::{RateList, RateStep};
pub use mahimahi::{DeliveryTrace, RecordError, TraceError, opportunity};
pub use range::RateRange;

use alloc::boxed::Box;

use crate::random::Stream;
use crate::units::{Bytes, Rate, Span, Time};

rate_processes! {
    /// A new rate, uniform on [low, high), at every multiple of `every`.
    "uniform", "uniform rate" => uniform::Uniform(UniformParameters);
    /// A list of rates, with the times from which they apply.
    "list", "list of rates" => list::List(ListParameters);
    /// A Mahimahi trace of packet-delivery opportunities.
    "mahimahi", "Mahimahi" => mahimahi::Mahimahi(MahimahiParameters);
    /// A good and a bad rate, each held for exponential times.
    "markov", "Markov rate" => markov::Markov(MarkovParameters);
    /// A radio link whose signal-to-noise ratio fades about its mean.
    "fading", "fading" => fading::Fading(FadingParameters);
    /// A new rate at each hand-over between satellites, after an outage.
    "hand-over", "hand-overs" => hand_over::HandOver(HandOverParameters);
    /// Bursts of one rate and length, with gaps between them.
    "bursts", "bursts" => bursts::Bursts(BurstsParameters);
    /// An ADSL line: loop, noise and margin determine the bits per carrier and the rate.
    "dmt", "DMT" => dmt::Dmt(DmtParameters);
    /// An ADSL line with a single carrier: loop, noise and margin determine the bits per symbol and the rate.
    "cap", "CAP" => dmt::Cap(CapParameters);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_rate_never_changes() {
        let mut process = RateProcess::Constant(Rate::kbps(8_000));
        assert_eq!(process.first(), Rate::kbps(8_000));
        assert_eq!(process.next_change(Time::ZERO), Time::NEVER);
    }
}
