//! A TCP sender and a receiver joined by a small network.

mod pair;
mod properties;
mod reno;
