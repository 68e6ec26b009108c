//! The interface of a distribution of the added delay.

use crate::random::Stream;
use crate::units::Span;

/// The parameters of a distribution of the delay that a cell gets in addition to that of the line.
pub trait DelayDistribution {
    /// The largest added delay.
    fn max(&self) -> Span;
    /// The delay added to the next cell, before it waits for the cell before it.
    fn draw(&self, stream: &mut Stream) -> Span;
}
