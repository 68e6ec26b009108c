//! The interface of a distribution of the added delay.

use crate::random::{SplitMix64, Stream, part};
use crate::units::{Span, Time};

/// The random numbers of a line's added delay.
#[derive(Clone, Debug)]
pub struct Draws {
    /// Those of cells, one after the other.
    pub stream: Stream,
    /// From which those of intervals follow.
    key: u64,
}

impl Draws {
    /// Those of a stream.
    pub(super) fn new(stream: Stream) -> Self {
        // Of a copy, so that cells have the numbers that they have without intervals.
        let key = stream.clone().uniform().to_bits();
        Self { stream, key }
    }

    /// Uniform on [0, 1), always the same for the interval with this number: a line without cells draws nothing, however
    /// long it waits.
    pub(super) fn of_interval(&self, number: u64) -> f64 {
        part(SplitMix64(self.key ^ SplitMix64(number).word()).word())
    }
}

/// The parameters of a distribution of the delay that a cell gets in addition to that of the line.
pub trait DelayDistribution {
    /// The largest added delay.
    fn max(&self) -> Span;
    /// The delay added to the next cell, which departs at `departs`, before it waits for the cell before it.
    fn draw(&self, draws: &mut Draws, departs: Time) -> Span;
}
