//! Traffic below TCP: arrival processes of cells or packets.
//!
//! A source is one file with its parameters, which implement [`TrafficSource`], and its process, which implements
//! [`Arrivals`]. A row in the registry below makes the process a variant of [`Traffic`], and the parameters a variant of
//! [`Parameters`], as which a scenario is read.
//!
//! A process returns the span from one arrival to the next, [`Span::MAX`] if there are no more. An arrival has a fixed
//! size on the line, so rates are always in bit/s.

mod aal1;
mod arrivals;
mod cbr;
mod greedy;
mod markov;
mod modulated;
mod on_off;
mod poisson;
mod pulses;
#[macro_use]
mod registry;
mod replay;

pub use aal1::sar_header;
pub use arrivals::{Arrivals, LongestGap, Run, TrafficSource};
pub use modulated::{Lengths, State};
pub use replay::{Replay, ReplayError, Trace};

use alloc::boxed::Box;

use crate::units::{Rate, Span};

traffic_sources! {
    /// Constant rate.
    "cbr", "CBR" => cbr::Cbr(CbrParameters);
    /// A circuit of constant rate in cells of AAL1, with 47 octets of it in each.
    "aal1", "AAL1" => aal1::Aal1(Aal1Parameters);
    /// Poisson: independent exponential gaps.
    "poisson", "Poisson" => poisson::Poisson(PoissonParameters);
    /// Bursts at a peak rate and silences, each of random or fixed length.
    "on-off", "on-off" => on_off::OnOff(OnOffParameters);
    /// A Markov chain with a rate in each state.
    "markov", "Markov" => markov::Markov(MarkovParameters);
    /// Pulses of a fixed period and duty cycle.
    "pulses", "pulses" => pulses::Pulses(PulsesParameters);
    /// Arrivals at given instants.
    "replay", "replay" => replay::Replay(ReplayParameters);
    /// There is always something to send, as fast as the service allows.
    "greedy", "greedy" => greedy::Greedy(GreedyParameters);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::units::CELL_BITS;

    /// A long run with arrivals of `bits` bits.
    pub(super) fn run(bits: u64) -> Run {
        Run {
            bits,
            stream: Stream::named(5, "traffic"),
            horizon: Span::MAX,
        }
    }

    /// The process of cells of a source that is not greedy.
    pub(super) fn start<S: TrafficSource>(source: &S) -> S::Process {
        let process = source.start(run(CELL_BITS));
        process.expect("the source is not greedy")
    }

    #[test]
    fn only_a_greedy_source_has_no_process_and_no_peak() {
        let rate = Rate::kbps(424);
        for (source, is_greedy) in [
            (Parameters::Greedy(GreedyParameters {}), true),
            (Parameters::Cbr(CbrParameters { rate }), false),
        ] {
            assert_eq!(source.is_greedy(), is_greedy);
            assert_eq!(source.start(run(CELL_BITS)).is_none(), is_greedy);
            assert_eq!(source.peak(CELL_BITS), (!is_greedy).then_some(rate));
        }
    }

    #[test]
    fn the_longest_gap_contains_the_silence() {
        // An arrival of 1000 bits takes 1 ms at the peak.
        let peak = Rate::bps(1e6);
        let bursts = |on_ms, lengths| {
            Parameters::OnOff(OnOffParameters {
                peak,
                on: Span::from_ms(on_ms),
                off: Span::from_ms(7),
                lengths,
            })
        };
        let pulses = PulsesParameters {
            peak,
            period: Span::from_ms(10),
            duty_cycle: 0.5,
        };
        let trace = ReplayParameters {
            trace: "0".into(),
            repeat: None,
        };
        let gap = |least, random| {
            let [least, random] = [least, random].map(Span::from_ms);
            Some(LongestGap { least, random })
        };
        // 376 bits of a circuit fill a cell.
        let rate = Rate::bps(376e3);
        for (source, expected) in [
            (Parameters::Cbr(CbrParameters { rate: peak }), gap(1, 0)),
            (Parameters::Aal1(Aal1Parameters { rate }), gap(1, 0)),
            (
                Parameters::Poisson(PoissonParameters { rate: peak }),
                gap(0, 1),
            ),
            (bursts(3, Lengths::Fixed), gap(8, 0)),
            (bursts(3, Lengths::Exponential), gap(1, 10)),
            // Not every burst has an arrival.
            (bursts(1, Lengths::Exponential), None),
            (Parameters::Pulses(pulses), gap(11, 0)),
            (Parameters::Replay(trace), None),
            (Parameters::Greedy(GreedyParameters {}), gap(0, 0)),
        ] {
            assert_eq!(source.longest_gap(1_000), expected, "{source:?}");
        }
    }
}
