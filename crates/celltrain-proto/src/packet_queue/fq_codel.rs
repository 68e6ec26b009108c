//! FQ-`CoDel` (RFC 8290): DRR++ over hashed flows, each with a `CoDel` of its own.
//!
//! Defaults are those of RFC 8290, 5.2 and of `tc-fq_codel(8)`. The limits of packets and octets are those of the buffer.

use super::build::Build;
use super::flow_queues::{FlowQueues, Hashing};
use crate::aqm::CoDelParameters;
use crate::parameters::Bounds;
use crate::random::Stream;
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
    fn build<T>(&self, longest: Bytes, stream: Stream) -> FlowQueues<T> {
        let codel = CoDelParameters {
            target: self.target,
            interval: self.interval,
            ecn: self.ecn,
        };
        let queues = FlowQueues::new(Hashing::new(self.flows, stream), self.quantum);
        queues.with_codel(codel, longest)
    }
}
