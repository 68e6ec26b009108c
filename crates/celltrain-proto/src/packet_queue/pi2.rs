//! PI2 (De Schepper et al. 2016) of whole packets, all flows in one queue; its state machine is [`crate::aqm::Pi2`].

use super::discipline::{Build, Port};
use super::management::OnArrival;
use super::single::Single;
pub use crate::aqm::Pi2Parameters;
use crate::aqm::{Manager, Pi2};

impl Build for Pi2Parameters {
    type Queue<T> = Single<T, OnArrival<Pi2>>;

    fn queues(&self) -> u32 {
        1
    }

    fn build<T>(&self, port: Port) -> Self::Queue<T> {
        let manager = Pi2::build(*self, port.stream);
        Single::new(OnArrival::new(manager, port.longest))
    }
}
