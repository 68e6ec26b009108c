//! The interface of a line whose rate varies: what its parameters tell, and its changes over time.

use super::range::RateRange;
use crate::random::Stream;
use crate::units::{Bytes, Rate, Span, Time};

/// The rate of a line over time: piecewise constant.
///
/// Call [`RateChanges::first`] once, then [`RateChanges::change`] once, in order, at each instant returned by
/// [`RateChanges::next_change`].
pub trait RateChanges {
    /// The initial rate. Call once, before [`RateChanges::change`].
    fn first(&mut self) -> Rate;
    /// The first change after `now`, [`Time::NEVER`] if there is none.
    ///
    /// All changes up to `now` must have been made. Between two changes the result stays the same.
    fn next_change(&self, now: Time) -> Time;
    /// Applies a change and returns the new rate.
    fn change(&mut self) -> Rate;
}

/// The parameters of a line whose rate varies.
pub trait VaryingRate {
    /// Its rate over time.
    type Process: RateChanges;

    /// Starts the process with its own random numbers. The parameters must be valid.
    fn start(&self, stream: Stream) -> Self::Process;
    /// The bounds of the rate; zero if the parameters are not valid.
    fn range(&self) -> RateRange;
    /// The highest sustained rate; for delivery opportunities, which come in bursts, over 10 ms.
    fn highest_lasting(&self) -> Rate {
        self.range().high
    }
    /// The one-way delay that the line adds to its propagation, as by interleaving.
    fn delay(&self) -> Span {
        Span::ZERO
    }
    /// Lets each delivery opportunity carry so many octets, those of a packet on its line, unless they are given.
    fn carry_packets(&mut self, octets: Bytes) {
        let _ = octets;
    }
    /// The mean rate of a line of delivery opportunities, which has no rate in the strict sense; `None` for a line with
    /// a rate.
    fn mean_of_opportunities(&self) -> Option<Rate> {
        None
    }
    /// Whether the rate depends on random numbers.
    fn is_random(&self) -> bool {
        false
    }
    /// Whether modems train on the line: the rate follows the noise from second to second, and it is zero during a
    /// retrain, even if [`VaryingRate::range`] begins above.
    fn trains(&self) -> bool {
        false
    }
}
