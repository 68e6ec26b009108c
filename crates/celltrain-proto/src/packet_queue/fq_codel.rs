//! FQ-`CoDel` (RFC 8290): DRR++ over hashed flows, each with a `CoDel` of its own.
//!
//! Defaults are those of RFC 8290, 5.2 and of `tc-fq_codel(8)`. The limits of packets and octets are those of the buffer.

use super::discipline::{Build, Port};
use super::flow_queues::{Excess, FlowQueues};
use super::hashing::Hashing;
use super::management::AtHead;
use crate::aqm::{CoDel, CoDelParameters};
use crate::parameters::Bounds;
use crate::units::{Bytes, Span};

parameters! {
    /// The parameters of FQ-`CoDel`.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct FqCodelParameters {
        /// The number of queues into which flows are hashed.
        pub flows: u32 = 1024, in Bounds::within(1, 65_536);
        /// Octets on the line in a turn.
        pub quantum: Bytes = Bytes(1_514), in Bounds::within(Bytes(1), Bytes(1 << 20));
        /// Acceptable standing queueing delay; on a slow line at least the time of 1.5 packets.
        pub target: Span = Span::from_ms(5), in Bounds::POSITIVE;
        /// Time within which the delay must fall below the target at least once: a worst-case round-trip time.
        pub interval: Span = Span::from_ms(100), in Bounds::POSITIVE;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = true;
    }
}

impl Build for FqCodelParameters {
    type Queue<T> = FlowQueues<T, AtHead>;

    fn queues(&self) -> u32 {
        self.flows
    }

    fn build<T>(&self, mut port: Port) -> Self::Queue<T> {
        let codel = CoDelParameters {
            target: self.target,
            interval: self.interval,
            ecn: self.ecn,
        };
        let manage = || AtHead {
            codel: CoDel::new(codel),
            longest: port.longest,
        };
        let hashing = Hashing::new(self.flows, &mut port.stream);
        FlowQueues::new(hashing, self.quantum, Excess::Longest, manage)
    }
}
