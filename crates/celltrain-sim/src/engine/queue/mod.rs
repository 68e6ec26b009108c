//! Queues: disciplines, each with the cells that wait in it and their readings.

pub(in crate::engine) mod fifo;
pub(in crate::engine) mod frames;
pub(in crate::engine) mod gauge;
pub(in crate::engine) mod managed;
pub(in crate::engine) mod priority;
pub(in crate::engine) mod varying;
