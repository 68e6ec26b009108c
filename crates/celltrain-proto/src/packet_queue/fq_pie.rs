//! FQ-PIE, as `fq_pie` of Linux: the flow queues of RFC 8290, each with a PIE (RFC 8033) of its own.
//!
//! ```text
//! a packet that finds no room is dropped itself, not one of the longest queue
//! PIE judges each packet that comes to its queue; with ECN it marks up to a drop probability of `ecn_prob` %
//! ```
//!
//! Keys and defaults are those of `tc-fq_pie(8)`, with gains in sixteenths of 1/s. The delay of a flow is that of its last
//! packet that left (no `dq_rate_estimator`), and the allowance for bursts is that of RFC 8033, which counts time rather than
//! departures. `bytemode` and `memory_limit` are left out; `limit` is the buffer of the link.

use super::discipline::{Build, Port};
use super::flow_queues::{Excess, FlowQueues};
use super::hashing::Hashing;
use super::management::OnArrival;
use crate::aqm::{Pie, PieParameters};
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, Span};

/// Gains of 1 are so many 1/s (`tc-fq_pie(8)`).
const GAIN: f64 = 1.0 / 16.0;

parameters! {
    /// The parameters of FQ-PIE.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct FqPieParameters {
        /// The number of queues into which flows are hashed.
        pub flows: u32 = 1024, in Bounds::within(1, 65_536);
        /// Octets on the line in a turn.
        pub quantum: Bytes = Bytes(1_514), in Bounds::within(Bytes(1), Bytes(1 << 20));
        /// Target queueing delay of a flow.
        pub target: Span = Span::from_ms(15), in Bounds::POSITIVE;
        /// Time between two updates of the drop probability.
        pub tupdate: Span = Span::from_ms(15), in Bounds::INTERVAL;
        /// Gain of the deviation from the target, in 1/16 s.
        pub alpha: f64 = 2.0, in Bounds::at_most(32.0);
        /// Gain of the increase of the delay, in 1/16 s.
        pub beta: f64 = 20.0, in Bounds::at_most(32.0);
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
        /// The drop probability, in percent, above which they are dropped nevertheless.
        pub ecn_prob: u32 = 10, in Bounds::at_most(100);
    }
}

impl Build for FqPieParameters {
    type Queue<T> = FlowQueues<T, OnArrival<Pie>>;

    fn queues(&self) -> u32 {
        self.flows
    }

    fn build<T>(&self, mut port: Port) -> Self::Queue<T> {
        let options = PieParameters {
            target: self.target,
            update: self.tupdate,
            alpha: self.alpha * GAIN,
            beta: self.beta * GAIN,
            ecn: self.ecn,
            burst: Span::from_ms(150),
        };
        let mark_limit = f64::from(self.ecn_prob) / 100.0;
        let hashing = Hashing::new(self.flows, &mut port.stream);
        // Each flow draws from a stream of its own, so that flows do not disturb each other.
        let manage = || {
            let stream = Stream::named(port.stream.uniform().to_bits(), "flow");
            let pie = Pie::new(options, stream).marking_up_to(mark_limit);
            OnArrival::new(pie, port.longest)
        };
        FlowQueues::new(hashing, self.quantum, Excess::Arriving, manage)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::packet_queue::testing::{Bench, at};
    use crate::packet_queue::{Label, Parameters};
    use crate::units::Time;

    fn defaults() -> FqPieParameters {
        FqPieParameters::defaults().expect("each has a default")
    }

    /// For 3 s, two packets of flow 1 come each ms, one of flow 2 each 10 ms, and one packet leaves each ms.
    fn loaded(parameters: FqPieParameters, ecn_capable: bool) -> (Bench, Vec<u32>) {
        let mut port = Bench::new(&Parameters::FqPie(parameters));
        let label = |flow| Label {
            flow,
            ..Label::default()
        };
        let mut sparse = Vec::new();
        for ms in 0..3_000 {
            for _ in 0..2 {
                port.takes(label(1), 1_500, ecn_capable, at(ms), true);
            }
            if ms % 10 == 0 {
                sparse.push(port.takes(label(2), 200, ecn_capable, at(ms), true));
            }
            port.leaves(at(ms));
        }
        (port, sparse)
    }

    #[test]
    fn pie_drops_from_the_flow_that_is_late_and_not_from_others() {
        let (port, sparse) = loaded(defaults(), false);
        assert!(port.dropped.len() > 1_000);
        assert!(sparse.iter().all(|number| !port.dropped.contains(number)));
        // Those that came within the first 150 ms, 21 in 10 ms, pass as a burst.
        assert!(port.dropped.iter().all(|&number| number >= 315));
    }

    #[test]
    fn with_ecn_packets_are_marked_up_to_ecn_prob_and_dropped_above() {
        let with = |ecn_prob| FqPieParameters {
            ecn: true,
            ecn_prob,
            ..defaults()
        };
        let (always, _) = loaded(with(100), true);
        assert!(always.dropped.is_empty() && !always.marked.is_empty());
        // The probability passes 10 % on its way.
        let (some, _) = loaded(with(10), true);
        assert!(!some.dropped.is_empty() && !some.marked.is_empty());
        let (never, _) = loaded(with(0), true);
        assert!(!never.dropped.is_empty() && never.marked.is_empty());
        let (incapable, _) = loaded(with(100), false);
        assert!(!incapable.dropped.is_empty() && incapable.marked.is_empty());
    }

    #[test]
    fn a_packet_that_finds_no_room_is_dropped_itself() {
        let mut port = Bench::new(&Parameters::FqPie(defaults()));
        for _ in 0..9 {
            port.comes(1, 1_500, Time::ZERO);
        }
        let late = port.takes(Label::default(), 40, false, Time::ZERO, false);
        assert_eq!(port.dropped, [late]);
        assert_eq!(port.drops_some(Time::ZERO), 0);
    }
}
