//! DRR++: flows take turns of a quantum of octets, and those that have just become active go first.
//!
//! Source: `MacGregor` and Shi, *Deficits for bursty latency-critical flows* (IEEE ICON 2000), as RFC 8290, 3.1 and 4.2
//! describe it. Where there are too many packets, some are dropped from the longest queue, as in [`super::fq_codel`].

use super::build::Build;
use super::flow_queues::{FlowQueues, Hashing};
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::Bytes;

parameters! {
    /// The parameters of DRR++.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct DrrPlusPlusParameters {
        /// The number of queues into which flows are hashed.
        pub flows: u32 = 1024, in Bounds::within(1, 65_536);
        /// Octets on the line in a turn.
        pub quantum: Bytes = Bytes(1_514), in Bounds::within(Bytes(1), Bytes(1 << 20));
    }
}

impl Build for DrrPlusPlusParameters {
    fn build<T>(&self, _: Bytes, stream: Stream) -> FlowQueues<T> {
        FlowQueues::new(Hashing::new(self.flows, stream), self.quantum)
    }
}
