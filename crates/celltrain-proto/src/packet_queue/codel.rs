//! `CoDel` (RFC 8289) of whole packets, all flows in one queue; its state machine is [`crate::aqm::CoDel`].

use super::discipline::{Build, Port};
use super::management::AtHead;
use super::single::Single;
use crate::aqm::CoDel;
pub use crate::aqm::CoDelParameters;

impl Build for CoDelParameters {
    type Queue<T> = Single<T, AtHead>;

    fn queues(&self) -> u32 {
        1
    }

    fn build<T>(&self, port: Port) -> Self::Queue<T> {
        Single::new(AtHead {
            codel: CoDel::new(*self),
            longest: port.longest,
        })
    }
}
