//! PIE (RFC 8033) of whole packets, all flows in one queue; its state machine is [`crate::aqm::Pie`].

use super::discipline::{Build, Port};
use super::management::OnArrival;
use super::single::Single;
pub use crate::aqm::PieParameters;
use crate::aqm::{Manager, Pie};

impl Build for PieParameters {
    type Queue<T> = Single<T, OnArrival<Pie>>;

    fn queues(&self) -> u32 {
        1
    }

    fn build<T>(&self, port: Port) -> Self::Queue<T> {
        let manager = Pie::build(*self, port.stream);
        Single::new(OnArrival::new(manager, port.longest))
    }
}
