//! The interface of a traffic source: what its parameters tell, and its process of arrivals.

use core::convert::Infallible;

use crate::random::Stream;
use crate::units::{Rate, Span};

/// A process of arrivals.
pub trait Arrivals {
    /// The span from the start of the process to the first arrival. Called once, before the other methods.
    fn first(&mut self) -> Span {
        Span::ZERO
    }
    /// The span from one arrival to the next, [`Span::MAX`] if there are no more.
    fn gap(&mut self) -> Span;
    /// The span from one arrival to the next, and how many successive arrivals, at least one, are spaced by it:
    /// equivalent to that many calls of [`Arrivals::gap`].
    fn run(&mut self) -> (Span, u32) {
        (self.gap(), 1)
    }
}

/// The process of a source without one.
impl Arrivals for Infallible {
    fn gap(&mut self) -> Span {
        match *self {}
    }
}

/// What a process needs to start, apart from its parameters.
#[derive(Clone, Debug)]
pub struct Run {
    /// The size of an arrival on the line, in bits.
    pub bits: u64,
    /// The process's own random numbers.
    pub stream: Stream,
    /// The length of the run: arrivals after its end are never seen.
    pub horizon: Span,
}

/// The span from one arrival to the next where it is longest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LongestGap {
    /// What it takes in any case.
    pub least: Span,
    /// The mean of the exponential time that is added; zero if nothing is random.
    pub random: Span,
}

/// The parameters of a source. The defaults are those of a source with one state and no random numbers.
pub trait TrafficSource {
    /// Its arrivals; [`Infallible`] if it is greedy.
    type Process: Arrivals;

    /// Starts the process; `None` if the source is greedy: it always has something to send. The parameters must be valid.
    fn start(&self, run: Run) -> Option<Self::Process>;
    /// The highest sustained rate, in arrivals of `bits` bits each; for a trace, the mean. `None` if the source is greedy.
    fn peak(&self, bits: u64) -> Option<Rate>;
    /// The most arrivals of `bits` bits each within `seconds`, as far as [`peak`](Self::peak) bounds them; infinite if the
    /// source is greedy.
    fn most(&self, seconds: f64, bits: u64) -> f64 {
        self.peak(bits).map_or(f64::INFINITY, |peak| {
            1.0 + peak.as_bps() * seconds / bits as f64
        })
    }
    /// The most arrivals at one instant.
    fn most_at_once(&self) -> f64 {
        1.0
    }
    /// The most arrivals of `bits` bits each that wait at any time within `seconds` if `served` of them leave per second, as
    /// far as [`peak`](Self::peak) bounds them; infinite if the source is greedy.
    fn most_waiting(&self, served: f64, seconds: f64, bits: u64) -> f64 {
        self.peak(bits).map_or(f64::INFINITY, |peak| {
            let excess = peak.as_bps() / bits as f64 - served;
            self.most_at_once() + excess.max(0.0) * seconds
        })
    }
    /// The mean number of state changes per second: they take computing time even if nothing arrives.
    fn changes_per_s(&self) -> f64 {
        0.0
    }
    /// Whether arrivals depend on random numbers.
    fn is_random(&self) -> bool {
        false
    }
    /// Whether it always has something to send, and so has no process.
    fn is_greedy(&self) -> bool {
        false
    }
    /// Whether its arrivals are cells with a part of a circuit, so that they cannot be packets.
    fn is_circuit(&self) -> bool {
        false
    }
    /// The longest span between arrivals of `bits` bits each, silences included; `None` if that is unknown, or if nothing
    /// may ever arrive.
    #[expect(
        unused_variables,
        reason = "the default ignores its argument, whose name is documentation"
    )]
    fn longest_gap(&self, bits: u64) -> Option<LongestGap> {
        None
    }
}
