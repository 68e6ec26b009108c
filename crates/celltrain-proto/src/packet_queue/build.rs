//! How the parameters of a queue make it.

use super::flow_queues::FlowQueues;
use crate::random::Stream;
use crate::units::Bytes;

/// How the parameters of a queue make it.
pub trait Build {
    /// An empty queue in front of a line whose longest packet has `longest` octets. `stream` perturbs the hash of flows.
    fn build<T>(&self, longest: Bytes, stream: Stream) -> FlowQueues<T>;
}
