//! DRR++: flows take turns of a quantum of octets, and those that have just become active go first.
//!
//! Source: `MacGregor` and Shi, *Deficits for bursty latency-critical flows* (IEEE ICON 2000), as RFC 8290, 3.1 and 4.2
//! describe it. Where there are too many packets, some are dropped from the longest queue, as in [`super::fq_codel`].

use super::discipline::{Build, Port};
use super::flow_queues::{Excess, FlowQueues};
use super::hashing::Hashing;
use super::management::Unmanaged;
use crate::parameters::Bounds;
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
    type Queue<T> = FlowQueues<T, Unmanaged>;

    fn queues(&self) -> u32 {
        self.flows
    }

    fn build<T>(&self, mut port: Port) -> Self::Queue<T> {
        let hashing = Hashing::new(self.flows, &mut port.stream);
        FlowQueues::new(hashing, self.quantum, Excess::Longest, || Unmanaged)
    }
}
