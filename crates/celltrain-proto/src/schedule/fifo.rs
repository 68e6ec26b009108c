//! First come, first served: a single queue.

use super::service_order::{Kind, Queues, ServiceOrder};

parameters! {
    /// FIFO service has no parameters.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct FifoParameters {}
}

/// Serves the only queue.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Kind for Fifo {
    type Parameters = FifoParameters;
    const QUEUES: Queues = Queues::One;

    fn build(_: &FifoParameters, _: &[f64]) -> Self {
        Self
    }
}

impl ServiceOrder for Fifo {
    fn next(&self, ready: impl Fn(u32) -> bool) -> Option<u32> {
        ready(0).then_some(0)
    }

    fn is_by_number(&self) -> bool {
        true
    }
}
