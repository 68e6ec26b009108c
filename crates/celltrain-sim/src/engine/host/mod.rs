//! End systems: connections, applications, the time that hosts take, and what they count.

mod joined;
mod outside;
mod passage;

pub(in crate::engine) mod application;
pub(in crate::engine) mod connection;
pub(in crate::engine) mod external;
pub(in crate::engine) mod flow;
pub(in crate::engine) mod hosts;
pub(in crate::engine) mod losses;
pub(in crate::engine) mod packets;
pub(in crate::engine) mod processing;
pub(in crate::engine) mod sink;
pub(in crate::engine) mod slots;
pub(in crate::engine) mod socket;
pub(in crate::engine) mod standstill;
