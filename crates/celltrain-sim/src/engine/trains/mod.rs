//! Lazy evaluation: stages take trains of cells when somebody asks.

mod bypass;
mod emission;
mod grouped;
mod lookahead;
mod priority;
mod send;
mod settle;
mod stage;
mod take;
mod tunnel;
mod vary;
mod whole;

pub(in crate::engine) mod bypassed;
pub(in crate::engine) mod channel;
pub(in crate::engine) mod ends;
pub(in crate::engine) mod group;
pub(in crate::engine) mod ingress;
pub(in crate::engine) mod inputs;
pub(in crate::engine) mod merge;
pub(in crate::engine) mod port;
pub(in crate::engine) mod put;
pub(in crate::engine) mod serve;
