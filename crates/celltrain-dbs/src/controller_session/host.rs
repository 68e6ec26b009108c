//! What the controller knows about a host.

use std::net::IpAddr;

use crate::clock::{Estimator, Offset};

/// What the controller knows about a host.
#[derive(Clone, Default, Debug)]
pub struct HostState {
    /// The address of its data sockets.
    pub(super) address: Option<IpAddr>,
    /// The identity of its clock; hosts with equal ones share a clock.
    pub(super) clock: String,
    /// Why the host is lost, if it is.
    pub lost: Option<String>,
    pub(super) before: Estimator,
    pub(super) after: Estimator,
    pub(super) ping: Option<(u64, u64)>,
    pub(super) exchanges: u32,
}

impl HostState {
    /// Its clock minus the controller's, over the whole run; `None` if it was never measured.
    pub fn offset(&self) -> Option<Offset> {
        match (self.before.offset(), self.after.offset()) {
            (Some(before), Some(after)) => Some(before.hull(after)),
            (before, after) => before.or(after),
        }
    }

    /// The shortest round trip of its control connection in ns.
    pub fn round_trip_ns(&self) -> Option<u64> {
        self.before.round_trip_ns()
    }
}
